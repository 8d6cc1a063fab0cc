"""One word as it was written, and what is known of it by its looks alone.

Read a message once, for all that is said of its thread: sentences, clauses, words.

Code blocks and pasted markup are not read unless there is nothing else. Reading
is linear in the text and stops after 2,000 code points: the rest of a pasted
log tells no more of what a thread is about.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ai_smartness.text.stopwords import (
    GRAMMAR_SHARE,
    SMALL_TALK_SHARE,
    begins_statement,
    conversation_share,
    is_negation,
)

__all__ = [
    "CLAUSE_END",
    "LINE_CHARACTERS",
    "Clause",
    "ParsedLine",
    "Sentence",
    "ThreadLine",
    "Word",
    "WordCache",
    "is_unspaced",
    "opening_line",
    "parse_line",
]


# ruff: noqa: RUF001 - quotes as people write them


CODE_SHARE = 0.3
"""What a name in code keeps of its background share: `test` is common, `test()` is not."""

CODE_SIZE = 1.5
SMALL_SIZE = 0.5
"""A small word, or one character of Chinese, is half a word."""

WORD_COST = 0.16
GRAMMAR_COST = 0.08
"""Small words carry nothing, but a phrase without them does not read."""

CACHED_WORDS = 6
CACHED_CHARACTERS = 64

UNSPACED_RANGES = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff"
"""Kana and Han: written without spaces, and read character by character."""

# Vowel signs and points, which are no letters to Python but belong to the word they stand in.
_SIGNS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3"
)
_LETTER = f"[^\\W{UNSPACED_RANGES}]"
_INSIDE = f"(?:[^\\W{UNSPACED_RANGES}]|['’{_SIGNS}-])"
_PLAIN = "A-Za-zÀ-ɏЀ-ӿ"

# Most of prose is caught by the first alternative at the speed of one character class; the
# others are bounded and possessive, so that no text can make them go back and forth.
TOKEN_PATTERN = re.compile(
    f"[{_PLAIN}]{{1,40}}+(?=[,;!?)]|\\Z|:\\Z)"
    "|https?://[^\\s)>\\]\"'`|\ud800-\udfff]{1,300}+"
    f"|(?:{_LETTER}|[@.~-]){{0,64}}+(?:/(?:{_LETTER}|[@.+-]){{1,64}}+){{1,12}}+"
    f"|{_LETTER}(?:{_LETTER}|-){{0,60}}+\\.[A-Za-z][A-Za-z0-9]{{0,4}}+(?![\\w.])"
    f"|[{UNSPACED_RANGES}]"
    "|(?<![\\w.])--?[A-Za-z][A-Za-z0-9_-]{1,40}+"
    f"|(?:{_LETTER}|[{_SIGNS}]){_INSIDE}{{0,63}}+(?:\\.{_LETTER}(?:{_LETTER}|-){{0,32}}+){{0,6}}+"
    "(?:\\(\\))?"
    "|#[0-9]{1,7}"
    "|[^\\w\\s]",
)

_GLUE_TOKENS = frozenset("'’\"`*&+-–/“”„«»")
_DASHES = frozenset(("-", "--", "–"))
_ISSUE_URL = re.compile(r"/(?:issues|pull|pulls|merge_requests)/([0-9]+)")
_URL_PREFIX = re.compile(r"https?://(?:www\.)?")
_CODE_SIGNS = re.compile(r"[/_.#()]|[a-z][A-Z]|[A-Za-z][0-9]|^--?\w")
_FILE_NAME = re.compile(
    r"\.(?:py|pyi|[cm]?[jt]sx?|go|rs|rb|php|java|kt|swift|c|h|cc|cpp|hpp|cs|sh|ps1|bash|zsh|fish"
    r"|lua|sql|md|mdx|rst|txt|html?|s?css|vue|svelte|json[c5l]?|ya?ml|toml|ini|cfg|conf|xml|proto"
    r"|graphql|tf|lock|env|svg|ipynb|csv)$",
)
_NUMBER = re.compile(r"(?=[^0-9]*[0-9])[0-9a-f-]{6,}|[0-9][0-9.,:-]*")
_UNSPACED_CHARACTER = re.compile(f"[{UNSPACED_RANGES}]")
LABEL_CHARACTERS = 2


class Word(NamedTuple):
    """A word as written (`shown`), as counted (`folded`), and what its looks say of it.

    `share` is of the conversations that have it, before anything is known of
    the project. `size` is how many plain words it says as much as, `cost` what
    it must weigh to earn its place in a title.
    """

    written: str
    folded: str
    background_share: float
    size: float = 1.0
    cost: float = WORD_COST
    is_code: bool = False
    is_file: bool = False
    is_grammar: bool = False
    is_unspaced: bool = False
    is_slight: bool = False
    is_negation: bool = False


CLAUSE_END = Word("", "", 1.0)
"""Stands between two clauses."""


class WordCache(dict[str, tuple[Word, ...]]):
    """What is between two spaces, and the words it is made of: each looked at once.

    Long stretches are looked at each time they come: they hardly ever come twice.
    """

    def __init__(self) -> None:
        super().__init__()
        self._words: dict[str, Word | None] = {}

    def __missing__(self, piece: str) -> tuple[Word, ...]:
        if piece in _DASHES:
            return (CLAUSE_END,)
        found = tuple(
            word for token in TOKEN_PATTERN.findall(piece) if (word := self._cached_word(token))
        )
        if len(found) <= CACHED_WORDS and len(piece) <= CACHED_CHARACTERS:
            self[piece] = found
        return found

    def _cached_word(self, token: str) -> Word | None:
        if token not in self._words:
            self._words[token] = None if token in _GLUE_TOKENS else _classified_word(token)
        return self._words[token]


def is_unspaced(text: str) -> bool:
    """Say whether a text has characters of a script without spaces."""
    return _UNSPACED_CHARACTER.search(text) is not None


def _classified_word(token: str) -> Word:
    if token.startswith(("http://", "https://")):
        return _url_word(token)
    shown = token if token.startswith("-") else token.strip("'’-")
    if not any(map(str.isalnum, shown)) or begins_statement(shown.casefold()):
        return CLAUSE_END
    if "/" in shown or _FILE_NAME.search(shown):
        shown = shown.strip("@").rstrip("./")
        name = shown.casefold().rsplit("/", 1)[-1]
        return _code_word(shown, name, is_file=_FILE_NAME.search(shown) is not None)
    return _plain_word(shown)


def _url_word(token: str) -> Word:
    issue = _ISSUE_URL.search(token)
    shown = _URL_PREFIX.sub("", token).split("?")[0].rstrip("/.,;:")
    shown = f"#{issue[1]}" if issue else shown
    return _code_word(shown, shown.casefold()) if shown else CLAUSE_END


def _code_word(shown: str, folded: str, *, is_file: bool = False) -> Word:
    prior = conversation_share(folded) * CODE_SHARE
    slight = _is_slight(folded.rsplit("/", 1)[-1])
    return Word(
        shown,
        folded,
        prior,
        size=CODE_SIZE,
        is_code=True,
        is_file=is_file,
        is_slight=slight,
    )


def _plain_word(shown: str) -> Word:
    folded = shown.casefold().replace("’", "'")
    if _CODE_SIGNS.search(shown):
        return _code_word(shown, folded)
    prior = conversation_share(folded)
    grammar, unspaced = prior >= GRAMMAR_SHARE, _UNSPACED_CHARACTER.match(shown) is not None
    return Word(
        shown,
        folded,
        prior,
        size=SMALL_SIZE if unspaced or grammar else 1.0,
        cost=(GRAMMAR_COST if grammar else WORD_COST) * (SMALL_SIZE if unspaced else 1.0),
        is_grammar=grammar,
        is_unspaced=unspaced,
        is_slight=_is_slight(folded),
        is_negation=is_negation(folded),
    )


def _is_slight(folded: str) -> bool:
    """Say whether a word is a bare number, a hash or a label (`H1`): nothing by itself."""
    label = len(folded) <= LABEL_CHARACTERS and folded.isascii()
    return label or _NUMBER.fullmatch(folded) is not None


LINE_CHARACTERS = 2_000

OPENING_WORDS = 4
"""“q” or “ok, go” opens nothing."""

Clause = tuple[Word, ...]

_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[\w+-]*+")
_MARKUP = re.compile(r"<([A-Za-z][\w-]{0,40}+)>[^<]{0,2000}+</\1>")
_SENTENCE_END = re.compile(r"[.!?。！？]+(?:(?<=[。！？])|(?=\s))")
_HEADING = re.compile(r"#{1,4}\s")
_LEADING_MARKS = "#*->• \t"


@dataclass(frozen=True, slots=True)
class ThreadLine:
    """One message of a thread: who said it, what, and whether that was an agent or a tool."""

    speaker: str
    text: str
    by_agent: bool = False


class Sentence(NamedTuple):
    """A sentence as it was said, without its list or heading marks, and its clauses."""

    text: str
    clauses: tuple[Clause, ...]
    is_heading: bool = False


class ParsedLine(NamedTuple):
    """What was read in one message.

    `words` has each word once, in order, by its folded form. A message is not
    `telling` when it is small talk through and through, or nothing but code.
    """

    speaker: str
    by_agent: bool
    sentences: tuple[Sentence, ...]
    words: dict[str, Word]
    is_informative: bool


def parse_line(line: ThreadLine, lexicon: WordCache) -> ParsedLine:
    """Read one message."""
    text = line.text[:LINE_CHARACTERS]
    prose = _without_code(text)
    sentences = _parsed_sentences(prose, lexicon)
    only_code = not sentences and prose is not text
    if only_code:
        sentences = _parsed_sentences(_FENCE.sub("", text), lexicon)
    words: dict[str, Word] = {}
    for sentence in sentences:
        for clause in sentence.clauses:
            for word in clause:
                words.setdefault(word.folded, word)
    telling = not only_code and any(
        word.background_share < SMALL_TALK_SHARE and not word.is_slight for word in words.values()
    )
    return ParsedLine(line.speaker, line.by_agent, sentences, words, telling)


def opening_line(readings: Sequence[ParsedLine]) -> ParsedLine | None:
    """Find the first message of the person that says something, else the agent's."""
    said = [reading for reading in readings if len(reading.words) >= OPENING_WORDS]
    return next((r for r in said if not r.by_agent), said[0] if said else None)


def _without_code(text: str) -> str:
    if "```" in text:
        text = _CODE_BLOCK.sub("\n", text)
    return _MARKUP.sub("\n", text) if "</" in text else text


def _parsed_sentences(text: str, lexicon: WordCache) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    for line in text.splitlines():
        start = 0
        for end in [*(match.end() for match in _SENTENCE_END.finditer(line)), len(line)]:
            clauses = _parsed_clauses(line[start:end], lexicon)
            if clauses:
                found.append(_parsed_sentence(line[start:end], clauses))
            start = end
    return tuple(found)


def _parsed_sentence(piece: str, clauses: tuple[Clause, ...]) -> Sentence:
    text = piece.strip()
    is_heading = _HEADING.match(text) is not None
    return Sentence(text.lstrip(_LEADING_MARKS).strip(), clauses, is_heading)


def _parsed_clauses(text: str, lexicon: WordCache) -> tuple[Clause, ...]:
    found: list[Clause] = []
    clause: list[Word] = []
    for piece in text.split():
        for word in lexicon[piece]:
            if word is not CLAUSE_END:
                clause.append(word)
            elif clause:
                found.append(tuple(clause))
                clause = []
    if clause:
        found.append(tuple(clause))
    return tuple(found)
