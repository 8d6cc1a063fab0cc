"""Correct typing errors in a title by the words that the thread itself writes.

A word that only one message of the user has, and that differs from a word of the agent or of
several messages by moved letters or one letter more or less, is a typing error: "artficats"
beside "artifacts".
"""

from collections.abc import Sequence

from ai_smartness.describe.centrality import Centrality, word_stem
from ai_smartness.describe.parse_message import ParsedLine, Word
from ai_smartness.text.stopwords import EVERYDAY_SHARE

__all__ = ["Spelling"]

LEAST_CHARACTERS = 6
LEAST_MENTIONS = 2
LONG_CHARACTERS = 8
MOST_LEFT_OUT = 2  # letters, in a word of some length: "environmt"


class Spelling:
    """The words of a thread that a typing error may stand for, by their first and last letter."""

    def __init__(self, lines: Sequence[ParsedLine], centrality: Centrality) -> None:
        self._centrality = centrality
        self._by_agent = {folded for line in lines if line.by_agent for folded in line.words}
        self._known: dict[tuple[str, str], list[Word]] = {}
        for word in {
            folded: word for line in lines for folded, word in line.words.items()
        }.values():
            if self._is_known(word) and _is_plain(word):
                self._known.setdefault((word.folded[0], word.folded[-1]), []).append(word)

    def corrected(self, word: Word) -> Word:
        """Return the word that was meant, or the word itself."""
        is_everyday = word.background_share >= EVERYDAY_SHARE
        if is_everyday or not _is_plain(word) or self._is_known(word):
            return word
        for known in self._known.get((word.folded[0], word.folded[-1]), ()):
            if _is_close(word.folded, known.folded):
                return known._replace(written=known.folded)
        return word

    def _is_known(self, word: Word) -> bool:
        mentions = self._centrality.mentions_of(word)
        return word.folded in self._by_agent or mentions >= LEAST_MENTIONS


def _is_plain(word: Word) -> bool:
    return not word.is_code and len(word.folded) >= LEAST_CHARACTERS and word.folded.isalpha()


def _is_close(folded: str, known: str) -> bool:
    """Say whether two words have the same letters but for one more or less, in any order."""
    shorter, longer = sorted((folded, known), key=len)
    if len(shorter) >= LONG_CHARACTERS and len(longer) - len(shorter) == MOST_LEFT_OUT:
        letters = iter(longer)
        return all(letter in letters for letter in shorter)
    if len(longer) - len(shorter) > 1 or word_stem(folded) == word_stem(known):
        return False
    rest = list(longer)
    for letter in shorter:
        if letter not in rest:
            return False
        rest.remove(letter)
    return True
