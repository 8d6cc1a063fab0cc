"""Killed in the middle of a deletion, it is finished later, or nothing of it was done."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import forget_killing
from ai_smartness.adapters.local_files import LocalMemoryFiles
from ai_smartness.forget.intent import ForgetIntent, HashedTraces, parsed_intent
from ai_smartness.memory import Memory
from ai_smartness.model.erasure import Selection
from ai_smartness.model.errors import RefusedError, StoreError
from builders import said
from command_line import ais, captured, standing_in_a_project
from daemons import asked, kept_ids, running
from lived_in import PROJECTS, opened

ROUNDS = 4


@pytest.mark.parametrize(
    "selection", ["messages", "thread", "session", "project", "matching", "time"]
)
def test_it_is_finished_by_whatever_comes_next_or_was_never_begun(
    tmp_path: Path, selection: str
) -> None:
    done = subprocess.run(
        [sys.executable, forget_killing.__file__, str(tmp_path), selection, str(ROUNDS)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
    )

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    found = Counter(line.split(": ", 1)[1] for line in lines)
    assert found.keys() == {"before: whole", "forgotten: whole"}, done.stdout
    assert found.total() == ROUNDS


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


KILLED = """
import os, signal, sys
from ai_smartness.memory import Memory
from ai_smartness.model.erasure import Selection
def audit(event, arguments):
    if event == "open" and str(arguments[0]).endswith("daemon.log"):
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(audit)
with Memory.open(project=sys.argv[1], home=sys.argv[2]) as memory:
    memory.forget(Selection(thread=memory.message("m1").thread_id))
"""


def killed_forget(home: Path, project: Path) -> str:
    """Forget the thread of m1, killed when the messages have gone; return the thread's id."""
    captured(project, said("rotate the zanzibar keys", id_="m1"))
    captured(project, said("the login page needs a logo", id_="m2", session="s2"))
    ais("backup")
    with Memory.open(project=project, home=home) as memory:
        thread = memory.message("m1").thread_id
    (home / "logs").mkdir(exist_ok=True)
    (home / "logs" / "daemon.log").write_text("about zanzibar\nabout nothing\n")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(project), str(home)], check=False, capture_output=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (home / "memory.db.forgetting").exists()
    return thread


def is_forgotten(home: Path) -> bool:
    files = [path for path in home.rglob("*") if path.is_file()]
    return not any(b"zanzibar" in path.read_bytes().lower() for path in files)


def test_any_next_command_finishes_it_and_says_so(tmp_path: Path, project: Path) -> None:
    home = tmp_path / "home"
    killed_forget(home, project)
    assert not is_forgotten(home)

    ran = ais("search", "logo")

    assert "finished a deletion that was interrupted (1 messages, no trace left)" in ran.stderr
    assert is_forgotten(home)
    assert not (home / "memory.db.forgetting").exists()
    assert kept_ids(home, project) == ["m2"]


def test_the_same_command_can_be_given_again(tmp_path: Path, project: Path) -> None:
    home = tmp_path / "home"
    thread = killed_forget(home, project)

    ran = ais("forget", "thread", thread, "--yes", "--json")

    assert ran.exit_code == 0, ran.output
    told = json.loads(ran.stdout)
    assert (told["interrupted"], told["messages"], told["left"]) == (True, 1, [])
    assert is_forgotten(home)
    assert ais("forget", "thread", thread, "--yes").exit_code == 3


def test_the_daemon_finishes_it_too(tmp_path: Path, project: Path) -> None:
    home = tmp_path / "home"
    killed_forget(home, project)

    with running(home):
        asked(home, "drain", seconds=60)

    assert is_forgotten(home)
    assert not (home / "memory.db.forgetting").exists()


def test_a_backup_is_not_made_before_it_is_finished(tmp_path: Path, project: Path) -> None:
    home = tmp_path / "home"
    killed_forget(home, project)

    ran = ais("backup", "--to", str(tmp_path / "stick"))

    assert "finished a deletion" in ran.stderr
    assert is_forgotten(tmp_path / "stick")
    assert is_forgotten(home)


def test_a_deletion_that_still_runs_is_left_alone(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as memory:
        memory.capture(said("rotate the zanzibar keys", id_="m1"))
        files = LocalMemoryFiles(tmp_path / "memory.db", tmp_path, None)

        with files.intent_file() as file:
            assert file is not None
            assert memory.finish_forgetting() is None
            with pytest.raises(RefusedError, match="another process is forgetting"):
                memory.forget(Selection(project=PROJECTS[0], messages=("m1",)))

        assert not files.is_forgetting()
        assert memory.forget(Selection(project=PROJECTS[0], messages=("m1",))).left == ()


def test_an_intent_names_nothing_and_recognizes_everything() -> None:
    selection = Selection(project="/code/falcon", matching="Project Zanzibar")
    intent = ForgetIntent.of(selection, selection, "rewrite").completed(
        1, [b"\x81\x82"], ["msg_1"], ["zanzibar"]
    )

    again = parsed_intent(intent.as_text())

    assert again == intent
    assert not any(word in intent.as_text().lower() for word in ("zanzibar", "falcon", "msg_1"))
    assert intent.is_of(selection)
    assert "msg_1" in intent
    assert "msg_2" not in intent
    traces = HashedTraces(intent)
    assert traces.are_in("the ZANZIBAR keys")
    assert not traces.are_in("the zanzibarian keys")
    assert traces.are_in("a project\n zanzibar")
    without = traces.without_words_of(["zanzibar, said later"])
    assert not without.are_in("the zanzibar keys")


def test_an_intent_of_another_version_is_kept_and_one_that_was_cut_off_is_nothing() -> None:
    assert parsed_intent('{"salt": "00", "sel') is None
    with pytest.raises(StoreError, match="another version"):
        parsed_intent('{"salt": "00", "unknown": 1}')
