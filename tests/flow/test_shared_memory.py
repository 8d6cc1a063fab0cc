"""Several threads may share one memory, or open one each: nothing is lost and nothing is double."""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ai_smartness import Memory, Message
from builders import a_memory

WORKERS, NOTES = 4, 10
SUBJECTS = ("the cache", "the login page", "invoices", "the parser")


@pytest.fixture(autouse=True)
def switching_often() -> Iterator[None]:
    """Let threads meet at places where they rarely do."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def run_workers(work: Callable[[int], None]) -> list[BaseException]:
    """Run the work in several threads at once, and return what it raised."""
    errors: list[BaseException] = []
    start = threading.Barrier(WORKERS)

    def work_and_report(number: int) -> None:
        start.wait()
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 - reported by the test
            errors.append(error)

    threads = [threading.Thread(target=work_and_report, args=(n,)) for n in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def use_memory(memory: Memory, worker: int) -> None:
    session = f"s{worker}"
    for number in range(NOTES):
        subject = SUBJECTS[(worker + number) % len(SUBJECTS)]
        text = f"worker {worker} changed {subject} for the {number}th time"
        memory.capture(Message(id=f"{worker}-{number}", text=text, session=session))
        memory.inject(f"what did we do about {subject}?", session=session)
        memory.search(subject)
        if number % 5 == 0:
            memory.pin(f"{session} must never forget {number}")
    memory.threads()


def check_whole(memory: Memory) -> None:
    events = [event for thread in memory.threads() for event in memory.all_events(thread.id)]
    ids = {event.id for event in events}

    assert {f"{worker}-{number}" for worker in range(WORKERS) for number in range(NOTES)} <= ids
    assert len(events) == len(ids) == memory.status().events
    assert memory.check() == ""


def test_threads_that_share_a_memory_take_turns() -> None:
    memory = a_memory()

    errors = run_workers(lambda worker: use_memory(memory, worker))

    assert errors == []
    check_whole(memory)


def test_a_memory_seen_from_several_projects_is_shared_alike() -> None:
    memory = a_memory()

    errors = run_workers(lambda worker: use_memory(memory.seen_from(f"p{worker % 2}"), worker))

    assert errors == []
    assert sum(count.events for count in memory.projects()) == WORKERS * (NOTES + NOTES // 5)
    assert memory.check() == ""


def test_each_thread_may_have_its_own_memory_of_one_file(tmp_path: Path) -> None:
    a_memory(tmp_path / "memory.db").close()

    def work(worker: int) -> None:
        memory = a_memory(tmp_path / "memory.db")
        use_memory(memory, worker)
        memory.close()

    errors = run_workers(work)

    assert errors == []
    check_whole(a_memory(tmp_path / "memory.db"))


def test_no_other_thread_gets_its_turn_while_a_verb_runs() -> None:
    memory = a_memory()
    turns: list[bool] = []

    def try_for_a_turn(*_: int) -> None:
        with ThreadPoolExecutor(1) as other:
            turns.append(other.submit(got_a_turn, memory).result())

    memory.capture(Message(text="Drop JWT."), progress=try_for_a_turn)
    try_for_a_turn()

    assert turns == [False, True]


def got_a_turn(memory: Memory) -> bool:
    turn = memory._parts.turn  # noqa: SLF001 - what a waiting thread waits for
    is_free = bool(turn.acquire(blocking=False))
    if is_free:
        turn.release()
    return is_free
