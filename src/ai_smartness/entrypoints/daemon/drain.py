"""Drain the inbox: each record into the memory of its project, in order, exactly once.

A file of the inbox goes only when everything in it is stored or set aside. What is
drained twice, after a crash, is known by its id and left as it is.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from ai_smartness.entrypoints.daemon import inbox
from ai_smartness.entrypoints.daemon.opened import Memories, Work
from ai_smartness.entrypoints.daemon.records import NEW_CONTEXT, Record, read_record
from ai_smartness.entrypoints.daemon.set_aside import Marks, set_aside
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.journal import Actor

__all__ = ["Drain"]

_LOG = logging.getLogger(__name__)

BATCH_RECORDS = 8
"""Captured in one transaction: few enough that a prompt's own writing does not wait long."""

_MISTAKES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


class Drain:
    """What takes the records of one inbox to the memories."""

    def __init__(
        self,
        folder: str,
        memories: Memories,
        now: Callable[[], datetime],
        breathe: Callable[[], None],
        stored: Callable[[Record], None],
    ) -> None:
        """Take what tells the time, what is called before each transaction, and of each record."""
        self._folder = folder
        self._memories = memories
        self._now = now
        self._breathe = breathe
        self._is_stored = stored
        self._marks = Marks(folder)
        self.stored = 0
        self.refused = 0

    def run(self) -> list[str]:
        """Drain all that waits, and return the folders whose projects have something new."""
        folders: dict[str, None] = {}
        for name, given, broken in inbox.batches(self._folder):
            for line in broken:
                self._refuse(line.decode(errors="backslashreplace"), "it is no JSON object")
            for records in _batches(self._read(given)):
                self._breathe()
                self._keep(records)
                folders[records[0].cwd] = None
            inbox.finished(self._folder, name)
        return list(folders)

    def _read(self, given: "Iterable[dict[str, object]]") -> Iterator[Record]:
        for each in given:
            try:
                yield read_record(each)
            except RefusedError as error:
                self._refuse(each, str(error))

    def _keep(self, records: list[Record]) -> None:
        try:
            self._capture(records)
        except (RefusedError, NotFoundError) as error:
            self._keep_apart(records, error)
        except _MISTAKES as error:
            # Ours; it must not stand in the way of what comes after.
            _LOG.exception("a record was not captured")
            self._keep_apart(records, error)

    def _keep_apart(self, records: list[Record], error: Exception) -> None:
        """Find out which of several it is."""
        if len(records) > 1:
            for each in records:
                self._keep([each])
        else:
            self._refuse(_written(records[0]), str(error))

    def _capture(self, records: list[Record]) -> None:
        with self._memories.of(records[0].cwd, Work.DRAIN) as memory:
            for each in records:
                if each.mark in NEW_CONTEXT and each.session and each.id not in self._marks:
                    memory.used_by(Actor("agent", each.client)).context_compacted(each.session)
                    self._marks.add(each.id)
            messages = [each.message for each in records if each.message is not None]
            if messages:
                self.stored += memory.capture(messages).stored
        for each in records:
            self._is_stored(each)

    def _refuse(self, what: object, why: str) -> None:
        set_aside(self._folder, f"{self._now():%Y-%m-%d}", what, why)
        self.refused += 1
        _LOG.warning("a record was set aside in %s: %s", self._folder, why)


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Group records that follow each other in one folder; a mark stands alone."""
    batch: list[Record] = []
    for each in records:
        if batch and (len(batch) >= BATCH_RECORDS or _is_apart(batch[-1], each)):
            yield batch
            batch = []
        batch.append(each)
    if batch:
        yield batch


def _is_apart(one: Record, other: Record) -> bool:
    return one.cwd != other.cwd or one.mark is not None or other.mark is not None


def _written(record: Record) -> "dict[str, object]":
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
