"""The task of a peer: store the messages, ask the questions, write the rankings and the times.

Run by a peer's own Python, so that it uses the standard library alone.
"""

import json
import sqlite3
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

__all__ = ["run_task"]

if not hasattr(sqlite3.Connection, "enable_load_extension") and find_spec("pysqlite3"):
    # Some builds of Python leave it out, and two of the peers need it.
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3


def run_task(
    store: Callable[[dict[str, Any]], Any],
    ask: Callable[[Any, str, int], list[str]],
) -> None:
    """Run `store` with the task, then `ask` with what it returned, a question and a depth."""
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123 - a file of the benchmark
        task = json.load(file)
    started = time.perf_counter()
    memory = store(task)
    answer: dict[str, Any] = {"store_seconds": time.perf_counter() - started}
    answer["rankings"], answer["query_seconds"] = [], []
    for query in task["queries"]:
        started = time.perf_counter()
        ranking = ask(memory, query, task["depth"])
        answer["query_seconds"].append(time.perf_counter() - started)
        answer["rankings"].append(list(dict.fromkeys(ranking)))
    with open(sys.argv[2], "w", encoding="utf-8") as file:  # noqa: PTH123 - as above
        json.dump(answer, file)
