"""An answer counts as shown when the hook has printed it, and not before."""

import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from ai_smartness import Memory, Message
from ai_smartness.entrypoints.daemon.client import read_line, request_line
from ai_smartness.model.erasure import Selection
from ai_smartness.model.session import LedgerPage
from ai_smartness.settings.paths import HomePaths
from daemons import PATIENCE_SECONDS, asked, here
from hooking import an_event, hooked, log_of
from validator_memory import FACTS, home, project

__all__ = ["home", "project"]

FACT = FACTS[0]
QUESTION = "on which port does the solana validator listen?"


@contextmanager
def a_caller(home: Path, verb: str, **fields: object) -> Iterator[socket.socket]:
    """Ask as a hook does, that says afterwards whether it has printed the answer."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(PATIENCE_SECONDS)
        caller.connect(HomePaths(str(home)).socket)
        caller.sendall(request_line(verb, confirms=True, **fields))
        yield caller


@contextmanager
def a_mute_daemon(home: Path) -> Iterator[None]:
    """Accept callers where the daemon would, and never answer."""
    (home / "run").mkdir(mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(HomePaths(str(home)).socket)
        listening.listen()
        yield


def prompt(project: Path, text: str = QUESTION) -> dict[str, object]:
    return an_event("UserPromptSubmit", prompt=text, cwd=str(project), session_id="new")


def received_text(caller: socket.socket) -> str:
    line = b""
    while not line.endswith(b"\n"):
        line += caller.recv(65_536)
    return str(read_line(line)["text"])


def answered(home: Path, project: Path, *, is_printed: bool) -> str:
    """Ask the question in a session, print the answer or not, and wait for the daemon."""
    with a_caller(home, "inject", cwd=str(project), session="new", text=QUESTION) as caller:
        text = received_text(caller)
        with suppress(OSError):
            caller.sendall(request_line("shown") if is_printed else b"")
            caller.shutdown(socket.SHUT_WR)
            assert caller.recv(1) == b""
    return text


def pages(home: Path, project: Path) -> list[LedgerPage]:
    with Memory.open(project=project, home=home) as memory:
        return memory.why("new")


def test_an_answer_that_came_too_late_is_shown_when_it_is_asked_for_again(
    home: Path, project: Path
) -> None:
    with here(home):
        late = answered(home, project, is_printed=False)
        again = answered(home, project, is_printed=True)
        repeated = answered(home, project, is_printed=True)

    assert "8899" in late
    assert "8899" in again
    assert repeated == ""


def test_why_says_that_an_answer_came_too_late(home: Path, project: Path) -> None:
    with here(home):
        answered(home, project, is_printed=False)
        answered(home, project, is_printed=True)

    second, first = pages(home, project)
    assert (first.turn, second.turn) == (1, 2)
    assert first.shown == ()
    assert [skipped.reason for skipped in first.skipped][-1] == "the answer came too late"
    assert len(second.shown) == 1


def test_a_hook_that_left_before_the_answer_was_not_shown_it(home: Path, project: Path) -> None:
    with here(home):
        with a_caller(home, "inject", cwd=str(project), session="new", text=QUESTION):
            pass
        again = answered(home, project, is_printed=True)

    assert "8899" in again


def test_a_brief_that_came_too_late_does_not_count_as_shown(home: Path, project: Path) -> None:
    with Memory.open(project=project, home=home) as memory:
        (hit,) = memory.search("solana validator port", limit=1)
        assert hit.thread_id
        memory.pin(hit.thread_id)
    with here(home):
        with a_caller(home, "greet", cwd=str(project), session="new", source="startup") as caller:
            brief = received_text(caller)
        again = answered(home, project, is_printed=True)

    assert "8899" in brief
    assert "8899" in again


def test_a_daemon_that_is_late_is_stood_in_for_by_keywords(home: Path, project: Path) -> None:
    with a_mute_daemon(home):
        ran = hooked(home, prompt(project), environ={"AIS_HOOK_DEADLINE_MS": "4000"})

    assert FACT in str(ran.output["additionalContext"])
    assert log_of(home)[-1]["by"] == "words:late"


def test_what_the_hook_found_by_keywords_counts_as_shown(home: Path, project: Path) -> None:
    ran = hooked(home, prompt(project))
    with here(home):
        asked(home, "drain", seconds=PATIENCE_SECONDS)
        again = answered(home, project, is_printed=True)

    assert FACT in str(ran.output["additionalContext"])
    assert again == ""
    shown = pages(home, project)[-1].shown
    assert [entry.why for entry in shown] == ["found by the hook's keyword search"]


def test_why_has_the_prompt_that_the_hook_answered_by_keywords(home: Path, project: Path) -> None:
    hooked(home, prompt(project))
    with here(home):
        asked(home, "drain", seconds=PATIENCE_SECONDS)

    assert pages(home, project)[-1].prompt == QUESTION


def test_a_prompt_that_was_forgotten_in_the_inbox_is_not_in_why(home: Path, project: Path) -> None:
    hooked(home, prompt(project))
    with Memory.open(project=project, home=home) as memory:
        memory.forget(Selection(project=memory.project, matching=QUESTION))
    with here(home):
        asked(home, "drain", seconds=PATIENCE_SECONDS)

    assert [page.prompt for page in pages(home, project)] == [""]


def test_a_long_message_of_which_the_hook_shows_a_part_can_be_shown_again(
    home: Path, project: Path
) -> None:
    with Memory.open(project=project, home=home) as memory:
        long = "The heron database holds the invoices. " + "It is backed up at night. " * 40
        memory.capture([Message(text=long, session="old")])
    question = "what does the heron database hold?"
    ran = hooked(home, prompt(project, question))

    with here(home):
        asked(home, "drain", seconds=PATIENCE_SECONDS)
        again = asked(home, "inject", cwd=str(project), session="new", text=question)

    assert "invoices" in str(ran.output["additionalContext"])
    assert "invoices" in str(again["text"])


def test_a_caller_that_confirms_nothing_is_believed_to_show_what_it_gets(
    home: Path, project: Path
) -> None:
    question = {"cwd": str(project), "session": "new", "text": QUESTION}
    with here(home):
        first = asked(home, "inject", **question)
        second = asked(home, "inject", **question)

    assert "8899" in str(first["text"])
    assert second["text"] == ""


def test_an_answer_does_not_wait_for_another_writer(home: Path, project: Path) -> None:
    fields = {"cwd": str(project), "session": "new", "text": QUESTION}
    with here(home):
        asked(home, "drain", seconds=PATIENCE_SECONDS)
        with closing(sqlite3.connect(home / "memory.db", isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            text = asked(home, "inject", **fields)["text"]
            with a_caller(home, "inject", **{**fields, "session": "other"}) as caller:
                confirmed = received_text(caller)
            writer.execute("ROLLBACK")

    assert "8899" in str(text)
    assert "8899" in confirmed
