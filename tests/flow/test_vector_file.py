"""The mapped files of vectors: only ever a copy of what the tables hold."""

import struct
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.adapters.vector_search.exact_search import (
    ExactIndex,
    bar_of_best,
    dot_products,
)
from ai_smartness.model.search import Chunk, NearestEvents, SearchScope
from ai_smartness.model.statement import Statement
from builders import a_statement, a_thread, a_vector, an_event, stored

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEMO = SearchScope(project="demo")
SPACE = "model@1"
DIMENSION = 16
ROWS = 2_100
"""A little more than are read from the table as quickly."""


def vector(seed: int) -> "NDArray[np.float32]":
    return a_vector(seed, DIMENSION)


def add_events(store: SqliteStore, first: int, count: int) -> None:
    """Store events, two vectors for each third of them."""
    numbers = range(first, first + count)
    events = store.events.append([an_event(f"m{number}", a_thread()) for number in numbers])
    chunks = [
        Chunk(event.seq, chunk, vector(event.seq + 10_000 * chunk))
        for event in events
        for chunk in range(1 + (event.seq % 3 == 0))
    ]
    store.vector_index.add("demo", SPACE, chunks, through=events[-1].seq)


def refresh(store: SqliteStore) -> None:
    store.vector_index.refresh_index("demo", SPACE, lambda _done, _total: None)


def nearest(store: SqliteStore, seed: int) -> NearestEvents:
    return store.vector_index.nearest(DEMO, SPACE, vector(seed), 10, also=[5, 6])


def row_files(path: Path) -> list[Path]:
    return sorted(Path(f"{path}.vectors").glob("*.rows"))


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    store = SqliteStore.open(path)
    store.threads.save(a_thread())
    add_events(store, 0, ROWS)
    refresh(store)
    store.close()
    return path


def without_files(path: Path, seeds: range) -> list[NearestEvents]:
    """Return the answers of a store that reads the table alone."""
    hidden = {file: file.with_name(f"hidden-{file.name}") for file in row_files(path)}
    for file, other in hidden.items():
        file.rename(other)
    store = SqliteStore.open(path)
    answers = [nearest(store, seed) for seed in seeds]
    store.close()
    for file, other in hidden.items():
        other.rename(file)
    return answers


def test_a_search_by_the_file_finds_exactly_what_one_by_the_table_finds(filled: Path) -> None:
    store, seeds = SqliteStore.open(filled), range(1000, 1010)

    answers = [nearest(store, seed) for seed in seeds]

    assert answers == without_files(filled, seeds)
    assert [file.stat().st_mode & 0o777 for file in row_files(filled)] == [0o600]
    store.close()


def test_events_after_the_file_are_found_and_those_of_another_process_too(filled: Path) -> None:
    reader, writer = SqliteStore.open(filled), SqliteStore.open(filled)
    nearest(reader, 1)

    add_events(writer, ROWS, 100)

    newest = ROWS + 100
    assert nearest(reader, newest).matches[0].seq == newest
    assert nearest(reader, 7) == without_files(filled, range(7, 8))[0]
    reader.close()
    writer.close()


def test_a_file_that_lacks_many_rows_is_written_again_and_read_by_everybody(filled: Path) -> None:
    reader, writer = SqliteStore.open(filled), SqliteStore.open(filled)
    nearest(reader, 1)
    before = row_files(filled)[0].stat().st_size

    add_events(writer, ROWS, ROWS)
    refresh(writer)

    assert row_files(filled)[0].stat().st_size > 1.9 * before
    assert nearest(reader, 9) == without_files(filled, range(9, 10))[0]
    reader.close()
    writer.close()


def test_the_centres_of_events_are_the_same_with_a_file_and_without(filled: Path) -> None:
    store, seqs = SqliteStore.open(filled), [3, 4, 700, ROWS + 1]
    add_events(store, ROWS, 3)

    centres = store.vector_index.event_centres("demo", SPACE, seqs)

    for file in row_files(filled):
        file.unlink()
    in_table = store.vector_index.event_centres("demo", SPACE, seqs)
    assert centres.keys() == in_table.keys() == set(seqs)
    assert all((centres[seq] == in_table[seq]).all() for seq in seqs)
    store.close()


def test_a_file_of_an_older_version_is_read_and_then_written_with_coarse_rows(
    filled: Path,
) -> None:
    (file,) = row_files(filled)
    whole = file.read_bytes()
    generation, last_row, rows, dimension = struct.unpack("<8xqqqq", whole[:40])
    vectors, keys = whole[64 : 64 + 2 * rows * dimension], whole[-8 * rows :]
    header = struct.pack("<8sqqqq", b"aisrows1", generation, last_row, rows, dimension)
    file.write_bytes(header.ljust(64, b"\0") + vectors + keys)
    store, seeds = SqliteStore.open(filled), range(1000, 1005)

    answers = [nearest(store, seed) for seed in seeds]
    refresh(store)

    assert answers == without_files(filled, seeds)
    assert file.read_bytes() == whole
    store.close()


