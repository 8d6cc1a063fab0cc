"""Recognise what an agent only tells again: it refers to a statement and is no new one.

"Yesterday we decided on Redis" has the date of the decision, not of today, and supersedes
nothing.
"""

import re
from collections.abc import Iterable

from ai_smartness.model.statement import Speaker, Statement
from ai_smartness.statements.features import has_change_words
from ai_smartness.statements.pair_features import word_stem
from ai_smartness.text.keywords import extract_keywords

__all__ = ["KnownStatements"]

RETOLD_SHARE = 0.5  # of the words of a sentence that says it retells
REPEATED_SHARE = 0.8  # of the words of any other sentence
LEAST_WORDS = 2  # fewer may be shared by chance

_RETOLD = re.compile(
    r"\b(?:as (?:you|we|already|discussed|agreed|decided|settled|said|mentioned)\b"
    r"|(?:you|we)(?: had| have|'ve|'d)?(?: already| just| earlier)? (?:said|told me|asked for"
    r"|decided|agreed"
    r"|settled|mentioned|discussed|chose|wanted)|earlier (?:you|we|today|sessions?)|per your"
    r"|according to my notes|(?:to |quick )?recap|to (?:sum up|summari[sz]e)|in (?:summary|short)"
    r"|summary|tl;?dr|so far|where (?:we|things) (?:are|stand)|zusammen(?:fassung|gefasst)"
    r"|stand der dinge|en résumé|(?:en )?resumen|riassumendo"
    r"|just to confirm|remember that|yesterday|last (?:week"
    r"|session|time)"
    r"|from (?:our|your) earlier|wie (?:gestern|besprochen|gesagt|vereinbart)|du hattest"
    r"|comme convenu"
    r"|vous aviez|como dijiste|ya habíamos)\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d[\d.,]*")


class KnownStatements:
    """The statements of a project by their words, those that hold no longer among them."""

    def __init__(self, statements: Iterable[Statement] = ()) -> None:
        self._words: dict[str, frozenset[str]] = {}
        self._by_word: dict[str, set[str]] = {}
        self._superseded: set[str] = set()
        for statement in statements:
            self.add(statement)
            if statement.superseded_by is not None:
                self.mark_superseded(statement.id)

    def add(self, statement: Statement) -> None:
        """Add a statement."""
        words = _content_words(statement.text)
        self._words[statement.id] = words
        for word in words:
            self._by_word.setdefault(word, set()).add(statement.id)

    def has(self, id_: str) -> bool:
        """Say whether a statement is known, also one that holds no longer or was rejected."""
        return id_ in self._words

    def mark_superseded(self, id_: str) -> None:
        """Record that a statement holds no longer."""
        self._superseded.add(id_)

    def is_retold(self, text: str, speaker: Speaker) -> bool:
        """Say whether an agent's sentence only tells again what is known.

        A report that something changed back is news, though its words are those of a statement
        that holds no longer.
        """
        words = _content_words(_RETOLD.sub(" ", text))
        if speaker is not Speaker.ASSISTANT or len(words) < LEAST_WORDS:
            return False
        says_so = _RETOLD.search(text) is not None
        is_news = has_change_words(text) and not says_so
        share = RETOLD_SHARE if says_so else REPEATED_SHARE
        least = max(LEAST_WORDS, share * len(words))
        known = {id_ for word in words for id_ in self._by_word.get(word, ())}
        if is_news:
            known -= self._superseded
        return any(
            len(words & self._words[id_]) >= least and _numbers(words) <= self._words[id_]
            for id_ in known
        )


def _content_words(text: str) -> frozenset[str]:
    numbers = (number.rstrip(".,") for number in _DIGITS.findall(text))
    return frozenset((*map(word_stem, extract_keywords(text)), *numbers))


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[:1].isdigit())
