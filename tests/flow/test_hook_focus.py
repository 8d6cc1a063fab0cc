"""No daemon: what is in focus is shown first by the hook itself too."""

import sqlite3
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ai_smartness import Memory, Message
from ai_smartness.clients.hook_event import HookEvent
from ai_smartness.entrypoints.hooks.offline_search import offline_answer
from hooking import an_event

VALIDATOR = "We decided: the Solana devnet validator listens on port 8899, never on 8900."
WALLET = "The Solana devnet wallet of the tests is in keys/devnet.json, port or not."
INVOICES = "The invoices are rendered with WeasyPrint because wkhtmltopdf breaks Arabic."
ASKED = "which Solana devnet port, wallet and validator do we use?"
SKY = "what colour has the sky today?"


class Hook:
    """A project with three threads, and its hook asked while no daemon is there."""

    def __init__(self, folder: Path) -> None:
        self.project, self.home = folder / "code", folder / "home"
        (self.project / ".git").mkdir(parents=True)
        texts = (VALIDATOR, WALLET, INVOICES, *(f"filler number {n}" for n in range(40)))
        with self.memory() as memory:
            memory.capture(
                Message(text=text, session=f"old{n}", id=f"m{n}") for n, text in enumerate(texts)
            )
            memory.tell()
            self.validator, self.wallet, self.invoices = (
                memory.message(f"m{n}").thread_id for n in range(3)
            )

    def memory(self) -> Memory:
        return Memory.open(project=self.project, home=self.home)

    def shown(self, prompt: str, session: str = "new") -> str:
        about = {"prompt": prompt, "cwd": str(self.project), "session_id": session}
        given = HookEvent(an_event("UserPromptSubmit", **about))
        until = time.monotonic() + 60
        return offline_answer(str(self.home / "memory.db"), given, prompt, until).text

    def order(self, prompt: str) -> list[str]:
        text = self.shown(prompt)
        ids = {
            text.find(f"[{each}]"): each for each in (self.validator, self.wallet, self.invoices)
        }
        return [ids[place] for place in sorted(ids) if place >= 0]


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hook:
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    return Hook(tmp_path)


def test_what_is_in_focus_comes_first(hook: Hook) -> None:
    before = hook.order(ASKED)
    assert len(before) == 2
    last = {hook.validator: "8899", hook.wallet: "wallet"}[before[1]]
    with hook.memory() as memory:
        memory.rename(before[1], f"All about {last}")
        memory.focus(last, 1.0)

    assert hook.order(ASKED) == before[::-1]


def test_a_topic_never_breaks_the_silence(hook: Hook) -> None:
    with hook.memory() as memory:
        memory.rename(hook.invoices, "The sky")
        memory.focus("sky", 1.0)

    assert hook.shown(SKY) == ""


def test_the_thread_whose_id_is_in_focus_is_shown_whatever_is_asked(hook: Hook) -> None:
    with hook.memory() as memory:
        memory.archive(hook.invoices)
        memory.focus(hook.invoices)

    assert hook.order(SKY) == [hook.invoices]
    assert "(archived; last active" in hook.shown(SKY)
    assert "; focus)" in hook.shown(SKY)
    assert WALLET in hook.shown(ASKED)
    assert hook.order(ASKED)[0] == hook.invoices
    assert hook.order("why is it WeasyPrint that the invoices are rendered with?") == [
        hook.invoices
    ]
    assert hook.shown(SKY, session="old2") == ""


def test_what_has_ended_or_is_another_sessions_is_not_in_focus(hook: Hook) -> None:
    with hook.memory() as memory:
        memory.focus(hook.invoices, session="another")
        memory.focus(hook.wallet, until=datetime.now(UTC) + timedelta(days=1))
    assert WALLET in hook.shown(SKY)
    with sqlite3.connect(hook.home / "memory.db") as file:
        file.execute("UPDATE focus SET until = set_at WHERE until IS NOT NULL")

    assert hook.shown(SKY) == ""
    assert INVOICES in hook.shown(SKY, session="another")


def test_a_file_from_before_there_was_a_focus_has_none(hook: Hook) -> None:
    before = hook.shown(ASKED)
    with sqlite3.connect(hook.home / "memory.db") as file:
        file.execute("DROP TABLE focus")

    assert hook.shown(ASKED) == before != ""
