"""What is forgotten is gone from the files beside the memory: backups, inbox, graph, logs."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ai_smartness.adapters.sqlite.backup_files import SqliteBackups
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.memory import Memory
from ai_smartness.model.erasure import Selection
from ai_smartness.model.search import Chunk
from builders import NOON, a_memory, a_thread, a_vector, an_event, said
from lived_in import PROJECTS, opened

DEMO = PROJECTS[0]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with closing(opened(tmp_path)) as one:
        yield one


def one_of(memory: Memory, *ids: str) -> Selection:
    return Selection(project=memory.project, messages=ids)


def test_an_older_copy_and_a_backup_are_rewritten_and_stay_whole(
    tmp_path: Path, memory: Memory
) -> None:
    memory.capture(
        [said("Rotate the zanzibar keys", id_="m1"), said("In the vault", id_="m2", minute=1)]
    )
    kept = SqliteBackups(tmp_path / "memory.db", tmp_path / "backups").make_backup(
        NOON, lambda *_: None
    )
    older = tmp_path / "memory.db.before-20260302-120000-layout-3"
    older.write_bytes(kept.path.read_bytes())

    done = memory.forget(one_of(memory, "m1"))

    assert {done.files[str(each)] for each in (kept.path, older)} == {"rewritten"}
    for each in (kept.path, older):
        assert b"zanzibar" not in each.read_bytes()
        with closing(SqliteStore.open(each)) as store:
            assert store.check() == ""
            assert [event.id for event in store.events.after_seq(DEMO, 0, 10)] == ["m2"]
    assert kept.path.stat().st_mode & 0o777 == 0o600


def test_backups_are_removed_when_that_is_asked_for(tmp_path: Path, memory: Memory) -> None:
    # Except for one, its words are the program's own too.
    memory.capture(said("Remove the zanzibar keys", id_="m1"))
    kept = SqliteBackups(tmp_path / "memory.db", tmp_path / "backups").make_backup(
        NOON, lambda *_: None
    )

    memory.forget(one_of(memory, "m1"), backups="remove")

    assert not kept.path.exists()


def test_a_backup_that_cannot_be_read_is_told_of_if_it_holds_a_word(
    tmp_path: Path, memory: Memory
) -> None:
    # Except for one, its words are the program's own too.
    memory.capture(said("Remove the zanzibar keys", id_="m1"))
    kept = SqliteBackups(tmp_path / "memory.db", tmp_path / "backups").make_backup(
        NOON, lambda *_: None
    )
    held = bytearray(kept.path.read_bytes())
    held[100:2000] = b"\xff" * 1900
    kept.path.write_bytes(held)

    done = memory.forget(one_of(memory, "m1"))

    assert "could not be rewritten" in done.files[str(kept.path)]
    assert {(trace.place, trace.word) for trace in done.left} == {(str(kept.path), "zanzibar")}


def test_a_file_of_somebody_that_holds_a_word_is_found_and_named(
    tmp_path: Path, memory: Memory
) -> None:
    memory.capture(said("Rotate the zanzibar keys", id_="m1"))
    (tmp_path / "left-behind.txt").write_text("about ZANZIBAR")

    done = memory.forget(one_of(memory, "m1"))

    assert [(Path(each.place).name, each.word) for each in done.left] == [
        ("left-behind.txt", "zanzibar")
    ]


def test_a_longer_word_that_remains_is_no_trace_of_a_shorter_one(
    tmp_path: Path, memory: Memory
) -> None:
    memory.capture(
        [said("Ask the zanzibar", id_="m1"), said("The zanzibarians say", id_="m2", minute=1)]
    )

    assert memory.forget(one_of(memory, "m1")).left == ()
    assert b"zanzibarians" in (tmp_path / "memory.db").read_bytes()


def test_a_word_that_is_part_of_another_in_a_log_is_no_trace(
    tmp_path: Path, memory: Memory
) -> None:
    memory.capture(said("Remove the zanzibar keys", id_="m1"))
    log = tmp_path / "logs" / "daemon.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text('loaded zanzibarian.py\nread "one\\nzanzibar" there\nread Zanzibar\n')

    done = memory.forget(one_of(memory, "m1"))

    assert done.left == ()
    assert log.read_text() == "loaded zanzibarian.py\n"


def test_the_stem_of_a_word_that_remains_is_no_trace_of_another(memory: Memory) -> None:
    memory.capture(
        [said("Ask the zanzibar", id_="m1"), said("Many zanzibars say", id_="m2", minute=1)]
    )

    assert memory.forget(one_of(memory, "m1")).left == ()


def test_records_that_wait_go_if_they_are_meant_and_stay_if_not(
    tmp_path: Path, memory: Memory
) -> None:
    memory.capture(said("Rotate the zanzibar keys", id_="m1", session="s1"))
    (tmp_path / "inbox").mkdir()
    records = [{"id": f"r{n}", "cwd": "/x", "session": f"s{n}", "text": "words"} for n in (1, 2)]
    waiting = tmp_path / "inbox" / "events.jsonl"
    waiting.write_text("".join(f"{json.dumps(each)}\n" for each in records))

    memory.forget(Selection(session="s1"))

    assert [json.loads(line)["id"] for line in waiting.read_text().splitlines() if line] == ["r2"]


def test_the_graph_of_vectors_goes_with_a_vector_in_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(SqliteStore.open(path, exact_limit=100)) as store:
        store.threads.save(a_thread())
        events = store.events.append([an_event(f"m{n}", a_thread(), f"w{n}") for n in range(300)])
        chunks = [Chunk(each.seq, 0, a_vector(each.seq, 32)) for each in events]
        store.vector_index.add("demo", "model@1", chunks, through=events[-1].seq)
        store.vector_index.refresh_index("demo", "model@1", lambda *_: None)
    held = a_vector(events[0].seq, 32).astype("<f2").tobytes()
    assert held in next(Path(f"{path}.vectors").glob("*.graph")).read_bytes()
    memory = a_memory(path, embedder=lambda: None)

    memory.forget(Selection(project="demo", messages=("m0",)))

    assert list(Path(f"{path}.vectors").iterdir()) == []
    assert held not in path.read_bytes()
    assert memory._store.vector_index.space_counts() == {"model@1": 299}  # noqa: SLF001 - past the door
