"""The words of a text, as placing sees them.

Paths, addresses and identifiers count as wholes and by their parts; scripts
written without spaces count by pairs of characters. No language is special.
"""

import re
from collections.abc import Iterator

from ai_smartness.model.subwords import parts, subwords

__all__ = ["READ_CHARACTERS", "terms", "word_count"]

READ_CHARACTERS = 4_000
"""The start of a message says what it is about; the rest of a dump would only cost time."""

CHARACTERS_PER_WORD = 2
"""Of a script without spaces: most words of Chinese have two."""

# Thai and Lao, Myanmar, Khmer, kana, Han, Hangul.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
)
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_WORD = re.compile(r"\w++")

_TOKEN = re.compile(
    r"https?://[^\s)>\]\"'`]{1,300}+"
    r"|[\w@.~-]{0,64}+(?:/[\w@.+-]{1,64}+){1,12}+"  # a path
    r"|\w[\w'’-]{0,63}+(?:\.\w{1,32}+){0,4}+"  # noqa: RUF001 - a word, a dotted name
    r"|#\d{1,7}+"
)
_AROUND = "'’.-_/@~"  # noqa: RUF001 - the apostrophe of print
_ELIDED = re.compile(r"(?:\w|qu|un)['’](?=\w{3})", re.IGNORECASE)  # noqa: RUF001 - l'erreur
_LIKE_CODE = re.compile(r"[/\\_.#]|\w-\w|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")


def terms(text: str) -> tuple[str, ...]:
    """List the distinct terms of a text in the order of first mention, folded."""
    found: dict[str, None] = {}
    for match in _TOKEN.finditer(text[:READ_CHARACTERS]):
        if token := match[0].strip(_AROUND):
            if token.isalpha() and token.isascii() and (token.islower() or token.istitle()):
                found[token.lower()] = None  # most of any English text: nothing to look into
            else:
                found.update(dict.fromkeys(_inner(token)))
    return tuple(found)


def word_count(text: str) -> int:
    """Count the words of a text's start, also where none is set apart by a space."""
    start = text[:READ_CHARACTERS]
    spaced = len(_WORD.findall(start))
    if start.isascii():
        return spaced
    return spaced + len(_HAS_UNSPACED.findall(start)) // CHARACTERS_PER_WORD


def _inner(token: str) -> Iterator[str]:
    if not token.isascii() and _HAS_UNSPACED.search(token):
        yield from subwords(token).split() or [token]
        return
    if elided := _ELIDED.match(token):
        token = token[elided.end() :]
    yield token.casefold()
    if _LIKE_CODE.search(token):
        yield from (part.casefold() for part in parts(token) if len(part) > 1)
