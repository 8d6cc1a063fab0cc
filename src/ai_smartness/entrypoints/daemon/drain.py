"""Drain the inbox: each record into the memory of its project, in order, exactly once.

A file of the inbox goes only when everything in it is stored or set aside. What is
drained twice, after a crash, is known by its id and left as it is.

What the inbox held and no memory takes, kept for a person to look at.
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
from ai_smartness.entrypoints.daemon.memory_pool import MemoryPool, Work
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.journal import Actor
from ai_smartness.redact import redacted_json

__all__ = ["HandledMarks", "InboxDrain", "set_aside_record"]


_LOG = logging.getLogger(__name__)

BATCH_RECORDS = 8
"""Captured in one transaction: few enough that a prompt's own writing does not wait long."""

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
    """What takes the records of one inbox to the memories."""

    def __init__(
        self,
        folder: str,
        memories: MemoryPool,
        now: Callable[[], datetime],
        breathe: Callable[[], None],
        stored: Callable[[InboxRecord], None],
    ) -> None:
        """Take what tells the time, what is called before each transaction, and of each record."""
        self._folder = folder
        self._memories = memories
        self._now = now
        self._yield_to_requests = breathe
        self._on_stored = stored
        self._marks = HandledMarks(folder)
        self.stored = 0
        self.refused = 0

    def run(self) -> list[str]:
        """Drain all that waits, and return the folders whose projects have something new."""
        folders: dict[str, None] = {}
        for name, given, broken in inbox.taken_files(self._folder):
            for line in broken:
                self._refuse_record(line.decode(errors="backslashreplace"), "it is no JSON object")
            for records in _record_batches(self._valid_records(given)):
                self._yield_to_requests()
                self._capture_or_refuse(records)
                folders[records[0].cwd] = None
            inbox.remove_file(self._folder, name)
        return list(folders)

    def _valid_records(self, given: "Iterable[dict[str, object]]") -> Iterator[InboxRecord]:
        for each in given:
            try:
                yield read_record(each)
            except RefusedError as error:
                self._refuse_record(each, str(error))

    def _capture_or_refuse(self, records: list[InboxRecord]) -> None:
        try:
            self._capture_records(records)
        except (RefusedError, NotFoundError) as error:
            self._capture_singly(records, error)
        except _OUR_ERRORS as error:
            # Ours; it must not stand in the way of what comes after.
            _LOG.exception("a record was not captured")
            self._capture_singly(records, error)

    def _capture_singly(self, records: list[InboxRecord], error: Exception) -> None:
        """Find out which of several it is."""
        if len(records) > 1:
            for each in records:
                self._capture_or_refuse([each])
        else:
            self._refuse_record(_record_fields(records[0]), str(error))

    def _capture_records(self, records: list[InboxRecord]) -> None:
        with self._memories.memory_for(records[0].cwd, Work.DRAIN) as memory:
            for each in records:
                if each.mark in CONTEXT_RESET_MARKS and each.session and each.id not in self._marks:
                    memory.used_by(Actor("agent", each.client)).context_compacted(each.session)
                    self._marks.add(each.id)
            messages = [each.message for each in records if each.message is not None]
            if messages:
                self.stored += memory.capture(messages).stored
        for each in records:
            self._on_stored(each)

    def _refuse_record(self, what: object, why: str) -> None:
        set_aside_record(self._folder, f"{self._now():%Y-%m-%d}", what, why)
        self.refused += 1
        _LOG.warning("a record was set aside in %s: %s", self._folder, why)


def _record_batches(records: Iterable[InboxRecord]) -> Iterator[list[InboxRecord]]:
    """Group records that follow each other in one folder; a mark stands alone."""
    batch: list[InboxRecord] = []
    for each in records:
        if batch and (len(batch) >= BATCH_RECORDS or _is_apart(batch[-1], each)):
            yield batch
            batch = []
        batch.append(each)
    if batch:
        yield batch


def _is_apart(one: InboxRecord, other: InboxRecord) -> bool:
    return one.cwd != other.cwd or one.mark is not None or other.mark is not None


def _record_fields(record: InboxRecord) -> "dict[str, object]":
    said = record.message
    return {
        "id": record.id,
        "cwd": record.cwd,
        "session": record.session,
        "mark": record.mark,
        "client": record.client,
        "text": said.text if said else "",
        "role": said.role if said else None,
        "at": said.at.isoformat() if said and said.at else None,
        "type": said.type if said else None,
        "source": said.source if said else None,
        "payload": dict(said.payload) if said else {},
    }


MAX_MARKS = 500


def set_aside_record(folder: str, day: str, what: object, why: str) -> None:
    """Keep something that cannot be captured, with the reason, in the file of the day."""
    line = json.dumps(redacted_json({"why": why, "record": what}), default=repr) + "\n"
    path = Path(folder) / f"bad-{day}.jsonl"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "ab") as file:
        file.write(line.encode(errors="backslashreplace"))
        file.flush()
        os.fsync(handle)


class HandledMarks:
    """The marks that were acted upon, by their ids: drained a second time they do nothing."""

    def __init__(self, folder: str) -> None:
        self._path = Path(folder) / "marks.json"

    def __contains__(self, id_: str) -> bool:
        return id_ in self._read_ids()

    def add(self, id_: str) -> None:
        """Remember a mark."""
        known = [*self._read_ids(), id_][-MAX_MARKS:]
        new = self._path.with_suffix(".new")
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(known).encode())
            file.flush()
            os.fsync(handle)
        new.replace(self._path)

    def _read_ids(self) -> list[str]:
        try:
            known = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return []
        return [each for each in known if isinstance(each, str)] if isinstance(known, list) else []
