"""A file of the first layout, as it is in the wild, opened by this version."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ai_smartness.adapters.sqlite.migrations import MIGRATIONS
from ai_smartness.adapters.sqlite.open_database import open_database
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.statement import ReviewState
from ai_smartness.model.thread import Kind, Origin, SplitLock, Status, Thread
from ai_smartness.testing import SetClock
from builders import NOON, a_memory, said

FILLED = """
INSERT INTO projects (id, name) VALUES (1, 'demo'), (2, 'other');
INSERT INTO sessions VALUES (1, 's1', 'claude-code', 3, 1, 7);
INSERT INTO threads VALUES
    ('thread_a', 1, 'Tokens', 'decision', 0.8, 'suspended', 'About tokens.', '["jwt"]',
     '["pinned"]', 1.25, 1772452800000000, 1772452800000000, 4, 'prompt', NULL,
     '["thread_b"]', NULL, '[]', 0.9, 0.1, 5, '["src/auth.py"]', 'c0ffee'),
    ('thread_b', 1, 'Keys', 'work', 0.5, 'active', '', '[]', '[]',
     0.8, 1772452800000000, 1772452800000000, 0, 'split', 'thread_a', '[]',
     'agent_release', '[]', 1, 0, 1, '[]', NULL),
    ('thread_c', 2, 'Elsewhere', 'work', 0.5, 'active', '', '[]', '[]',
     1, 1772452800000000, 1772452800000000, 0, 'prompt', NULL, '[]',
     NULL, '[]', 1, 0, 1, '[]', NULL);
INSERT INTO events
    (project_id, id, thread_id, session, type, role, text, payload, at, source, trust) VALUES
    (1, 'm1', 'thread_a', 's1', 'USER_MESSAGE', 'user', 'tokens live 15 minutes', '{}',
     1772452800000000, 'user', 1),
    (1, 'm2', 'thread_a', 's1', 'AGENT_MESSAGE', 'assistant', 'done in src/auth.py', '{"n": 1}',
     1772452800000000, 'assistant', 0.5),
    (1, 'm3', 'thread_b', 's1', 'USER_MESSAGE', 'user', 'rotate the keys', '{}',
     1772452800000000, 'user', 1),
    (2, 'm1', 'thread_c', NULL, 'USER_MESSAGE', 'user', 'elsewhere', '{}',
     1772452800000000, 'user', 1);
INSERT INTO notes SELECT seq, '["new", 0, 0, [], false]', '[]', '[]', NULL FROM events;
INSERT INTO event_words SELECT seq, '', '' FROM events;
INSERT INTO bridges VALUES
    ('bridge_1', 'thread_b', 'thread_a', 'child_of', 0.8, 'split', 1, 'split', 1772452800000000);
UPDATE projects SET told = 4;
"""
"""Written out, not made by today's code: the columns are those the first version had."""


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    open_database(path, migrations=MIGRATIONS[:1]).close()
    connection = sqlite3.connect(path)
    connection.executescript(FILLED)
    connection.close()
    return path


def test_nothing_of_an_old_file_is_lost(old_file: Path) -> None:
    with a_memory(old_file, clock=SetClock(NOON)) as memory:
        threads = {thread.id: thread for thread in memory.threads()}

        assert threads["thread_a"] == Thread(
            id="thread_a",
            project="demo",
            title="Tokens",
            created_at=NOON,
            last_active=NOON,
            kind=Kind.DECISION,
            importance=0.8,
            status=Status.SUSPENDED,
            summary="About tokens.",
            topics=("jwt",),
            tags=("pinned",),
            weight=1.25,
            activation_count=4,
            child_ids=("thread_b",),
            relevance=0.9,
            drift=0.1,
            revision=5,
            files=("src/auth.py",),
            commit="c0ffee",
        )
        assert threads["thread_b"].origin is Origin.SPLIT
        assert threads["thread_b"].split_lock is SplitLock.AGENT_RELEASE
        assert memory.bridges() == [
            Bridge(
                id="bridge_1",
                source="thread_b",
                target="thread_a",
                relation=Relation.CHILD_OF,
                weight=0.8,
                reason="split",
                confidence=1.0,
                made_by="split",
                last_used=NOON,
            )
        ]
        assert [event.id for event in memory.all_events("thread_a")] == ["m1", "m2"]
        assert memory.message("m2").payload == {"n": 1}
        assert [(each.project, each.events) for each in memory.projects()] == [
            ("demo", 3),
            ("other", 1),
        ]
        assert memory.log() == []


def test_an_old_file_is_copied_as_it_was_and_upgraded_once(old_file: Path) -> None:
    rows = everything(old_file)

    for _ in range(2):
        a_memory(old_file).close()

    (copy,) = old_file.parent.glob("memory.db.before-*-layout-1")
    assert everything(copy) == rows
    assert layout(copy) == 1
    assert layout(old_file) == MIGRATIONS[-1].number
    assert everything(old_file).keys() > rows.keys()


def test_an_old_file_can_be_tidied_and_that_undone(old_file: Path) -> None:
    with a_memory(old_file) as memory:
        before = memory.threads()

        memory.unlock("thread_b")
        memory.merge("thread_a", "thread_b")
        assert [event.id for event in memory.all_events("thread_a")] == ["m1", "m2", "m3"]
        assert memory.bridges() == []
        memory.undo()
        memory.undo()

        assert memory.threads() == before
        assert [bridge.id for bridge in memory.bridges()] == ["bridge_1"]


def test_an_old_file_is_spoken_to_and_searched_as_any_other(old_file: Path) -> None:
    with a_memory(old_file) as memory:
        memory.reindex()
        memory.append("thread_b", said("rotate them every month", id_="m4", minute=1))

        assert {hit.id for hit in memory.search("rotate")} >= {"m3", "m4"}
        assert memory.check() == ""


def test_the_ids_of_statements_grow_and_what_a_person_decided_about_them_stays(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    with a_memory(path) as memory:
        memory.pin("Never log the session id.", kind="rule")
        memory.pin("We deploy on Tuesdays.", kind="rule")
        rejected, confirmed = (
            next(one for one in memory.statements() if word in one.text)
            for word in ("Tuesdays", "session")
        )
        memory.reject_statement(rejected.id)
    with closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE statements SET id = substr(id, 1, 10)")
        file.execute("UPDATE statement_reviews SET statement_id = substr(statement_id, 1, 10)")
        file.execute("DROP TRIGGER statement_doubts_removed")
        file.execute("DROP TABLE statement_doubts")
        file.execute("ALTER TABLE ledger_pages DROP COLUMN reranked_ms")
        file.execute("DROP INDEX statements_in_force")
        file.execute("ALTER TABLE statements DROP COLUMN at")
        file.execute("DROP INDEX ledger_pages_with_block")
        file.execute("ALTER TABLE ledger_pages DROP COLUMN block")
        file.execute("PRAGMA user_version = 10")
        file.commit()

    with a_memory(path) as memory:
        assert [one.id for one in memory.statements()] == [confirmed.id]
        assert memory.statement(confirmed.id[:10]).review is ReviewState.CONFIRMED
        assert memory.statement(rejected.id[:10]).review is ReviewState.REJECTED
        memory.reindex()
        assert [one.id for one in memory.statements()] == [confirmed.id]


def everything(path: Path) -> dict[str, list[tuple[object, ...]]]:
    connection = sqlite3.connect(path)
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    rows = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for (name,) in names}  # noqa: S608 # our own tables
    connection.close()
    return rows


def layout(path: Path) -> int:
    connection = sqlite3.connect(path)
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(number)
