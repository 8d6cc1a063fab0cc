"""How well a search finds what answers a question, beside BM25, FTS5 and vectors alone.

Takes conversations with labelled answers, one JSON object a line, plain or gzipped:
{"conv", "corpus": [{"id", "session", "ts", "role", "text"}], "queries": [{"text",
"gold", "gold_sessions"}]}. Everything is asked through `Memory`, all by the same
settings. With `gold_new` and `gold_old` it is seen which stands above.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ai_smartness.memory import Memory
from ai_smartness.model.search import SearchScope
from ai_smartness.testing import SetClock
from kit.conversations import Conversation, Query, conversations
from kit.plain_search import Bm25, PlainFts5, telling
from kit.remembered import PROJECT, Known, model, remembered, seen_with
from kit.scores import MEASURES, Floats, difference, interval, misses_removed, quality
from kit.shown_scores import LEVELS, show, show_updates

DEPTH = 100
Search: TypeAlias = Callable[[Query], list[str]]
Rows: TypeAlias = dict[str, list[list[float]]]

JUDGED_LEVELS = {"coding_sessions": ("session",), "beam_100k": ("message",)}
"""Where a set is labelled at one level only; the others are judged at both."""

PLAIN = (("BM25", "FTS5"), ("BM25, no stop words", "FTS5, no stop words"))
"""What ours is held against: as they come, and helped by a list of English words."""

JUDGED_BY = {"message": ("NDCG@10", "R@5"), "session": ("R@5",)}


def main() -> None:
    """Score every file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        help="another model, beside the one that is set",
    )
    parser.add_argument("--keep", type=Path, help="folder to keep the memories in for another run")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--engine", choices=("sqlite", "both"), default="sqlite", help="also ours on PostgreSQL"
    )
    given = parser.parse_args()
    models = {name: Known(found) for name in ["", *given.model] if (found := model(name))}
    results: dict[str, Any] = {}
    updates: dict[str, list[float]] = {}
    for path in given.files:
        bench = Bench(path.name.split(".")[0], models, given.keep)
        bench.is_on_both = given.engine == "both"
        results[bench.name] = bench.scored(path)
        for way, found_first in bench.updates.items():
            updates.setdefault(way, []).extend(found_first)
        if not given.json:
            show(bench.name, results[bench.name])
    together = {way: interval(np.array(each)) for way, each in updates.items() if each}
    if given.json:
        print(json.dumps({"sets": results, "updates": together}, indent=2))
    elif together:
        show_updates(f"all sets, {len(next(iter(updates.values())))} updates", together)


class Bench:
    """One set of conversations, searched in every way."""

    def __init__(self, name: str, models: dict[str, Known], keep: Path | None) -> None:
        self.name = name
        self._models = models
        self._keep = keep
        self._rows: Rows = {}
        self.updates: dict[str, list[float]] = {}
        self.is_on_both = False

    def scored(self, path: Path) -> dict[str, Any]:
        """Score one file."""
        for conversation in conversations(path):
            print(f"… {self.name} {conversation.name}", file=sys.stderr)
            memory = remembered(conversation, self._file(conversation), list(self._models.values()))
            self._search(conversation, ways(conversation, memory, self._models))
            memory.close()
            if self.is_on_both:
                self._search_server(conversation)
        rows = {way: np.array(found) for way, found in self._rows.items()}
        found: dict[str, Any] = {
            "scores": {way: levels(table) for way, table in rows.items()},
            "verdicts": list(verdicts(rows, JUDGED_LEVELS.get(self.name, ("message", "session")))),
        }
        if any(self.updates.values()):
            found["updates"] = {w: interval(np.array(v)) for w, v in self.updates.items()}
        return found

    def _file(self, conversation: Conversation) -> Path | str:
        name = f"{self.name}-{conversation.name}".replace("/", "_")
        return self._keep / f"{name}.db" if self._keep else ":memory:"

    def _search_server(self, conversation: Conversation) -> None:
        """Search the same conversation on PostgreSQL, as ours alone."""
        from kit.benched_server import benched_server

        models = list(self._models.values())
        with benched_server() as server:
            store = server.open_store(server.make_empty("bench"))
            memory = remembered(conversation, ":memory:", models, store)
            ours = {
                f"ours{_by(name)} on PostgreSQL": by_memory(conversation, memory, embedder)
                for name, embedder in self._models.items()
            }
            ours["ours by words alone on PostgreSQL"] = by_memory(conversation, memory, None)
            self._search(conversation, ours)
            memory.close()

    def _search(self, conversation: Conversation, searches: "dict[str, Search]") -> None:
        session_of = {message.id: message.session or "" for message in conversation.messages}
        for way, search in searches.items():
            rows, updates = self._rows.setdefault(way, []), self.updates.setdefault(way, [])
            for query in conversation.queries:
                if not query.gold and not query.gold_sessions:
                    continue
                ranking = search(query)
                sessions = list(dict.fromkeys(session_of[id_] for id_ in ranking))
                single = query.gold_sessions if len(query.gold_sessions) == 1 else ()
                gold = (query.gold, query.gold_sessions, single)
                found = zip((ranking, sessions, sessions), gold, strict=True)
                rows.append([score for pair in found for score in quality(*pair)])
                if query.is_update:
                    updates.append(newest_above(ranking, query))


