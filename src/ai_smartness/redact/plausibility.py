"""Judge whether a value is a secret, a placeholder for one, or plain words.

Hashes and ids look as random as keys. Here a name has already said that the value is a secret,
so it only needs to be distinguished from `YOUR_API_KEY`, `xxxx`, `${VAR}` and ordinary words. How
far a name is trusted depends on where the value stands: `password = "sunflower"` assigns a
password, `password: sunflower seeds` may not.
"""

from math import log2

from ai_smartness.redact.names import PASSWORD_WORDS
from ai_smartness.text.lazy_pattern import LazyPattern

__all__ = [
    "LIMITS",
    "SHORTEST_PASSWORD",
    "Limits",
    "is_cut_short",
    "is_key",
    "is_masked",
    "is_mixed",
    "is_numeric_code",
    "is_passphrase",
    "is_password",
    "is_placeholder",
    "is_random",
    "is_token",
    "is_trusted_password",
]

SHORTEST_PASSWORD = 6
LONGEST_CODE = 12
SHORTEST_TOKEN = 8
SHORTEST_BARE_TOKEN = 12
SHORTEST_KEY = 14
SHORTEST_MIX = 20  # from this length on, a random mix of capitals and small letters is enough
SHORTEST_RANDOM_LETTERS = 8
FEWEST_PASSPHRASE_WORDS = 3


class Limits:
    """The limits that `scripts/bench redaction` chooses on two sources and tries on the third."""

    __slots__ = ("common_pairs", "format_bits", "short_token_bits", "token_bits")

    def __init__(
        self,
        token_bits: float = 3.0,
        short_token_bits: float = 2.75,
        format_bits: float = 2.5,
        common_pairs: float = 0.6,
    ) -> None:
        self.token_bits = token_bits
        """Entropy per character of a token: random text has more, words and numbers have less."""
        self.short_token_bits = short_token_bits
        self.format_bits = format_bits
        """The same for a secret of a known format; less is an example such as `ghp_aaaa1111`."""
        self.common_pairs = common_pairs
        """Share of common letter pairs, below which letters are random: words have more."""


LIMITS = Limits()

PLAIN_WORDS = LazyPattern(
    r"[A-Za-z]*(?:[ _\-./:@](?:v?\d{1,4}(?![A-Za-z0-9])|[A-Za-z]*))*+[.:,?;!]*\Z"
)
PLAIN_NUMBER = LazyPattern(r"(?:0x[0-9A-Fa-f]{1,16}|[\d.,:/_+eE%\-]*+[a-zA-Z%]{0,3})\Z")
PLAIN_PATH = LazyPattern(
    r"^(?:[~.]{0,2}/|[A-Za-z]:[\\/]|[a-z][a-z0-9+.\-]{0,20}://|arn:)|\.[a-z]{1,4}(?::\d+)?$|::|^@"
)
NAME_IN_CODE = LazyPattern(r"[A-Za-z_][A-Za-z]*(?:[_.\-][A-Za-z]+)*_?\d{0,2}\Z")
CAMEL_CASE = LazyPattern(r"[A-Za-z][a-z]+(?:[A-Z][a-z]+)+\Z")
CAMEL_CASE_NAME = LazyPattern(r"[A-Za-z][a-z]*(?:[A-Z][a-z]{2,}|V?\d{1,3}(?![a-z]))+\Z")
CAMEL_CASE_PATH = LazyPattern(r"[A-Z]?[a-z]+(?:[A-Z][a-z]+)*(?:\.[A-Z]?[a-z]+(?:[A-Z][a-z]+)*)+\Z")
CODE_REFERENCE = LazyPattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z|[A-Z]+(?:_[A-Z]+)+\Z")
STEM_IN_REFERENCE = LazyPattern(r"(?i)key|token|secret|pass|auth|cred")
WEAK_VALUE = LazyPattern(
    r"(?i)(?:(?:test|pass|password|passwd|pwd|secret|token|user|admin|root|value|param|field|input"
    r"|bcrypt|argon|step|line|page|item|fake|demo|guest)\w{0,9}?|(?:foo|bar|new|old|my|arg|key|utf"
    r"|sha|md|v)(?:[_-]\w{0,9}?)?)\d{0,4}\Z"
)
WEAK_PASSWORD = LazyPattern(
    r"(?:test|pass|user|admin|root|value|param|field|input|fake|demo|guest|foo|bar|new|old|my)"
    r"(?:[_-]?[a-z]{0,8})?\d{0,2}\Z"
)
VERSION = LazyPattern(r"(?:[\^~]|[<>=]=?)?v?\d+(?:\.\d+){1,3}(?:[-+.][A-Za-z0-9.+\-]*)?\Z")
TYPE_NAME = LazyPattern(r"(?i)(?:u?int|float|big(?:u?int)?)\d{1,3}(?:array|_t)?\Z")
LETTERS = LazyPattern(r"[A-Za-z]{8,}")
UNBROKEN_VALUE = LazyPattern(r"[A-Za-z0-9+/_\-]+={0,2}")

