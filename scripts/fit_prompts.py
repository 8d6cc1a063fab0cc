"""Fit the heads that tell whether a rule applies to a request, and a line answers a question.

The labelled negatives are hard on purpose: they share words with the prompt where the right line
shares none. All other statements of the project are mixed in, and the hard ones count less, or the
heads would learn that similar lines are wrong.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from fit_data import (
    SEED,
    Arrays,
    Item,
    Rows,
    Weights,
    compared_lines,
    rounded,
    scaled_fit,
    scored_chances,
    training_items,
)
from fit_kind import KindFit
from numpy.typing import NDArray
from prompt_features import prompt_rows
from sklearn.metrics import roc_auc_score

from ai_smartness.model.statement import StatementKind
from ai_smartness.ports import Embedder
from ai_smartness.statements.heads import NO_STATEMENT
from ai_smartness.statements.judge import sentence_vectors
from ai_smartness.statements.pair_features import ComparedStatement

PROMPT_STRENGTH = 0.1  # inverse of the regularisation
HARD_WEIGHT = 0.3  # of a labelled negative beside a right line
OTHER_SHARE = 0.25  # of the project's other statements, which are far more
LEAST_STATEMENTS = 15  # a smaller project shows no ranking
RIGHT, HARD, OTHER = 2, 1, 0
TOP_LINES = (1, 3, 8)


@dataclass(frozen=True)
class PromptSet:
    """A labelled file: what a line is called, what a prompt, and which kinds are compared."""

    name: str
    prompt: str
    line: str
    kinds: frozenset[StatementKind]
    is_saved: bool


SETS = (
    # Neither ranks what is shown better than similarity does, so neither is saved.
    PromptSet(
        name="applies",
        prompt="request",
        line="rule",
        kinds=frozenset({StatementKind.RULE, StatementKind.PREFERENCE}),
        is_saved=False,
    ),
    PromptSet(
        name="answers",
        prompt="question",
        line="line",
        kinds=frozenset(StatementKind),
        is_saved=False,
    ),
)


@dataclass
class ProjectMemory:
    """The statements of one project, with their vectors."""

    lines: list[ComparedStatement] = field(default_factory=list)
    vectors: Rows = field(default_factory=lambda: np.zeros((0, 0), np.float32))


class PromptFit:
    """One head over the features of a prompt and a line."""

    def __init__(self, embedder: Embedder, kind: KindFit, labelled: PromptSet) -> None:
        self.labelled = labelled
        memories = self._project_memories(embedder, kind)
        rows, labels, writers, prompts = [], [], [], []
        for (project, prompt), marks in sorted(self._marked_prompts().items()):
            memory = memories[project]
            if len(memory.lines) < LEAST_STATEMENTS:
                continue
            cosines = memory.vectors @ query_vector(embedder, prompt)
            rows.append(prompt_rows(prompt, memory.lines, cosines))
            labels += [marks["lines"].get(line.text, OTHER) for line in memory.lines]
            writers += [marks["writer"]] * len(memory.lines)
            prompts += [len(rows)] * len(memory.lines)
        self.rows = np.concatenate(rows)
        self.labels, self.writers = np.array(labels), np.array(writers)
        self.prompts = np.array(prompts)
        random = np.random.default_rng(SEED).random(len(self.rows))
        self.is_used = (self.labels != OTHER) | (random < OTHER_SHARE)

    def _marked_prompts(self) -> dict[tuple[str, str], Item]:
        marked: dict[tuple[str, str], Item] = {}
        for item in training_items(self.labelled.name):
            key = item["project"], item[self.labelled.prompt]
            marks = marked.setdefault(key, {"writer": item["writer"], "lines": {}})
            is_right = item["label"] in (True, "answers")
            marks["lines"][item[self.labelled.line]] = RIGHT if is_right else HARD
        return marked

    def _project_memories(self, embedder: Embedder, kind: KindFit) -> dict[str, ProjectMemory]:
        spoken: dict[str, dict[str, str]] = {}
        for item in kind.items:
            if item["kind"] != NO_STATEMENT:
                spoken.setdefault(item["project"], {})[item["text"]] = item["speaker"]
        labelled: set[str] = set()
        for item in training_items(self.labelled.name):
            line = item[self.labelled.line]
            labelled.add(line)
            spoken.setdefault(item["project"], {})[line] = item.get("line_speaker", "user")
        head = kind.head()
        memories: dict[str, ProjectMemory] = {}
        for project, texts in spoken.items():
            vectors = sentence_vectors(embedder, list(texts))
            lines = compared_lines(head, list(texts.items()), vectors)
            chosen = [
                place
                for place, line in enumerate(lines)
                if line.kind in self.labelled.kinds or line.text in labelled
            ]
            memories[project] = ProjectMemory([lines[place] for place in chosen], vectors[chosen])
        return memories

    def fitted(self, chosen: NDArray[np.bool_]) -> Weights:
        """Fit on the chosen pairs."""
        used = chosen & self.is_used
        shares = np.where(self.labels[used] == HARD, HARD_WEIGHT, 1.0)
        labels, columns = self.labels[used] == RIGHT, self.rows.shape[1]
        return scaled_fit(self.rows[used], labels, PROMPT_STRENGTH, columns, shares)

    def report(self) -> None:
        """Print how high the right line ranks among all, by the head and by similarity."""
        chances = np.zeros(len(self.rows))
        for writer in sorted(set(self.writers)):
            of_writer = self.writers == writer
            chances[of_writer] = scored_chances(self.rows[of_writer], self.fitted(~of_writer))
        self._print_ranks("head", chances)
        self._print_ranks("similarity alone", self.rows[:, 0])

    def _print_ranks(self, name: str, scores: NDArray[Any]) -> None:
        ranks = []
        for prompt in np.unique(self.prompts[self.labels == RIGHT]):
            places = np.flatnonzero(self.prompts == prompt)
            order = places[np.argsort(-scores[places], kind="stable")]
            ranks.append(int(np.flatnonzero(self.labels[order] == RIGHT)[0]))
        tops = ", ".join(f"{np.mean([rank < top for rank in ranks]):.3f}" for top in TOP_LINES)
        areas = [
            roc_auc_score(self.labels[chosen] == RIGHT, scores[chosen])
            for chosen in (self.labels != HARD, self.labels != OTHER)
        ]
        print(
            f"{self.labelled.name}: {name}: right line among the first {TOP_LINES}: {tops}; "
            f"AUROC {areas[0]:.3f} against others, {areas[1]:.3f} against hard ones"
        )

    def arrays(self) -> Arrays:
        """Return the head as it is saved, if it is."""
        if not self.labelled.is_saved:
            return {}
        weights, bias = self.fitted(np.ones(len(self.rows), bool))
        name = self.labelled.name
        return {f"{name}_weights": rounded(weights), f"{name}_bias": rounded(bias)}


def query_vector(embedder: Embedder, prompt: str) -> Rows:
    """Return the vector to search with."""
    return embedder.query(prompt)
