"""Say what sorts of secrets a text may have, at the cost of looking for some letters.

In doubt it is suspected: only then are the rules asked, and regular expressions loaded, which
take as long as Python itself. Only the rules that something speaks for are asked.

Say which surroundings of secrets a text has: URLs, headers, commands; by letters alone.
"""

from ai_smartness.redact.formats import DOTTED, FORMATS, HIDDEN, VENDORS

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    Format = tuple[str, int, str, str]

__all__ = ["SECRET_NAMES", "SecretClues", "find_clues", "may_be_secret_field", "suspected_shapes"]


SECRET_NAMES = (
    *("pass", "pw", "swd", "swrd", "secret", "token", "key", "auth", "cred", "salt", "bearer"),
    *("otp", "jwt", "api", "contraseña", "senha", "пароль", "密码", "密碼", "パスワード"),
    *("비밀번호", "암호"),
)
"""What is in the name of everything that is assigned a secret."""

SHORTEST_FORMAT_CHARACTERS = 14
"""No secret of a known format is shorter; in ordinary words so many stand seldom in a row."""

LONG_RUN_CHARACTERS = 18
"""So many in a row may be a value, whatever they are."""

KEY_LINE_CHARACTERS = 64
KEY_FORMAT = (
    "private-key",
    28,
    "MII MHcCAQEE MIGHAgEA MC4CAQAwBQYDK2Vw b3BlbnNzaC1rZXktdjE LS0tLS1CRUdJTi",
    "",
)
"""How one that is all in one line begins."""

_NAME_TAIL = "_-."
_BEFORE_SIGN = " \t\"'`\\])>"
_ASSIGNMENT_SIGNS = tuple("=:,>|?!-")
_QUOTES = ("'", '"', "`", "&")
_VALUE_CHARACTERS = frozenset("0123456789!#$%&*+?@^~")
_LONGEST_NAME = 40
_VALUE_NEAR_CHARACTERS = 200
_NEAR_WORDS = 5
"""`token: str = Bearer …` has four before the value."""

_SHORTEST_VALUE = 6
_SHORTEST_VENDORS_KEY = 14
_DOTS = 2
_SEPARATORS = dict.fromkeys(map(ord, "/:,;=()[]{}<>\"'`|&?#\\@!$%^*~+"), " ")


class SecretClues:
    """What speaks for which rules.

    Neither a dataclass nor a named tuple: a hook would wait for them to be loaded.
    """

    __slots__ = ("blocks", "dotted", "formats", "hidden", "named", "shapes", "vendors")

    def __init__(self, text: str) -> None:
        low = text.lower()
        long = [word for word in text.split() if len(word) >= SHORTEST_FORMAT_CHARACTERS]
        joined = " ".join(long)
        self.formats = _formats_that_begin(long, joined)
        self.hidden = _formats_inside(long, joined) if long else []
        self.dotted = _is_dotted(long)
        self.blocks = "-----" in text or _may_be_key(long, joined)
        self.named = _has_value(text, long) and _has_named_value(low)
        self.shapes = suspected_shapes(text, low, named=self.named)
        self.vendors = (
            _vendors_with_keys(low) if long and not _KEY_DIGITS.isdisjoint(joined) else []
        )

    def __bool__(self) -> bool:
        return bool(
            self.formats
            or self.hidden
            or self.dotted
            or self.blocks
            or self.named
            or self.shapes
            or self.vendors
        )


def find_clues(text: str) -> SecretClues | None:
    """Return what speaks for secrets in a text; nothing if nothing does."""
    found = SecretClues(text)
    return found or None


def may_be_secret_field(name: str, value: str) -> bool:
    """Say whether a value may be a secret because of the name of its field."""
    if len(value) < _SHORTEST_VALUE or '"' in value or len(value.split()) != 1:
        return False
    low = name.lower()
    return any(each in low for each in SECRET_NAMES) or any(vendor in low for vendor, _ in VENDORS)


def _has_named_value(low: str) -> bool:
    """Say whether something is named like a secret and given a value, in lower case."""
    return any(_is_assigned(low, name) for name in [name for name in SECRET_NAMES if name in low])


