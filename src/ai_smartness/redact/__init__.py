"""Redact secrets from text before it is stored: keys, tokens, passwords, private key blocks.

A secret is replaced by `[redacted:kind]`; everything else stays, byte for byte. Redacting twice
is redacting once.

The hook redacts every text before it writes anything, and loading `re` takes as long as starting
Python. So the clues to secrets are looked for by letters alone. Only the rules that have a clue
run, and they are loaded then (`scan.py`); in doubt, a rule runs.
"""

from ai_smartness.redact.formats import DOTTED, FORMATS, HIDDEN, VENDORS
from ai_smartness.text.markers import redaction_mark

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Format = tuple[str, int, str, str]

__all__ = [
    "Secret",
    "SecretClues",
    "find_secrets",
    "letter_positions",
    "redacted_fields",
    "redacted_json",
    "redacted_text",
]

MOST_PASSES = 5
"""The text beside a secret may look like one after the redaction; hardly more than once."""

SHORTEST_TEXT_CHARACTERS = 6  # no secret is shorter
MOST_CLEAN_HASHES = 20_000

_clean_hashes = set[int]()
"""Hashes of texts without secrets: most texts are redacted several times on their way."""

SECRET_NAMES = (
    *("pass", "pw", "swd", "swrd", "secret", "token", "key", "auth", "cred", "salt", "bearer"),
    *("otp", "jwt", "api", "contraseña", "senha", "пароль", "密码", "密碼", "パスワード"),
    *("비밀번호", "암호"),
)
"""Every name that a secret is assigned to contains one of these."""

SHORTEST_FORMAT_CHARACTERS = 14
"""No secret of a known format is shorter, and few ordinary words are this long."""

LONG_RUN_CHARACTERS = 18  # a word this long may be a value, whatever its characters
KEY_LINE_CHARACTERS = 64
KEY_FORMAT = (
    "private-key",
    28,
    "MII MHcCAQEE MIGHAgEA MC4CAQAwBQYDK2Vw b3BlbnNzaC1rZXktdjE LS0tLS1CRUdJTi",
    "",
)
"""The beginnings of a private key that stands on one line."""

_NAME_TAIL = "_-."
_BEFORE_SIGN = " \t\"'`\\])>"
_ASSIGNMENT_SIGNS = tuple("=:,>|?!-")
_QUOTES = ("'", '"', "`", "&")
_VALUE_CHARACTERS = frozenset("0123456789!#$%&*+?@^~")
_LONGEST_NAME = 40
_VALUE_NEAR_CHARACTERS = 200
_NEAR_WORDS = 5  # `token: str = Bearer …` has four words before the value
_SHORTEST_VALUE = 6
_SHORTEST_VENDORS_KEY = 14
_SHORTEST_BEARER = 16
_SHORTEST_BASIC = 12
_CONTEXT_NEAR_CHARACTERS = 100
_DOTS = 2
_KEY_DIGITS = frozenset("0123456789:")
_HEADER_SIGNS = tuple(":=,")
_SECRET_FIELDS = ("password", "passwd", "pwd", "token", "secret")
_SEPARATORS = dict.fromkeys(map(ord, "/:,;=()[]{}<>\"'`|&?#\\@!$%^*~+"), " ")

_KEY_LETTERS, _SHORT_KEY_LETTERS = 3, 2
_ASCII_END = 128
_ALNUM_TABLE = bytes(
    code if chr(code).isalnum() and code < _ASCII_END else ord(" ") for code in range(256)
)
_BASE64_TABLE = bytes(code if chr(code) in "+/" else _ALNUM_TABLE[code] for code in range(256))

_LETTERS_INSIDE = [(letters, hidden) for hidden in HIDDEN for letters in hidden[2].split()]

_CONTEXT_LETTERS = (
    ("contribsys", ("",)),
    ("curl", ("-u",)),
    ("mysql", ("-p",)),
    ("sshpass", ("-p",)),
    ("/p", ("/pw", "/pass")),
    ("securestring", ("",)),
    ('"kty"', ("",)),
)
"""The letters of a context (see `context.py`), and others of which one must be there too."""

_CONTEXT_PHRASES = (
    ("password", ("with password ", "login password ", "encrypted password ")),
    ("identified", ("identified by ", "identified with ", "identified as ")),
)
"""The same, with whole words that any white space may separate."""


def redacted_text(text: str) -> str:
    """Return the text with its secrets redacted."""
    if len(text) < SHORTEST_TEXT_CHARACTERS or hash(text) in _clean_hashes:
        return text
    for _ in range(MOST_PASSES):
        secrets = find_secrets(text)
        if not secrets:
            if len(_clean_hashes) >= MOST_CLEAN_HASHES:
                _clean_hashes.clear()
            _clean_hashes.add(hash(text))
            break
        text = _replace_secrets(text, secrets)
    return text


def redacted_json(value: object) -> object:
    """Return a JSON value with its secrets redacted at any depth; field names stay."""
    match value:
        case str():
            return redacted_text(value)
        case list() | tuple():
            return [redacted_json(item) for item in value]
        case dict():
            return redacted_fields(value)
    return value


