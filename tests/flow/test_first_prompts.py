"""The first prompts after the daemon's start wait for nothing that they can do without."""

import os
import subprocess
import sys
import threading
from pathlib import Path

from ai_smartness.model.errors import StoreError
from ai_smartness.ports import Embedder
from ai_smartness.settings.load import load_settings
from ai_smartness.settings.paths import paths_of_home
from ai_smartness.testing import HashEmbedder
from ai_smartness.wiring import build_memory
from daemons import PATIENCE_SECONDS
from embedding_server import embedding_server
from validator_memory import FACTS, home, project

__all__ = ["home", "project"]

QUESTION = "on which port does the solana validator listen?"

ANSWERED_PROMPT = """
import os, sys
from pathlib import Path
from ai_smartness.entrypoints.daemon import server
from ai_smartness.memory.recall import import_for_prompts
from ai_smartness.settings.load import load_settings
from ai_smartness.settings.paths import paths_of_home
from ai_smartness.testing import HashEmbedder
from ai_smartness.wiring import build_memory, prepare_vector_search

home, project, question = sys.argv[1:]
paths = paths_of_home(home, Path(project), os.environ)
settings = load_settings(paths, os.environ).settings
import_for_prompts()
prepare_vector_search()
loaded = set(sys.modules)
with build_memory(paths, settings, project, embedder=HashEmbedder) as memory:
    assert "8899" in memory.prepared_injection(question, session="new").injection.text
new = set(sys.modules) - loaded
print(*sorted(name for name in new if name.startswith("ai_smartness") or "." not in name))
"""


SEARCH_IN_BACKGROUND = """
import os, sys, threading
from ai_smartness.entrypoints.daemon.memory_pool import MemoryPool, Work

home, project, question = sys.argv[1:]
pool, usual = MemoryPool(home), os.getpriority(os.PRIO_PROCESS, 0)

def search():
    os.nice(10)
    with pool.memory_for(project, Work.EMBED) as memory:
        memory.embed()
        assert memory.search(question)

jobs = threading.Thread(target=search, name="jobs")
jobs.start()
jobs.join()
threads = [thread for thread in threading.enumerate() if thread.name.startswith(("embed", "model"))]
changed = [t.name for t in threads if os.getpriority(os.PRIO_PROCESS, t.native_id) != usual]
print(len(threads), *changed)
"""


def test_a_prompt_does_not_wait_while_another_memory_loads_the_model(
    home: Path, project: Path
) -> None:
    paths = paths_of_home(str(home), project, os.environ)
    settings = load_settings(paths, os.environ).settings
    loading, is_loaded, is_answered = threading.Event(), threading.Event(), threading.Event()
    answers = list[str]()

    def load_model() -> Embedder:
        loading.set()
        is_loaded.wait(PATIENCE_SECONDS)
        return HashEmbedder()

    def refuse_to_wait() -> Embedder:
        msg = "the embedding model is being loaded."
        raise StoreError(msg)

    def answer_prompt() -> None:
        with build_memory(paths, settings, str(project), embedder=refuse_to_wait) as memory:
            answers.append(memory.inject(QUESTION).text)
        is_answered.set()

    with build_memory(paths, settings, str(project), embedder=load_model) as background:
        jobs = threading.Thread(target=lambda: background.embedder)
        jobs.start()
        assert loading.wait(PATIENCE_SECONDS)
        request = threading.Thread(target=answer_prompt)
        request.start()
        in_time = is_answered.wait(10)
        is_loaded.set()
        jobs.join()
        request.join()

    assert in_time
    assert FACTS[0] in answers[0]


def test_what_a_prompt_imports_is_imported_before_the_daemon_answers(
    home: Path, project: Path
) -> None:
    paths = paths_of_home(str(home), project, os.environ)
    settings = load_settings(paths, os.environ).settings
    with build_memory(paths, settings, str(project), embedder=HashEmbedder) as memory:
        memory.embed()

    ran = subprocess.run(
        [sys.executable, "-c", ANSWERED_PROMPT, str(home), str(project), QUESTION],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )

    assert ran.stdout.split() == []


def test_the_threads_of_the_model_do_not_have_the_low_priority_of_the_jobs(
    home: Path, project: Path
) -> None:
    with embedding_server() as server:
        ran = subprocess.run(
            [sys.executable, "-c", SEARCH_IN_BACKGROUND, str(home), str(project), QUESTION],
            env={**os.environ, "AIS_EMBEDDER_MODEL": server.url},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )

    assert ran.stdout.split() == ["3"]
