"""What hooks captured gets into the memory: in order, once, and whatever stands in the way."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.entrypoints.daemon.client import NoAnswerError
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from builders import NOON, said
from daemons import asked, captured, here, kept_ids, record


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    monkeypatch.delenv("AIS_HOME", raising=False)
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "code"
    (root / ".git").mkdir(parents=True)
    (root / "deep").mkdir()
    return root


def left(home: Path) -> object:
    return asked(home, "drain", seconds=30)["left"]


def test_records_are_kept_in_order_each_in_its_project(
    home: Path, project: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    captured(
        home,
        *(record(project, f"a{n}", f"line {n} of the keys") for n in range(40)),
        record(project / "deep", "a40"),
        record(other, "b0", role="assistant", type="AGENT_MESSAGE", source="agent"),
        record(project, "a41", role="tool", type="TOOL_RESULT", source="tool", payload={"exit": 1}),
    )
    with here(home):
        assert left(home) == 0

    assert kept_ids(home, project) == [f"a{n}" for n in range(42)]
    assert kept_ids(home, other) == ["b0"]
    with Memory.open(project=project, home=home) as memory:
        assert memory.message("a41").payload == {"exit": 1}
        assert memory.message("a0").at.isoformat() == "2026-03-02T12:00:00+00:00"


def test_the_same_record_twice_is_one(home: Path, project: Path) -> None:
    captured(home, record(project, "r1"), record(project, "r1"))
    with here(home):
        left(home)
        captured(home, record(project, "r1"))

        assert left(home) == 0

    assert kept_ids(home, project) == ["r1"]


def test_what_cannot_be_captured_is_set_aside_and_the_rest_is_kept(
    home: Path, project: Path
) -> None:
    captured(
        home,
        record(project, "r1"),
        record(project, "bad id\n" * 100),
        record(project, "r2", at="yesterday"),
        record(Path("not/absolute"), "r3"),
        record(project, "r4", payload=[1]),
        record(project, "r5", type="UNHEARD_OF"),
        record(project, "r6", cwd=7),
        record(project, "r7", payload={"half": "\ud800"}),
        record(project, "r8"),
    )
    with (home / "inbox" / "events.jsonl").open("ab") as file:
        file.write(b'\n{"id": "torn\n\xff\xfe\n[1, 2]\n' + b"[" * 100_000 + b"\n")

    with here(home):
        assert left(home) == 0
        assert asked(home, "status")["set_aside"] == 11

    (bad,) = (home / "inbox").glob("bad-*.jsonl")
    aside = [json.loads(line) for line in bad.read_text().splitlines()]
    assert len(aside) == 11
    assert all(each["why"] for each in aside)
    assert kept_ids(home, project) == ["r1", "r8"]


@pytest.mark.parametrize("mark", ["compact", "clear"])
def test_a_mark_begins_a_new_epoch_once(home: Path, project: Path, mark: str) -> None:
    marked = record(project, "mark", "", mark=mark, role="note", type="NOTE")
    captured(home, record(project, "r1"), marked, marked)
    with here(home):
        left(home)
    captured(home, marked, record(project, "r2"))
    with here(home):
        assert left(home) == 0

    with Memory.open(project=project, home=home) as memory:
        session = memory._store.threads.find_session(memory.project, "s1")  # noqa: SLF001
        assert session is not None
        assert (session.epoch, session.epoch_seq) == (1, memory.message("r1").seq)
    assert kept_ids(home, project) == ["r1", "r2"]


@pytest.mark.parametrize("mark", ["session_end", "precompact"])
def test_other_marks_change_nothing(home: Path, project: Path, mark: str) -> None:
    captured(home, record(project, "r1"), record(project, "end", "", mark=mark, type="NOTE"))
    with here(home):
        assert left(home) == 0

    assert kept_ids(home, project) == ["r1"]


def test_a_locked_database_is_waited_for_and_nothing_is_lost(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIS_STORE_BUSY_TIMEOUT_MS", "200")
    captured(home, record(project, "r1"))
    with here(home):
        assert left(home) == 0
        other = sqlite3.connect(home / "memory.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        captured(home, record(project, "r2"))

        answer = asked(home, "inject", cwd=str(project), session="s9", text="where are the words?")
        assert "text" in answer
        assert left(home) == 1
        assert "busy" in str(asked(home, "status")["last_error"])

        other.execute("ROLLBACK")
        other.close()
        assert left(home) == 0
        assert asked(home, "status")["trouble"] == ""

    assert kept_ids(home, project) == ["r1", "r2"]


def test_a_database_that_is_moved_away_is_not_made_anew_and_is_used_when_it_is_back(
    home: Path, project: Path, tmp_path: Path
) -> None:
    captured(home, record(project, "r1"))
    with here(home):
        assert left(home) == 0
        away = tmp_path / "away.db"
        (home / "memory.db").rename(away)
        captured(home, record(project, "r2"))

        with pytest.raises(NoAnswerError, match="not there any more"):
            asked(home, "inject", cwd=str(project), session="s9", text="where are the words?")
        assert left(home) == 1
        assert not (home / "memory.db").exists()

        away.rename(home / "memory.db")
        assert left(home) == 0

    assert kept_ids(home, project) == ["r1", "r2"]


@pytest.mark.parametrize("how", ["garbage", "folder"])
def test_an_unreadable_database_is_said_and_nothing_is_lost(
    home: Path, project: Path, how: str
) -> None:
    home.mkdir(mode=0o700)
    database = home / "memory.db"
    if how == "garbage":
        database.write_bytes(os.urandom(8192))
    else:
        database.mkdir()
    captured(home, record(project, "r1"))
    with here(home):
        with pytest.raises(NoAnswerError, match=r"memory\.db"):
            asked(home, "inject", cwd=str(project), session="s9", text="where are the words?")
        assert left(home) == 1

        if how == "garbage":
            database.unlink()
        else:
            database.rmdir()
        assert left(home) == 0

    assert kept_ids(home, project) == ["r1"]


def test_broken_settings_are_said_and_nothing_is_lost(home: Path, project: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text("[place\n")
    captured(home, record(project, "r1"))
    with here(home):
        assert left(home) == 1
        assert "config.toml" in str(asked(home, "status")["trouble"])

        (home / "config.toml").unlink()
        assert left(home) == 0

    assert kept_ids(home, project) == ["r1"]


def test_where_others_embed_a_search_does_not_wait_for_it() -> None:
    store = SqliteStore.open(":memory:")
    clock = SetClock(NOON)
    with Memory(
        MemoryParts(store=store, embedder=lambda: None, clock=clock), "demo", Settings()
    ) as early:
        early.capture(said("rotate the keys", id_="m1"))

        parts = MemoryParts(store=store, embedder=HashEmbedder, clock=clock, patient=False)
        hurried = Memory(parts, "demo", Settings())
        found = hurried.search("keys")
        waiting = hurried.status().pending
        hurried.embed()

        assert [hit.id for hit in found] == ["m1"]
        assert (waiting, hurried.status().pending) == (1, 0)