def redacted_fields(fields: "dict[str, object]") -> "dict[str, object]":
    """Return a JSON object with its secrets redacted; field names stay."""
    return {name: _redacted_field(name, value) for name, value in fields.items()}


def find_secrets(text: str) -> "list[Secret]":
    """Return the secrets of a text, from first to last, without overlaps."""
    clues = SecretClues(text)
    if not clues:
        return []
    from ai_smartness.redact.scan import scan_text

    return scan_text(text, clues)


def _redacted_field(name: str, value: object) -> object:
    """Redact the value of a field, also because of its name: `{"password": "…"}`."""
    clean = redacted_json(value)
    if not isinstance(clean, str) or not _may_be_secret_field(name, clean):
        return clean
    start = f'"{name}": "'
    whole = redacted_text(f'{start}{clean}"')
    return whole[len(start) : -1] if whole.startswith(start) and whole.endswith('"') else clean


def _replace_secrets(text: str, secrets: "list[Secret]") -> str:
    pieces, end = list[str](), 0
    for secret in secrets:
        pieces += [text[end : secret.start], redaction_mark(secret.kind)]
        end = secret.end
    return "".join([*pieces, text[end:]])


class Secret:
    """A secret in a text: its kind and its span.

    Neither a dataclass nor a named tuple: the hook would wait for their modules.
    """

    __slots__ = ("end", "kind", "start")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind = kind
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Secret({self.kind!r}, {self.start}, {self.end})"


class SecretClues:
    """The rules that have a reason to run on a text.

    Neither a dataclass nor a named tuple: the hook would wait for their modules.
    """

    __slots__ = ("blocks", "contexts", "dotted", "formats", "hidden", "named", "vendors")

    def __init__(self, text: str) -> None:
        low = text.lower()
        long = [word for word in text.split() if len(word) >= SHORTEST_FORMAT_CHARACTERS]
        joined = " ".join(long)
        has_digits = not _KEY_DIGITS.isdisjoint(joined)
        self.formats = _formats_that_begin(long, joined) if long else []
        inside = (known for letters, known in _LETTERS_INSIDE if letters in joined)
        self.hidden = [
            known for known in dict.fromkeys(inside) if _has_letters(known, long, joined)
        ]
        self.dotted = _is_dotted(long)
        self.blocks = "-----" in text or _may_be_key(long, joined)
        # The value of a name has more than a few letters.
        has_value = any(len(word) >= LONG_RUN_CHARACTERS for word in long)
        has_value = has_value or not _VALUE_CHARACTERS.isdisjoint(text)
        self.named = has_value and _has_named_value(low)
        self.contexts = _suspected_contexts(text, low, named=self.named)
        self.vendors = (
            [name for name, _ in VENDORS if name in low and _has_key_nearby(low, name)]
            if has_digits
            else []
        )

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)


def _may_be_secret_field(name: str, value: str) -> bool:
    """Say whether a value may be a secret because of the name of its field."""
    if len(value) < _SHORTEST_VALUE or '"' in value or len(value.split()) != 1:
        return False
    low = name.lower()
    return any(part in low for part in SECRET_NAMES) or any(vendor in low for vendor, _ in VENDORS)


def letter_positions(text: str, letters: str) -> "Iterator[int]":
    """Yield every position of the letters in a text."""
    position = text.find(letters)
    while position >= 0:
        yield position
        position = text.find(letters, position + 1)


def _formats_that_begin(words: "list[str]", joined: str) -> "list[Format]":
    """Return the formats whose letters begin a word that is long enough."""
    if "\\" in joined or "[" in joined:
        # After an escaped line break or a colour, a secret may begin within a word.
        return [known for known in FORMATS if _has_letters(known, words, joined)]
    pieces = joined.encode("ascii", "replace").translate(_ALNUM_TABLE).split()
    beginnings = {piece[:size] for piece in pieces for size in (_KEY_LETTERS, _SHORT_KEY_LETTERS)}
    # Sorted, so that overlapping formats are reported the same in every process.
    known_beginnings = sorted(beginnings & _FORMATS_BY_BEGINNING.keys())
    formats = dict.fromkeys(
        known for key in known_beginnings for known in _FORMATS_BY_BEGINNING[key]
    )
    return [known for known in formats if _has_letters(known, words, joined)]


def _has_letters(known: "Format", words: "list[str]", joined: str) -> bool:
    _, shortest, alternatives, _ = known
    return any(
        letters in joined and any(len(word) >= shortest and letters in word for word in words)
        for letters in alternatives.split()
    )


def _formats_by_beginning() -> "dict[bytes, list[Format]]":
    """Return the formats by the first letters of their first words."""
    formats = dict[bytes, "list[Format]"]()
    for known in FORMATS:
        for beginning in known[2].split():
            key = beginning.encode().translate(_ALNUM_TABLE).split()[0][:_KEY_LETTERS]
            formats.setdefault(key, []).append(known)
    return formats


_FORMATS_BY_BEGINNING = _formats_by_beginning()


