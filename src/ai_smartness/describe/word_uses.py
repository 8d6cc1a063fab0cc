"""Tell from its neighbours how a thread uses a word: as a noun, as a verb, or to tell which one.

No dictionary knows the words of every project. "We preserve the path" and "to preserve paths" use a
verb; "the path" and "of paths" a noun; "a random key" a word that only tells which key.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ai_smartness.describe.clause_parts import is_content_word
from ai_smartness.describe.parse_message import CLAUSE_END, Clause, Word
from ai_smartness.describe.request_words import (
    COPULAS,
    DETERMINERS,
    NEGATED_AUXILIARIES,
    request_verb,
)

__all__ = ["WordUses"]

ONE_USE = 1  # may be a coincidence: "from npm to npm packages"

_ADJECTIVE = re.compile(r"\w{2,}(?:al|ive|able|ible|ous|ful|less|ic|ing)")
_ARTICLES = frozenset(("a", "an", "the", "this", "these", "those", "my", "our", "your", "its"))
_OBJECTS = _ARTICLES | {"it", "them", "me", "us", "him", "all", "every", "each", "any"}
_PREPOSITIONS = frozenset(
    ("of", "for", "in", "on", "with", "from", "by", "at", "via", "without", "into", "per", "about")
)
_NOUN_MARKS = DETERMINERS | _PREPOSITIONS
_BEFORE_VERBS = NEGATED_AUXILIARIES | {
    *("i", "we", "you", "they", "it", "he", "she", "who", "please", "let's", "lets", "not"),
    *("can", "could", "will", "would", "should", "shall", "must", "may", "might", "does", "did"),
    *("i'll", "we'll", "you'll", "it'll", "also", "never", "always", "then", "now"),
}
_PREDICATES = COPULAS | {
    *("be", "been", "being", "stays", "remains", "becomes", "too", "very", "more"),
}


class WordUses(NamedTuple):
    """How often each word of a thread is used in which way."""

    nouns: Counter[str]
    verbs: Counter[str]
    heads: Counter[str]
    predicates: Counter[str]

    @classmethod
    def of_clauses(cls, clauses: Sequence[Clause]) -> "WordUses":
        """Count the uses of every plain word."""
        uses = cls(Counter(), Counter(), Counter(), Counter())
        for clause in clauses:
            padded = (CLAUSE_END, *clause, CLAUSE_END)
            for before, word, after in zip(padded, clause, padded[2:], strict=False):
                if not word.is_grammar:
                    uses._count(before, word, after)
        return uses

    def is_verb(self, word: Word) -> bool:
        """Say whether a word is a verb here, as far as its neighbours show it."""
        uses = self.verbs[word.folded]
        return not word.is_code and uses > max(self.nouns[word.folded], ONE_USE)

    def names_something(self, word: Word) -> bool:
        """Say whether a word names something by itself, and is neither verb nor adjective.

        An adjective is known by its ending, or because the thread says that something is so. It
        may still be a noun here: "the terminal", "error logging".
        """
        if word.is_code or self.is_verb(word):
            return word.is_code
        is_said = word.written.islower() and self.predicates[word.folded] > 0  # no name: "is Ana"
        is_adjective = is_said or _ADJECTIVE.fullmatch(word.folded)
        return not is_adjective or self.heads[word.folded] > 0

    def _count(self, before: Word, word: Word, after: Word) -> None:
        folded = word.folded
        if before.folded in _NOUN_MARKS:
            self.nouns[folded] += 1
        elif _is_verb_use(before, word, after):
            self.verbs[folded] += 1
            return
        is_last = not is_content_word(after) or after is CLAUSE_END
        if is_last and before.folded in _PREDICATES:
            self.predicates[folded] += 1
        elif is_last and (before.folded in _NOUN_MARKS or _is_named_activity(before, word)):
            self.heads[folded] += 1


def _is_named_activity(before: Word, word: Word) -> bool:
    """Say whether the word before tells which activity: "error logging"."""
    return word.folded.endswith("ing") and is_content_word(before) and before is not CLAUSE_END


def _is_verb_use(before: Word, word: Word, after: Word) -> bool:
    """Say whether a word stands where a verb does: before an object, or after its subject."""
    has_object = after.folded in _OBJECTS or is_content_word(after)
    if before.folded in _BEFORE_VERBS or (before.folded == "to" and has_object):
        return True
    # "Convert IReport": an order that names what it is for.
    is_order = before is CLAUSE_END and after.is_code and not word.folded.endswith("s")
    return after.folded in _OBJECTS or is_order or _is_third_person(before, word, after)


def _is_third_person(before: Word, word: Word, after: Word) -> bool:
    """Say whether a word is a verb between what does it and a name: "the parser returns `Row`"."""
    verb = request_verb(word.folded)
    is_form = verb is not None and verb.form == "s"
    return is_form and is_content_word(before) and after.is_code
