"""`AsyncMemory` is `Memory` with `await`: the same verbs, in a thread of their own."""

import asyncio
import inspect
import threading
from pathlib import Path

import pytest
from python_reference import public_members

from ai_smartness import Actor, AsyncMemory, Memory, Message, RefusedError
from ai_smartness.memory.async_memory import PLAIN_MEMBERS
from builders import a_memory


def test_every_verb_of_memory_can_be_awaited() -> None:
    names = [
        name
        for name in public_members()
        if name not in PLAIN_MEMBERS and inspect.isfunction(inspect.getattr_static(Memory, name))
    ]

    assert [
        name for name in names if not inspect.iscoroutinefunction(getattr(AsyncMemory, name))
    ] == []
    assert len(names) > 60


def test_a_memory_is_opened_used_and_closed_with_async_with(tmp_path: Path) -> None:
    async def use() -> list[str]:
        async with AsyncMemory.open(tmp_path / "m.db", project="demo", home=tmp_path) as memory:
            await memory.capture({"role": "user", "content": "Drop JWT."}, session="s1")
            hits = await memory.search("JWT", words_only=True)
            assert memory.project == "demo"
            assert [page.name for page in await memory.pages()]
            return [hit.text for hit in hits]

    assert asyncio.run(use()) == ["Drop JWT."]


def test_a_memory_can_be_opened_with_await_and_closed_later(tmp_path: Path) -> None:
    async def use() -> None:
        memory = await AsyncMemory.open(tmp_path / "m.db", project="demo", home=tmp_path)
        await memory.capture(Message(text="Drop JWT."))
        await memory.close()
        with pytest.raises(RuntimeError, match="after shutdown"):
            await memory.status()

    asyncio.run(use())


def test_a_memory_that_cannot_be_opened_says_why_and_leaves_no_thread(tmp_path: Path) -> None:
    async def use() -> None:
        with pytest.raises(RefusedError, match="a project needs a name"):
            await AsyncMemory.open(tmp_path / "m.db", project=" ", home=tmp_path)

    asyncio.run(use())

    workers = [one for one in threading.enumerate() if one.name.startswith("ai_smartness")]
    for worker in workers:
        worker.join(10)
    assert not any(worker.is_alive() for worker in workers)


def test_calls_run_in_one_thread_in_the_order_they_were_made() -> None:
    async def use() -> list[str]:
        memory = AsyncMemory(a_memory())
        texts = [f"note {number}" for number in range(20)]
        calls = [memory.capture(Message(id=text, text=text, thread=None)) for text in texts]
        await asyncio.gather(*calls)
        hits = [await memory.message(text) for text in texts]
        await memory.close()
        return [event.id for event in sorted(hits, key=lambda event: event.seq)]

    assert asyncio.run(use()) == [f"note {number}" for number in range(20)]


def test_the_event_loop_goes_on_while_the_memory_works() -> None:
    async def use() -> bool:
        memory = AsyncMemory(a_memory())
        loop_went_on = threading.Event()

        def wait_for_loop(*_: int) -> None:
            assert loop_went_on.wait(10), "the event loop stood still"

        # The verb reports its progress from its own thread.
        capture = asyncio.ensure_future(memory.capture(Message(text="x"), progress=wait_for_loop))
        await asyncio.sleep(0)
        loop_went_on.set()
        await capture
        await memory.close()
        return loop_went_on.is_set()

    assert asyncio.run(use())


def test_errors_come_through_as_they_are() -> None:
    async def use() -> None:
        memory = AsyncMemory(a_memory())
        with pytest.raises(RefusedError, match="no question is given"):
            await memory.recall(" ")
        await memory.close()

    asyncio.run(use())


def test_the_same_memory_is_seen_from_another_project_and_by_another_hand() -> None:
    async def use() -> tuple[str, str]:
        memory = AsyncMemory(a_memory())
        other = memory.seen_from("other").used_by(Actor("agent", "mine"))
        outcome = await other.pin("Never deploy on Fridays.")
        entry = (await other.log())[0]
        await memory.close()
        return entry.project, f"{entry.who.client}: {outcome.verb}"

    assert asyncio.run(use()) == ("other", "mine: pin")
