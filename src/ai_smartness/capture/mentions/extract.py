"""Extract the mentions of a message: files, names of code, commands, addresses and errors.

An agent searches for these word by word, so they are stored as written when the message is
captured.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from ai_smartness.capture.mentions.error_messages import find_error_messages
from ai_smartness.capture.mentions.file_paths import FilePlace, TextSpan, blanked_text, find_paths
from ai_smartness.capture.mentions.shell_commands import find_commands
from ai_smartness.text.keywords import identifier_parts

__all__ = ["MOST_OF_EACH", "Mentions", "extract_mentions"]

MOST_OF_EACH = 64  # a message that names more is a listing, and its first names say what of
LONGEST_READ_CHARACTERS = 200_000
"""A longer message is a dump; reading all of it would keep others waiting."""

_URL = re.compile(
    r"(?<![A-Za-z0-9_])(?:(?:https?|ftp|ssh|git|file|wss?|postgres(?:ql)?|mysql|redis|mongodb|amqp|s3|gs)://"
    r"|www\.(?=\w)|localhost:\d|git@(?=[\w.-]{1,100}:\w))"
    r"[^\s<>\"'`\\^{}|\u3000-\u9fff\uff00-\uffef]{1,2000}+"
)
_AFTER_URL = ".,;:!?*_~…"
_PAIRS = {")": "(", "]": "["}

# Not \w: in Chinese or Thai a name stands in the sentence without a space around it.
_NAME_LETTER = "A-Za-z_$À-ɏЀ-ӿ"
_PIECE = f"[{_NAME_LETTER}][{_NAME_LETTER}0-9]{{0,63}}+"
# The look ahead passes over plain words without leaving the regular expression.
_PLAIN = "[A-Z]?[a-zß-öø-ÿа-яё]*+"
_CODE_NAME = re.compile(
    rf"(?<![{_NAME_LETTER}0-9])(?={_PLAIN}(?:[A-Z0-9_$À-ÞА-Я(!]|\.[{_NAME_LETTER}]|::|->))"
    rf"{_PIECE}(?:(?:\.|::|->){_PIECE}){{0,8}}+(?![{_NAME_LETTER}0-9])(?:!?\((?!e?s\))(?=[\w\"'\[{{)$&@]))?"
)
_QUOTED = re.compile(r"(?<!`)`([^`\s]{2,80})`(?!`)")
_IMPORTED = re.compile(r"(?:\bfrom|\bimport|\brequire\() ?[\"']([@\w./-]{1,80})[\"']")
_HUMP = re.compile("[a-zß-ÿа-я0-9][A-ZÀ-ÞА-Я]|[A-Z]{2}[a-z]")
_INNER_UNDERSCORE = re.compile(r"[^\W_]_+[^\W_]|__[^\W_]")
_JOINER = re.compile(r"\.|::|->")
_LETTERS = re.compile(r"[^\W\d_]")
_DOMAIN = re.compile(r".*\.(?:com|org|net|io|dev|ai|co|edu|gov)")
_ABBREVIATIONS = "e.g i.e a.m p.m u.s u.k e.u u.s.a a.k.a w.r.t z.b d.h u.a o.ä т.е т.д т.к т.п"  # noqa: RUF001 - Cyrillic
ABBREVIATIONS = frozenset(_ABBREVIATIONS.split())
_KEYWORDS = """
and assert await catch def elif except fn for func function if in not or print return sizeof
super switch typeof while with yield
"""
KEYWORDS = frozenset(_KEYWORDS.split())

_MentionT = TypeVar("_MentionT")


@dataclass(frozen=True, slots=True)
class Mentions:
    """The mentions of a message, each once, in the order of first mention."""

    paths: tuple[FilePlace, ...] = ()
    identifiers: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The distinct paths, without lines."""
        return tuple(dict.fromkeys(place.path for place in self.paths))


def extract_mentions(text: str) -> Mentions:
    """Return the mentions of a message; none for plain prose."""
    text = text[:LONGEST_READ_CHARACTERS]
    # Each find is blanked, so that a URL is not read as a path too, nor a path as a dotted name.
    urls = [_url_span(text, match) for match in _URL.finditer(text)]
    without_urls = blanked_text(text, urls)
    paths = find_paths(without_urls)
    without_paths = blanked_text(without_urls, (span for span, _ in paths))
    return Mentions(
        paths=_first_distinct(place for _, place in paths),
        identifiers=_first_distinct(_code_names(without_paths)),
        commands=_first_distinct(find_commands(text)),
        urls=_first_distinct(text[start:end] for start, end in urls),
        errors=_first_distinct(find_error_messages(text)),
    )


def _first_distinct(mentions: Iterable[_MentionT]) -> tuple[_MentionT, ...]:
    seen: dict[_MentionT, None] = {}
    for mention in mentions:
        seen.setdefault(mention)
        if len(seen) == MOST_OF_EACH:
            break
    return tuple(seen)


def _url_span(text: str, match: re.Match[str]) -> TextSpan:
    """Leave out the full stop after a URL and the bracket around it, but not those inside."""
    start, end = match.span()
    while end > start:
        last = text[end - 1]
        opening = _PAIRS.get(last)
        if opening is None and last not in _AFTER_URL:
            break
        if opening and text.count(opening, start, end) >= text.count(last, start, end):
            break
        end -= 1
    return TextSpan(start, end)


def _code_names(text: str) -> Iterator[str]:
    """Yield the names of code: what a programmer would type, and a writer would not.

    Two humps, an inner underscore, a dot or `::` between, a call, or a word in backticks.
    """
    names = [
        (match.start(), match[0].rstrip("(!"))
        for match in _CODE_NAME.finditer(text)
        if _is_name(match[0])
    ]
    if "`" in text:
        names += [(match.start(1), _unwrapped_name(match[1])) for match in _QUOTED.finditer(text)]
    names += [(match.start(1), match[1]) for match in _IMPORTED.finditer(text)]
    for _, name in sorted(names):
        if len(name) > 1 and _LETTERS.search(name):
            yield name


def _is_name(word: str) -> bool:
    name = word.rstrip("(!")
    if word != name and name not in KEYWORDS and len(name) > 1:
        return True
    if _JOINER.search(name):
        return _is_joined_name(name)
    if _INNER_UNDERSCORE.search(name):
        return True
    return _HUMP.search(name) is not None and not name.isupper() and len(identifier_parts(name)) > 1


def _is_joined_name(name: str) -> bool:
    """Distinguish `os.path` and `Foo::bar` from an abbreviation, a domain and a missing space."""
    if "::" in name or "->" in name:
        return True
    if name.lower() in ABBREVIATIONS or _DOMAIN.fullmatch(name):
        return False
    first, *_, last = name.split(".")
    missing_space = first.islower() and last.istitle() and name.count(".") == 1
    return not missing_space


def _unwrapped_name(quoted: str) -> str:
    """Return the name in a quoted word: the function of a call, the tag of an element."""
    called, bracket, _ = quoted.partition("(")
    if bracket and called.isidentifier():
        return called
    return quoted.strip("\"'<>()[]{}").rstrip(".,;:") or quoted
