"""Drain the inbox: store each record in the memory of its project, in order, exactly once.

A file of the inbox is removed only when each of its records is stored or set aside for a person
to look at. A record that is drained twice, after a crash, is recognised by its id. The records of a
project whose own settings are broken wait in a file of that project, and the others go on.
"""

import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path

from ai_smartness.entrypoints.daemon import inbox
from ai_smartness.entrypoints.daemon.inbox_record import (
    CONTEXT_RESET_MARKS,
    InboxRecord,
    read_record,
)
from ai_smartness.entrypoints.daemon.memory_pool import (
    BlockedProjectError,
    MemoryPool,
    Work,
    project_of,
)
from ai_smartness.memory import Memory
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.journal import Actor
from ai_smartness.redact import redacted_json

__all__ = ["HandledMarks", "InboxDrain", "set_aside_record"]

_LOG = logging.getLogger(__name__)

BATCH_RECORDS = 8
"""Captured in one transaction: few enough that a prompt's own write does not wait long."""

MAX_MARKS = 500

_OUR_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


class InboxDrain:
    """Moves the records of one inbox into the memories."""

    def __init__(
        self,
        folder: str,
        memories: MemoryPool,
        now: Callable[[], datetime],
        before_batch: Callable[[], None],
        on_stored: Callable[[InboxRecord], None],
    ) -> None:
        self._folder = folder
        self._memories = memories
        self._now = now
        self._before_batch = before_batch
        self._on_stored = on_stored
        self._marks = HandledMarks(folder)
        self.stored = 0
        self.refused = 0

    def run(self) -> list[str]:
        """Drain every waiting record, and return the folders whose projects have new ones."""
        folders = self.retry_waiting()
        for name, fields, broken in inbox.taken_files(self._folder):
            for line in broken:
                self._refuse_record(line.decode(errors="backslashreplace"), "it is no JSON object")
            folders += self._drain_records(fields)
            inbox.remove_file(self._folder, name)
        return list(dict.fromkeys(folders))

    def retry_waiting(self) -> list[str]:
        """Drain the records of projects that could not be used; return the folders of new ones."""
        folders: list[str] = []
        for name, cwd in inbox.waiting_files(self._folder):
            if not cwd or self._is_usable(cwd):
                fields = inbox.file_records(self._folder, name)
                # If the project breaks again in between, its file stays.
                for records in _record_batches(self._valid_records(fields)):
                    self._before_batch()
                    self._capture_or_refuse(records)
                    folders.append(records[0].cwd)
                inbox.remove_file(self._folder, name)
        return folders

    def _is_usable(self, cwd: str) -> bool:
        try:
            with self._memories.memory_for(cwd, Work.DRAIN):
                return True
        except BlockedProjectError:
            return False

    def _drain_records(self, fields: "Iterable[dict[str, object]]") -> list[str]:
        folders: list[str] = []
        for records in _record_batches(self._valid_records(fields)):
            self._before_batch()
            root = self._project_root(records[0].cwd)
            try:
                if root and inbox.has_waiting_file(self._folder, root):
                    self._keep_waiting(root, records)
                    continue
                self._capture_or_refuse(records)
                folders.append(records[0].cwd)
            except BlockedProjectError as error:
                _LOG.warning("the records of %s wait: %s", root, error)
                self._keep_waiting(root, records)
        return folders

    def _project_root(self, cwd: str) -> str:
        """Return the root of a folder's project; nothing for what cannot be a folder."""
        try:
            return project_of(cwd, os.path.dirname(self._folder)).root
        except RefusedError:
            return ""

    def _keep_waiting(self, root: str, records: list[InboxRecord]) -> None:
        inbox.keep_waiting(self._folder, root, (record.fields for record in records))

    def _valid_records(self, raw_records: "Iterable[dict[str, object]]") -> Iterator[InboxRecord]:
        for fields in raw_records:
            try:
                yield read_record(fields)
            except RefusedError as error:
                self._refuse_record(fields, str(error))

    def _capture_or_refuse(self, records: list[InboxRecord]) -> None:
        try:
            self._capture_records(records)
        except (RefusedError, NotFoundError) as error:
            self._capture_singly(records, error)
        except _OUR_ERRORS as error:
            # A mistake of ours must not hold up the records behind it.
            _LOG.exception("a record was not captured")
            self._capture_singly(records, error)

    def _capture_singly(self, records: list[InboxRecord], error: Exception) -> None:
        """Find out which of several records caused the error."""
        if len(records) > 1:
            for record in records:
                self._capture_or_refuse([record])
        else:
            self._refuse_record(records[0].fields, str(error))

    def _capture_records(self, records: list[InboxRecord]) -> None:
        with self._memories.memory_for(records[0].cwd, Work.DRAIN) as memory:
            for record in records:
                if record.mark and record.session and record.id not in self._marks:
                    self._act_on_mark(memory, record, record.session)
            messages = [record.message for record in records if record.message is not None]
            if messages:
                self.stored += memory.capture(messages).stored
        for record in records:
            self._on_stored(record)

    def _act_on_mark(self, memory: Memory, record: InboxRecord, session: str) -> None:
        if record.mark in CONTEXT_RESET_MARKS:
            memory.used_by(Actor("agent", record.client)).context_compacted(session)
        elif record.brief_digest:
            if not memory.record_brief(session, record.brief_digest):
                _LOG.warning("the brief of session %s is unknown: it may be repeated", session)
        elif record.printed_lines:
            memory.record_printed(session, record.printed_lines, prompt_id=record.prompt_id)
        else:
            return
        self._marks.add(record.id)

    def _refuse_record(self, record: object, why: str) -> None:
        set_aside_record(self._folder, f"{self._now():%Y-%m-%d}", record, why)
        self.refused += 1
        _LOG.warning("a record was set aside in %s: %s", self._folder, why)


def _record_batches(records: Iterable[InboxRecord]) -> Iterator[list[InboxRecord]]:
    """Group consecutive records of one folder; a mark is a batch of its own."""
    batch: list[InboxRecord] = []
    for record in records:
        if batch and (len(batch) >= BATCH_RECORDS or _is_apart(batch[-1], record)):
            yield batch
            batch = []
        batch.append(record)
    if batch:
        yield batch


def _is_apart(one: InboxRecord, other: InboxRecord) -> bool:
    return one.cwd != other.cwd or one.mark is not None or other.mark is not None


def set_aside_record(folder: str, day: str, record: object, why: str) -> None:
    """Write a record that cannot be captured, with the reason, to the day's file."""
    line = json.dumps(redacted_json({"why": why, "record": record}), default=repr) + "\n"
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    _write_synced(f"{folder}/bad-{day}.jsonl", flags, line.encode(errors="backslashreplace"))


class HandledMarks:
    """The ids of marks that were acted upon: drained a second time they do nothing."""

    def __init__(self, folder: str) -> None:
        self._path = Path(folder) / "marks.json"

    def __contains__(self, id_: str) -> bool:
        return id_ in self._read_ids()

    def add(self, id_: str) -> None:
        """Remember a mark."""
        ids = [*self._read_ids(), id_][-MAX_MARKS:]
        new = self._path.with_suffix(".new")
        _write_synced(str(new), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, json.dumps(ids).encode())
        new.replace(self._path)

    def _read_ids(self) -> list[str]:
        try:
            ids = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return []
        return [id_ for id_ in ids if isinstance(id_, str)] if isinstance(ids, list) else []


def _write_synced(path: str, flags: int, contents: bytes) -> None:
    handle = os.open(path, flags, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(contents)
        file.flush()
        os.fsync(handle)
