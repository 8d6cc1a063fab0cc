"""The benchmarks of both engines start a server, fill it and compare."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engines import POSTGRES

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
TEXTS = (
    "the invoices go into postgres",
    "never log the session id in src/auth/keys.py",
    "the cache of the catalogue is redis",
    "rotate the deploy key of src/auth/keys.py on mondays",
)
QUERIES = {"where do invoices go?": 0, "which key in src/auth/keys.py rotates?": 3}


@pytest.fixture
def bench_set(tmp_path: Path) -> Path:
    """Write a set of one small conversation."""
    if reason := POSTGRES.missing():
        pytest.skip(f"{POSTGRES.name} is needed and cannot be had: {reason}")
    corpus = [
        {"id": f"m{n}", "session": "s", "role": "user", "text": text, "ts": f"2026-03-0{n + 1}"}
        for n, text in enumerate(TEXTS)
    ]
    queries = [
        {"id": f"q:{n}", "text": text, "gold": [f"m{gold}"], "gold_sessions": ["s"]}
        for n, (text, gold) in enumerate(QUERIES.items())
    ]
    path = tmp_path / "small.jsonl"
    path.write_text(json.dumps({"conv": "one", "corpus": corpus, "queries": queries}) + "\n")
    return path


def run(name: str, *words: str) -> str:
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_both_engines_find_the_same_first_by_words(bench_set: Path) -> None:
    assert "the same for 2 of 2 queries" in run("word_ranking", str(bench_set))


def test_a_recall_benchmark_scores_both_engines(bench_set: Path) -> None:
    printed = run("recall", str(bench_set), "--engine", "both", "--model", "", "--json")

    scores = json.loads(printed)["sets"]["small"]["scores"]
    assert scores["ours by words alone on PostgreSQL"] == scores["ours by words alone"]
