"""Say what sorts of secrets a text may have, at the cost of looking for some letters.

In doubt it is suspected: only then are the rules asked, and regular expressions loaded, which
take as long as Python itself. Only the rules that something speaks for are asked.
"""

from ai_smartness.redact.formats import DOTTED, FORMATS, HIDDEN
from ai_smartness.redact.surroundings import suspected_shapes
from ai_smartness.redact.vendors import VENDORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    Format = tuple[str, int, str, str]

__all__ = ["NAMES", "Clues", "clues", "may_be_of"]

NAMES = (
    *("pass", "pw", "swd", "swrd", "secret", "token", "key", "auth", "cred", "salt", "bearer"),
    *("otp", "jwt", "api", "contraseña", "senha", "пароль", "密码", "密碼", "パスワード"),
    *("비밀번호", "암호"),
)
"""What is in the name of everything that is assigned a secret."""

SHORTEST_CHARACTERS = 14
"""No secret of a known format is shorter; in ordinary words so many stand seldom in a row."""

LONG_RUN_CHARACTERS = 18
"""So many in a row may be a value, whatever they are."""

KEY_LINE_CHARACTERS = 64
KEY = (
    "private-key",
    28,
    "MII MHcCAQEE MIGHAgEA MC4CAQAwBQYDK2Vw b3BlbnNzaC1rZXktdjE LS0tLS1CRUdJTi",
    "",
)
"""How one that is all in one line begins."""

_TAIL = "_-."
_BETWEEN = " \t\"'`\\])>"
_SIGNS = tuple("=:,>|?!-")
_QUOTES = ("'", '"', "`", "&")
_NO_LETTERS = frozenset("0123456789!#$%&*+?@^~")
_LONGEST_NAME = 40
_NEAR_CHARACTERS = 200
_NEAR_WORDS = 5
"""`token: str = Bearer …` has four before the value."""

_SHORTEST_VALUE = 6
_SHORTEST_VENDORS_KEY = 14
_DOTS = 2
_PARTING = dict.fromkeys(map(ord, "/:,;=()[]{}<>\"'`|&?#\\@!$%^*~+"), " ")


class Clues:
    """What speaks for which rules.

    Neither a dataclass nor a named tuple: a hook would wait for them to be loaded.
    """

    __slots__ = ("blocks", "dotted", "formats", "hidden", "named", "shapes", "vendors")

    def __init__(self, text: str) -> None:
        low = text.lower()
        long = [word for word in text.split() if len(word) >= SHORTEST_CHARACTERS]
        joined = " ".join(long)
        self.formats = _beginning(long, joined)
        self.hidden = _hiding(long, joined) if long else []
        self.dotted = _is_dotted(long)
        self.blocks = "-----" in text or _may_be_key(long, joined)
        self.named = _has_value(text, long) and _may_name(low)
        self.shapes = suspected_shapes(text, low, named=self.named)
        self.vendors = _vendors(low) if long and not _DIGITS.isdisjoint(joined) else []

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


def clues(text: str) -> Clues | None:
    """Return what speaks for secrets in a text; nothing if nothing does."""
    found = Clues(text)
    return found or None


def may_be_of(name: str, value: str) -> bool:
    """Say whether a value may be a secret because of the name of its field."""
    if len(value) < _SHORTEST_VALUE or '"' in value or len(value.split()) != 1:
        return False
    low = name.lower()
    return any(each in low for each in NAMES) or any(vendor in low for vendor, _ in VENDORS)


def _may_name(low: str) -> bool:
    """Say whether something is named like a secret and given a value, in lower case."""
    return any(_is_given(low, name) for name in [name for name in NAMES if name in low])


def _beginning(words: "list[str]", joined: str) -> "list[Format]":
    """Return the formats of which one may begin in a word that is long enough."""
    if not words:
        return []
    if "\\" in joined or "[" in joined:
        # After a line break that is written out, or a colour, a secret may begin within a word.
        return [each for each in FORMATS if _is_in(each, words, joined)]
    pieces = joined.encode("ascii", "replace").translate(_LETTERS).split()
    begun = {piece[:_KEY] for piece in pieces} | {piece[:_SHORT_KEY] for piece in pieces}
    begun &= _BEGINNINGS.keys()
    found = dict.fromkeys(each for key in begun for each in _BEGINNINGS[key])
    return [each for each in found if _is_in(each, words, joined)]


