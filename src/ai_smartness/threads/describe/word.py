# ruff: noqa: RUF001 - quotes as people write them
"""One word as it was written, and what is known of it by its looks alone."""

import re
from typing import NamedTuple

from ai_smartness.threads.describe.background import EVERYWHERE, is_joint, negates, share

__all__ = ["STOP", "Lexicon", "Word", "is_unspaced"]

CODE_SHARE = 0.3
"""What a name in code keeps of its background share: `test` is common, `test()` is not."""

CODE_SIZE = 1.5
SMALL_SIZE = 0.5
"""A small word, or one character of Chinese, is half a word."""

WORD_COST = 0.16
GRAMMAR_COST = 0.08
"""Small words carry nothing, but a phrase without them does not read."""

KEPT_WORDS = 6
KEPT_CHARACTERS = 64

UNSPACED = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff"
"""Kana and Han: written without spaces, and read character by character."""

# Vowel signs and points, which are no letters to Python but belong to the word they stand in.
_SIGNS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3"
)
_LETTER = f"[^\\W{UNSPACED}]"
_INSIDE = f"(?:[^\\W{UNSPACED}]|['’{_SIGNS}-])"
_PLAIN = "A-Za-zÀ-ɏЀ-ӿ"

# Most of prose is caught by the first alternative at the speed of one character class; the
# others are bounded and possessive, so that no text can make them go back and forth.
TOKEN = re.compile(
    f"[{_PLAIN}]{{1,40}}+(?=[,;!?)]|\\Z|:\\Z)"
    "|https?://[^\\s)>\\]\"'`|\ud800-\udfff]{1,300}+"
    f"|(?:{_LETTER}|[@.~-]){{0,64}}+(?:/(?:{_LETTER}|[@.+-]){{1,64}}+){{1,12}}+"
    f"|{_LETTER}(?:{_LETTER}|-){{0,60}}+\\.[A-Za-z][A-Za-z0-9]{{0,4}}+(?![\\w.])"
    f"|[{UNSPACED}]"
    "|(?<![\\w.])--?[A-Za-z][A-Za-z0-9_-]{1,40}+"
    f"|(?:{_LETTER}|[{_SIGNS}]){_INSIDE}{{0,63}}+(?:\\.{_LETTER}(?:{_LETTER}|-){{0,32}}+){{0,6}}+"
    "(?:\\(\\))?"
    "|#[0-9]{1,7}"
    "|[^\\w\\s]"
)

_GLUE = frozenset("'’\"`*&+-–/“”„«»")
_DASHES = frozenset(("-", "--", "–"))
_ISSUE = re.compile(r"/(?:issues|pull|pulls|merge_requests)/([0-9]+)")
_ADDRESS = re.compile(r"https?://(?:www\.)?")
_CODE = re.compile(r"[/_.#()]|[a-z][A-Z]|[A-Za-z][0-9]|^--?\w")
_FILE_NAME = re.compile(
    r"\.(?:py|pyi|[cm]?[jt]sx?|go|rs|rb|php|java|kt|swift|c|h|cc|cpp|hpp|cs|sh|ps1|bash|zsh|fish"
    r"|lua|sql|md|mdx|rst|txt|html?|s?css|vue|svelte|json[c5l]?|ya?ml|toml|ini|cfg|conf|xml|proto"
    r"|graphql|tf|lock|env|svg|ipynb|csv)$"
)
_NUMBER = re.compile(r"(?=[^0-9]*[0-9])[0-9a-f-]{6,}|[0-9][0-9.,:-]*")
_UNSPACED = re.compile(f"[{UNSPACED}]")
LABEL_CHARACTERS = 2


class Word(NamedTuple):
    """A word as written (`shown`), as counted (`folded`), and what its looks say of it.

    `share` is of the conversations that have it, before anything is known of
    the project. `size` is how many plain words it says as much as, `cost` what
    it must weigh to earn its place in a title.
    """

    shown: str
    folded: str
    share: float
    size: float = 1.0
    cost: float = WORD_COST
    is_code: bool = False
    is_file: bool = False
    is_grammar: bool = False
    is_unspaced: bool = False
    is_slight: bool = False
    negates: bool = False


STOP = Word("", "", 1.0)
"""Stands between two clauses."""


class Lexicon(dict[str, tuple[Word, ...]]):
    """What is between two spaces, and the words it is made of: each looked at once.

    Long stretches are looked at each time they come: they hardly ever come twice.
    """

    def __init__(self) -> None:
        super().__init__()
        self._words: dict[str, Word | None] = {}

    def __missing__(self, piece: str) -> tuple[Word, ...]:
        if piece in _DASHES:
            return (STOP,)
        found = tuple(word for token in TOKEN.findall(piece) if (word := self._word(token)))
        if len(found) <= KEPT_WORDS and len(piece) <= KEPT_CHARACTERS:
            self[piece] = found
        return found

    def _word(self, token: str) -> Word | None:
        if token not in self._words:
            self._words[token] = None if token in _GLUE else _looked_at(token)
        return self._words[token]


def is_unspaced(text: str) -> bool:
    """Say whether a text has characters of a script without spaces."""
    return _UNSPACED.search(text) is not None


def _looked_at(token: str) -> Word:
    if token.startswith(("http://", "https://")):
        return _address(token)
    shown = token if token.startswith("-") else token.strip("'’-")
    if not any(map(str.isalnum, shown)) or is_joint(shown.casefold()):
        return STOP
    if "/" in shown or _FILE_NAME.search(shown):
        shown = shown.strip("@").rstrip("./")
        name = shown.casefold().rsplit("/", 1)[-1]
        return _name(shown, name, is_file=_FILE_NAME.search(shown) is not None)
    return _plain(shown)


def _address(token: str) -> Word:
    issue = _ISSUE.search(token)
    shown = _ADDRESS.sub("", token).split("?")[0].rstrip("/.,;:")
    shown = f"#{issue[1]}" if issue else shown
    return _name(shown, shown.casefold()) if shown else STOP


def _name(shown: str, folded: str, *, is_file: bool = False) -> Word:
    prior = share(folded) * CODE_SHARE
    slight = _is_slight(folded.rsplit("/", 1)[-1])
    return Word(
        shown, folded, prior, size=CODE_SIZE, is_code=True, is_file=is_file, is_slight=slight
    )


def _plain(shown: str) -> Word:
    folded = shown.casefold().replace("’", "'")
    if _CODE.search(shown):
        return _name(shown, folded)
    prior = share(folded)
    grammar, unspaced = prior >= EVERYWHERE, _UNSPACED.match(shown) is not None
    return Word(
        shown,
        folded,
        prior,
        size=SMALL_SIZE if unspaced or grammar else 1.0,
        cost=(GRAMMAR_COST if grammar else WORD_COST) * (SMALL_SIZE if unspaced else 1.0),
        is_grammar=grammar,
        is_unspaced=unspaced,
        is_slight=_is_slight(folded),
        negates=negates(folded),
    )


def _is_slight(folded: str) -> bool:
    """Say whether a word is a bare number, a hash or a label (`H1`): nothing by itself."""
    label = len(folded) <= LABEL_CHARACTERS and folded.isascii()
    return label or _NUMBER.fullmatch(folded) is not None
