"""Judge whether a value is a secret, a placeholder for one, or plain words.

Hashes and ids look as random as keys. Here a name has already said that the value is a secret,
so it only needs to be distinguished from `YOUR_API_KEY`, `xxxx`, `${VAR}` and ordinary words.
"""

from math import log2

from ai_smartness.text.lazy_pattern import LazyPattern

__all__ = [
    "SHORTEST_PASSWORD",
    "is_cut_short",
    "is_key",
    "is_numeric_code",
    "is_password",
    "is_placeholder",
    "is_token",
]

PLAIN_WORDS = LazyPattern(
    r"[A-Za-z]*(?:[ _\-./:+@](?:v?\d{1,4}(?![A-Za-z0-9])|[A-Za-z]*))*+[.:,?;]*\Z"
)
PLAIN_NUMBER = LazyPattern(r"[\d.,:/_+eE%\-]*+[a-zA-Z%]{0,3}\Z")
PLAIN_PATH = LazyPattern(
    r"^(?:[~.]{0,2}/|[A-Za-z]:[\\/]|[a-z][a-z0-9+.\-]{0,20}://)|\.[a-z]{1,4}(?::\d+)?$|::|^@"
)
NAME_IN_CODE = LazyPattern(r"[A-Za-z_][A-Za-z]*(?:[_.\-][A-Za-z]+)*_?\d{0,2}\Z")
WEAK_VALUE = LazyPattern(
    r"(?i)(?:test|pass|password|passwd|pwd|secret|token|user|admin|root|foo|bar|new|old|my|value"
    r"|arg|param|key|field|input|utf|sha|md|bcrypt|argon|v|step|line|page|item)\w{0,9}?\d{0,4}\Z"
)
UNBROKEN_VALUE = LazyPattern(r"[A-Za-z0-9+/_\-]+={0,2}")

SHORTEST_PASSWORD = 6
LONGEST_CODE = 12
SHORTEST_TOKEN = 8
SHORTEST_BARE_TOKEN = 12
SHORTEST_KEY = 14
SHORTEST_MIX = 20  # from this length on, a random mix of capitals and small letters is enough
LEAST_BITS = 3.0
LEAST_BITS_SHORT = 2.75
"""Entropy per character: random text has more, words and numbers of people have less."""

_DIGITS = frozenset("0123456789")
_NAME_CHARACTERS = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-./:")
_CASE_TABLE = {
    code: "A" if chr(code).isupper() else "a" if chr(code).islower() else None
    for code in range(128)
}

FEWEST_DISTINCT_CHARACTERS = 3
REPEATED_LETTERS = 6

PLACEHOLDER_PARTS = (
    *("example", "placeholder", "your", "insert", "changeme", "change_me", "dummy", "sample"),
    *("redacted", "replace", "abcdefghij", "123456789012345", "todo", "undefined"),
    *("environ", "process.env", "getenv", "getpass"),
)
PLACEHOLDER_WORDS = frozenset(
    [
        *("none", "null", "nil", "true", "false", "test", "string", "password", "secret", "token"),
        *("foo", "bar", "baz", "pass", "pwd"),
    ]
)
PLACEHOLDER_STARTS = ("os.", "env.", "self.", "this.", "config.", "settings.", "$", "%s")
PLACEHOLDER_SIGNS = ("$(", "${", "{{", "%(", "%{", "...", "…", "XXXX")
PLACEHOLDER_BRACKETS = frozenset(["<>", "{}", "[]", "()"])
MY_PLACEHOLDER = LazyPattern(r"my[_-]?(?:pass|secret|token|key|api)")
PLACEHOLDER_PATTERN = LazyPattern(r"\{\w*\}|%\w+%|[*•]{3}|[x#]{4}")


def is_password(value: str, *, quoted: bool) -> bool:
    """Say whether the value of a password field is a password."""
    if len(value) < SHORTEST_PASSWORD or _is_plain(value):
        return False
    digit, lower, upper, sign = _character_classes(value)
    if quoted:
        return (digit or sign) and not WEAK_VALUE.match(value)
    if not digit or not (lower or upper):
        return False
    is_name = NAME_IN_CODE.match(value) and (WEAK_VALUE.match(value) or "_" in value)
    return sign or upper or not is_name


