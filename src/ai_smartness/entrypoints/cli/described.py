"""The memory with its threads described, opened for a command that has to do with them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ai_smartness.entrypoints.cli.output import progress

if TYPE_CHECKING:
    from ai_smartness.entrypoints.cli.context import Context
    from ai_smartness.memory import Memory

__all__ = ["described"]


@contextmanager
def described(context: "Context") -> Iterator["Memory"]:
    """Open the memory and describe what was captured since.

    With a bar: after an import it takes a while.
    """
    with context.memory() as memory:
        with progress("describing threads") as told:
            memory.tell(progress=told)
        yield memory
