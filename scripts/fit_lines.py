"""Fit the two models that rank the lines of an answer: the wanted kind, and a line's evidence.

The wanted kind is fitted on the answers and rules of `training/`, the evidence on the prompts of
`training/projects.jsonl` and `training/fresh.jsonl`, by other writers: of all lines that the search
offers, the one with the needed phrase should come first. The weights for few lines are fitted with
each project in a memory of its own, those for many with each among messages of real sessions. A
writer is left out to report.
"""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import numpy as np
from fit_data import MOST_STEPS, Arrays, Item, rounded, training_items
from fit_need import answers
from fit_real_lines import real_messages
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from ai_smartness import Memory, Message
from ai_smartness.inject.inject import PROMPT_HITS
from ai_smartness.model.statement import Speaker
from ai_smartness.ports import Embedder
from ai_smartness.search.answer_lines import quotable_lines
from ai_smartness.search.line_ranking import LineFit, LineRanker
from ai_smartness.search.passages import AnswerReads, answer_material
from ai_smartness.search.prompt_form import form_rows
from ai_smartness.search.recall import RECALLED_STATEMENTS
from ai_smartness.statements.heads import KIND_LABELS, Heads, LinearHead, kind_rows, load_heads
from ai_smartness.statements.judge import sentence_vectors
from ai_smartness.statements.sentences import Sentence

WANTED_STRENGTH = 0.05  # inverse of the regularisation
LINE_PENALTY = 10.0
LEAST_SHARE = 0.02  # of a kind, below which an example does not count for it
PAGE_LINES = 15  # about as many as a page has room for
BATCH = 20
TODAY = datetime(2026, 11, 1, tzinfo=UTC)  # of the made-up projects
NOISE_MESSAGES = 1_500  # of real sessions around a project
NOISE_DAYS = (45, 5)

RECALL, BEFORE_PROMPT = "recall", "before a prompt"
PROJECT_FILES = ("projects", "fresh")


@dataclass(frozen=True, slots=True)
class RankedPrompt:
    """The evidence of all lines for a prompt, and which of them have each needed fact."""

    writer: str
    setting: str
    rows: NDArray[np.float32]
    facts: list[NDArray[np.bool_]]


class LineRankingFit:
    """Which line of a memory answers a prompt: in a project alone, and among other work."""

    def __init__(self, embedder: Embedder, kind: LinearHead, sessions: Path) -> None:
        self.embedder = embedder
        self.wanted, self.usual = self.wanted_fit(kind)
        with tempfile.TemporaryDirectory() as alone, tempfile.TemporaryDirectory() as amid:
            with opened_memory(amid) as memory:
                capture_all(memory, noise_messages(sessions))
            self.few, self.many = self.ranked_prompts(alone), self.ranked_prompts(amid)

    def ranked_prompts(self, around: str) -> list[RankedPrompt]:
        """Return the evidence for all prompts, each project in a copy of a memory."""
        return [
            prompt
            for file in PROJECT_FILES
            for project in training_items(file)
            for prompt in self.ranked(project, around)
        ]

    def wanted_fit(self, kinds: LinearHead) -> tuple[LogisticRegression, NDArray[np.float32]]:
        """Fit which kind of statement answers a query."""
        pairs = [
            (item["question"], item["line"], item["line_speaker"])
            for item in training_items("answers")
            if answers(item)
        ]
        pairs += [
            (item["request"], item["rule"], "user")
            for item in training_items("applies")
            if item["label"]
        ]
        queries, lines, speakers = zip(*pairs, strict=True)
        shares = kind_shares(kinds, lines, speakers, sentence_vectors(self.embedder, lines))
        rows = form_rows(queries, [self.embedder.query(query) for query in queries])
        repeated = np.repeat(rows, len(KIND_LABELS), axis=0)
        labels = np.tile(np.arange(len(KIND_LABELS)), len(rows))
        weights = shares.reshape(-1)
        chosen = weights > LEAST_SHARE
        model = LogisticRegression(C=WANTED_STRENGTH, max_iter=MOST_STEPS)
        model.fit(repeated[chosen], labels[chosen], sample_weight=weights[chosen])
        return model, shares.mean(axis=0)

    def ranked(self, project: Item, around: str) -> list[RankedPrompt]:
        """Return the evidence for every prompt of a project in a copy of a memory."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(around, folder, dirs_exist_ok=True)
            with opened_memory(folder) as memory:
                capture_all(memory, project_messages(project))
                return [
                    self.ranked_prompt(memory, (project["writer"], setting), prompt)
                    for prompt in project["prompts"]
                    for setting in (RECALL, BEFORE_PROMPT)
                    if prompt["speak"]
                ]

    def ranked_prompt(self, memory: Memory, setting: tuple[str, str], prompt: Item) -> RankedPrompt:
        """Return the evidence of the lines that the search offers, and which have each fact."""
        query, hits = prompt["text"], memory._recall_hits(prompt["text"])
        reads = AnswerReads(statements=RECALLED_STATEMENTS)
        if setting[1] == BEFORE_PROMPT:
            hits, reads = hits[:PROMPT_HITS], AnswerReads()
        material = answer_material(
            memory._store, self.embedder, (memory.project,), query, hits, reads
        )
        lines = quotable_lines(query, *material)
        heads = cast("Heads", load_heads(self.embedder.space))
        ranker = LineRanker(query, self.embedder, heads, self.line_fit(np.zeros(0, np.float32)))
        texts = [" ".join(line.text.casefold().split()) for line in lines]
        facts = [
            np.array([any(phrase.casefold() in text for phrase in fact) for text in texts], bool)
            for fact in prompt["need"]
        ]
        return RankedPrompt(*setting, ranker.evidence(memory._store, lines), facts)

    def line_fit(self, weights: NDArray[np.float32]) -> LineFit:
        """Return the models as the ranker takes them."""
        coefficients, bias = self.wanted.coef_, self.wanted.intercept_
        head = LinearHead(coefficients.astype(np.float32), bias.astype(np.float32))
        return LineFit(head, self.usual, weights)

    def report(self) -> None:
        """Print how often all facts stand in the first lines, for writers left out."""
        for place, prompts in (("alone", self.few), ("among other work", self.many)):
            answered: dict[str, list[bool]] = {}
            for writer in sorted({prompt.writer for prompt in prompts}):
                weights = fitted_weights([p for p in prompts if p.writer != writer])
                for prompt in (p for p in prompts if p.writer == writer):
                    is_there = is_answered(prompt.rows @ weights, prompt.facts)
                    answered.setdefault(prompt.setting, []).append(is_there)
            for setting, results in answered.items():
                print(
                    f"lines {place}, {setting}: all facts in the first {PAGE_LINES} lines for "
                    f"{np.mean(results):.3f} of {len(results)} prompts of writers left out"
                )

    def arrays(self) -> Arrays:
        """Return both models as they are saved."""
        weights = [fitted_weights(self.few), fitted_weights(self.many)]
        return {
            "wanted_weights": rounded(self.wanted.coef_),
            "wanted_bias": rounded(self.wanted.intercept_),
            "usual": rounded(self.usual),
            "line_weights": np.stack(weights).astype(np.float32),
        }


def kind_shares(
    head: LinearHead, lines: Sequence[str], speakers: Sequence[str], vectors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the probability of each kind for each line."""
    sentences = [Sentence(line) for line in lines]
    spoken = [Speaker(speaker) for speaker in speakers]
    return head.probabilities(kind_rows(sentences, spoken, vectors))