def _formats_that_begin(words: "list[str]", joined: str) -> "list[Format]":
    """Return the formats of which one may begin in a word that is long enough."""
    if not words:
        return []
    if "\\" in joined or "[" in joined:
        # After a line break that is written out, or a colour, a secret may begin within a word.
        return [each for each in FORMATS if _has_letters(each, words, joined)]
    pieces = joined.encode("ascii", "replace").translate(_ALNUM_TABLE).split()
    begun = {piece[:_KEY_LETTERS] for piece in pieces} | {
        piece[:_SHORT_KEY_LETTERS] for piece in pieces
    }
    begun &= _BEGINNINGS.keys()
    found = dict.fromkeys(each for key in begun for each in _BEGINNINGS[key])
    return [each for each in found if _has_letters(each, words, joined)]


def _formats_inside(words: "list[str]", joined: str) -> "list[Format]":
    hinted = dict.fromkeys(each for letters, each in _HINTS if letters in joined)
    return [each for each in hinted if _has_letters(each, words, joined)]


_HINTS = [(letters, each) for each in HIDDEN for letters in each[2].split()]


def _has_letters(known: "Format", words: "list[str]", joined: str) -> bool:
    """Say whether letters of a format are in a word that is long enough."""
    for letters in known[2].split():
        if letters in joined:
            shortest = known[1]
            if any(len(word) >= shortest and letters in word for word in words):
                return True
    return False


_KEY_LETTERS, _SHORT_KEY_LETTERS = 3, 2
_ALNUM_TABLE = bytes(each if chr(each).isalnum() and each < 128 else 32 for each in range(256))  # noqa: PLR2004 - ASCII


_BASE64_TABLE = bytes(each if chr(each) in "+/" else _ALNUM_TABLE[each] for each in range(256))


def _formats_by_beginning() -> "dict[bytes, list[Format]]":
    begun = dict[bytes, "list[Format]"]()
    for each in FORMATS:
        for start in each[2].split():
            key = start.encode().translate(_ALNUM_TABLE).split()[0][:_KEY_LETTERS]
            begun.setdefault(key, []).append(each)
    return begun


_BEGINNINGS = _formats_by_beginning()
"""The formats by the first letters of the words that they begin with."""


def _is_dotted(words: "list[str]") -> bool:
    _, shortest, _ = DOTTED
    longest = " ".join(word for word in words if len(word) >= shortest)
    parts = longest.translate(_SEPARATORS).split() if "." in longest else ()
    # A row of dots, as test runners print, has nothing between them.
    pieces = ([piece for piece in part.split(".") if piece] for part in parts)
    return any(len(each) > _DOTS and sum(map(len, each)) >= shortest - _DOTS for each in pieces)


def _may_be_key(words: "list[str]", joined: str) -> bool:
    """Say whether a word may be a line of a private key, or begin one that is in one line."""
    longest = " ".join(word for word in words if len(word) >= KEY_LINE_CHARACTERS)
    lines = longest.encode("ascii", "replace").translate(_BASE64_TABLE).split()
    if any(len(line) >= KEY_LINE_CHARACTERS and not line.islower() for line in lines):
        return True
    return _has_letters(KEY_FORMAT, words, joined)


def _has_value(text: str, long: "list[str]") -> bool:
    """Say whether any word is more than some letters: no secret found by its name is less."""
    return any(
        len(word) >= LONG_RUN_CHARACTERS for word in long
    ) or not _VALUE_CHARACTERS.isdisjoint(text)


def _is_assigned(low: str, name: str) -> bool:
    at = low.find(name)
    while at >= 0:
        if _may_assign(low, at, at + len(name)):
            return True
        at = low.find(name, at + 1)
    return False


def _may_assign(low: str, start: int, at: int) -> bool:
    """Say whether what stands at a place may be a value: after a sign, a word or a flag."""
    end = min(len(low), at + _LONGEST_NAME)
    while at < end and (low[at].isalnum() or low[at] in _NAME_TAIL):
        at += 1
    near = low[at : at + _VALUE_NEAR_CHARACTERS]
    return (
        (
            near.lstrip(_BEFORE_SIGN)[:1] in _ASSIGNMENT_SIGNS
            or near.startswith((" is", " was", " - ", "\\", ">"))
            or near[:3].strip()[:1] in _QUOTES
            # A flag of a command, a macro of C: `--password x`, `#define TOKEN x`.
            or "-" in low[max(0, start - 20) : start].rpartition(" ")[2]
            or "define" in low[max(0, start - 12) : start]
        )
        and any(map(_may_be_value, near.split(None, _NEAR_WORDS)[:_NEAR_WORDS]))
    )


def _may_be_value(word: str) -> bool:
    """Say whether a word is more than some letters."""
    if len(word) >= LONG_RUN_CHARACTERS:
        return True
    return len(word) >= _SHORTEST_VALUE and not _VALUE_CHARACTERS.isdisjoint(word)


