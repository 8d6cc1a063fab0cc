"""Parse a message into sentences, clauses and words.

Code blocks and pasted markup are skipped unless there is nothing else. Parsing is linear in
the text and stops after 2,000 code points: the rest of a pasted log adds nothing to what a
thread is about.
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
    "LINE_CHARACTERS",
    "Clause",
    "ParsedLine",
    "ThreadLine",
    "Word",
    "WordCache",
    "is_unspaced",
    "opening_line",
    "parse_line",
    "parsed_words",
]

LINE_CHARACTERS = 2_000
OPENING_WORDS = 4  # “q” or “ok, go” opens nothing
CODE_SHARE = 0.3  # of a background share, for names in code: `test` is common, `test()` is not
CODE_SIZE = 1.5
SMALL_SIZE = 0.5  # a function word, or one character of Chinese, counts as half a word
WORD_COST = 0.16
GRAMMAR_COST = 0.08  # function words carry no meaning, but a phrase without them is hard to read
CACHED_WORDS = 6
CACHED_CHARACTERS = 64

UNSPACED_RANGES = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff"
"""Kana and Han: written without spaces, and parsed character by character."""

# Vowel signs and points: not letters to Python, but part of the word they stand in.
_SIGNS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3"
)
_LETTER = f"[^\\W{UNSPACED_RANGES}]"
_INSIDE = f"(?:[^\\W{UNSPACED_RANGES}]|['’{_SIGNS}-])"
_PLAIN = "A-Za-zÀ-ɏЀ-ӿ"
_SCHEMES = "https?|wss?|s?ftp|ssh|git|postgres(?:ql)?|mysql|mongodb|redis|amqps?"

# The first alternative matches most prose at the speed of one character class. The others are
# bounded and possessive, so that no text makes them backtrack.
TOKEN_PATTERN = re.compile(
    f"[{_PLAIN}]{{1,40}}+(?=[,;!?)]|\\Z|:\\Z)"
    f"|(?:{_SCHEMES})://[^\\s)>\\]\"'`|\ud800-\udfff]{{1,300}}+"
    "|(?<![\\w:])[0-9]{1,2}:[0-9]{2}(?![\\w:])"
    f"|(?:{_LETTER}|[@.~-]){{0,64}}+(?:/(?:{_LETTER}|[@.+-]){{1,64}}+){{1,12}}+"
    f"|{_LETTER}(?:{_LETTER}|-){{0,60}}+\\.[A-Za-z][A-Za-z0-9]{{0,4}}+(?![\\w.])"
    f"|[{UNSPACED_RANGES}]"
    "|(?<![\\w.])--?[A-Za-z][A-Za-z0-9_-]{1,40}+"
    f"|(?:{_LETTER}|[{_SIGNS}]){_INSIDE}{{0,63}}+(?:\\.{_LETTER}(?:{_LETTER}|-){{0,32}}+){{0,6}}+"
    "(?:\\(\\))?"
    "|#[0-9]{1,7}"
    "|[^\\w\\s]"
)

_GLUE_TOKENS = frozenset("'’\"`*&+-–/“”„«»")
_SHORT_FORMS = frozenset(("re.", "vs.", "cf.", "no.", "approx."))
_DASHES = frozenset(("-", "--", "–"))
_ISSUE_URL = re.compile(r"(?:/(?:issues|pull|pulls|merge_requests)/|[?&]pr=)([0-9]+)")
_URL_PREFIX = re.compile(f"(?:{_SCHEMES})://(?:www\\.)?")
_CODE_SIGNS = re.compile(r"[/_.#()]|[a-z][A-Z]|[A-Za-z][0-9]|^--?\w")
_FILE_NAME = re.compile(
    r"\.(?:py|pyi|[cm]?[jt]sx?|go|rs|rb|php|java|kt|swift|c|h|cc|cpp|hpp|cs|sh|ps1|bash|zsh|fish"
    r"|lua|sql|md|mdx|rst|txt|html?|s?css|vue|svelte|json[c5l]?|ya?ml|toml|ini|cfg|conf|xml|proto"
    r"|graphql|tf|lock|env|svg|ipynb|csv)$"
)
_NUMBER = re.compile(r"(?=[^0-9]*[0-9])[0-9a-f-]{6,}|[0-9][0-9.,:-]*")
_UNSPACED_CHARACTER = re.compile(f"[{UNSPACED_RANGES}]")
_LABEL_CHARACTERS = 2

_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[\w+-]*+")
_MARKUP = re.compile(r"<([A-Za-z][\w-]{0,40}+)>[^<]{0,2000}+</\1>")
# A document that a client puts into the prompt, with fields of its own: `<skill> <name>…`.
_PASTED_DOCUMENT = re.compile(r"\s*<([a-z][\w-]{0,40}+)>\s*<[a-z][\w-]{0,40}+>[^<]{0,400}+</")
_SENTENCE_END = re.compile(
    r"(?<!\bre)(?<!\bvs)(?<!\bcf)(?<!\be\.g)(?<!\bi\.e)[.!?。！？]+(?:(?<=[。！？])|(?=\s))"
    r"|:(?= \[[\w .:-]{2,30}+\]:? )"  # a line of a log follows
)
_HEADING = re.compile(r"#{1,4}\s")
_QUOTED_COMMIT = re.compile(
    r"[\"“`'](?:feat|fix|refactor|chore|docs|test|build|ci|perf|style|revert)"
    r"(?:\([^()\n]{1,40}+\))?!?: [^\"”`\n]{1,200}+[\"”`']"
)
_QUOTATION = re.compile(r'"((?:[^\s"]+ ){3,30}+[^\s"]+)"')  # a sentence within a sentence
_LABELLED_REQUEST = re.compile(
    r"^(?!note|edit|todo|hint|warning|update|question)"
    r"([a-z][a-z-]{2,20}+(?: [a-z-]{2,20}+){0,2}): ([a-z]{3,12}+) (?:them|it|those)\b",
    re.IGNORECASE,
)
_LEADING_MARKS = "#*->• \t"


@dataclass(frozen=True, slots=True)
class ThreadLine:
    """One message of a thread: speaker, text, and whether an agent or a tool wrote it.

    `mark` is put before a title of its words if neither a user nor an agent said them.
    """

    speaker: str
    text: str
    by_agent: bool = False
    mark: str = ""


class Word(NamedTuple):
    """A word as written, as counted (`folded`), and what its form says about it.

    `background_share` is the share of conversations that contain the word, before
    anything is known about the project. `size` counts it in plain words. `cost` is the
    weight it needs to earn its place in a title.
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