def _is_dotted(words: "list[str]") -> bool:
    _, shortest, _ = DOTTED
    longest = " ".join(word for word in words if len(word) >= shortest)
    runs = longest.translate(_SEPARATORS).split() if "." in longest else ()
    # A row of dots, as test runners print, has nothing between them.
    split_runs = ([part for part in run.split(".") if part] for run in runs)
    return any(
        len(parts) > _DOTS and sum(map(len, parts)) >= shortest - _DOTS for parts in split_runs
    )


def _may_be_key(words: "list[str]", joined: str) -> bool:
    """Say whether a word may be a line of a private key, or a whole key on one line."""
    longest = " ".join(word for word in words if len(word) >= KEY_LINE_CHARACTERS)
    lines = longest.encode("ascii", "replace").translate(_BASE64_TABLE).split()
    if any(len(line) >= KEY_LINE_CHARACTERS and not line.islower() for line in lines):
        return True
    return _has_letters(KEY_FORMAT, words, joined)


def _has_named_value(low: str) -> bool:
    """Say whether something has the name of a secret and a value, in lower case."""
    return any(
        _may_assign(low, position, position + len(name))
        for name in SECRET_NAMES
        for position in letter_positions(low, name)
    )


def _may_assign(low: str, start: int, end: int) -> bool:
    """Say whether a value may follow a name: after a sign, a word or a flag."""
    limit = min(len(low), end + _LONGEST_NAME)
    while end < limit and (low[end].isalnum() or low[end] in _NAME_TAIL):
        end += 1
    near = low[end : end + _VALUE_NEAR_CHARACTERS]
    return (
        (
            near.lstrip(_BEFORE_SIGN)[:1] in _ASSIGNMENT_SIGNS
            or near.startswith((" is", " was", " - ", "\\", ">"))
            or near[:3].strip()[:1] in _QUOTES
            # A flag of a command, a macro in C: `--password x`, `#define TOKEN x`.
            or "-" in low[max(0, start - 20) : start].rpartition(" ")[2]
            or "define" in low[max(0, start - 12) : start]
        )
        and any(map(_may_be_value, near.split(None, _NEAR_WORDS)[:_NEAR_WORDS]))
    )


def _may_be_value(word: str) -> bool:
    if len(word) >= LONG_RUN_CHARACTERS:
        return True
    return len(word) >= _SHORTEST_VALUE and not _VALUE_CHARACTERS.isdisjoint(word)


def _has_key_nearby(low: str, vendor: str) -> bool:
    """Say whether a word as long as a key follows a few words after a service's name."""
    return any(
        len(word) >= _SHORTEST_VENDORS_KEY and not _KEY_DIGITS.isdisjoint(word)
        for near in _texts_after(low, vendor, low, _VALUE_NEAR_CHARACTERS)
        for word in near.split(None, _NEAR_WORDS)[:_NEAR_WORDS]
    )


def _suspected_contexts(text: str, low: str, *, named: bool) -> "list[str]":
    """Return the letters of the contexts that may hold a secret; `named` as in the clues."""
    contexts = [
        letters
        for letters, others in _CONTEXT_LETTERS
        if letters in low and any(other in low for other in others)
    ]
    for letters, phrases in _CONTEXT_PHRASES:
        if letters in low:
            squeezed = " ".join(low.split())
            contexts += [letters] * any(phrase in squeezed for phrase in phrases)
    checks = (
        ("x-", named),
        ("://", "://" in text and "@" in text and _has_url_password(text)),
        ("value=", "name=" in low and any(field in low for field in _SECRET_FIELDS)),
        ("authorization", _has_header_value(low)),
        ("bearer", _has_bearer_token(text, low)),
        ("basic ", _has_basic_credentials(text, low)),
    )
    return contexts + [letters for letters, is_suspect in checks if is_suspect and letters in low]


def _has_url_password(text: str) -> bool:
    words = (word for word in text.split() if "@" in word)
    return any(":" in word.partition("://")[2].rpartition("@")[0] for word in words)


def _has_header_value(low: str) -> bool:
    return any(
        rest.lstrip(" \t\n\"'")[:1] in _HEADER_SIGNS
        for rest in _texts_after(low, "authorization", low)
    )


def _has_bearer_token(text: str, low: str) -> bool:
    return any(
        len(word) >= _SHORTEST_BEARER and any(character.isdigit() for character in word)
        for rest in _texts_after(text, "bearer", low)
        for word in rest.split(None, 1)[:1]
    )


def _has_basic_credentials(text: str, low: str) -> bool:
    return any(
        len(word) >= _SHORTEST_BASIC and (not word[1:].islower() or not word.isalpha())
        for rest in _texts_after(text, "basic ", low)
        for word in rest.split(None, 1)[:1]
    )


def _texts_after(
    text: str, letters: str, low: str, characters: int = _CONTEXT_NEAR_CHARACTERS
) -> "Iterator[str]":
    """Yield the text after each occurrence of the letters, which are in lower case."""
    for position in letter_positions(low, letters):
        start = position + len(letters)
        yield text[start : start + characters]
