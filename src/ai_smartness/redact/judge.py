"""Judge a value that a secret's name was given: a secret, a stand-in for one, or plain words.

Hashes and ids have as much disorder as keys; here a name has said that it is a secret, and what
is left is to tell it from what people write in a secret's place.
"""

from math import log2

from ai_smartness.redact.pattern import Pattern
from ai_smartness.redact.stand_in import is_stand_in

__all__ = ["SHORTEST_PASSWORD", "is_code", "is_cut_short", "is_key", "is_password", "is_token"]

WORDS = Pattern(r"[A-Za-z]*(?:[ _\-./:+@](?:v?\d{1,4}(?![A-Za-z0-9])|[A-Za-z]*))*+[.:,?;]*\Z")
NUMBER = Pattern(r"[\d.,:/_+eE%\-]*+[a-zA-Z%]{0,3}\Z")
PATH = Pattern(
    r"^(?:[~.]{0,2}/|[A-Za-z]:[\\/]|[a-z][a-z0-9+.\-]{0,20}://)|\.[a-z]{1,4}(?::\d+)?$|::|^@"
)
NAME_IN_CODE = Pattern(r"[A-Za-z_][A-Za-z]*(?:[_.\-][A-Za-z]+)*_?\d{0,2}\Z")
WEAK = Pattern(
    r"(?i)(?:test|pass|password|passwd|pwd|secret|token|user|admin|root|foo|bar|new|old|my|value"
    r"|arg|param|key|field|input|utf|sha|md|bcrypt|argon|v|step|line|page|item)\w{0,9}?\d{0,4}\Z"
)
SOLID = Pattern(r"[A-Za-z0-9+/_\-]+={0,2}")

SHORTEST_PASSWORD = 6
LONGEST_CODE = 12
SHORTEST_TOKEN = 8
SHORTEST_BARE_TOKEN = 12
SHORTEST_KEY = 14
SHORTEST_MIX = 20
"""From so many letters on, small and capital ones in disorder are enough."""

LEAST_BITS = 3.0
LEAST_BITS_SHORT = 2.75
"""A character: of what is random more, of words and numbers that people make less."""

_DIGITS = frozenset("0123456789")
_PLAIN = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-./:")
_CASES = {
    each: "A" if chr(each).isupper() else "a" if chr(each).islower() else None
    for each in range(128)
}


def is_password(value: str, *, quoted: bool) -> bool:
    """Say whether a value after a password's name is one."""
    if len(value) < SHORTEST_PASSWORD or _is_plain(value):
        return False
    digit, lower, upper, sign = _classes(value)
    if quoted:
        return (digit or sign) and not WEAK.match(value)
    if not digit or not (lower or upper):
        return False
    is_name = NAME_IN_CODE.match(value) and (WEAK.match(value) or "_" in value)
    return sign or upper or not is_name


def is_code(value: str) -> bool:
    """Say whether a value after a password's name is one of digits alone."""
    return value.isdecimal() and SHORTEST_PASSWORD <= len(value) <= LONGEST_CODE


def is_token(value: str, *, quoted: bool) -> bool:
    """Say whether a value after a token's or a secret's name is one."""
    if len(value) < SHORTEST_TOKEN or _is_plain(value) or WEAK.match(value):
        return False
    digit, lower, upper, _ = _classes(value)
    if len(value) >= SHORTEST_MIX and lower and upper and _mixes(value):
        return True
    if not digit or not (lower or upper):
        return False
    if len(value) >= SHORTEST_BARE_TOKEN:
        return _bits(value) >= LEAST_BITS
    return quoted and _bits(value) >= LEAST_BITS_SHORT


def is_key(value: str) -> bool:
    """Say whether a value after the bare word "key" is one: it must look like nothing else."""
    digit, lower, upper, _ = _classes(value)
    if len(value) < SHORTEST_KEY or not (digit and lower and upper) or _is_plain(value):
        return False
    return bool(SOLID.fullmatch(value)) and _mixes(value) and _bits(value) >= LEAST_BITS


def is_cut_short(text: str, end: int) -> bool:
    """Say whether somebody has left the rest of it out already: `xoxp-12-###`, `ghp_ab...`."""
    return text.startswith(("...", "…", "***", "###", "xxx", "XXX"), end)


def _is_plain(value: str) -> bool:
    """Say whether a value is words, a number, a path, a name in code or a stand-in."""
    if value.split() != [value]:
        return True
    plain = WORDS.match(value) and not _mixes(value)
    return bool(plain or NUMBER.match(value) or PATH.search(value) or is_stand_in(value))


def _classes(value: str) -> tuple[bool, bool, bool, bool]:
    """Say whether there are digits, small letters, capitals and signs in it."""
    if value.isascii():
        return (
            not _DIGITS.isdisjoint(value),
            value != value.upper(),
            value != value.lower(),
            not _PLAIN.issuperset(value),
        )
    return (
        any(each.isdigit() for each in value),
        any(each.islower() for each in value),
        any(each.isupper() for each in value),
        any(not each.isalnum() and each not in "_-./:" for each in value),
    )


def _mixes(value: str) -> bool:
    """Say whether small and capital letters alternate more than in names that people make."""
    if value.isascii():
        letters = value.translate(_CASES)
    else:
        letters = "".join("A" if each.isupper() else "a" for each in value if each.isalpha())
    return (letters.count("aA") + letters.count("Aa")) * 3 >= len(letters) > 0


def _bits(value: str) -> float:
    """Return the bits that a character of it carries, by how often each occurs."""
    shares = [value.count(each) / len(value) for each in set(value)]
    return -sum(share * log2(share) for share in shares)
