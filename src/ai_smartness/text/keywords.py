"""Take the words out of a text that count for one purpose or another.

Four uses, four sets: `message_terms` assign a message to a thread, `extract_keywords` describe
and compare threads, `query_terms` are searched in the index, `subject_words` name what a question
is about. They differ on purpose: titles, assignment and ranking were fitted to them.

Full-text search splits at punctuation. `getUserById` and a sentence in Chinese have none, so the
words inside them are indexed and searched too (`search_subwords`).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise

from ai_smartness.text.stopwords import STOPWORDS

__all__ = [
    "READ_MESSAGE_CHARACTERS",
    "extract_keywords",
    "identifier_parts",
    "message_terms",
    "name_keyword",
    "query_terms",
    "search_subwords",
    "shortened_addresses",
    "spelled_keywords",
    "subject_words",
    "web_addresses",
    "word_count",
]

READ_MESSAGE_CHARACTERS = 4_000
"""The start of a message says what it is about; reading all of a dump would only cost time."""

CHARACTERS_PER_WORD = 2  # in scripts without spaces: most Chinese words have two characters
LONGEST_READ_CHARACTERS = 20_000  # read of one message for its keywords; the rest is a dump
SHORTEST_KEYWORD_CHARACTERS = 3
"""Shorter words are nearly all grammar in any alphabet; a pair of Han characters is a word."""

LONGEST_KEYWORD_CHARACTERS = 80  # a longer one is a blob
MOST_QUERY_TERMS = 64  # a longer query is a pasted text; its first words say what it is about
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

_ADDRESS = re.compile(r"https?://([^\s)>\]\"'`?#]{1,300}+)[^\s)>\]\"'`]{0,300}+")
_SPACED = re.compile(r"[^\s\x00]+")
# Letters, digits, and the marks without which a word of Hebrew, Hindi or Tamil falls apart.
_QUERY_WORD = re.compile(
    r"(?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff])+"
)
_SUBJECT_WORD = re.compile(r"[^\W_]+")

MAX_SUBWORDS = 16_384
"""Enough for the longest message worth indexing; beyond it, the text is a dump."""

LONGEST_NAME_CHARACTERS = 128
"""A longer unbroken word is a blob; its pieces would be noise in the index."""

# Written without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han. Hangul has
# spaces, but glues its particles to the word, so it needs the same treatment.
_UNSPACED_RANGES = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u1100-\u11ff"
    "\u1780-\u17d3\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_UPPER = "A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ"
_LOWER = "a-zß-öø-ÿα-ωа-яё"

_RUN = re.compile(f"[{_UNSPACED_RANGES}]+|[^\\W_{_UNSPACED_RANGES}]+")
_WORD = re.compile(f"(?:[^\\W_]++|[{_UNSPACED_RANGES}]++)++")
_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED_RANGES}]")

# Looks back from the rare character (a capital, a digit), so that plain prose is
# passed over at the speed of one character class.
_INNER = re.compile(
    f"[0-9{_UPPER}{_UNSPACED_RANGES}](?:"
    f"(?<=[{_LOWER}][{_UPPER}])"
    f"|(?<=[{_UPPER}]{{2}})(?=[{_LOWER}])"
    f"|(?<=[{_LOWER}{_UPPER}][0-9])"
    f"|(?<=[0-9])(?=[{_LOWER}{_UPPER}])"
    f"|(?<=[{_UNSPACED_RANGES}]))"
)
_HEX = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{7,}|(?=[A-F]*[0-9])[0-9A-F]{7,}")

_UNCASED = "文"
_PART = re.compile(
    "[A-Z]{2,}+s(?![a-z])"  # URLs is URLs, not UR and Ls
    "|[A-Z]+(?![a-z])|[A-Z]?[a-z]++|[0-9]++|文++"
)


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
    words = (
        word.partition("'")[0].partition("’")[0]
        for word in _KEYWORD.findall(read)
        if word.isascii() or not _is_unspaced_run(word)
    )
    yield from filter(None, map(_keyword_of, words))
    yield from filter(None, map(_keyword_of, search_subwords(read).split()))
    yield from (
        name_keyword(name) for name in sorted(names) if len(name) <= LONGEST_KEYWORD_CHARACTERS
    )


def spelled_keywords(text: str) -> Iterator[tuple[str, str]]:
    """Yield the keywords of a text's words, each with the word, which may have a longer ending."""
    for written in _KEYWORD.findall(text[:LONGEST_READ_CHARACTERS]):
        word = written.partition("'")[0].partition("’")[0]
        if keyword := _keyword_of(word):
            yield keyword, word


def name_keyword(name: str) -> str:
    """Return the keyword for a file, an identifier or an address."""
    return name.strip().removeprefix("./").casefold()


def _keyword_of(word: str) -> str:
    """Return the keyword of a word, in one number; nothing of a stop word."""
    term = word.casefold()
    shortest = SHORTEST_KEYWORD_CHARACTERS - (term >= _FIRST_UNSPACED)
    if not shortest <= len(term) <= LONGEST_KEYWORD_CHARACTERS or term in STOPWORDS:
        return ""
    # The plural that English, French and Spanish share: "sessions" is about a session.
    plural = term.endswith("s") and not term.endswith("ss") and len(term) > _SHORTEST_PLURAL
    return term[:-1] if plural else term


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


def web_addresses(text: str) -> set[str]:
    """Return the web addresses of a text, without what leads to a place on the page."""
    return {match[1].rstrip("/.,:;") for match in _ADDRESS.finditer(text)}


def shortened_addresses(text: str) -> str:
    """Return a text with only the last part of each web address.

    The rest names a site or a repository, which every other address of the project has too.
    """
    return _ADDRESS.sub(lambda match: match[1].rstrip("/").rpartition("/")[2], text)


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
        glued = _UNSPACED_CHARACTER.search(word) is not None
        for run in runs:
            yield from _run_tokens(run, glued=glued)


def _run_tokens(run: str, *, glued: bool) -> Iterator[str]:
    """Yield what one run adds; a run glued to another script is not a word by itself yet."""
    if glued and _UNSPACED_CHARACTER.match(run):
        yield from [run] if len(run) == 1 else map("".join, pairwise(run))
        return
    if glued:
        yield run
    if len(run) <= LONGEST_NAME_CHARACTERS and not _HEX.fullmatch(run):
        inner = identifier_parts(run)
        if len(inner) > 1:
            yield from inner


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
    if not character.isalpha():
        return "0" if character.isalnum() else " "
    if character.islower():
        return "a"
    return "A" if character.isupper() or character.istitle() else _UNCASED
