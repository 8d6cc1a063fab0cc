"""Tell an open page that an agent has gone on: a new turn, or a thread that it used.

The page loads itself again then. Turns are written by other processes, so the memory is asked
again and again; only while a page is open, and only for its latest turns.
"""

import asyncio
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool

from ai_smartness.entrypoints.web.memories import OpenMemories
from ai_smartness.model.errors import AisError

__all__ = ["turn_events"]

POLL_SECONDS = 1.0
LATEST_TURNS = 5
QUIET_POLLS = 15  # after which a line without meaning shows that the connection stands

NEW_TURN = "event: turn\ndata: new\n\n"
STILL_THERE = ": still there\n\n"


async def turn_events(memories: OpenMemories, project: str) -> AsyncIterator[str]:
    """Yield an event of a server-sent stream whenever the latest turns have changed."""
    last, quiet = await run_in_threadpool(_latest_turns, memories, project), 0
    yield STILL_THERE
    while True:
        await asyncio.sleep(POLL_SECONDS)
        present = await run_in_threadpool(_latest_turns, memories, project)
        quiet += 1
        if present and present != last:
            last, quiet = present, 0
            yield NEW_TURN
        elif quiet >= QUIET_POLLS:
            quiet = 0
            yield STILL_THERE


def _latest_turns(memories: OpenMemories, project: str) -> tuple[object, ...]:
    """Return what changes with a new turn or with the use of a thread; nothing in trouble."""
    try:
        with memories.memory_of(project) as memory:
            pages = memory.why(limit=LATEST_TURNS)
    except AisError:
        return ()
    return tuple(
        (page.session, page.turn, page.at, sum(entry.used for entry in page.shown))
        for page in pages
    )
