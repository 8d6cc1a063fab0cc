"""Where looking at every vector stops being quicker than walking a graph."""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from ai_smartness.adapters.vector_search.exact_search import ExactIndex
from ai_smartness.adapters.vector_search.hnsw import GraphFile
from kit.made_up import vectors
from kit.timing import measured, print_table, took

SIZES = (10_000, 30_000, 100_000, 300_000)
DIMENSION = 384
QUESTIONS = 100
TOP = 10


def main() -> None:
    """Compare the two at each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    given = parser.parse_args()
    print_table(
        f"The {TOP} nearest of made-up {DIMENSION}-dimensional vectors in clusters, p50.",
        ["vectors", "exact, ms", "graph, ms", "graph finds", "building it, s", "its file, MB"],
        [compared(size) for size in given.sizes],
    )


def compared(size: int) -> list[str]:
    """Measure both ways at one size."""
    chance = np.random.default_rng(3)
    rows = np.concatenate(list(vectors(size, DIMENSION))).astype(np.float16)
    keys = np.arange(1, size + 1, dtype=np.int64)
    exact = ExactIndex()
    exact.add(keys, rows)
    asked = rows[chance.integers(0, size, QUESTIONS)].astype(np.float32) + 0.05 * chance.normal(
        size=(QUESTIONS, DIMENSION),
    ).astype(np.float32)
    numbers = [str(number) for number in range(QUESTIONS)]
    with tempfile.TemporaryDirectory() as folder:
        graph = GraphFile(Path(folder) / "x.graph")
        built = took(lambda: graph.build_graph(0, [(keys, rows)], None))
        stamp = graph.usable_stamp()
        if stamp is None:
            raise AssertionError
        by_scan = measured(
            lambda number: exact.scored_events(asked[int(number)]).best_events(TOP),
            numbers,
        )
        by_graph = measured(lambda number: graph.nearest(asked[int(number)], TOP, stamp), numbers)
        shared = 0
        for query in asked:
            found = graph.nearest(query, TOP, stamp)
            if found is not None:
                shared += len(set(found[0]) & set(exact.scored_events(query).best_events(TOP).seqs))
        size_mb = (Path(folder) / "x.graph").stat().st_size / 1e6
    return [
        f"{size:,}",
        f"{by_scan.at(50):.2f}",
        f"{by_graph.at(50):.2f}",
        f"{shared / (TOP * QUESTIONS):.1%}",
        f"{built:,.0f}",
        f"{size_mb:,.0f}",
    ]


if __name__ == "__main__":
    main()
