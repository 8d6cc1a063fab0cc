"""The graph beside the file: only ever a copy of what the table holds."""

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.model.search import Chunk, SearchScope
from builders import a_thread, a_vector, an_event

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEMO = SearchScope(project="demo")
SPACE = "model@1"
DIMENSION = 32
ROWS = 400


def vector(seed: int) -> "NDArray[np.float32]":
    return a_vector(seed, DIMENSION)


def a_store(path: Path) -> SqliteStore:
    return SqliteStore.open(path, exact_limit=100)


def with_rows(path: Path, rows: int) -> Path:
    """Fill a new file with so many vectors."""
    store = a_store(path)
    store.threads.save(a_thread())
    events = store.events.append([an_event(f"m{n}", a_thread()) for n in range(rows)])
    chunks = [Chunk(event.seq, 0, vector(event.seq)) for event in events]
    store.vector_index.add("demo", SPACE, chunks, through=events[-1].seq)
    store.vector_index.refresh_index("demo", SPACE, lambda _done, _total: None)
    store.close()
    return path


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    return with_rows(tmp_path / "memory.db", ROWS)


def files(path: Path) -> dict[str, Path]:
    return {file.suffix: file for file in Path(f"{path}.vectors").iterdir()}


def nearest(store: SqliteStore, seed: int) -> list[int]:
    return [
        match.seq for match in store.vector_index.nearest(DEMO, SPACE, vector(seed), 10).matches
    ]


def exact(seed: int) -> list[int]:
    scores = {seq: float(vector(seq) @ vector(seed)) for seq in range(1, ROWS + 1)}
    return sorted(scores, key=lambda seq: -scores[seq])[:10]


def test_the_graph_is_written_for_its_owner_alone_and_finds_what_a_scan_finds(
    filled: Path,
) -> None:
    store = a_store(filled)

    found = [len(set(nearest(store, seed)) & set(exact(seed))) for seed in range(1000, 1020)]

    assert sum(found) / len(found) > 9
    assert {file.stat().st_mode & 0o777 for file in files(filled).values()} == {0o600}
    assert Path(f"{filled}.vectors").stat().st_mode & 0o777 == 0o700
    store.close()


@pytest.mark.parametrize(("rows", "suffixes"), [(79, set()), (81, {".graph", ".json"})])
def test_the_graph_is_built_before_the_memory_needs_it(
    tmp_path: Path, rows: int, suffixes: set[str]
) -> None:
    path = with_rows(tmp_path / "memory.db", rows)

    folder = Path(f"{path}.vectors")
    assert {file.suffix for file in folder.glob("*")} == suffixes


@pytest.mark.parametrize("damage", ["gone", "cut", "flipped", "no stamp", "odd stamp"])
def test_a_missing_or_damaged_graph_is_not_used_and_built_anew(filled: Path, damage: str) -> None:
    graph, stamp = files(filled)[".graph"], files(filled)[".json"]
    content = bytearray(graph.read_bytes())
    match damage:
        case "gone":
            graph.unlink()
        case "cut":
            graph.write_bytes(content[: len(content) // 2])
        case "flipped":
            content[len(content) // 2] ^= 0xFF
            graph.write_bytes(content)
        case "no stamp":
            stamp.unlink()
        case _:
            stamp.write_text('{"generation": 0}')
    store = a_store(filled)

    assert nearest(store, 1000) == exact(1000)

    store.vector_index.refresh_index("demo", SPACE, lambda _done, _total: None)
    assert set(files(filled)) == {".graph", ".json"}
    assert nearest(store, 7)[0] == 7
    store.close()


def test_a_graph_of_vectors_that_were_taken_away_is_not_used(filled: Path) -> None:
    store = a_store(filled)
    assert nearest(store, 7)[0] == 7

    store.vector_index.clear("demo", SPACE)
    chunks = [Chunk(seq, 0, vector(seq + 5000)) for seq in range(1, ROWS + 1)]
    store.vector_index.add("demo", SPACE, chunks, through=ROWS)

    assert nearest(store, 5007)[0] == 7
    store.close()


def test_cleared_vectors_leave_no_graph_behind(filled: Path) -> None:
    store = a_store(filled)

    store.vector_index.clear("demo", SPACE)
    store.vector_index.refresh_index("demo", SPACE, lambda _done, _total: None)

    assert files(filled) == {}
    store.close()


def test_the_graph_grows_when_it_lacks_many_rows(filled: Path) -> None:
    store = a_store(filled)
    before = files(filled)[".json"].read_text()
    more = store.events.append([an_event(f"n{n}", a_thread()) for n in range(20_100)])
    chunks = [Chunk(event.seq, 0, vector(event.seq)) for event in more]
    store.vector_index.add("demo", SPACE, chunks, through=more[-1].seq)

    store.vector_index.refresh_index("demo", SPACE, lambda _done, _total: None)

    assert files(filled)[".json"].read_text() != before
    assert nearest(store, more[-1].seq)[0] == more[-1].seq
    assert nearest(store, 7)[0] == 7
    store.close()


def test_without_the_library_for_graphs_all_vectors_are_compared(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "usearch", None)  # as where it is not installed
    store = a_store(filled)

    store.vector_index.refresh_index("demo", SPACE, lambda _done, _total: None)

    assert all(nearest(store, seed) == exact(seed) for seed in range(1000, 1010))
    assert ".graph" not in files(filled)
    store.close()


def test_the_model_can_be_loaded_after_the_graph(filled: Path) -> None:
    program = (
        "from pathlib import Path\n"
        "from ai_smartness.adapters.vector_search.hnsw import GraphFile\n"
        f"assert GraphFile(Path({str(files(filled)['.graph'])!r})).usable_stamp()\n"
        "import ai_smartness.adapters.embedders.onnx_embedder\n"
    )

    done = subprocess.run([sys.executable, "-c", program], check=False)

    assert done.returncode == 0
