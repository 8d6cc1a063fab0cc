"""Functions that read side by side, so that what they ask for is sent together.

Each function runs in a greenlet of its own, until it needs rows. When all of them do, their
queries go to the server at once, and each goes on with its answer. There is one thread, and a
function is left only where it waits for rows.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias, cast

from greenlet import getcurrent, greenlet

from ai_smartness.adapters.postgres.query import Query
from ai_smartness.adapters.tables.sql_database import Row

__all__ = ["Answers", "answers_together", "reading_alone", "results_together"]

Answers: TypeAlias = list[list[Row]]


class _Reader(greenlet):
    """One of the functions, and what it has asked for."""

    def __init__(self, read: Callable[[], object]) -> None:
        super().__init__(read)
        self.gr_context = getcurrent().gr_context
        self.units = 0
        self.queries: Sequence[Query] = ()
        self.result: object = None

    def go_on(self, answers: Answers | None = None) -> None:
        """Run until it needs rows or ends."""
        came = self.switch() if answers is None else self.switch(answers)
        self.queries, self.result = ((), came) if self.dead else (cast("list[Query]", came), None)


def results_together(
    reads: Sequence[Callable[[], object]], send: Callable[[Sequence[Query]], Answers]
) -> list[Any]:
    """Return the results of functions whose queries `send` answers, all that wait at once."""
    if len(reads) < 2:  # noqa: PLR2004 - nothing to join
        return [read() for read in reads]
    readers = [_Reader(read) for read in reads]
    try:
        for reader in readers:
            reader.go_on()
        while waiting := [reader for reader in readers if not reader.dead]:
            queries = [query for reader in waiting for query in reader.queries]
            answers = iter(_answers_once(queries, send))
            for reader in waiting:
                reader.go_on([next(answers) for _ in reader.queries])
    finally:
        for reader in readers:
            if not reader.dead:
                reader.throw()  # after an error of one, the others end where they wait
    return [reader.result for reader in readers]


def _answers_once(queries: Sequence[Query], send: Callable[[Sequence[Query]], Answers]) -> Answers:
    """Return the rows of queries, of which each is sent once however many ask for the same."""
    keys = [(query.sql, repr(query.parameters)) for query in queries]
    unique = dict(zip(keys, queries, strict=True))
    answers = dict(zip(unique, send(list(unique.values())), strict=True))
    return [list(answers[key]) for key in keys]


def answers_together(
    queries: Sequence[Query], send: Callable[[Sequence[Query]], Answers]
) -> Answers:
    """Return the rows of queries: together with those of its neighbours, or by `send`."""
    reader = getcurrent()
    if isinstance(reader, _Reader) and not reader.units and reader.parent is not None:
        return cast("Answers", reader.parent.switch(queries))
    return send(queries)


@contextmanager
def reading_alone() -> Iterator[None]:
    """Have the current function wait for itself: a unit of its own is not for its neighbours."""
    reader = getcurrent()
    if not isinstance(reader, _Reader):
        yield
        return
    reader.units += 1
    try:
        yield
    finally:
        reader.units -= 1
