"""Background work gives way to prompts: it never keeps the interpreter while one is answered."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

from ai_smartness import Memory, Message
from ai_smartness.entrypoints.daemon.active_requests import ActiveRequests
from ai_smartness.ports.give_way import give_way, paced_items, pausing_thread
from ai_smartness.settings.paths import HomePaths
from ai_smartness.testing import HashEmbedder
from ai_smartness.wiring import open_memory
from daemons import PATIENCE_SECONDS, asked, captured, here, kept_ids, record, running
from validator_memory import FACTS, FILLER, home, project

__all__ = ["home", "project"]

STORED = len(FILLER) + len(FACTS)

BUILT_GRAPH = """
import os, sys, threading
from pathlib import Path
import numpy as np
from ai_smartness.adapters.vector_search.hnsw import GraphFile

usual, seen, is_built = os.getpriority(os.PRIO_PROCESS, 0), set(), threading.Event()

def watch():
    while not is_built.is_set():
        for number in map(int, os.listdir("/proc/self/task")):
            try:
                seen.add(os.getpriority(os.PRIO_PROCESS, number) - usual)
            except ProcessLookupError:
                pass

watcher = threading.Thread(target=watch)
watcher.start()
rows = np.random.default_rng(1).normal(size=(5_000, 64)).astype(np.float16)
GraphFile(Path(sys.argv[1])).build_graph(1, [(np.arange(5_000), rows)], None)
is_built.set()
watcher.join()
print(os.getpriority(os.PRIO_PROCESS, 0) - usual, max(seen))
"""


def test_no_thread_of_the_daemon_that_runs_python_has_a_low_priority(home: Path) -> None:
    with running(home) as daemon:
        asked(home, "drain", seconds=PATIENCE_SECONDS)
        threads = Path(f"/proc/{daemon.process.pid}/task").iterdir()
        priorities = {os.getpriority(os.PRIO_PROCESS, int(thread.name)) for thread in threads}

    assert priorities == {os.getpriority(os.PRIO_PROCESS, 0)}


def test_a_graph_is_built_by_threads_of_low_priority(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", BUILT_GRAPH, str(tmp_path / "vectors.graph")],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )

    assert ran.stdout.split() == ["0", "10"]


def test_background_work_waits_while_a_prompt_is_answered() -> None:
    requests, order = ActiveRequests(max_pause=PATIENCE_SECONDS), list[str]()
    is_pausing = threading.Event()

    def pause() -> None:
        is_pausing.set()
        requests.give_way()

    def work() -> None:
        with pausing_thread(pause):
            order.extend(paced_items(["background work"]))

    requests.begin_prompt()
    job = threading.Thread(target=work)
    job.start()
    assert is_pausing.wait(PATIENCE_SECONDS)
    order.append("prompt")
    requests.end_prompt()
    job.join()

    assert order == ["prompt", "background work"]


def test_background_work_goes_on_though_prompts_never_end() -> None:
    requests, steps = ActiveRequests(max_pause=0.01), list[int]()
    requests.begin_prompt()

    with pausing_thread(requests.give_way):
        steps.extend(paced_items(range(1_000)))

    assert len(steps) == 1_000


def test_a_thread_that_was_given_nothing_to_wait_for_goes_on() -> None:
    with pausing_thread(lambda: None):
        pass

    give_way()
    assert list(paced_items([1, 2])) == [1, 2]


def test_each_message_that_is_read_to_place_a_new_one_gives_way(home: Path, project: Path) -> None:
    pauses = list[int]()
    with (
        Memory.open(project=project, home=home) as memory,
        pausing_thread(lambda: pauses.append(1)),
    ):
        memory.capture([Message(text="Where does the validator listen?", session="new")])

    # To read it from the file, to place the new one, and to describe its thread.
    assert len(pauses) >= 3 * STORED


def test_each_statement_that_a_new_one_is_compared_with_gives_way(
    home: Path, project: Path
) -> None:
    pauses = list[int]()
    with open_memory(project=project, home=home) as memory:
        memory.embedder = HashEmbedder()
        memory.embed()
        statements = len(memory.statements())
        memory.capture([Message(text="We decided: the queue is in Redis.", session="new")])
        memory.tell()

        with pausing_thread(lambda: pauses.append(1)):
            memory.embed()

    assert statements
    assert len(pauses) >= 3 * statements


def test_a_caller_that_says_nothing_does_not_keep_messages_from_being_stored(
    home: Path, project: Path
) -> None:
    with here(home), socket.socket(socket.AF_UNIX) as silent:
        silent.connect(HomePaths(str(home)).socket)
        captured(home, record(project, "m1", "The heron database holds the invoices."))

        asked(home, "drain", seconds=PATIENCE_SECONDS)

        assert "m1" in kept_ids(home, project)
