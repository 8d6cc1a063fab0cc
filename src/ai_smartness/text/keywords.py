"""Take the words out of a text that count for one purpose or another.

Four uses, four sets: `message_terms` assign a message to a thread, `extract_keywords` describe
and compare threads, `query_terms` are searched in the index, `subject_words` name what a question
is about. They differ on purpose: titles, assignment and ranking were fitted to them.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from ai_smartness.text.identifiers import identifier_parts, search_subwords
from ai_smartness.text.stopwords import STOPWORDS

__all__ = [
    "READ_MESSAGE_CHARACTERS",
    "extract_keywords",
    "message_terms",
    "name_keyword",
    "query_terms",
    "subject_words",
    "word_count",
]

READ_MESSAGE_CHARACTERS = 4_000
"""The start of a message says what it is about; reading all of a dump would only cost time."""

CHARACTERS_PER_WORD = 2
"""In scripts without spaces: most Chinese words have two characters."""

LONGEST_READ_CHARACTERS = 20_000
"""Read of one message for its keywords; the rest is a dump."""

SHORTEST_KEYWORD_CHARACTERS = 3
"""Shorter words are nearly all grammar in any alphabet; a pair of Han characters is a word."""

LONGEST_KEYWORD_CHARACTERS = 80
"""A longer one is a blob."""

MOST_QUERY_TERMS = 64
"""A longer query is a pasted text; its first words say what it is about."""

SUBJECT_WORD_CHARACTERS = 4
"""A shorter word in the Latin script is mostly grammar: "why", "the", "for"."""

ACRONYM_CHARACTERS = 3
"""In capitals, a word this short is a name: "JWT", "API". With two letters it may be "OK"."""

# Thai and Lao, Myanmar, Khmer, kana, Han, Hangul.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]"
)
_MESSAGE_TOKEN = re.compile(
    r"https?://[^\s)>\]\"'`]{1,300}+"
    r"|[\w@.~-]{0,64}+(?:/[\w@.+-]{1,64}+){1,12}+"  # a path
    r"|\w[\w'’-]{0,63}+(?:\.\w{1,32}+){0,4}+"
    r"|#\d{1,7}+"
)
_AROUND = "'’.-_/@~"
_ELIDED = re.compile(r"(?:\w|qu|un)['’](?=\w{3})", re.IGNORECASE)
_LIKE_CODE = re.compile(r"[/\\_.#]|\w-\w|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
_COUNTED_WORD = re.compile(r"\w++")

_KEYWORD = re.compile(r"[^\W\d_][\w]*(?:['’][^\W\d_]{1,3}(?!\w))?")
_SHORTEST_PLURAL = 4
_FIRST_UNSPACED = "\u0e00"

_SPACED = re.compile(r"[^\s\x00]+")
# Letters, digits, and the marks without which a word of Hebrew, Hindi or Tamil falls apart.
_QUERY_WORD = re.compile(
    r"(?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff])+"
)
_SUBJECT_WORD = re.compile(r"[^\W_]+")


def message_terms(text: str) -> tuple[str, ...]:
    """List the distinct terms of a message in the order of first mention, folded.

    Paths, addresses and identifiers count whole and by their parts; scripts without
    spaces count by pairs of characters.
    """
    terms: dict[str, None] = {}
    for match in _MESSAGE_TOKEN.finditer(text[:READ_MESSAGE_CHARACTERS]):
        if token := match[0].strip(_AROUND):
            if token.isalpha() and token.isascii() and (token.islower() or token.istitle()):
                terms[token.lower()] = None  # most of any English text: nothing to look into
            else:
                terms.update(dict.fromkeys(_token_terms(token)))
    return tuple(terms)


def _token_terms(token: str) -> Iterator[str]:
    if not token.isascii() and _UNSPACED.search(token):
        yield from search_subwords(token).split() or [token]
        return
    if elided := _ELIDED.match(token):
        token = token[elided.end() :]
    yield token.casefold()
    if _LIKE_CODE.search(token):
        yield from (part.casefold() for part in identifier_parts(token) if len(part) > 1)


def word_count(text: str) -> int:
    """Count the words at the start of a text, in scripts without spaces too."""
    start = text[:READ_MESSAGE_CHARACTERS]
    spaced = len(_COUNTED_WORD.findall(start))
    if start.isascii():
        return spaced
    return spaced + len(_UNSPACED.findall(start)) // CHARACTERS_PER_WORD


def extract_keywords(text: str, names: Iterable[str] = ()) -> Iterator[str]:
    """Yield the keywords of a text as often as they occur, then the names that it mentions.

    Stop words are left out; weighing the rest by rarity is up to the caller.
    """
    read = text[:LONGEST_READ_CHARACTERS]
    for word in _KEYWORD.findall(read):
        if word.isascii() or not _is_unspaced_run(word):
            yield from _keyword_of(word.partition("'")[0].partition("’")[0])
    for subword in search_subwords(read).split():
        yield from _keyword_of(subword)
    yield from (
        name_keyword(name) for name in sorted(names) if len(name) <= LONGEST_KEYWORD_CHARACTERS
    )


def name_keyword(name: str) -> str:
    """Return the keyword for a file, an identifier or an address."""
    return name.strip().removeprefix("./").casefold()


def _keyword_of(word: str) -> Iterator[str]:
    term = word.casefold()
    shortest = SHORTEST_KEYWORD_CHARACTERS - (term >= _FIRST_UNSPACED)
    if shortest <= len(term) <= LONGEST_KEYWORD_CHARACTERS and term not in STOPWORDS:
        # The plural that English, French and Spanish share: "sessions" is about a session.
        plural = term.endswith("s") and not term.endswith("ss") and len(term) > _SHORTEST_PLURAL
        yield term[:-1] if plural else term


def _is_unspaced_run(word: str) -> bool:
    """Say whether a run of letters is part of a sentence without spaces, not a word."""
    has_unspaced = any(character >= _FIRST_UNSPACED for character in word)
    return has_unspaced and bool(search_subwords("a" + word))


def query_terms(query: str) -> list[str]:
    """Return the distinct terms of a query; a match contains at least one of them.

    A path or an identifier is searched whole and by its parts. No stop words are left out.
    """
    head = query[: MOST_QUERY_TERMS * 64]
    wholes = (whole for whole in _SPACED.findall(head) if len(_QUERY_WORD.findall(whole)) > 1)
    terms = chain(_QUERY_WORD.findall(head), search_subwords(head).split(), wholes)
    return list(dict.fromkeys(term.lower() for term in terms))[:MOST_QUERY_TERMS]


def subject_words(question: str) -> list[str]:
    """Return the distinct words that may name the subject, in any language, as written."""
    return list(dict.fromkeys(filter(_may_name_subject, _SUBJECT_WORD.findall(question))))


def _may_name_subject(word: str) -> bool:
    if not word.isascii():
        return len(word) > 1 or bool(search_subwords(word))
    if any(character.isdigit() for character in word):
        return True
    shortest = ACRONYM_CHARACTERS if word.isupper() else SUBJECT_WORD_CHARACTERS
    return len(word) >= shortest