def _vendors_with_keys(low: str) -> "list[str]":
    return [name for name, _ in VENDORS if name in low and _has_key_nearby(low, name)]


def _has_key_nearby(low: str, vendor: str) -> bool:
    """Say whether something as long as a key stands a few words after a service's name."""
    at = low.find(vendor)
    while at >= 0:
        at += len(vendor)
        words = low[at : at + _VALUE_NEAR_CHARACTERS].split(None, _NEAR_WORDS)[:_NEAR_WORDS]
        if any(
            len(word) >= _SHORTEST_VENDORS_KEY and not _KEY_DIGITS.isdisjoint(word)
            for word in words
        ):
            return True
        at = low.find(vendor, at)
    return False


_KEY_DIGITS = frozenset("0123456789:")


_HEADER_SIGNS = tuple(":=,")
_SHORTEST_BEARER = 16
_SHORTEST_BASIC = 12
_NEAR_CHARACTERS = 100
_SECRET_FIELDS = ("password", "passwd", "pwd", "token", "secret")


def suspected_shapes(text: str, low: str, *, named: bool) -> "list[str]":
    """Return the names of the shapes that may be in a text; it is given in lower case too.

    `named` says that something in it is named like a secret and given a value.
    """
    found = [letters for letters, claim in _SHAPE_CHECKS if letters in low and claim(text, low)]
    if named and "x-" in low:
        found.append("x-")
    return found


def _has_url_password(text: str, _low: str) -> bool:
    if "@" not in text:
        return False
    return any(
        ":" in word.partition("://")[2].rpartition("@")[0] for word in text.split() if "@" in word
    )


def _has_user_option(_text: str, low: str) -> bool:
    return "-u" in low


def _has_password_option(_text: str, low: str) -> bool:
    return "-p" in low


def _is_user_and_password(_text: str, low: str) -> bool:
    return "/pw" in low or "/pass" in low


def _has_password_clause(_text: str, low: str) -> bool:
    squeezed = " ".join(low.split())
    return any(f"{word} password " in squeezed for word in ("with", "login", "encrypted"))


def _has_identified_clause(_text: str, low: str) -> bool:
    squeezed = " ".join(low.split())
    return any(f"identified {word} " in squeezed for word in ("by", "with", "as"))


def _has_secret_field(_text: str, low: str) -> bool:
    return "name=" in low and any(name in low for name in _SECRET_FIELDS)


def _needs_nothing_else(_text: str, _low: str) -> bool:
    return True


def _has_header_value(_text: str, low: str) -> bool:
    """Say whether `authorization` is given anything."""
    return any(
        rest.lstrip(" \t\n\"'")[:1] in _HEADER_SIGNS
        for rest in _texts_after(low, "authorization", low)
    )


def _has_bearer_token(text: str, low: str) -> bool:
    return any(
        len(word) >= _SHORTEST_BEARER and any(each.isdigit() for each in word)
        for word in _words_after(text, "bearer", low)
    )


def _has_basic_credentials(text: str, low: str) -> bool:
    return any(
        len(word) >= _SHORTEST_BASIC and (not word[1:].islower() or not word.isalpha())
        for word in _words_after(text, "basic ", low)
    )


def _words_after(text: str, letters: str, low: str) -> "list[str]":
    return [words[0] for rest in _texts_after(text, letters, low) if (words := rest.split(None, 1))]


def _texts_after(text: str, letters: str, low: str) -> "list[str]":
    """Return what stands after each place where the letters are, some way on."""
    found, at = list[str](), low.find(letters)
    while at >= 0:
        at += len(letters)
        found.append(text[at : at + _NEAR_CHARACTERS])
        at = low.find(letters, at)
    return found


_SHAPE_CHECKS: "tuple[tuple[str, Callable[[str, str], bool]], ...]" = (
    ("://", _has_url_password),
    ("contribsys", _needs_nothing_else),
    ("curl", _has_user_option),
    ("mysql", _has_password_option),
    ("sshpass", _has_password_option),
    ("/p", _is_user_and_password),
    ("password", _has_password_clause),
    ("value=", _has_secret_field),
    ("identified", _has_identified_clause),
    ("securestring", _needs_nothing_else),
    ("authorization", _has_header_value),
    ("bearer", _has_bearer_token),
    ("basic ", _has_basic_credentials),
    ('"kty"', _needs_nothing_else),
)
"""What is in it, and what must be true besides."""
