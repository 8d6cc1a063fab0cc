"""A session is named by its id, or by the start of its id where only one session has it."""

import json
import os
from pathlib import Path

import pytest

from ai_smartness import Memory, Message
from ai_smartness.model.errors import RefusedError
from command_line import ais, captured, standing_in_a_project

FIRST = "3f2c9a1e-77aa-4a51-9c11-08d8b7a0c0de"
SECOND = "3f2c9a1e-88bb-4a51-9c11-08d8b7a0c0de"
OTHER = "b71d0c55-0000-4a51-9c11-08d8b7a0c0de"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = standing_in_a_project(tmp_path, monkeypatch)
    captured(
        root,
        Message(id="m1", session=FIRST, text="The brewery API reads hop weights in grams."),
        Message(id="m2", session=SECOND, text="The brewery API reads mash times in minutes."),
        Message(id="m3", session=OTHER, text="The brewery API reads yeast batches by number."),
    )
    return root


def asked(project: Path, session: str) -> None:
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        memory.inject("how does the brewery API read yeast batches?", session=session)


@pytest.mark.usefixtures("project")
def test_a_handoff_takes_the_start_of_a_sessions_id() -> None:
    ran = ais("handoff", "--session", "b71d")

    assert ran.exit_code == 0
    assert f"Session {OTHER}" in ran.stdout


@pytest.mark.usefixtures("project")
def test_a_search_takes_the_start_of_a_sessions_id() -> None:
    ran = ais("search", "brewery", "--session", "b71d", "--json")

    assert [hit["id"] for hit in json.loads(ran.stdout)] == ["m3"]


def test_a_focus_takes_the_start_of_a_sessions_id_and_ends_by_it(project: Path) -> None:
    ais("focus", "yeast", "--session", "b71d")
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        topics = [focus.topic for focus in memory.foci(OTHER)]
    listed = ais("focus", "--session", "b71d").stdout
    ended = ais("unfocus", "yeast", "--session", "b71d")

    assert topics == ["yeast"]
    assert "yeast" in listed
    assert ended.exit_code == 0
    assert "Nothing is in focus" in ais("focus", "--session", "b71d").stdout


@pytest.mark.usefixtures("project")
def test_a_deletion_takes_the_start_of_a_sessions_id_in_any_project() -> None:
    captured("/elsewhere/cellar", Message(id="c1", session="c0ffee-1", text="Casks are numbered."))

    here = ais("forget", "session", "b71d", "--dry-run", "--json")
    elsewhere = ais("forget", "session", "c0ffee", "--dry-run", "--json")

    assert json.loads(here.stdout)["messages"] == 1
    assert json.loads(elsewhere.stdout)["messages"] == 1


def test_the_turns_of_a_session_are_shown_by_the_start_of_its_id(project: Path) -> None:
    asked(project, FIRST)

    assert f"of session {FIRST}" in ais("why", "3f2c9a1e-7").stdout


@pytest.mark.parametrize(
    "command",
    [
        ("handoff", "--session", "3f2c"),
        ("search", "brewery", "--session", "3f2c"),
        ("why", "3f2c"),
        ("focus", "yeast", "--session", "3f2c"),
        ("unfocus", "--session", "3f2c"),
        ("forget", "session", "3f2c", "--dry-run"),
    ],
)
@pytest.mark.usefixtures("project")
def test_a_start_that_two_sessions_share_is_refused_with_both(command: tuple[str, ...]) -> None:
    ran = ais(*command)

    assert ran.exit_code != 0
    assert FIRST in ran.stderr
    assert SECOND in ran.stderr
    assert "Give more of it" in ran.stderr


def test_a_whole_id_is_never_taken_for_the_start_of_a_longer_one(project: Path) -> None:
    captured(project, Message(id="m4", session="b71d", text="The brewery API counts bottles."))

    ran = ais("search", "brewery", "--session", "b71d", "--json")

    assert [hit["id"] for hit in json.loads(ran.stdout)] == ["m4"]


@pytest.mark.usefixtures("project")
def test_a_session_that_nobody_knows_is_not_taken_for_another() -> None:
    ran = ais("handoff", "--session", "ffff")

    assert ran.exit_code != 0
    assert "nothing was said in a session ffff" in ran.stderr


def test_a_library_is_given_the_whole_id(project: Path) -> None:
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        assert memory.session_id("b71d") == OTHER
        assert memory.session_id("unknown") == "unknown"
        with pytest.raises(RefusedError, match="several session ids"):
            memory.session_id("3f")