_DIGITS = frozenset("0123456789")
_NAME_CHARACTERS = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-./:")
_CASE_TABLE = {
    code: "A" if chr(code).isupper() else "a" if chr(code).islower() else None
    for code in range(128)
}

FEWEST_DISTINCT_CHARACTERS = 3
REPEATED_LETTERS = 6

COMMON_PAIRS = (
    "ab ac ad ag ai ak al am an ap ar as at au av ay ba be bi bl bo br bs bu ca ce ch ci ck cl co "
    "cr ct cu da dd de di dl do dr ds du ea ec ed ee ef eg ei el em en ep eq er es et ev ew ex fa "
    "fe ff fi fl fo ga ge gh gi gn gr gs gu ha he hi ho hr ht ia ib ic id ie if ig il im in io ip "
    "ir is it iv je ke ki ks la ld le li ll lo ls lt lu ly ma mb me mi mm mo mp na nc nd ne ng ni "
    "nk nn no ns nt nu nv oa oc od og oi ok ol om on oo op or os ot ou ov ow pa pe pi pl po pp pr "
    "ps pt pu qu ra rc rd re rg ri rk rm rn ro rr rs rt ru rv ry sa sc se sh si sl so sp ss st su "
    "ta tc te th ti tl to tr ts tt tu ty ub uc ue ui ul um un up ur us ut va ve vi wa we wi wo xp "
    "xt yp ze"
)
"""The 220 commonest pairs of letters in our own documentation and source: 92 % of all pairs there.
Of random words of eleven letters, 90 % have fewer than 0.6 of such pairs; of ours, 1 %."""

ORDINARY_VALUES = (
    " "
    "string str text bytes bytestring char varchar nvarchar binary blob bool boolean int "
    "integer number float double object array list dict map any void optional enum struct "
    "undefined nullable default unknown symbol required mandatory hidden visible masked "
    "missing invalid incorrect wrong correct expired revoked encrypted decrypted plaintext "
    "hashed unset empty blank disabled enabled generated automatic random unchanged changed "
    "updated created deleted removed ignored omitted skipped provided supplied stored saved "
    "loaded rotated refreshed verified validated accepted rejected denied granted prompt "
    "interactive manual external internal public private secure insecure strong medium strict "
    "loose simple basic custom standard header headers cookie cookies bearer body query param "
    "params session storage memory local remote global system service server client account "
    "username email never always sometimes readonly writable keychain keyring vault bitwarden "
    "return await async function lambda class import export const static final super else elif "
    "while raise throw catch except finally this self result response request config settings "
    "options environment variable constant "
)
"""Words that follow the name of a password without being one."""

