"""How well a search finds what answers a question, beside BM25, FTS5 and vectors alone.

Takes conversations with labelled answers, one JSON object a line, plain or
gzipped: {"conv", "corpus": [{"id", "session", "ts", "role", "text"}], "queries":
[{"text", "gold", "gold_sessions"}]}. Everything is asked through `Memory`.
"""

import argparse
import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ai_smartness.memory import Memory
from ai_smartness.model.event import Message
from ai_smartness.model.found import Scope
from ai_smartness.settings import load, places
from ai_smartness.wiring import wired
from kit.plain_search import Bm25, PlainFts5
from kit.timing import print_table

DEPTH = 100
BOOTSTRAPS = 1_000
Ranking: TypeAlias = list[str]
Search: TypeAlias = Callable[[str, int], Ranking]


@dataclass(frozen=True)
class Conversation:
    """One memory with its questions; `at` puts the messages in one strict order of time."""

    name: str
    corpus: list[dict[str, Any]]
    queries: list[dict[str, Any]]
    at: list[datetime]


def main() -> None:
    """Score every file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--keep", type=Path, help="folder to keep the memories in for another run")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = {path.name.split(".")[0]: scored(path, given.keep) for path in given.files}
    if given.json:
        print(json.dumps(results, indent=2))
        return
    for name, found in results.items():
        show(name, found)


def scored(path: Path, keep: Path | None) -> dict[str, Any]:
    """Score the four ways to search on one file."""
    scores: dict[str, list[list[float]]] = {}
    for conversation in conversations(path):
        print(f"… {path.name} {conversation.name}", file=sys.stderr)
        for way, search in ways(conversation, path, keep).items():
            for query in asked(conversation):
                scores.setdefault(way, []).append(measures(conversation, query, search))
    return {way: summed(np.array(rows)) for way, rows in scores.items()}


def conversations(path: Path) -> Iterator[Conversation]:
    """Read a file, one memory a line."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            memory = json.loads(line)
            yield Conversation(
                memory["conv"], memory["corpus"], memory["queries"], moments(memory["corpus"])
            )


def moments(corpus: Sequence[dict[str, Any]]) -> list[datetime]:
    """Return the times of the messages, each a little after the one before."""
    found: list[datetime] = []
    for message in corpus:
        at = datetime.fromisoformat(message["ts"])
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
        found.append(max(at, found[-1] + timedelta(microseconds=1)) if found else at)
    return found


def asked(conversation: Conversation) -> list[dict[str, Any]]:
    """Return the questions that something answers."""
    return [query for query in conversation.queries if query["gold"] and not query.get("abstain")]


def ways(conversation: Conversation, path: Path, keep: Path | None) -> dict[str, Search]:
    """Return the four ways to search this conversation."""
    ids = [message["id"] for message in conversation.corpus]
    texts = [message["text"] for message in conversation.corpus]
    memory = remembered(conversation, path, keep)
    return {
        "BM25": Bm25(ids, texts).search,
        "FTS5": PlainFts5(ids, texts).search,
        "vectors": lambda text, cutoff: by_vectors(memory, conversation, text, cutoff),
        "ours": lambda text, cutoff: [
            hit.id for hit in memory.search(text, limit=DEPTH, before=before(conversation, cutoff))
        ],
    }


def before(conversation: Conversation, cutoff: int) -> datetime | None:
    """Return the moment up to which a question may look."""
    return conversation.at[cutoff] if cutoff < len(conversation.at) else None


def remembered(conversation: Conversation, path: Path, keep: Path | None) -> Memory:
    """Return a memory of the conversation, from an earlier run if it was kept."""
    where = places(None, None, os.environ)
    name = f"{path.name.split('.')[0]}-{conversation.name}".replace("/", "_")
    file = keep / f"{name}.db" if keep else ":memory:"
    memory = wired(where, load(where, os.environ).settings, "bench", file)
    memory.capture(
        Message(
            id=message["id"],
            session=message["session"],
            role=message["role"],
            text=message["text"],
            at=at,
        )
        for message, at in zip(conversation.corpus, conversation.at, strict=True)
    )
    memory.embed()
    return memory


def by_vectors(memory: Memory, conversation: Conversation, text: str, cutoff: int) -> Ranking:
    """Rank by the cosine alone."""
    if memory.embedder is None:
        return []
    store = memory._store  # noqa: SLF001 # past the door on purpose
    scope = Scope(project="bench", before=before(conversation, cutoff))
    near = store.vectors.nearest(scope, memory.embedder.space, memory.embedder.query(text), DEPTH)
    events = store.events.by_seq(match.seq for match in near.matches)
    return [events[match.seq].id for match in near.matches]


MEASURES = ("R@5", "R@10", "NDCG@10", "MRR")


def measures(conversation: Conversation, query: dict[str, Any], search: Search) -> list[float]:
    """Score one question: the four measures for messages, then for sessions."""
    ranking = search(query["text"], query.get("cutoff", len(conversation.corpus)))
    session_of = {message["id"]: message["session"] for message in conversation.corpus}
    sessions = list(dict.fromkeys(session_of[id_] for id_ in ranking))
    gold_sessions = query.get("gold_sessions") or []
    return [*quality(ranking, set(query["gold"])), *quality(sessions, set(gold_sessions))]


def quality(ranking: Sequence[str], gold: set[str]) -> list[float]:
    """Return R@5, R@10, NDCG@10 and MRR; not a number where nothing is labelled."""
    if not gold:
        return [float("nan")] * len(MEASURES)
    hits = [place for place, id_ in enumerate(ranking) if id_ in gold]
    ideal = sum(1 / np.log2(place + 2) for place in range(min(10, len(gold))))
    gain = sum(1 / np.log2(place + 2) for place in hits if place < 10)  # noqa: PLR2004 # NDCG@10
    return [
        sum(place < 5 for place in hits) / len(gold),  # noqa: PLR2004 # R@5
        sum(place < 10 for place in hits) / len(gold),  # noqa: PLR2004 # R@10
        float(gain / ideal),
        1 / (hits[0] + 1) if hits else 0.0,
    ]


def summed(rows: "np.ndarray[Any, np.dtype[np.float64]]") -> dict[str, Any]:
    """Return the means with their 95 % intervals, by bootstrap over the questions."""
    chance = np.random.default_rng(1)
    picks = chance.integers(0, len(rows), (BOOTSTRAPS, len(rows)))
    names = [f"{level} {name}" for level in ("message", "session") for name in MEASURES]
    found: dict[str, Any] = {"questions": len(rows)}
    for number, name in enumerate(names):
        column = rows[:, number]
        if np.isnan(column).all():
            continue
        means = np.nanmean(column[picks], axis=1)
        low, high = np.percentile(means, [2.5, 97.5])
        found[name] = [float(np.nanmean(column)), float(low), float(high)]
    return found


def show(name: str, found: dict[str, Any]) -> None:
    """Print one file's scores."""
    ways_ = list(found)
    columns = [key for key in found[ways_[0]] if key != "questions"]
    rows = [
        [way, *(f"{v[0]:.3f} [{v[1]:.3f} {v[2]:.3f}]" for v in (found[way][c] for c in columns))]
        for way in ways_
    ]
    print_table(f"{name}: {found[ways_[0]]['questions']} questions", ["", *columns], rows)


if __name__ == "__main__":
    main()
