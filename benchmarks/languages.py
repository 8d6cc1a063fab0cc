"""How many questions in thirteen languages find their answer, in their own language and in English.

Thirty facts of a made-up project (kit/language_facts.txt, ours) stand among some hundred messages
of Django in the same language, which pip downloads into a temporary folder. They are searched by
keywords alone, with the first model, and with both models as shipped.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.event import Message
from ai_smartness.ports import Embedder
from ai_smartness.settings.paths import memory_paths
from ai_smartness.settings.schema import EmbedderSettings, Settings
from ai_smartness.testing import SetClock
from ai_smartness.wiring import load_embedder
from kit.language_facts import ENGLISH, LanguageFact, django_messages, language_facts
from kit.timing import print_table

DEPTH = 10
WAYS = ("words", "first model", "both models")
NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def main() -> None:
    """Ask every question in every way, and print how many were answered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--languages", nargs="+", help="only these, such as de fr")
    parser.add_argument("--alone", action="store_true", help="without the messages of Django")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    facts = language_facts()
    languages = options.languages or [*facts]
    others = {} if options.alone else django_messages([*{ENGLISH, *languages}])
    if not others and not options.alone:
        print("Django's messages cannot be had: the facts stand alone.", file=sys.stderr)
    bench = LanguageBench(facts, others)
    results = {
        "same language": {one: bench.answered(one, one) for one in languages},
        "English text": {one: bench.answered(one, ENGLISH) for one in languages if one != ENGLISH},
    }
    if options.json:
        counts = {one: len(others.get(one, ())) for one in languages}
        print(json.dumps({"other_messages": counts, "results": results}, indent=2))
        return
    for title, of_languages in results.items():
        _show(title, of_languages, others)


class LanguageBench:
    """The memories of the languages, and the models."""

    def __init__(self, facts: dict[str, list[LanguageFact]], others: dict[str, list[str]]) -> None:
        self._facts = facts
        self._others = others
        self._first = _loaded_model(languages="none")
        self._both = _loaded_model(languages=EmbedderSettings().languages)
        self._memories: dict[str, Memory] = {}

    def answered(self, asked: str, told: str) -> dict[str, dict[str, float]]:
        """Score the questions of one language about the texts of another, or the same."""
        memory = self._memories.get(told) or self._memory_of(told)
        questions = [fact.question for fact in self._facts[asked]]
        results = {}
        for way, embedder in zip(WAYS, (None, self._first, self._both), strict=True):
            memory.embedder = embedder
            ranks = [_rank(memory, question, f"fact-{n}") for n, question in enumerate(questions)]
            results[way] = _scores(ranks)
        return results

    def _memory_of(self, language: str) -> Memory:
        """Store and embed the texts of a language; each stands in a session of its own."""
        parts = MemoryParts(
            store=SqliteStore.open(":memory:"),
            embedder=lambda: self._both,
            clock=SetClock(NOW),
            patient=False,
        )
        memory = Memory(parts, "languages", Settings())
        texts = {f"fact-{n}": fact.text for n, fact in enumerate(self._facts[language])}
        texts |= {f"other-{n}": text for n, text in enumerate(self._others.get(language, ()))}
        # Every text has the same age: which is newer must not count.
        memory.capture(
            Message(id=id_, session=f"of {id_}", text=text, at=NOW) for id_, text in texts.items()
        )
        memory.embed()
        self._memories[language] = memory
        return memory


def _loaded_model(languages: str) -> Embedder:
    settings = Settings(embedder=EmbedderSettings(languages=languages, threads=1))
    embedder = load_embedder(memory_paths(None, None, os.environ), settings)
    if embedder is None or (languages != "none" and embedder.other_languages is None):
        sys.exit("The models are not here. Run `ais model pull` for each that `ais model` lists.")
    return embedder


def _rank(memory: Memory, question: str, answer: str) -> int | None:
    """Return the place of the answer, from 1; none if it is not among the first."""
    ids = [hit.id for hit in memory.search(question, DEPTH, wait=False)]
    return ids.index(answer) + 1 if answer in ids else None


def _scores(ranks: Sequence[int | None]) -> dict[str, float]:
    count = len(ranks)
    return {
        "hit@1": sum(rank == 1 for rank in ranks) / count,
        "hit@5": sum(rank is not None and rank <= 5 for rank in ranks) / count,  # noqa: PLR2004
        "MRR": sum(1 / rank for rank in ranks if rank) / count,
    }


def _show(title: str, results: dict[str, Any], others: dict[str, list[str]]) -> None:
    """Print hit@1 / hit@5 / MRR of every language and way, and their means."""
    rows = [
        [language, *(_cell(scores[way]) for way in WAYS)] for language, scores in results.items()
    ]
    other = {one: scores for one, scores in results.items() if one != ENGLISH}
    means = [
        {name: sum(scores[way][name] for scores in other.values()) / len(other) for name in kind}
        for way in WAYS
        if other and (kind := next(iter(other.values()))[way])
    ]
    rows.append(["mean without English", *map(_cell, means)])
    sizes = sorted(len(texts) for texts in others.values()) or [0]
    among = f"30 facts among {sizes[0]} to {sizes[-1]} other messages" if sizes[-1] else "30 facts"
    print_table(f"{title}: hit@1 / hit@5 / MRR, {among}", ["language", *WAYS], rows)


def _cell(scores: dict[str, float]) -> str:
    return " / ".join(f"{scores[name]:.2f}".removeprefix("0") for name in scores)


if __name__ == "__main__":
    main()
