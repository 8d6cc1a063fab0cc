"""Find the names of code in a text: what a programmer, not a writer, would have typed.

Two humps, an underscore inside, a dot or `::` between, a call, or a word in
backticks. A plain word is no name, whatever it means.
"""

import re
from collections.abc import Iterator

from ai_smartness.model.subwords import parts

__all__ = ["found_names"]

# Not \w: in Chinese or Thai a name stands in the sentence without a space around it.
_LETTER = "A-Za-z_$À-ɏЀ-ӿ"
_PIECE = f"[{_LETTER}][{_LETTER}0-9]{{0,63}}+"
# The look ahead passes over plain words without leaving the regular expression.
_PLAIN = "[A-Z]?[a-zß-öø-ÿа-яё]*+"
_NAME = re.compile(
    rf"(?<![{_LETTER}0-9])(?={_PLAIN}(?:[A-Z0-9_$À-ÞА-Я(!]|\.[{_LETTER}]|::|->))"
    rf"{_PIECE}(?:(?:\.|::|->){_PIECE}){{0,8}}+(?![{_LETTER}0-9])(?:!?\((?!e?s\))(?=[\w\"'\[{{)$&@]))?"
)
_QUOTED = re.compile(r"(?<!`)`([^`\s]{2,80})`(?!`)")
_IMPORTED = re.compile(r"(?:\bfrom|\bimport|\brequire\() ?[\"']([@\w./-]{1,80})[\"']")
_HUMP = re.compile("[a-zß-ÿа-я0-9][A-ZÀ-ÞА-Я]|[A-Z]{2}[a-z]")
_INNER_UNDERSCORE = re.compile(r"[^\W_]_+[^\W_]|__[^\W_]")
_JOINER = re.compile(r"\.|::|->")
_LETTERS = re.compile(r"[^\W\d_]")
_DOMAIN = re.compile(r".*\.(?:com|org|net|io|dev|ai|co|edu|gov)")
_ABBREVIATIONS = "e.g i.e a.m p.m u.s u.k e.u u.s.a a.k.a w.r.t z.b d.h u.a o.ä т.е т.д т.к т.п"  # noqa: RUF001
_KEYWORDS = """
and assert await catch def elif except fn for func function if in not or print return sizeof
super switch typeof while with yield
"""
ABBREVIATIONS = frozenset(_ABBREVIATIONS.split())
KEYWORDS = frozenset(_KEYWORDS.split())


def found_names(text: str) -> Iterator[str]:
    """Yield each name of code, in order, without the brackets of a call."""
    found = [
        (match.start(), match[0].rstrip("(!"))
        for match in _NAME.finditer(text)
        if _is_name(match[0])
    ]
    if "`" in text:
        found += [(match.start(1), _unwrapped(match[1])) for match in _QUOTED.finditer(text)]
    found += [(match.start(1), match[1]) for match in _IMPORTED.finditer(text)]
    for _, name in sorted(found):
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
    return _HUMP.search(name) is not None and not name.isupper() and len(parts(name)) > 1


def _is_joined_name(name: str) -> bool:
    """Tell `os.path` and `Foo::bar` from an abbreviation, a domain and a missing space."""
    if "::" in name or "->" in name:
        return True
    if name.lower() in ABBREVIATIONS or _DOMAIN.fullmatch(name):
        return False
    first, *_, last = name.split(".")
    missing_space = first.islower() and last.istitle() and name.count(".") == 1
    return not missing_space


def _unwrapped(quoted: str) -> str:
    """Return what a quoted word names: the function of a call, the tag of an element."""
    called, bracket, _ = quoted.partition("(")
    if bracket and called.isidentifier():
        return called
    return quoted.strip("\"'<>()[]{}").rstrip(".,;:") or quoted
