"""A split that is made up in a real terminal."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from command_line import standing_in_a_project
from terminal import Terminal, terminal
from tidy_threads import a_thread_that_changed_its_subject, everything, plain, two_threads

PROMPT = "split> "


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@contextmanager
def splitting(thread: str, *options: str) -> Iterator[Terminal]:
    with terminal("threads", "split", thread, "--interactive", *options) as screen:
        yield screen


def typed(screen: Terminal, *lines: str) -> str:
    """Type lines, each when it is asked for; return what came before the next question."""
    for line in lines:
        screen.until(PROMPT)
        screen.type(line)
    return screen.until(PROMPT)


def groups_on(text: str) -> dict[int, str]:
    """Read the letter of each message off the screen."""
    return {int(n): letter for n, letter in re.findall(r"^(\d+) +([a-z-]) ", text, re.MULTILINE)}


def test_it_begins_with_the_proposal_which_can_be_taken_as_it_is(project: Path) -> None:
    thread = a_thread_that_changed_its_subject(project)
    (part,) = plain("threads", "split", thread)["parts"]

    with splitting(thread) as screen:
        shown = screen.until(PROMPT)
        screen.type("done")
        screen.until("[y/N] ")
        screen.type("yes")
        code = screen.end()

    (child,) = plain("threads", "show", thread)["thread"]["child_ids"]
    page = plain("threads", "show", child)
    assert groups_on(shown) == {n: "-" if n < 7 else "a" for n in range(1, 11)}
    assert f"a  “{part['title']}”, 4 messages" in shown
    assert code == 0
    assert page["thread"]["title"] == part["title"]
    assert [each["id"] for each in page["messages"]] == part["messages"]


def test_groups_titles_and_lock_are_typed_and_the_thread_is_split_that_way(project: Path) -> None:
    invoice, _ = two_threads(project)

    with splitting(invoice) as screen:
        shown = typed(screen, "- 1-4", "b 3-4", "t b Nightly backups", "l force")
        screen.type("done")
        question = screen.until("[y/N] ")
        screen.type("y")
        code = screen.end()

    (child,) = plain("threads", "show", invoice)["thread"]["child_ids"]
    page = plain("threads", "show", child)
    assert groups_on(shown) == {1: "-", 2: "-", 3: "b", 4: "b"}
    assert "b  “Nightly backups”, 2 messages" in shown
    assert "lock: force" in shown
    assert "2 to “Nightly backups”; 2 stay" in question
    assert code == 0
    assert "change 1; undo with: ais undo 1" in screen.screen
    assert [each["id"] for each in page["messages"]] == ["backup-1", "backup-2"]
    assert (page["thread"]["title"], page["thread"]["split_lock"]) == ("Nightly backups", "force")


def test_a_message_goes_back_to_the_parent(project: Path) -> None:
    invoice, _ = two_threads(project)

    with splitting(invoice) as screen:
        shown = typed(screen, "- 1-4", "a 2-4", "- 3")

    assert groups_on(shown) == {1: "-", 2: "a", 3: "-", 4: "a"}


def test_what_cannot_be_is_said_and_can_be_mended(project: Path) -> None:
    invoice, _ = two_threads(project)
    before = everything()

    with splitting(invoice) as screen:
        typed(screen, "- 1-4", "done")
        typed_before = screen.screen
        screen.type("a 1-4")
        untitled = typed(screen, "done")
        screen.type("t a All of it")
        all_of_it = typed(screen, "done")
        screen.type("a 9")
        unknown = screen.until(PROMPT)
        screen.type("?")
        explained = screen.until(PROMPT)

    assert "no message is in a group yet" in typed_before
    assert "Type `t a TITLE`" in untitled
    assert "Leave at least one out" in all_of_it
    assert "numbered 1 to 4" in unknown
    assert "change nothing" in explained
    assert everything() == before


@pytest.mark.parametrize("way", ["quit", "q", "end of input", "interrupt"])
def test_who_leaves_changes_nothing(project: Path, way: str) -> None:
    invoice, _ = two_threads(project)
    before = everything()

    with splitting(invoice) as screen:
        typed(screen, "a 3-4", "t a Backups")
        match way:
            case "end of input":
                screen.press(b"\x04")
            case "interrupt":
                screen.interrupt()
            case _:
                screen.type(way)
        code = screen.end()

    assert code == (130 if way == "interrupt" else 1)
    assert ("Nothing was changed." in screen.screen) == (way != "interrupt")
    assert everything() == before


def test_who_does_not_confirm_goes_on(project: Path) -> None:
    invoice, _ = two_threads(project)
    before = everything()

    with splitting(invoice) as screen:
        typed(screen, "- 1-4", "a 3-4", "t a Backups")
        screen.type("done")
        screen.until("[y/N] ")
        screen.type("")
        screen.until(PROMPT)
        screen.type("quit")
        code = screen.end()

    assert code == 1
    assert everything() == before


def test_a_dry_run_of_a_dialogue_changes_nothing(project: Path) -> None:
    invoice, _ = two_threads(project)
    before = everything()

    with splitting(invoice, "--dry-run") as screen:
        typed(screen, "- 1-4", "a 3-4", "t a Backups")
        screen.type("done")
        screen.until("[y/N] ")
        screen.type("y")
        code = screen.end()

    assert code == 0
    assert "dry run: nothing was changed." in screen.screen
    assert everything() == before
