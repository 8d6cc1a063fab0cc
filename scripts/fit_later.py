"""Fit the weights that tell whether a later line changes what one of the best lines says.

The lines are those that the memory ranks for the prompts of `training/projects.jsonl`, each project
alone, and of the half of `training/changes.jsonl` for choosing, among all of these projects. A pair
of lines counts as a change if its messages are a labelled one. The weights are written by hand into
`search/later_lines.py`, rounded.
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
from fit_data import MOST_STEPS, Item, training_items
from fit_lines import capture_all, project_messages
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from ai_smartness import Memory
from ai_smartness.model.search import RecalledLine
from ai_smartness.ports import Embedder
from ai_smartness.search.answer_lines import answer_lines
from ai_smartness.search.later_lines import LATER_WEIGHTS, LEAST_CHANCE, later_line_pairs
from ai_smartness.search.line_ranking import LineRanker, line_ranker
from ai_smartness.search.passages import answer_material, line_vectors

Lines = Sequence[RecalledLine]


class LaterPair(NamedTuple):
    """A line and a later one of a prompt: where, what is known of them, and whether it changes."""

    prompt: int
    places: tuple[int, int]
    features: list[float]
    is_change: bool


class LaterLineFit:
    """Does a later line change what an earlier one says."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        projects, changes = training_items("projects"), training_items("changes")[::2]
        self.writers, self.pairs = list[str](), list[LaterPair]()
        self.outdated = list[set[tuple[int, int]]]()
        for project in projects:
            self.add_prompts([project], [project])
        self.add_prompts([*projects, *changes], changes)

    def add_prompts(self, captured: Sequence[Item], asked: Sequence[Item]) -> None:
        """Capture projects into one memory, and compare the lines for the prompts of some."""
        with (
            tempfile.TemporaryDirectory() as folder,
            Memory.open(Path(folder) / "m.db", project="fit", home=folder) as memory,
        ):
            for project in captured:
                capture_all(memory, project_messages(project))
            for project in asked:
                for prompt in project["prompts"]:
                    if prompt["speak"]:
                        self.add_prompt(memory, project, prompt)

    def add_prompt(self, memory: Memory, project: Item, prompt: Item) -> None:
        """Compare the best lines for a prompt with later ones."""
        lines = self.ranked_lines(memory, prompt["text"])
        vectors = line_vectors(memory._store, self.embedder, lines)
        name, place = project["project"], len(self.writers)
        changes = {(f"{name} {old}", f"{name} {new}") for old, _, new, _ in project["supersedes"]}
        self.writers.append(project["writer"])
        self.outdated.append(set(outdated_places(lines, prompt)))
        for older, newer, features in later_line_pairs(lines, vectors):
            is_change = (lines[older].message_id, lines[newer].message_id) in changes
            pair = LaterPair(place, (older, newer), list(features.values()), is_change)
            self.pairs.append(pair)

    def ranked_lines(self, memory: Memory, query: str) -> Lines:
        """Return the lines for a query as the memory ranks them."""
        hits = memory._recall_hits(query)
        material = answer_material(memory._store, self.embedder, (memory.project,), query, hits)
        ranker = cast("LineRanker", line_ranker(query, self.embedder))
        return answer_lines(query, *material, lambda lines: ranker.scores(memory._store, lines))

    def report(self) -> None:
        """Print the weights, and what they mend for writers left out."""
        rows = np.array([pair.features for pair in self.pairs])
        labels = np.array([pair.is_change for pair in self.pairs])
        writers = np.array([self.writers[pair.prompt] for pair in self.pairs])
        chances = np.zeros(len(rows))
        for writer in sorted(set(writers)):
            of_writer = writers == writer
            model = fitted_model(rows[~of_writer], labels[~of_writer])
            chances[of_writer] = model.predict_proba(rows[of_writer])[:, 1]
        model = fitted_model(rows, labels)
        weights = zip(LATER_WEIGHTS, model.coef_[0], strict=True)
        print("later lines:", ", ".join(f"{name} {weight:.2f}" for name, weight in weights))
        print(f"later lines: bias {model.intercept_[0]:.2f}")
        raised = self.raised_pairs(chances)
        mended = sum(bool(set(raised[n]) & wanted) for n, wanted in enumerate(self.outdated))
        print(
            f"later lines: AUROC {roc_auc_score(labels, chances):.3f} for writers left out; "
            f"{sum(map(len, raised))} lines raised for {len(self.writers)} prompts, "
            f"{mended} of {sum(map(bool, self.outdated))} outdated lines get the newer one above"
        )

    def raised_pairs(self, chances: NDArray[np.float64]) -> list[list[tuple[int, int]]]:
        """Return for each prompt the likeliest pair of each line that is likely enough."""
        likeliest: dict[tuple[int, int], tuple[float, int]] = {}
        for pair, chance in zip(self.pairs, chances, strict=True):
            key = pair.prompt, pair.places[0]
            if chance >= LEAST_CHANCE:
                likeliest[key] = max(likeliest.get(key, (0.0, 0)), (chance, pair.places[1]))
        raised: list[list[tuple[int, int]]] = [[] for _ in self.writers]
        for (prompt, older), (_, newer) in likeliest.items():
            if newer > older:
                raised[prompt].append((older, newer))
        return raised


def fitted_model(rows: NDArray[np.float64], labels: NDArray[np.bool_]) -> LogisticRegression:
    """Fit on these pairs."""
    return LogisticRegression(max_iter=MOST_STEPS).fit(rows, labels)


def outdated_places(lines: Lines, prompt: Item) -> Iterator[tuple[int, int]]:
    """Yield the places of an outdated line and of a needed one below it, if it stands first."""
    texts = [" ".join(line.text.casefold().split()) for line in lines]
    phrases = [phrase.casefold() for fact in prompt["need"] for phrase in fact]
    needed = [n for n, text in enumerate(texts) if any(phrase in text for phrase in phrases)]
    stale = [phrase.casefold() for phrase in prompt.get("stale", ())]
    for place, text in enumerate(texts):
        if any(phrase in text for phrase in stale) and not any(n <= place for n in needed):
            yield from ((place, n) for n in needed)
