"""Steer what is shown on the command line: focus, unfocus, pin, rate."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import ais, standing_in_a_project
from tidy_threads import two_threads

PREFERENCE = "User prefers dark mode and vi keybindings"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def plain(*args: str) -> Any:  # noqa: ANN401 - any JSON
    ran = ais(*args, "--json")
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.stdout)


def pinned(*args: str) -> str:
    """Pin something, and return the id of its thread."""
    ran = ais("pin", *args)
    found = re.search(r"inned as (thread_\w+) ", ran.stdout)
    assert found, ran.output
    return found[1]


def test_a_focus_says_how_many_threads_it_is_about_and_how_to_end_it(project: Path) -> None:
    two_threads(project)

    ran = ais("focus", "invoice")

    first, change, end = ran.stdout.splitlines()
    assert first == 'Focus set on "invoice" (weight=0.8). 1 thread will be prioritized.'
    assert change == "change 1; undo with: ais undo 1"
    assert end == "end it with: ais unfocus invoice"


def test_what_is_in_focus_is_listed() -> None:
    ais("focus", "background", "jobs", "--weight", "0.5")
    ais("focus", "invoices", "--for", "2h")

    listed = ais("focus").stdout.splitlines()

    assert listed[0].split() == ["in", "focus", "weight", "session", "until"]
    assert {tuple(line.split()[:2]) for line in listed[1:3]} == {
        ("background", "jobs"),
        ("invoices", "0.80"),
    }
    assert "UTC" in listed[1] + listed[2]


def test_a_focus_is_listed_for_programs_as_the_document_has_it() -> None:
    ais("focus", "solana", "--weight", "0.6")

    (found,) = plain("focus")["active_focus"]

    assert (found["topic"], found["weight"], found["until"]) == ("solana", 0.6, None)
    assert found["set_at"].endswith("Z")


def test_nothing_in_focus_is_said_with_the_way_to_change_that() -> None:
    assert ais("focus").stdout.startswith("Nothing is in focus. `ais focus TOPIC` ")
    assert plain("focus") == {"active_focus": []}


def test_a_focus_of_one_session_is_seen_from_it_alone() -> None:
    ran = ais("focus", "invoices", "--session", "s1")

    assert ran.stdout.splitlines()[-1] == "end it with: ais unfocus invoices --session s1"
    assert plain("focus")["active_focus"] == []
    assert [each["topic"] for each in plain("focus", "--session", "s1")["active_focus"]] == [
        "invoices"
    ]


def test_unfocus_takes_one_out_or_all() -> None:
    for topic in ("a", "b", "c"):
        ais("focus", topic)

    one = ais("unfocus", "b")
    left = [each["topic"] for each in plain("focus")["active_focus"]]
    every = ais("unfocus")

    assert one.exit_code == 0
    assert sorted(left) == ["a", "c"]
    assert every.stdout.startswith("All focus cleared. Returning to similarity-based injection.\n")
    assert plain("focus")["active_focus"] == []


def test_a_focus_can_be_undone() -> None:
    ais("focus", "invoices")

    assert ais("undo").exit_code == 0

    assert plain("focus")["active_focus"] == []


@pytest.mark.parametrize("span", ["soon", "2", "0h", "-1h", "9999999999d", "1.5h", ""])
def test_a_span_that_is_none_is_refused(span: str) -> None:
    ran = ais("focus", "invoices", "--for", span)

    assert ran.exit_code == 2
    assert "30m, 2h, 3d or 1w" in " ".join(ran.stderr.split())


@pytest.mark.parametrize("weight", ["1.1", "-0.1", "much"])
def test_a_weight_beyond_its_bounds_is_refused(weight: str) -> None:
    assert ais("focus", "invoices", "--weight", weight).exit_code == 2


@pytest.mark.parametrize("args", [("--weight", "0.5"), ("--for", "2h"), ("", "--for", "2h")])
def test_options_of_a_focus_without_a_topic_are_refused(args: tuple[str, ...]) -> None:
    assert ais("focus", *args).exit_code == 2


def test_a_pin_is_kept_as_the_document_shows_it() -> None:
    ran = ais(
        "pin", PREFERENCE, "--title", "User Preferences", "--topic", "preferences", "--topic", "ui"
    )

    said, undo = ran.stdout.splitlines()
    assert re.fullmatch(r"Pinned as thread_\d{8}_\d{6}_\w+ \(weight=1\.30\)", said)
    assert undo == "change 1; undo with: ais undo 1"
    (thread,) = plain("threads")
    assert thread["title"] == "User Preferences"
    assert {"preferences", "ui"} <= set(thread["topics"])


def test_a_pin_for_programs_has_its_thread() -> None:
    told = plain("pin", "We", "deploy", "on", "Tuesdays", "--kind", "decision", "--boost", "0.5")

    assert told["verb"] == "pin"
    assert told["threads"][0]["kind"] == "decision"
    assert told["threads"][0]["weight"] == pytest.approx(1.5, abs=0.01)


def test_the_same_pin_twice_is_one() -> None:
    assert pinned(PREFERENCE) == pinned(PREFERENCE)

    assert len(plain("threads")) == 1


def test_a_pin_is_read_from_a_file_or_from_the_input(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Ports\n\nThe API listens on 8443.\n")

    by_file = pinned("--file", str(tmp_path / "note.md"))
    done = subprocess.run(
        [sys.executable, "-m", "ai_smartness", "pin", "-"],
        input="Der Schlüssel läuft im März ab 🔑".encode(),
        capture_output=True,
        check=True,
    )

    assert "8443" in ais("threads", "show", by_file).stdout
    assert b"Pinned as thread_" in done.stdout
    assert "läuft im März" in ais("search", "Schlüssel").stdout


@pytest.mark.parametrize("args", [(), ("a text", "--file", __file__), ("  ",), ("",)])
def test_a_pin_needs_one_text(args: tuple[str, ...]) -> None:
    ran = ais("pin", *args)

    assert ran.exit_code == 2
    assert plain("threads") == []


def test_a_pin_can_be_undone() -> None:
    pinned(PREFERENCE)

    assert ais("undo").exit_code == 0

    assert [each["status"] for each in plain("threads")] == ["archived"]


def test_a_rating_answers_with_the_old_and_the_new_relevance(project: Path) -> None:
    invoice, _ = two_threads(project)

    ran = ais("rate", invoice, "--not-useful", "--reason", "API was redesigned")

    said, undo = ran.stdout.splitlines()
    found = re.fullmatch(
        rf"Rated {invoice} as not useful\. Relevance score: (\d\.\d\d) → (\d\.\d\d)", said
    )
    assert found
    assert float(found[1]) > float(found[2]) > 0
    assert undo == "change 1; undo with: ais undo 1"


def test_a_rating_for_programs_has_the_thread_with_its_ratings(project: Path) -> None:
    invoice, _ = two_threads(project)

    told = plain("rate", invoice[:-2], "--useful")

    assert told["threads"][0]["id"] == invoice
    assert told["threads"][0]["ratings"][0]["useful"] is True


def test_a_rating_has_to_say_which(project: Path) -> None:
    invoice, _ = two_threads(project)

    ran = ais("rate", invoice)

    assert ran.exit_code == 2
    assert "--useful or --not-useful" in ran.stderr


def test_a_thread_that_is_not_there_cannot_be_rated() -> None:
    assert ais("rate", "thread_none", "--useful").exit_code == 3
