"""Rank the lines that may answer a query by two small linear models, fitted by `scripts/fit`.

The first tells from the words of a query which kind of statement would answer it: a work request
wants rules, "how do I run it" a command. The second weighs that with the similarity of the line
and of its message, the shared words, the speaker, the form of the line and its surroundings. Its
weights depend on how many lines compete: what tells an answer from sixty messages of one project is
not what tells it from a thousand lines of other work.
Without a data file for the embedding model, fixed weights decide (`answer_lines`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.capture.embed import model_errors, reading_model
from ai_smartness.model.event import ANSWERING_ROLES
from ai_smartness.model.search import Hit
from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.ports import Embedder, ThreadStore
from ai_smartness.search.answer_lines import QuotedLine
from ai_smartness.search.line_surroundings import surrounding_matches
from ai_smartness.search.prompt_form import PROMPT_FORMS, form_rows, prompt_form
from ai_smartness.search.query_parts import query_parts
from ai_smartness.statements.heads import LinearHead, kind_rows, load_heads
from ai_smartness.statements.sentences import Sentence
from ai_smartness.text.stretches import ends_with_question, is_narration, telling_word_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ai_smartness.statements.heads import Heads

__all__ = ["LINE_FITTED", "LineFit", "LineRanker", "crowd_shares", "line_ranker", "load_line_fit"]

LINE_FITTED = Path(__file__).with_name("fitted")
"""The folder of the data files, one for each embedding model."""

BEST_SCORE = 1.5  # of the best line of a query; the others have a share of it
SOFTNESS = 3.0  # how slowly scores fall below the best
LEAST_CHANCE = 1e-6  # keeps the logarithm finite
LEAST_DEVIATION = 1e-3  # a few lines of the same similarity do not deviate
HALF_COVERED = 0.5
TELLING_WORDS = 5  # more of them tell no more of a line
SHORT_CHARACTERS = 40
KNOWN_LINES = 10_000  # lines whose form is read once: other queries return them again

FEW_LINES, MANY_LINES = 150, 300
"""Up to how many lines compete in a small project, and from how many on in a memory of many; in
between, the weights of both are mixed."""

LATE_PLACE = 20  # lines of a message that have vectors; a later one is judged by its message
USUAL_CHARACTERS = 50  # keeps the logarithm of a short message's length near that of a usual one

_KINDS = tuple(StatementKind)


@dataclass(frozen=True, slots=True)
class LineFit:
    """The fitted models: the wanted kind, how usual each kind is, and the weights of evidence.

    `weights` has a row for few lines and a row for many.
    """

    wanted: LinearHead
    usual: "NDArray[np.float32]"
    weights: "NDArray[np.float32]"


class LineRanker:
    """Scores the lines that may answer one query."""

    def __init__(self, query: str, embedder: Embedder, heads: "Heads", fit: LineFit) -> None:
        self._query = query
        self._heads = heads
        self._fit = fit
        self._embedder = embedder
        with model_errors():
            self._reader = reading_model(embedder, query)
            vectors = [self._reader.query(text) for text in (query, *query_parts(query))]
            self._query_vector = embedder.query(query)
        self._queries = np.stack(vectors)

    def scores(self, store: ThreadStore, lines: Sequence[QuotedLine]) -> list[float]:
        """Return the score of each line, comparable within the query."""
        if not lines:
            return []
        levels = self.evidence(store, lines) @ (crowd_shares(len(lines)) @ self._fit.weights)
        return [float(s) for s in BEST_SCORE * np.exp((levels - levels.max()) / SOFTNESS)]

    def evidence(self, store: ThreadStore, lines: Sequence[QuotedLine]) -> "NDArray[np.float32]":
        """Return a row for each line. The order of the columns is part of a fit."""
        messages = self._message_vectors(store, lines, self._embedder.space)
        known, has_own = self._line_vectors(store, lines, messages)
        shares = self._kind_shares(lines, known)
        if self._reader is not self._embedder:
            messages = self._message_vectors(store, lines, self._reader.space)
            known = self._read_vectors(lines)
        cosines = _deviations(known @ self._queries.T)
        whole = _stacked([messages.get(line.hit.seq) for line in lines], self._queries.shape[1])
        similar = np.column_stack(
            [cosines[:, 0], cosines.max(axis=1), _deviations(whole @ self._queries[:1].T)]
        )
        newness = _newness(lines)
        return np.hstack(
            [
                similar,
                _line_forms(lines),
                np.column_stack([newness, newness * cosines[:, 0]]),
                shares[:, :-1],
                self._interactions(lines, shares, cosines[:, 0]),
                surrounding_matches(lines, cosines[:, 0]),
                _message_evidence(lines, has_own),
            ]
        )

    def _message_vectors(
        self, store: ThreadStore, lines: Sequence[QuotedLine], space: str
    ) -> "dict[int, NDArray[np.float32]]":
        by_project: dict[str, list[int]] = {}
        for line in lines:
            by_project.setdefault(line.hit.project, []).append(line.hit.seq)
        messages: dict[int, NDArray[np.float32]] = {}
        for project, seqs in by_project.items():
            unique = list(dict.fromkeys(seqs))
            messages |= store.vector_index.event_centres(project, space, unique)
        return messages

    def _line_vectors(
        self,
        store: ThreadStore,
        lines: Sequence[QuotedLine],
        messages: "Mapping[int, NDArray[np.float32]]",
    ) -> "tuple[NDArray[np.float32], list[bool]]":
        """Return the vector of each line, or of its message for want of it, and which it is."""
        stored = store.statements.line_vectors(
            self._embedder.space, {line.hit.seq for line in lines}
        )
        own = [
            of_message[line.place]
            if (of_message := stored.get(line.hit.seq)) is not None and line.place < len(of_message)
            else None
            for line in lines
        ]
        rows = [
            messages.get(line.hit.seq) if row is None else row
            for line, row in zip(lines, own, strict=True)
        ]
        return _stacked(rows, len(self._query_vector)), [row is not None for row in own]

    def _read_vectors(self, lines: Sequence[QuotedLine]) -> "NDArray[np.float32]":
        """Embed lines with the model that reads the query: it is quick enough to do it now."""
        with model_errors():
            return np.stack([rows[0] for rows in self._reader.documents([i.text for i in lines])])

    def _kind_shares(
        self, lines: Sequence[QuotedLine], vectors: "NDArray[np.float32]"
    ) -> "NDArray[np.float32]":
        """Return how likely each line is a statement of each kind, and none."""
        sentences = [Sentence(line.text) for line in lines]
        speakers = [_speaker(line.hit) for line in lines]
        return self._heads.kind.probabilities(kind_rows(sentences, speakers, vectors))

    def _interactions(
        self,
        lines: Sequence[QuotedLine],
        shares: "NDArray[np.float32]",
        cosines: "NDArray[np.float32]",
    ) -> "NDArray[np.float32]":
        """Return what counts only for some queries: a rule for work, a cure for an error."""
        form = dict(zip(PROMPT_FORMS, prompt_form(self._query), strict=False))
        asks = max(form["a question"], form["a question mark"])
        work, error, past = form["work"], form["an error"], form["the past"]
        kind = dict(zip(_KINDS, shares.T, strict=False))
        speakers = [_speaker(line.hit) for line in lines]
        by_person = np.array([speaker is Speaker.USER for speaker in speakers], np.float32)
        by_tool = np.array([speaker is Speaker.TOOL for speaker in speakers], np.float32)
        wanted = self._wanted_kinds()
        return np.column_stack(
            [
                work * kind[StatementKind.RULE],
                work * kind[StatementKind.PREFERENCE],
                work * by_person,
                asks * (1 - shares[:, -1]),
                asks * (1 - by_person - by_tool),
                asks * cosines,
                error * kind[StatementKind.ERROR_CURE],
                error * kind[StatementKind.COMMAND],
                past * kind[StatementKind.ERROR_CURE],
                by_tool * np.array([line.covered for line in lines], np.float32),
                shares @ wanted,
                shares[:, :-1] @ wanted[:-1],
            ]
        ).astype(np.float32)

    def _wanted_kinds(self) -> "NDArray[np.float32]":
        """Return for each kind how much more likely it answers this query than any query."""
        chances = np.maximum(self._kind_chances(), LEAST_CHANCE)
        return np.asarray(np.log(chances / self._fit.usual), np.float32)

    def _kind_chances(self) -> "NDArray[np.float32]":
        """Return how likely each kind of statement answers the query."""
        rows = form_rows([self._query], [self._query_vector])
        return np.asarray(self._fit.wanted.probabilities(rows)[0], np.float32)


def line_ranker(query: str, embedder: Embedder | None) -> LineRanker | None:
    """Return the ranker for a query; none if nothing was fitted for the embedding model."""
    if embedder is None:
        return None
    heads, fit = load_heads(embedder.space), load_line_fit(embedder.space)
    return LineRanker(query, embedder, heads, fit) if heads and fit else None


def crowd_shares(count: int) -> "NDArray[np.float32]":
    """Return how much the weights for few and for many lines count if so many compete."""
    share = np.log(max(count, 1) / FEW_LINES) / np.log(MANY_LINES / FEW_LINES)
    many = float(np.clip(share, 0.0, 1.0))
    return np.array([1.0 - many, many], np.float32)


@cache
def load_line_fit(space: str) -> LineFit | None:
    """Return what was fitted for an embedding model, if anything."""
    path = LINE_FITTED / f"{space.partition('@')[0]}.npz"
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as arrays:
        if str(arrays["space"]) != space:
            return None
        names = ("wanted_weights", "wanted_bias", "usual", "line_weights")
        weights, bias, usual, lines = (arrays[name].astype(np.float32) for name in names)
    return LineFit(LinearHead(weights, bias), usual, lines)


def _line_forms(lines: Sequence[QuotedLine]) -> "NDArray[np.float32]":
    """Return what the words and the form of each line tell."""
    return np.array(
        [
            (
                line.covered,
                min(line.covered, HALF_COVERED),
                line.message_covered,
                *_text_form(line.text, _speaker(line.hit)),
            )
            for line in lines
        ],
        np.float32,
    )


def _newness(lines: Sequence[QuotedLine]) -> "NDArray[np.float32]":
    """Return when each line was said: 0 is the first of them, 1 the last."""
    seqs = np.array([line.hit.seq for line in lines], np.float32)
    return np.asarray((seqs - seqs.min()) / max(1.0, float(np.ptp(seqs))), np.float32)


def _message_evidence(
    lines: Sequence[QuotedLine], has_own: Sequence[bool]
) -> "NDArray[np.float32]":
    """Return what the message of each line tells: how well the search found it, and its length."""
    return np.array(
        [
            (
                line.hit.score,
                own,
                min(line.place, LATE_PLACE) / LATE_PLACE,
                np.log(len(line.hit.text) + USUAL_CHARACTERS),
            )
            for line, own in zip(lines, has_own, strict=True)
        ],
        np.float32,
    )


@lru_cache(KNOWN_LINES)
def _text_form(text: str, speaker: Speaker) -> tuple[float, ...]:
    """Return what the form of a line tells, whatever the query is."""
    return (
        speaker is Speaker.USER,
        speaker is Speaker.TOOL,
        ends_with_question(text),
        speaker is Speaker.ASSISTANT and is_narration(text),
        min(telling_word_count(text), TELLING_WORDS) / TELLING_WORDS,
        len(text) < SHORT_CHARACTERS,
    )


def _speaker(hit: Hit) -> Speaker:
    if hit.role == "tool":
        return Speaker.TOOL
    return Speaker.ASSISTANT if hit.role.casefold() in ANSWERING_ROLES else Speaker.USER


def _stacked(rows: "Sequence[NDArray[np.float32] | None]", dimension: int) -> "NDArray[np.float32]":
    """Return rows as a matrix; a missing one is empty."""
    empty = np.zeros(dimension, np.float32)
    return np.stack([empty if row is None else np.asarray(row, np.float32) for row in rows])


def _deviations(cosines: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return how far each cosine is from a typical one of its column."""
    spread = np.maximum(cosines.std(axis=0), LEAST_DEVIATION)
    return np.asarray((cosines - np.median(cosines, axis=0)) / spread, np.float32)