Clause = tuple[Word, ...]

CLAUSE_END = Word("", "", 1.0)


class ParsedSentence(NamedTuple):
    """A sentence without its list or heading marks, and its clauses."""

    text: str
    clauses: tuple[Clause, ...]
    is_heading: bool = False


class ParsedLine(NamedTuple):
    """One parsed message.

    `words` has each word once, in order, by its folded form. A message is not
    `is_informative` when it is nothing but small talk or code.
    """

    speaker: str
    by_agent: bool
    sentences: tuple[ParsedSentence, ...]
    words: dict[str, Word]
    is_informative: bool


class WordCache(dict[str, tuple[Word, ...]]):
    """The words of each piece between two spaces, each piece parsed once.

    Long pieces are not cached: they hardly ever come twice.
    """

    def __init__(self) -> None:
        super().__init__()
        self._words: dict[str, Word | None] = {}

    def __missing__(self, piece: str) -> tuple[Word, ...]:
        if piece in _DASHES:
            return (CLAUSE_END,)
        is_short_form = piece.casefold() in _SHORT_FORMS
        tokens = TOKEN_PATTERN.findall(piece[:-1] if is_short_form else piece)
        words = tuple(word for token in tokens if (word := self._cached_word(token)))
        if len(words) <= CACHED_WORDS and len(piece) <= CACHED_CHARACTERS:
            self[piece] = words
        return words

    def _cached_word(self, token: str) -> Word | None:
        if token not in self._words:
            self._words[token] = None if token in _GLUE_TOKENS else _classified_word(token)
        return self._words[token]


def parse_line(line: ThreadLine, cache: WordCache) -> ParsedLine:
    """Parse one message."""
    text = line.text[:LINE_CHARACTERS]
    prose = _without_code(text)
    sentences = _parsed_sentences(prose, cache)
    only_code = not sentences and prose is not text
    if only_code:
        sentences = _parsed_sentences(_FENCE.sub("", text), cache)
    words: dict[str, Word] = {}
    for sentence in sentences:
        for clause in sentence.clauses:
            for word in clause:
                words.setdefault(word.folded, word)
    is_informative = not only_code and any(
        word.background_share < SMALL_TALK_SHARE and not word.is_slight for word in words.values()
    )
    return ParsedLine(line.speaker, line.by_agent, sentences, words, is_informative)


