"""Split identifiers and unspaced scripts into words, so that a part of a name finds the whole.

Full-text search splits at punctuation. `getUserById` and a sentence in Chinese have none, so
their inner words are indexed and searched too.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

__all__ = ["identifier_parts", "search_subwords"]

MAX_SUBWORDS = 16_384
"""Enough for the longest message worth indexing; beyond it, the text is a dump."""

LONGEST_NAME_CHARACTERS = 128
"""A longer unbroken word is a blob; its pieces would be noise in the index."""

# Written without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han. Hangul has
# spaces, but glues its particles to the word, so it needs the same treatment.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u1100-\u11ff"
    "\u1780-\u17d3\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_UPPER = "A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ"
_LOWER = "a-zß-öø-ÿα-ωа-яё"

_RUN = re.compile(f"[{_UNSPACED}]+|[^\\W_{_UNSPACED}]+")
_WORD = re.compile(f"(?:[^\\W_]++|[{_UNSPACED}]++)++")
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]")

# Looks back from the rare character (a capital, a digit), so that plain prose is
# passed over at the speed of one character class.
_INNER = re.compile(
    f"[0-9{_UPPER}{_UNSPACED}](?:"
    f"(?<=[{_LOWER}][{_UPPER}])"
    f"|(?<=[{_UPPER}]{{2}})(?=[{_LOWER}])"
    f"|(?<=[{_LOWER}{_UPPER}][0-9])"
    f"|(?<=[0-9])(?=[{_LOWER}{_UPPER}])"
    f"|(?<=[{_UNSPACED}]))"
)
_HEX = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{7,}|(?=[A-F]*[0-9])[0-9A-F]{7,}")

_UNCASED = "文"
_PART = re.compile(
    "[A-Z]{2,}+s(?![a-z])"  # URLs is URLs, not UR and Ls
    "|[A-Z]+(?![a-z])|[A-Z]?[a-z]++|[0-9]++|文++"
)


def identifier_parts(word: str) -> tuple[str, ...]:
    """Return the words inside an identifier or a path, as written."""
    return tuple(word[match.start() : match.end()] for match in _PART.finditer(_ascii_shape(word)))


def search_subwords(text: str) -> str:
    """Return the tokens that splitting at punctuation would miss, joined by spaces.

    Inner words of identifiers, and pairs of characters for scripts written
    without spaces. Lower-cased, in order, empty for most prose.
    """
    if _INNER.search(text) is None:
        return ""
    return " ".join(islice(_inner_tokens(_WORD.findall(text)), MAX_SUBWORDS)).lower()


def _inner_tokens(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if _INNER.search(word) is None:
            continue
        runs: list[str] = _RUN.findall(word)
        glued = _UNSPACED_RUN.search(word) is not None
        for run in runs:
            yield from _run_tokens(run, glued=glued)


def _run_tokens(run: str, *, glued: bool) -> Iterator[str]:
    """Yield what one run adds; a run glued to another script is not a word by itself yet."""
    if glued and _UNSPACED_RUN.match(run):
        yield from _character_pairs(run)
        return
    if glued:
        yield run
    if len(run) <= LONGEST_NAME_CHARACTERS and not _HEX.fullmatch(run):
        inner = identifier_parts(run)
        if len(inner) > 1:
            yield from inner


def _character_pairs(run: str) -> Iterable[str]:
    return run if len(run) == 1 else (first + second for first, second in pairwise(run))


def _ascii_shape(word: str) -> str:
    """Write every letter as an ASCII one of its kind, so that one pattern splits all alphabets."""
    if word.isascii():
        return word
    shape: list[str] = []
    for character in word:
        shape.append(_ascii_kind(character, shape[-1] if shape else " "))
    return "".join(shape)


def _ascii_kind(character: str, previous: str) -> str:
    if character.isascii():
        return character
    if unicodedata.category(character).startswith("M"):
        return previous
    if character.isalpha():
        return _letter_kind(character)
    return "0" if character.isalnum() else " "


def _letter_kind(character: str) -> str:
    if character.islower():
        return "a"
    return "A" if character.isupper() or character.istitle() else _UNCASED
