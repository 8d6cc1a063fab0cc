"""`ais threads condense`, `restore`, and a thread shown whole, as an agent sees it, as it was."""

import json
import os
from pathlib import Path

import pytest

from ai_smartness import Memory
from command_line import ais, standing_in_a_project
from long_threads import a_long_thread


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def thread(project: Path) -> str:
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        return a_long_thread(memory)


def shown(thread: str, *options: str) -> list[str]:
    page = json.loads(ais("threads", "show", thread, "--json", *options).stdout)
    return [event["type"] for event in page["messages"]]


def test_condensing_says_what_it_did_and_how_to_take_it_back(thread: str) -> None:
    ran = ais("threads", "condense", thread, "--with", "digest", "--target", "800")

    first, last = ran.stdout.splitlines()
    assert ran.exit_code == 0
    assert first.startswith(f"Condensed {thread} with digest: 48 messages replaced by 3, about ")
    assert last == "change 2; undo with: ais undo 2"


def test_a_thread_is_shown_whole_as_an_agent_sees_it_and_as_it_was(thread: str) -> None:
    ais("threads", "condense", thread, "--target", "800")

    assert len(shown(thread, "--full")) == 49
    assert shown(thread, "--working") == ["NOTE", "USER_MESSAGE", "AGENT_MESSAGE"]
    assert len(shown(thread, "--at", "0")) == 48
    assert shown(thread, "--at", "1") == shown(thread, "--working")
    assert ais("threads", "show", thread, "--at", "2").exit_code == 3
    page = ais("threads", "show", thread).stdout
    assert "[condensed with digest, incremental: 48 messages replaced by 3, " in page


def test_a_thread_is_shown_again_as_it_was_before_a_compaction(thread: str) -> None:
    done = json.loads(ais("threads", "condense", thread, "--target", "800", "--json").stdout)
    id_ = done["compaction"]["id"]

    ran = ais("threads", "restore", thread, "--before", id_[:12])

    assert ran.exit_code == 0
    assert len(shown(thread, "--working")) == 48
    assert "(set aside)" in ais("threads", "show", thread).stdout
    assert ais("undo").exit_code == 0
    assert len(shown(thread, "--working")) == 3


def test_a_dry_run_shows_what_would_be_and_changes_nothing(thread: str) -> None:
    ran = ais("threads", "condense", thread, "--target", "800", "--dry-run", "--json")

    answer = json.loads(ran.stdout)
    assert (answer["change"], answer["dry_run"]) == (None, True)
    assert answer["compaction"]["tokens_after"] <= 800 < answer["compaction"]["tokens_before"]
    assert len(shown(thread, "--working")) == 48


def test_parameters_of_a_condenser_are_given_by_name(thread: str) -> None:
    trimmed = ("--with", "trim-tool-results", "--target", "900")

    ran = ais("threads", "condense", thread, *trimmed, "--set", "characters=100", "--json")
    odd = ais("threads", "condense", thread, *trimmed, "--set", "characters")

    parameters = json.loads(ran.stdout)["compaction"]["parameters"]
    assert parameters == {"target": 900, "characters": 100}
    assert odd.exit_code == 2
    assert "NAME=VALUE" in odd.stderr


def test_a_condenser_nobody_has_is_refused_when_it_is_set_and_when_it_is_called(
    thread: str,
) -> None:
    called = ais("threads", "condense", thread, "--with", "haiku")
    written = ais("config", "set", "condense.default", "haiku")
    loaded = ais("threads", AIS_CONDENSE_DEFAULT="haiku")

    assert (called.exit_code, written.exit_code, loaded.exit_code) == (3, 1, 1)
    for ran in (called, written, loaded):
        assert "digest, trim-tool-results" in ran.stderr
    assert ais("config", "set", "condense.default", "trim-tool-results").exit_code == 0