def is_numeric_code(value: str) -> bool:
    """Say whether the value of a password field is a code of digits."""
    return value.isdecimal() and SHORTEST_PASSWORD <= len(value) <= LONGEST_CODE


def is_token(value: str, *, quoted: bool) -> bool:
    """Say whether the value of a token or secret field is a token."""
    if len(value) < SHORTEST_TOKEN or _is_plain(value) or WEAK_VALUE.match(value):
        return False
    digit, lower, upper, _ = _character_classes(value)
    if len(value) >= SHORTEST_MIX and lower and upper and _alternates_case(value):
        return True
    if not digit or not (lower or upper):
        return False
    if len(value) >= SHORTEST_BARE_TOKEN:
        return _entropy_bits(value) >= LEAST_BITS
    return quoted and _entropy_bits(value) >= LEAST_BITS_SHORT


def is_key(value: str) -> bool:
    """Say whether the value of a bare "key" is a key: it must look like nothing else."""
    digit, lower, upper, _ = _character_classes(value)
    if len(value) < SHORTEST_KEY or not (digit and lower and upper) or _is_plain(value):
        return False
    is_mixed = UNBROKEN_VALUE.fullmatch(value) is not None and _alternates_case(value)
    return is_mixed and _entropy_bits(value) >= LEAST_BITS


def is_cut_short(text: str, end: int) -> bool:
    """Say whether somebody has cut the secret off already: `xoxp-12-###`, `ghp_ab...`."""
    return text.startswith(("...", "…", "***", "###", "xxx", "XXX"), end)


def _is_plain(value: str) -> bool:
    """Say whether a value is words, a number, a path, a name in code or a placeholder."""
    if value.split() != [value]:
        return True
    plain = PLAIN_WORDS.match(value) and not _alternates_case(value)
    return bool(
        plain or PLAIN_NUMBER.match(value) or PLAIN_PATH.search(value) or is_placeholder(value)
    )


def _character_classes(value: str) -> tuple[bool, bool, bool, bool]:
    """Say whether a value has digits, small letters, capitals and signs."""
    if value.isascii():
        return (
            not _DIGITS.isdisjoint(value),
            value != value.upper(),
            value != value.lower(),
            not _NAME_CHARACTERS.issuperset(value),
        )
    return (
        any(character.isdigit() for character in value),
        any(character.islower() for character in value),
        any(character.isupper() for character in value),
        any(not character.isalnum() and character not in "_-./:" for character in value),
    )


def _alternates_case(value: str) -> bool:
    """Say whether capitals and small letters alternate more than in names."""
    if value.isascii():
        letters = value.translate(_CASE_TABLE)
    else:
        letters = "".join(
            "A" if character.isupper() else "a" for character in value if character.isalpha()
        )
    return (letters.count("aA") + letters.count("Aa")) * 3 >= len(letters) > 0


def _entropy_bits(value: str) -> float:
    """Return the text's entropy in bits per character."""
    shares = [value.count(character) / len(value) for character in set(value)]
    return -sum(share * log2(share) for share in shares)


def is_placeholder(value: str) -> bool:
    """Say whether a value only stands for a secret."""
    low = value.lower()
    return (
        len(set(value)) <= FEWEST_DISTINCT_CHARACTERS
        or low in PLACEHOLDER_WORDS
        or low.startswith(PLACEHOLDER_STARTS)
        or low.endswith("here")
        or value[:1] + value[-1:] in PLACEHOLDER_BRACKETS
        or any(part in value for part in PLACEHOLDER_SIGNS)
        or any(word in low for word in PLACEHOLDER_PARTS)
        or ("my" in low and MY_PLACEHOLDER.search(low) is not None)
        or PLACEHOLDER_PATTERN.search(value) is not None
        or _repeats_letter(value)
    )


def _repeats_letter(value: str) -> bool:
    """Say whether one letter repeats many times in a row; `A` does in base64."""
    letters = (letter for letter in set(value) if letter.isalpha() and letter != "A")
    return any(letter * REPEATED_LETTERS in value for letter in letters)