def parsed_words(text: str, cache: WordCache) -> list[Word]:
    """Return the words of a text without its punctuation."""
    return [word for clause in _parsed_clauses(text, cache) for word in clause]


def opening_line(lines: Sequence[ParsedLine]) -> ParsedLine | None:
    """Find the user's first message with some words, else the agent's."""
    worded = [line for line in lines if len(line.words) >= OPENING_WORDS]
    return next((line for line in worded if not line.by_agent), worded[0] if worded else None)


def is_unspaced(text: str) -> bool:
    """Say whether a text has characters of a script without spaces."""
    return _UNSPACED_CHARACTER.search(text) is not None


def _without_code(text: str) -> str:
    if "```" in text:
        text = _CODE_BLOCK.sub("\n", text)
    if _PASTED_DOCUMENT.match(text):
        return ""
    return _MARKUP.sub("\n", text) if "</" in text else text


def _parsed_sentences(text: str, cache: WordCache) -> tuple[ParsedSentence, ...]:
    sentences: list[ParsedSentence] = []
    for line in text.splitlines():
        start = 0
        for end in [*(match.end() for match in _SENTENCE_END.finditer(line)), len(line)]:
            clauses = _parsed_clauses(_without_commit_subject(line[start:end]), cache)
            if clauses:
                written = line[start:end].strip()
                is_heading = _HEADING.match(written) is not None
                written = written.lstrip(_LEADING_MARKS).strip()
                sentences.append(ParsedSentence(written, clauses, is_heading))
            start = end
    return tuple(sentences)


def _without_commit_subject(text: str) -> str:
    """Leave out the subject of a commit that is quoted: it was about something else."""
    text = _QUOTED_COMMIT.sub(" , ", text) if ": " in text else text
    return _QUOTATION.sub(r" , \1 , ", text) if text.count('"') > 1 else text


def _parsed_clauses(text: str, cache: WordCache) -> tuple[Clause, ...]:
    clauses: list[Clause] = []
    clause: list[Word] = []
    # "reminder mails: send them at noon" is about sending reminder mails.
    for piece in _LABELLED_REQUEST.sub(r"\2 \1", text, count=1).split():
        for word in cache[piece]:
            if word is not CLAUSE_END:
                clause.append(word)
            elif clause:
                clauses.append(tuple(clause))
                clause = []
    if clause:
        clauses.append(tuple(clause))
    return tuple(clauses)


def _classified_word(token: str) -> Word:
    if "://" in token:
        return _url_word(token)
    written = token if token.startswith("-") else token.strip("'’-")
    if not any(map(str.isalnum, written)) or begins_statement(written.casefold()):
        return CLAUSE_END
    if "/" in written or _FILE_NAME.search(written):
        written = written.strip("@").rstrip("./")
        name = written.casefold().rsplit("/", 1)[-1]
        return _code_word(written, name, is_file=_FILE_NAME.search(written) is not None)
    return _plain_word(written)


def _url_word(token: str) -> Word:
    issue = _ISSUE_URL.search(token)
    address = _URL_PREFIX.sub("", token).split("?")[0].rstrip("/.,;:")
    written = f"#{issue[1]}" if issue else address
    return _code_word(written, written.casefold()) if written else CLAUSE_END


def _code_word(written: str, folded: str, *, is_file: bool = False) -> Word:
    return Word(
        written,
        folded,
        conversation_share(folded) * CODE_SHARE,
        size=CODE_SIZE,
        is_code=True,
        is_file=is_file,
        is_slight=_is_slight(folded.rsplit("/", 1)[-1]),
    )


def _plain_word(written: str) -> Word:
    folded = written.casefold().replace("’", "'")
    if _CODE_SIGNS.search(written):
        return _code_word(written, folded)
    share = conversation_share(folded)
    is_grammar, unspaced = share >= GRAMMAR_SHARE, _UNSPACED_CHARACTER.match(written) is not None
    return Word(
        written,
        folded,
        share,
        size=SMALL_SIZE if unspaced or is_grammar else 1.0,
        cost=(GRAMMAR_COST if is_grammar else WORD_COST) * (SMALL_SIZE if unspaced else 1.0),
        is_grammar=is_grammar,
        is_unspaced=unspaced,
        is_slight=_is_slight(folded),
        is_negation=is_negation(folded),
    )


def _is_slight(folded: str) -> bool:
    """Say whether a word is a bare number, a hash or a label (`H1`): nothing by itself."""
    is_label = len(folded) <= _LABEL_CHARACTERS and folded.isascii()
    return is_label or _NUMBER.fullmatch(folded) is not None
