"""The daemon keeps up with transcripts: a session in which no hook fired is remembered."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic

import pytest

from ai_smartness.entrypoints.daemon.memory_pool import MemoryPool
from ai_smartness.entrypoints.daemon.periodic_checks import TranscriptImport
from ai_smartness.memory import Memory
from builders import said
from command_line import captured
from daemons import PATIENCE_SECONDS, asked, here, kept_ids
from transcripts import prompt, written


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    for name in ("CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("AIS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    return folder


def a_session(shop: Path, *prompts: str) -> Path:
    lines = [{**prompt(each, f"p{n}"), "cwd": str(shop)} for n, each in enumerate(prompts)]
    return written(shop.parent / "claude" / "projects" / "-shop" / "s.jsonl", lines)


def import_count(shop: Path, transcripts: TranscriptImport) -> int:
    added, _ = transcripts.import_new(lambda _done, _total: None)
    assert shop.is_dir()
    return added


def a_transcript_import(shop: Path) -> TranscriptImport:
    home = str(shop.parent / "home")
    return TranscriptImport(home, MemoryPool(home), partial(datetime.now, UTC))


def test_new_lines_of_a_known_project_are_remembered(shop: Path) -> None:
    captured(shop, said("known"))
    a_session(shop, "one")
    transcripts = a_transcript_import(shop)

    assert import_count(shop, transcripts) == 1
    assert import_count(shop, transcripts) == 0
    a_session(shop, "one", "two")
    assert import_count(shop, transcripts) == 1
    with Memory.open(project=shop, home=shop.parent / "home") as memory:
        assert [hit.text for hit in memory.search("two")] == ["two"]


def test_a_project_that_the_memory_does_not_know_is_left_alone(shop: Path) -> None:
    captured("elsewhere", said("known"))
    a_session(shop, "one")

    assert import_count(shop, a_transcript_import(shop)) == 0


def test_it_can_be_switched_off(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIS_HISTORY_KEEP_UP", "false")
    captured(shop, said("known"))
    a_session(shop, "one")

    assert import_count(shop, a_transcript_import(shop)) == 0


def test_what_was_broken_off_is_taken_up_again(shop: Path) -> None:
    class Called(Exception):  # noqa: N818 - no error
        pass

    def call(_done: int, _total: int) -> None:
        raise Called

    captured(shop, said("known"))
    a_session(shop, "one")
    transcripts = a_transcript_import(shop)

    with pytest.raises(Called):
        transcripts.import_new(call)

    assert import_count(shop, transcripts) == 1


def test_where_there_is_no_memory_none_is_made(shop: Path) -> None:
    a_session(shop, "one")

    assert import_count(shop, a_transcript_import(shop)) == 0
    assert not (shop.parent / "home" / "memory.db").exists()


def test_a_daemon_does_so_by_itself(shop: Path) -> None:
    home = shop.parent / "home"
    captured(shop, said("known", id_="m1"))
    a_session(shop, "one")

    with here(home):
        until = monotonic() + PATIENCE_SECONDS
        while len(kept_ids(home, shop)) < 2 and monotonic() < until:
            asked(home, "drain", seconds=1)

    assert len(kept_ids(home, shop)) == 2