def ways(conversation: Conversation, memory: Memory, models: dict[str, Known]) -> dict[str, Search]:
    """Return the ways to search this conversation."""
    ids = [message.id or "" for message in conversation.messages]
    texts = [message.text for message in conversation.messages]
    bm25, fts5 = Bm25(ids, texts), PlainFts5(ids, texts)
    found: dict[str, Search] = {
        "BM25": lambda query: bm25.search(query.text, query.cutoff),
        "FTS5": lambda query: fts5.search(query.text, query.cutoff),
        "BM25, no stop words": lambda query: bm25.search(telling(query.text), query.cutoff),
        "FTS5, no stop words": lambda query: fts5.search(telling(query.text), query.cutoff),
    }
    for name, embedder in models.items():
        found[f"vectors{_by(name)}"] = by_vectors(conversation, memory, embedder)
    for name, embedder in models.items():
        found[f"ours{_by(name)}"] = by_memory(conversation, memory, embedder)
    found["ours by words alone"] = by_memory(conversation, memory, None)
    return found


def _by(name: str) -> str:
    return f" ({name})" if name else ""


def by_memory(conversation: Conversation, memory: Memory, embedder: Known | None) -> Search:
    """Rank as the product does, at the moment of asking."""
    clock = SetClock()
    asked = seen_with(memory, embedder, clock)

    def search(query: Query) -> list[str]:
        clock.set(conversation.asked_at(query))
        hits = asked.search(query.text, limit=DEPTH, before=conversation.before(query))
        return [hit.id for hit in hits]

    return search


def by_vectors(conversation: Conversation, memory: Memory, embedder: Known) -> Search:
    """Rank by the cosine alone."""
    store = memory._store  # noqa: SLF001 # past the door on purpose

    def search(query: Query) -> list[str]:
        scope = SearchScope(project=PROJECT, before=conversation.before(query))
        near = store.vector_index.nearest(scope, embedder.space, embedder.query(query.text), DEPTH)
        events = store.events.by_seq(match.seq for match in near.matches)
        return [events[match.seq].id for match in near.matches]

    return search


def newest_above(ranking: Sequence[str], query: Query) -> float:
    """Say whether what is true now stands above what was; a half where neither is found."""
    found = [id_ for id_ in ranking if id_ in query.gold_new or id_ in query.gold_old]
    return float(found[0] in query.gold_new) if found else 0.5


def levels(table: Floats) -> dict[str, Any]:
    """Return the means with their intervals, by level and measure."""
    found: dict[str, Any] = {}
    for number, name in enumerate(columns()):
        value = interval(table[:, number])
        if value is not None:
            found[name] = value
            found[f"{name.split()[0]} questions"] = int((~np.isnan(table[:, number])).sum())
    return found


def verdicts(rows: dict[str, Floats], at: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Hold ours against the better of the two plain searches, of each kind."""
    measures = [f"{level} {each}" for level in at for each in JUDGED_BY[level]]
    ours = [way for way in rows if way.startswith("ours")]
    for measure, way, plain in product(measures, ours, PLAIN):
        number = columns().index(measure)
        best = max(plain, key=lambda each: float(np.nanmean(rows[each][:, number])))
        mine, theirs = rows[way][:, number], rows[best][:, number]
        yield {
            "way": way,
            "measure": measure,
            "best plain": best,
            "plain": float(np.nanmean(theirs)),
            "ours": float(np.nanmean(mine)),
            "difference": difference(mine, theirs),
            "misses removed": misses_removed(mine, theirs) if "R@" in measure else None,
        }


def columns() -> list[str]:
    """Name what one row holds."""
    return [f"{level} {name}" for level in LEVELS for name in MEASURES]


if __name__ == "__main__":
    main()
