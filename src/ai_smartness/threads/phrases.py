"""Lists of phrases, one a line, made into what can be searched for.

A phrase is a regular expression. Where words have spaces it stands for whole
words; in Chinese for itself. `<thing>` in it is a name, a quotation or an amount.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from ai_smartness.threads.change_patterns import ARTICLES, UNITS

__all__ = ["Phrase", "any_of", "cues_of", "lines", "phrases"]

_HAN = re.compile("[\u4e00-\u9fff]")
_PLACEHOLDER = re.compile(r"<(\w+)>")
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_ARTICLE = f"(?:(?:{'|'.join(ARTICLES.split())}) )?"
# A name of two words shows only inside a sentence: "Use Postgres" is not one.
_THING = (
    rf"(?:\d{{1,12}}(?:[.,]\d{{1,6}}){{0,3}} ?(?:{_UNIT})(?![^\W\d_])"
    r"|[`\"'“„«][^`\"'”“»\n]{1,60}[`\"'”“»]"
    r"|(?<=(?-i:[a-zß-ÿа-я]) )(?-i:[A-Z])[\w+#-]{0,30}(?: (?-i:[A-Z])[\w+#-]{1,30}){1,2}"
    r"|[@.$]?[A-Za-zÀ-ɏЀ-ӿ0-9_](?:[A-Za-zÀ-ɏЀ-ӿ0-9_@+#/:-]|\.(?=\w)){0,60}"
    r"|[\u4e00-\u9fff]{1,8}?)"
)


class Phrase:
    """A phrase with things in it; the cue is its longest piece without one, quick to look for.

    The whole is compiled when its cue is first met: seventy of these, in six
    languages, would keep every command waiting for most of a second.
    """

    def __init__(self, line: str) -> None:
        self._line = line
        self._cue = re.compile(_cue_of(line), re.IGNORECASE)

    def found(self, sentence: str) -> Iterator[re.Match[str]]:
        """Yield each place where the phrase stands, its things as named groups."""
        if self._cue.search(sentence):
            yield from self._whole.finditer(sentence)

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return _whole(self._line)


def phrases(text: str) -> tuple[Phrase, ...]:
    """Read each line as a phrase by itself."""
    return tuple(Phrase(line) for line in lines(text))


def any_of(parts: Iterable[str]) -> re.Pattern[str]:
    """Compile phrases without things into one search for any of them."""
    spaced: list[str] = []
    unspaced: list[str] = []
    for part in parts:
        (unspaced if _HAN.search(part) else spaced).append(part)
    return re.compile("|".join([_bounded("|".join(spaced)), *unspaced]), re.IGNORECASE)


def lines(text: str) -> list[str]:
    """Return the phrases of a list."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def cues_of(texts: Iterable[str]) -> re.Pattern[str]:
    """Compile the cues of many lists into one search, for a first look."""
    cues = [_cue_of(line) for text in texts for line in lines(text)]
    spaced = "|".join(cue for cue in cues if not _HAN.search(cue))
    unspaced = "|".join(cue for cue in cues if _HAN.search(cue))
    return re.compile(rf"(?<![\w-])(?:{spaced})|{unspaced}", re.IGNORECASE)


def _cue_of(phrase: str) -> str:
    """Return the longest piece of a phrase that has no thing in it."""
    pieces = (piece.removeprefix(",?").strip() for piece in re.split(r"<\w+>", phrase))
    return max(pieces, key=len)


def _whole(phrase: str) -> re.Pattern[str]:
    things = _PLACEHOLDER.sub(lambda found: f"{_ARTICLE}(?P<{found[1]}>{_THING})", phrase)
    pattern = things if _HAN.search(phrase) else rf"(?<![\w-]){things}(?![\w-])"
    return re.compile(pattern, re.IGNORECASE)


def _bounded(pattern: str) -> str:
    return pattern if _HAN.search(pattern) else rf"(?<![\w-])(?:{pattern})(?![\w-])"