STEMS_IN_VALUES = (
    *("passw", "passwd", "passphrase", "pwd", "secret", "token", "credential", "apikey", "api_key"),
    *(word for word in PASSWORD_WORDS if len(word) >= SHORTEST_PASSWORD),
)
PLACEHOLDER_PARTS = (
    *("example", "placeholder", "your", "insert", "changeme", "change_me", "change-me", "dummy"),
    *("sample", "redacted", "replace", "abcdefghijklmnopqrstuvwxyz", "123456789012345", "todo"),
    *("undefined", "environ", "process.env", "getenv", "getpass", "a-za-z", "a-z0-9"),
)
PLACEHOLDER_WORDS = frozenset(
    [
        *("none", "null", "nil", "true", "false", "test", "string", "password", "secret", "token"),
        *("foo", "bar", "baz", "pass", "pwd", "foobar", "changeit", "xxxxxx"),
    ]
)
PLACEHOLDER_STARTS = (
    *("os.", "env.", "self.", "this.", "config.", "settings.", "var.", "local.", "data.", "%s"),
    *("module.", "process.", "secrets.", "values.", "op://", "vault:", "sm://"),
)
PLACEHOLDER_SIGNS = ("...", "…", "XXXX", "****", "••••")
PLACEHOLDER_BRACKETS = frozenset(["<>", "{}", "[]", "()"])
MY_PLACEHOLDER = LazyPattern(r"my[_-]?(?:pass|secret|token|key|api)")
PLACEHOLDER_PATTERN = LazyPattern(
    r"\$\{[^{}]*\}|\{\{[^{}]*\}\}|\$\([^()]*\)|%[({]\w+[)}]|\A\$[\w.:\->\[\]'\"]+\Z|\{\w*\}"
    r"|\A%\w+%\Z|[*•]{3}|[x#]{4}|\A@\w+@\Z|\A#\{[^{}]*\}\Z"
)


def is_trusted_password(value: str, *, quoted: bool) -> bool:
    """Say whether a value is a password that clearly is assigned to the name of one."""
    if len(value) < SHORTEST_PASSWORD or is_placeholder(value) or not _is_one_word(value):
        return False
    low = value.lower()
    plain = PLAIN_NUMBER.match(value) or PLAIN_PATH.search(value) or VERSION.match(value)
    if plain or WEAK_PASSWORD.match(low):
        return False
    if f" {low} " in ORDINARY_VALUES or any(stem in low for stem in STEMS_IN_VALUES):
        return False
    if not quoted and (CODE_REFERENCE.match(value) or CAMEL_CASE.match(value)):
        return False
    digit, _, _, sign = _character_classes(value)
    if digit or sign:
        return True
    return value.isascii() and (value.isalpha() or is_passphrase(value))


def is_passphrase(value: str) -> bool:
    """Say whether a value is several words: `copper-violin-marble`."""
    words = value.replace("_", "-").split("-")
    return len(words) >= FEWEST_PASSPHRASE_WORDS and all(map(str.isalpha, words))


def is_password(value: str) -> bool:
    """Say whether a value near the name of a password is one, wherever it stands."""
    if len(value) < SHORTEST_PASSWORD or _is_plain(value):
        return False
    digit, lower, upper, sign = _character_classes(value)
    if not digit or not (lower or upper):
        return False
    is_name = NAME_IN_CODE.match(value) and (WEAK_VALUE.match(value) or "_" in value)
    return sign or upper or not is_name


def is_mixed(value: str) -> bool:
    """Say whether a value mixes digits with letters of both cases or with signs, unlike a word."""
    digit, lower, upper, sign = _character_classes(value.rstrip(".,!?"))
    return digit and (lower or upper) and (sign or (lower and upper))


def is_numeric_code(value: str) -> bool:
    """Say whether the value of a password field is a code of digits."""
    return (
        value.isdecimal()
        and SHORTEST_PASSWORD <= len(value) <= LONGEST_CODE
        and len(set(value)) > FEWEST_DISTINCT_CHARACTERS
    )