def _hiding(words: "list[str]", joined: str) -> "list[Format]":
    hinted = dict.fromkeys(each for letters, each in _HINTS if letters in joined)
    return [each for each in hinted if _is_in(each, words, joined)]


_HINTS = [(letters, each) for each in HIDDEN for letters in each[2].split()]


def _is_in(known: "Format", words: "list[str]", joined: str) -> bool:
    """Say whether letters of a format are in a word that is long enough."""
    for letters in known[2].split():
        if letters in joined:
            shortest = known[1]
            if any(len(word) >= shortest and letters in word for word in words):
                return True
    return False


_KEY, _SHORT_KEY = 3, 2
_LETTERS = bytes(each if chr(each).isalnum() and each < 128 else 32 for each in range(256))  # noqa: PLR2004 - ASCII


_BASE64 = bytes(each if chr(each) in "+/" else _LETTERS[each] for each in range(256))


def _begun() -> "dict[bytes, list[Format]]":
    begun = dict[bytes, "list[Format]"]()
    for each in FORMATS:
        for start in each[2].split():
            key = start.encode().translate(_LETTERS).split()[0][:_KEY]
            begun.setdefault(key, []).append(each)
    return begun


_BEGINNINGS = _begun()
"""The formats by the first letters of the words that they begin with."""


def _is_dotted(words: "list[str]") -> bool:
    _, shortest, _ = DOTTED
    longest = " ".join(word for word in words if len(word) >= shortest)
    parts = longest.translate(_PARTING).split() if "." in longest else ()
    # A row of dots, as test runners print, has nothing between them.
    pieces = ([piece for piece in part.split(".") if piece] for part in parts)
    return any(len(each) > _DOTS and sum(map(len, each)) >= shortest - _DOTS for each in pieces)


def _may_be_key(words: "list[str]", joined: str) -> bool:
    """Say whether a word may be a line of a private key, or begin one that is in one line."""
    longest = " ".join(word for word in words if len(word) >= KEY_LINE_CHARACTERS)
    lines = longest.encode("ascii", "replace").translate(_BASE64).split()
    if any(len(line) >= KEY_LINE_CHARACTERS and not line.islower() for line in lines):
        return True
    return _is_in(KEY, words, joined)


def _has_value(text: str, long: "list[str]") -> bool:
    """Say whether any word is more than some letters: no secret found by its name is less."""
    return any(len(word) >= LONG_RUN_CHARACTERS for word in long) or not _NO_LETTERS.isdisjoint(
        text
    )


def _is_given(low: str, name: str) -> bool:
    at = low.find(name)
    while at >= 0:
        if _gives(low, at, at + len(name)):
            return True
        at = low.find(name, at + 1)
    return False


def _gives(low: str, start: int, at: int) -> bool:
    """Say whether what stands at a place may be a value: after a sign, a word or a flag."""
    end = min(len(low), at + _LONGEST_NAME)
    while at < end and (low[at].isalnum() or low[at] in _TAIL):
        at += 1
    near = low[at : at + _NEAR_CHARACTERS]
    return (
        (
            near.lstrip(_BETWEEN)[:1] in _SIGNS
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
    return len(word) >= _SHORTEST_VALUE and not _NO_LETTERS.isdisjoint(word)


def _vendors(low: str) -> "list[str]":
    return [name for name, _ in VENDORS if name in low and _is_beside(low, name)]


def _is_beside(low: str, vendor: str) -> bool:
    """Say whether something as long as a key stands a few words after a service's name."""
    at = low.find(vendor)
    while at >= 0:
        at += len(vendor)
        words = low[at : at + _NEAR_CHARACTERS].split(None, _NEAR_WORDS)[:_NEAR_WORDS]
        if any(
            len(word) >= _SHORTEST_VENDORS_KEY and not _DIGITS.isdisjoint(word) for word in words
        ):
            return True
        at = low.find(vendor, at)
    return False


_DIGITS = frozenset("0123456789:")
