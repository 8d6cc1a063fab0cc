"""`ais recall`: the same as reading `.ai/recall/…`, on the command line."""

import json
import re
from pathlib import Path

import pytest

from ai_smartness import Message
from command_line import ais, captured, standing_in_a_project
from tidy_threads import plain

SHORT_ID = re.compile(r" \([0-9a-f]{6}\)")
KEYS = "the JWT signing keys live in vault"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = standing_in_a_project(tmp_path, monkeypatch)
    captured(
        root,
        Message(id="keys", session="a", text=KEYS),
        Message(id="team", session="b", text="the signing keys of the team are paper keys"),
        Message(id="logo", session="c", text="the login page needs a \x1b[31mbigger\x1b[0m logo"),
    )
    return root


def test_recall_prints_the_threads_that_answer(project: Path) -> None:
    ran = ais("recall", "JWT", "signing", "keys")

    assert ran.exit_code == 0
    assert ran.stdout.splitlines()[0] == "# Memory Recall: JWT signing keys"
    assert f"user: {KEYS}" in ran.stdout
    assert "Read(" not in ran.stdout
    assert "instructions" not in ran.stdout
    assert re.search(r"\nNext: `ais recall [0-9a-f]{6}`", ran.stdout)
    assert (project.parents[1] / "home" / "recall.log").read_text().count("RECALL") == 1


def test_recall_takes_a_limit(project: Path) -> None:
    assert project.is_dir()
    assert len(SHORT_ID.findall(ais("recall", "signing keys").stdout)) > 1
    assert len(SHORT_ID.findall(ais("recall", "--limit", "1", "signing keys").stdout)) == 1
    assert ais("recall", "--limit", "0", "signing keys").exit_code == 2


def test_recall_leaves_out_what_helps_little_unless_all_is_wanted(project: Path) -> None:
    animals = ("cats", "dogs", "cows", "ants", "bees", "owls", "elks")
    weaker = [Message(id=name, session="w", text=f"a note on {name} has keys") for name in animals]
    captured(project, *weaker)
    question = "where do the JWT signing keys live"

    few, whole = ais("recall", question).stdout, ais("recall", "--all", question).stdout

    assert KEYS in few
    assert " left out; `--all` shows " in few
    assert sum(name in few for name in animals) < len(animals)
    assert sum(name in whole for name in animals) == len(animals)


def test_recall_for_programs_tells_all_there_is(project: Path) -> None:
    assert project.is_dir()

    found = json.loads(ais("recall", "JWT signing keys", "--json").stdout)

    assert found["query"] == "JWT signing keys"
    assert found["threads"][0]["messages"][0]["id"] == "keys"
    assert found["threads"][0]["thread"]["status"] == "active"
    assert found["threads"][0]["reactivated"] is False
    assert found["at"].endswith("Z")
    assert found["text"].startswith("<ai-smartness-memory>\n# Memory Recall:")


def test_recall_of_an_id_gives_that_thread_and_of_a_strange_one_says_so(project: Path) -> None:
    assert project.is_dir()
    thread = next(each["id"] for each in plain("threads") if "vault" in each["summary"])

    ran, strange = ais("recall", thread), ais("recall", "thread_19990101_000000_abcdef")

    assert f"({thread})" in ran.stdout
    assert strange.exit_code != 0
    assert "there is no thread thread_19990101_000000_abcdef" in strange.stderr


def test_a_persons_recall_leaves_an_old_thread_as_old_as_it_was(project: Path) -> None:
    assert project.is_dir()
    thread = next(each["id"] for each in plain("threads") if "vault" in each["summary"])
    ais("threads", "suspend", thread)
    before = plain("threads", "show", thread)["thread"]

    ran = ais("recall", "where do the JWT signing keys live in vault")

    assert f"({thread[-6:]}, suspended)" in ran.stdout
    after = plain("threads", "show", thread)["thread"]
    assert (after["status"], after["last_active"]) == ("suspended", before["last_active"])
    assert [entry["verb"] for entry in plain("log", "--all")] == ["suspend"]


@pytest.mark.parametrize("typed", [(), ("",), ("  ", " ")])
def test_recall_of_nothing_asks_what_to_recall(project: Path, typed: tuple[str, ...]) -> None:
    assert project.is_dir()

    assert ais("recall", *typed).exit_code == 2


def test_recall_obeys_no_stored_word(project: Path) -> None:
    captured(project, Message(id="esc", session="d", text="zebra\u202e crossing\u2028 here"))

    ran = ais("recall", "zebra crossing")

    assert ran.exit_code == 0
    assert "\x1b" not in ran.stdout
    assert "\u2028" not in ran.stdout