def is_token(value: str, *, quoted: bool) -> bool:
    """Say whether the value of a token or secret field is a token."""
    if len(value) < SHORTEST_TOKEN or _is_name_in_code(value, quoted=quoted):
        return False
    if _is_plain(value):
        return len(value) >= SHORTEST_MIX and is_random(value) and not is_placeholder(value)
    digit, lower, upper, _ = _character_classes(value)
    if len(value) >= SHORTEST_MIX and lower and upper and _alternates_case(value):
        return True
    if not digit or not (lower or upper):
        return False
    if len(value) >= SHORTEST_BARE_TOKEN:
        return _entropy_bits(value) >= LIMITS.token_bits
    return quoted and _entropy_bits(value) >= LIMITS.short_token_bits


def _is_name_in_code(value: str, *, quoted: bool) -> bool:
    if WEAK_VALUE.match(value) or CAMEL_CASE_NAME.match(value) or CAMEL_CASE_PATH.match(value):
        return True
    is_reference = not quoted and CODE_REFERENCE.match(value) is not None
    return is_reference and STEM_IN_REFERENCE.search(value) is not None


def is_key(value: str) -> bool:
    """Say whether the value of a bare "key" is a key: it must look like nothing else."""
    digit, lower, upper, _ = _character_classes(value)
    if len(value) < SHORTEST_KEY or not (digit and lower and upper) or _is_plain(value):
        return False
    if CAMEL_CASE_NAME.match(value):
        return False
    is_mixed = UNBROKEN_VALUE.fullmatch(value) is not None and _alternates_case(value)
    return is_mixed and _entropy_bits(value) >= LIMITS.token_bits


def is_random(value: str) -> bool:
    """Say whether letters follow each other as they do in no word."""
    low = value.lower()
    if len(value) < SHORTEST_RANDOM_LETTERS or not (low.isascii() and low.isalpha()):
        return False
    common = sum(low[at : at + 2] in COMMON_PAIRS for at in range(len(low) - 1))
    return common < LIMITS.common_pairs * (len(low) - 1)


def is_cut_short(text: str, end: int) -> bool:
    """Say whether somebody has cut the secret off already: `xoxp-12-###`, `ghp_ab...`."""
    return text.startswith(("...", "…", "***", "###", "xxx", "XXX"), end)


def is_masked(value: str) -> bool:
    """Say whether a key of a known format only shows the format: `ghp_xxxx`, `AKIA…EXAMPLE`."""
    low = value.lower()
    return (
        _entropy_bits(value) < LIMITS.format_bits
        or any(word in low for word in PLACEHOLDER_PARTS)
        or any(part in value for part in PLACEHOLDER_SIGNS)
        or "xxxx" in low
        or _repeats_letter(value)
        or _is_mostly_words(value)
    )


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


def _is_one_word(value: str) -> bool:
    return value.split() == [value]


def _is_plain(value: str) -> bool:
    """Say whether a value is words, a number, a path, a name in code or a placeholder."""
    if not _is_one_word(value):
        return True
    plain = PLAIN_WORDS.match(value) and not _alternates_case(value)
    return bool(
        plain
        or PLAIN_NUMBER.match(value)
        or PLAIN_PATH.search(value)
        or VERSION.match(value)
        or TYPE_NAME.match(value)
        or is_placeholder(value)
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


def _is_mostly_words(value: str) -> bool:
    """Say whether most of a key is one run of letters that reads like words."""
    longest = max((run[0] for run in LETTERS.finditer(value)), key=len, default="")
    return len(longest) >= SHORTEST_MIX and len(longest) * 2 > len(value) and not is_random(longest)


def _repeats_letter(value: str) -> bool:
    """Say whether one letter repeats many times in a row; `A` does in base64."""
    letters = (letter for letter in set(value) if letter.isalpha() and letter != "A")
    return any(letter * REPEATED_LETTERS in value for letter in letters)
