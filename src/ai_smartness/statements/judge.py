"""Judge sentences: what kind of statement each is, if it is one, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ai_smartness.capture.embed import model_errors
from ai_smartness.capture.mentions.error_messages import find_error_messages
from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.ports import Embedder
from ai_smartness.statements.labels import LABEL_CONFIDENCE, is_done, labelled_kind
from ai_smartness.statements.plain_rules import plain_kind
from ai_smartness.statements.sentences import Sentence, only_asks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.statements.heads import Heads

__all__ = [
    "LEAST_CONFIDENCE",
    "JudgedSentence",
    "SentenceJudge",
    "SpokenSentence",
    "sentence_vectors",
]

LEAST_CONFIDENCE = 0.45  # chosen on whole conversations: more than half of their sentences are none
READING_VERSION = 14  # of how messages are split and judged; another one judges them anew
EMBEDDED_AT_ONCE = 128  # enough to sort by length, few enough that memory stays small
TINY = 1e-9  # keeps a vector of no length from dividing by nothing

_OPEN_TASK_PLACE = tuple(StatementKind).index(StatementKind.OPEN_TASK)


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    """A sentence and its speaker."""

    sentence: Sentence
    speaker: Speaker


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence with its likeliest kind, and its vector if there is a model.

    If it is no statement by itself, it may still change one.
    """

    spoken: SpokenSentence
    kind: StatementKind
    confidence: float
    vector: "NDArray[np.float32] | None" = None
    is_statement: bool = True


class SentenceJudge:
    """Judges by the heads that were fitted for the model, and otherwise by plain rules."""

    def __init__(self, embedder: Embedder | None) -> None:
        self.embedder = embedder
        self._latest_vectors: dict[str, NDArray[np.float32]] = {}
        self.heads: Heads | None = None
        self.space = embedder.space if embedder else ""
        if embedder is not None:
            from ai_smartness.statements.heads import load_heads

            self.heads = load_heads(self.space)

    @property
    def name(self) -> str:
        """The name under which the store keeps what this judge found."""
        by = f"heads {self.heads.version}" if self.heads else "rules"
        return f"{self.space} {by} {READING_VERSION}".strip()

    def statements_among(self, spoken: Sequence[SpokenSentence]) -> list[JudgedSentence | None]:
        """Return for each sentence the statement that it is, or nothing."""
        judged = self.judged_sentences(spoken)
        return [one if one and one.is_statement else None for one in judged]

    def judged_sentences(self, spoken: Sequence[SpokenSentence]) -> list[JudgedSentence | None]:
        """Return the verdict on each sentence, also on those that are no statement, if known."""
        if not spoken:
            return []
        if self.embedder is None:
            return [_plainly_judged(sentence) for sentence in spoken]
        if self.heads is None:
            return self._with_vectors([_plainly_judged(sentence) for sentence in spoken])
        return self._judged_by_heads(self.heads, spoken)

    def stated_sentence(self, spoken: SpokenSentence, kind: StatementKind) -> JudgedSentence:
        """Return a sentence as the statement that somebody says it is."""
        judged = JudgedSentence(spoken, kind, 0.0)
        if self.embedder is None:
            return judged
        return replace(judged, vector=self._vectors_of([spoken])[0])

    def text_vectors(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one vector for each text; those of the call before are used again."""
        assert self.embedder is not None  # noqa: S101 - the callers have looked
        unknown = [text for text in dict.fromkeys(texts) if text not in self._latest_vectors]
        rows = sentence_vectors(self.embedder, unknown)
        if not texts:
            return rows
        import numpy as np

        known = self._latest_vectors | dict(zip(unknown, rows, strict=True))
        self._latest_vectors = {text: known[text] for text in texts}
        return np.stack([known[text] for text in texts])

    def _judged_by_heads(
        self, heads: "Heads", spoken: Sequence[SpokenSentence]
    ) -> list[JudgedSentence | None]:
        from ai_smartness.statements.heads import kind_rows

        vectors = self._vectors_of(spoken)
        sentences = [one.sentence for one in spoken]
        rows = kind_rows(sentences, [one.speaker for one in spoken], vectors)
        judged: list[JudgedSentence | None] = []
        for one, vector, shares in zip(
            spoken, vectors, heads.kind.probabilities(rows), strict=True
        ):
            of_kinds = shares[:-1].copy()
            if is_done(one.sentence.words) or any(find_error_messages(one.sentence.words)):
                of_kinds[_OPEN_TASK_PLACE] = 0.0
            confidence = float(of_kinds.sum())
            kind = tuple(StatementKind)[int(of_kinds.argmax())]
            if label := labelled_kind(one.sentence, one.speaker):
                kind, confidence = label, max(confidence, LABEL_CONFIDENCE)
            is_statement = confidence >= LEAST_CONFIDENCE and _says_something(one)
            judged.append(JudgedSentence(one, kind, confidence, vector, is_statement))
        return judged

    def _with_vectors(self, judged: list[JudgedSentence | None]) -> list[JudgedSentence | None]:
        """Embed only what the rules found."""
        statements = [one for one in judged if one is not None]
        vectors = iter(self._vectors_of([one.spoken for one in statements]))
        return [
            one and JudgedSentence(one.spoken, one.kind, one.confidence, next(vectors))
            for one in judged
        ]

    def _vectors_of(self, spoken: Sequence[SpokenSentence]) -> "NDArray[np.float32]":
        return self.text_vectors([one.sentence.judged_text for one in spoken])


def sentence_vectors(embedder: Embedder, texts: Sequence[str]) -> "NDArray[np.float32]":
    """Return one vector of unit length for each text."""
    import numpy as np

    rows: list[NDArray[np.float32]] = []
    for start in range(0, len(texts), EMBEDDED_AT_ONCE):
        batch = texts[start : start + EMBEDDED_AT_ONCE]
        with model_errors():
            chunks = embedder.documents(batch)
            if len(chunks) != len(batch):
                msg = f"it gave vectors for {len(chunks)} texts of {len(batch)}"
                raise ValueError(msg)
        rows += [np.asarray(vectors).mean(axis=0) for vectors in chunks]
    if not rows:
        return np.zeros((0, embedder.dimension), np.float32)
    matrix = np.stack(rows).astype(np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.maximum(lengths, TINY), np.float32)


def _says_something(spoken: SpokenSentence) -> bool:
    """Say whether it has a second word or answers a question: "noice" and "later" say nothing.

    Neither does a person's question.
    """
    sentence = spoken.sentence
    if spoken.speaker is Speaker.USER and only_asks(sentence.words):
        return False
    return sentence.is_answer or " " in sentence.words.strip() or not sentence.words.isascii()


def _plainly_judged(spoken: SpokenSentence) -> JudgedSentence | None:
    if label := labelled_kind(spoken.sentence, spoken.speaker):
        return JudgedSentence(spoken, label, LABEL_CONFIDENCE)
    judged = plain_kind(spoken.sentence, spoken.speaker)
    return JudgedSentence(spoken, *judged) if judged else None