def opened_memory(folder: str) -> Memory:
    """Open the memory of a fit."""
    return Memory.open(Path(folder) / "m.db", project="fit", home=folder)


def capture_all(memory: Memory, messages: Sequence[Message]) -> None:
    """Store messages with all that is derived from them."""
    for start in range(0, len(messages), BATCH):
        memory.capture(messages[start : start + BATCH])
    memory.tell()
    memory.embed()


def project_messages(project: Item) -> list[Message]:
    """Return the messages of a project's sessions."""
    return [
        Message(
            id=f"{project['project']} {message['id']}",
            session=f"{project['project']} {session['id']}",
            role=message["role"],
            text=message["text"],
            at=TODAY - timedelta(days=session["days_ago"]) + timedelta(minutes=message["minute"]),
        )
        for session in project["sessions"]
        for message in session["messages"]
    ]


def noise_messages(sessions: Path) -> list[Message]:
    """Return messages of real sessions, spread over the weeks before today."""
    chosen = real_messages(sessions)[-NOISE_MESSAGES:]
    first, last = NOISE_DAYS
    return [
        Message(
            id=f"noise {number}",
            session=message["session"],
            role=message["role"] if message["role"] == "user" else "assistant",
            text=message["text"] or " ",
            at=TODAY - timedelta(days=first - (first - last) * number / len(chosen)),
        )
        for number, message in enumerate(chosen)
    ]


def fitted_weights(prompts: Sequence[RankedPrompt]) -> NDArray[np.float64]:
    """Fit weights by which the lines with the facts of a prompt come before all others.

    A prompt whose facts the search did not return teaches nothing.
    """
    prompts = [prompt for prompt in prompts if all(fact.any() for fact in prompt.facts)]
    every = np.concatenate([prompt.rows for prompt in prompts])
    scale = every.std(axis=0) + 1e-6
    rows = [(prompt.rows / scale).astype(np.float64) for prompt in prompts]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, gradient = 0.0, LINE_PENALTY * weights
        for prompt, levels in zip(prompts, rows, strict=True):
            scores = levels @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            expected = shares @ levels
            for fact in prompt.facts:
                chance = shares[fact].sum() + 1e-12
                total -= np.log(chance) / len(prompt.facts)
                gained = (shares[fact] / chance) @ levels[fact] - expected
                gradient = gradient - gained / len(prompt.facts)
        return total + LINE_PENALTY * float(weights @ weights) / 2, gradient

    found = minimize(loss, np.zeros(every.shape[1]), jac=True, method="L-BFGS-B")
    return np.asarray(found.x / scale)


def is_answered(scores: NDArray[np.float64], facts: Sequence[NDArray[np.bool_]]) -> bool:
    """Say whether all facts stand in the first lines."""
    first = np.argsort(-scores, kind="stable")[:PAGE_LINES]
    return all(fact[first].any() for fact in facts)
