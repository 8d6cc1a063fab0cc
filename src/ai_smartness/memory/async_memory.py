"""`AsyncMemory`: the verbs of `Memory` for programs that use `async`.

There is one core, and it is synchronous. Each verb runs in a thread that belongs to the memory,
in the order of the calls, while the event loop goes on. The methods are made from those of
`Memory`; `async_memory.pyi`, which `scripts/reference.py` writes, has their types.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial, wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ai_smartness.memory import Memory

if TYPE_CHECKING:
    from pathlib import Path

    from ai_smartness.model.journal import Actor

__all__ = ["PLAIN_MEMBERS", "AsyncMemory", "OpeningMemory"]

_T = TypeVar("_T")

PLAIN_MEMBERS = frozenset({"open", "close", "seen_from", "used_by", "embedder", "window_tokens"})
"""Members of `Memory` that are written here, or left out because they load a model at once."""


class AsyncMemory:
    """A memory whose verbs are awaited: it has every method of `Memory`.

    They run in a thread of the memory's own, in the order of the calls. A call that is cancelled
    is carried out all the same; only its answer is lost. `progress` is called in that thread.
    """

    def __init__(self, memory: Memory, worker: ThreadPoolExecutor | None = None) -> None:
        self._memory = memory
        self._worker = worker or _memory_worker()

    @classmethod
    def open(
        cls,
        path: Path | str | None = None,
        *,
        project: str | Path | None = None,
        home: Path | str | None = None,
    ) -> OpeningMemory:
        """Open a memory, with `async with` or with `await`: the named file, or the user's own."""
        return OpeningMemory(partial(Memory.open, path, project=project, home=home))

    @property
    def memory(self) -> Memory:
        """The memory itself, for code that does not wait."""
        return self._memory

    @property
    def project(self) -> str:
        """The project that the memory is seen from."""
        return self._memory.project

    @property
    def who(self) -> Actor:
        """Who the journal says made the changes."""
        return self._memory.who

    @property
    def window_tokens(self) -> int:
        """The size of an agent's context window in tokens, if the client does not report it."""
        return self._memory.window_tokens

    def seen_from(self, project: str) -> AsyncMemory:
        """Return the same memory seen from another project; it is closed with this one."""
        return AsyncMemory(self._memory.seen_from(project), self._worker)

    def used_by(self, who: Actor) -> AsyncMemory:
        """Return the same memory in somebody else's hands: the journal says who did what."""
        return AsyncMemory(self._memory.used_by(who), self._worker)

    async def close(self) -> None:
        """Close the file, after the calls that were made before."""
        await run_in_worker(self._worker, self._memory.close)
        self._worker.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class OpeningMemory:
    """A memory that is about to be opened: `async with` it, or `await` it and close it yourself."""

    def __init__(self, open_: Callable[[], Memory]) -> None:
        self._open = open_
        self._opened: AsyncMemory | None = None

    def __await__(self) -> Generator[Any, None, AsyncMemory]:
        return self._open_in_worker().__await__()

    async def __aenter__(self) -> AsyncMemory:
        self._opened = await self
        return self._opened

    async def __aexit__(self, *_: object) -> None:
        if self._opened is not None:
            await self._opened.close()

    async def _open_in_worker(self) -> AsyncMemory:
        worker = _memory_worker()
        try:
            return AsyncMemory(await run_in_worker(worker, self._open), worker)
        except BaseException:
            worker.shutdown(wait=False)
            raise


def _memory_worker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="ai_smartness")


async def run_in_worker(worker: ThreadPoolExecutor, call: Callable[[], _T]) -> _T:
    """Run a call in the thread, with the caller's context variables."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(worker, copy_context().run, call)


def _awaited_verb(name: str, verb: FunctionType) -> Callable[..., Any]:
    """Return a verb of `Memory` as one that is awaited."""

    @wraps(verb)
    async def awaited_verb(self: AsyncMemory, *arguments: object, **named: object) -> object:
        def call() -> object:
            answer = getattr(self.memory, name)(*arguments, **named)
            # What is read piece by piece is read here too, and not in the event loop.
            return list(answer) if isinstance(answer, Iterator) else answer

        return await run_in_worker(self._worker, call)

    return awaited_verb


def _add_verbs() -> None:
    for name in dir(Memory):
        verb = getattr(Memory, name)
        is_public = isinstance(verb, FunctionType) and not name.startswith("_")
        if is_public and name not in PLAIN_MEMBERS:
            setattr(AsyncMemory, name, _awaited_verb(name, verb))


_add_verbs()