def test_a_deleted_vector_is_found_no_more_and_its_file_is_deleted(filled: Path) -> None:
    store, other = SqliteStore.open(filled), SqliteStore.open(filled)
    assert nearest(other, 40).matches[0].seq == 40

    with store.erasure.deletion_allowed(), store.unit():
        store.erasure.remove_events([40])

    assert 40 not in [match.seq for match in nearest(other, 40).matches]
    store.erasure.purge_traces(lambda _done, _total: None)
    assert row_files(filled) == []
    store.close()
    other.close()


@pytest.mark.parametrize("kept_bytes", [0, 30, 64, 5_000])
def test_a_file_that_was_cut_is_not_used(filled: Path, kept_bytes: int) -> None:
    (file,) = row_files(filled)
    file.write_bytes(file.read_bytes()[:kept_bytes])
    store = SqliteStore.open(filled)

    answer = nearest(store, 3)

    assert answer == without_files(filled, range(3, 4))[0]
    store.close()


def test_a_small_memory_has_no_file(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "memory.db")
    store.threads.save(a_thread())
    add_events(store, 0, 100)

    refresh(store)

    assert row_files(tmp_path / "memory.db") == []
    store.close()


def test_products_are_those_of_four_byte_numbers() -> None:
    rows = np.stack([a_vector(seed, 384) for seed in range(500)]).astype(np.float16)
    queries = np.stack([a_vector(seed, 384) for seed in range(1_000, 1_003)])

    products = dot_products(rows, queries)

    assert np.allclose(products, rows.astype(np.float32) @ queries.T, rtol=0, atol=1e-6)


def with_statements(store: SqliteStore, count: int, seed: int = 0) -> list[Statement]:
    events = stored(store, *(f"value {number + seed} is so" for number in range(count)))
    statements = [a_statement(event) for event in events]
    store.statements.save("demo", "judge", statements, events[-1].seq)
    rows = np.stack([vector(event.seq) for event in events])
    store.statements.save_vectors("demo", SPACE, [one.id for one in statements], rows)
    store.statements.refresh_vectors("demo", SPACE)
    return statements


def compared(store: SqliteStore, seed: int) -> dict[str, float]:
    numbers, cosines = store.statements.cosines("demo", SPACE, vector(seed)[None])
    ids = store.statements.ids(numbers.tolist())
    return {ids[n]: float(c) for n, c in zip(numbers.tolist(), cosines[:, 0], strict=True)}


def in_table(store: SqliteStore, seed: int) -> dict[str, float]:
    ids, rows = store.statements.vectors("demo", SPACE)
    return dict(zip(ids, map(float, rows @ vector(seed)), strict=True)) if ids else {}


def test_statements_are_compared_by_their_file_as_by_the_table(tmp_path: Path) -> None:
    store, other = (SqliteStore.open(tmp_path / "memory.db") for _ in range(2))
    assert compared(store, 1) == {}

    with_statements(store, ROWS)
    assert len(row_files(tmp_path / "memory.db")) == 1
    assert compared(other, 1) == pytest.approx(in_table(store, 1), abs=5e-4)

    with_statements(store, 10, seed=ROWS)
    assert compared(other, 2) == pytest.approx(in_table(store, 2), abs=5e-4)
    store.close()
    other.close()


def test_statements_that_were_found_anew_are_compared_alone(tmp_path: Path) -> None:
    store, other = (SqliteStore.open(tmp_path / "memory.db") for _ in range(2))
    with_statements(store, ROWS)
    compared(other, 1)

    store.statements.clear("demo")
    assert compared(other, 1) == {}

    with_statements(store, 5, seed=ROWS)
    assert compared(other, 1) == pytest.approx(in_table(store, 1), abs=5e-4)
    assert len(compared(other, 1)) == 5
    store.close()
    other.close()


def test_numbers_and_ids_of_statements_belong_together(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "memory.db")
    first, second = with_statements(store, 2)

    numbers = store.statements.numbers("demo", [second.id, first.id, "s_none"])

    assert numbers.keys() == {first.id, second.id}
    assert store.statements.ids(numbers.values()) == {n: id_ for id_, n in numbers.items()}
    assert store.statements.numbers("unknown", [first.id]) == {}
    store.close()


def test_among_many_rows_the_best_and_the_wanted_have_their_exact_cosine() -> None:
    rows = np.random.default_rng(1).normal(size=(30_000, 48)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    index = ExactIndex(np.arange(30_000) // 2, rows.astype(np.float16))
    query, wanted = rows[77], [3, 12_345, 99_999]

    exact, rough = index.scored_events(query), index.roughly_scored_events(query, 50, wanted)

    assert rough.best_events(50).seqs.tolist() == exact.best_events(50).seqs.tolist()
    assert rough.best_events(50).cosines.tolist() == exact.best_events(50).cosines.tolist()
    assert rough.cosines[[3, 12_345]].tolist() == exact.cosines[[3, 12_345]].tolist()
    assert np.allclose(rough.cosines, exact.cosines, rtol=0, atol=5e-4)


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=400), st.integers(1, 12))
def test_the_best_values_reach_the_bar(values: list[float], limit: int) -> None:
    numbers = np.array(values, np.float32)

    bar = bar_of_best(numbers, limit)

    assert (np.sort(numbers)[-limit:] >= bar).all()
