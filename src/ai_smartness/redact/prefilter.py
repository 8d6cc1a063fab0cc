"""Decide by letters alone which rules have a reason to run on a text.

The hook redacts every text before it writes anything, and loading `re` takes as long as starting
Python. So the clues to secrets are looked for without regular expressions; in doubt, a rule runs.
The table of services is read only for a text with a word that may be a key.
"""

from ai_smartness.redact.names import NAME_STEMS, PASSWORD_WORDS

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ai_smartness.redact.formats import Format

__all__ = [
    "COMMAND_MARKS",
    "SHORTEST_VALUE",
    "TELLING_WORDS",
    "SecretClues",
    "letter_positions",
    "may_name_secret",
]

SHORTEST_VALUE = 6

SHORTEST_FORMAT_CHARACTERS = 14
"""No secret of a known format is shorter, and few ordinary words are this long."""

LONG_RUN_CHARACTERS = 18  # a word this long may be a value, whatever its characters
KEY_LINE_CHARACTERS = 64
KEY_FORMAT = (
    "private-key",
    28,
    ["MII", "MHcCAQEE", "MIGHAgEA", "MC4CAQAwBQYDK2Vw", "b3BlbnNzaC1rZXktdjE", "LS0tLS1CRUdJTi"],
    "",
)
"""The beginnings of a private key that stands on one line."""

_STRONG_STEMS = frozenset(("pass", "pw", "psk", "secret", *PASSWORD_WORDS))
"""Stems of names whose value may be letters only."""

_NAME_TAIL = "_-."
_BEFORE_SIGN = " \t\"'`\\])>*_"
_ASSIGNMENT_SIGNS = tuple("=:,>|│┃?!-(%：＝是为為は는은")
_COPULAS = (
    *(" is", " was", " are", " - ", "\\", ">", " es ", " è ", " é ", " est ", " ist "),
    *(
        " lautet",
        " är ",
        " er ",
        " jest ",
        " это ",
        " to ",
        " should be ",
        " must be ",
        " will be ",
    ),
    *(
        " set to ",
        " changed to ",
        " reset to ",
        " as string",
        " (",
        " for ",
        " of ",
        " on ",
        " pour ",
    ),
    *(" für ", " para ", " de ", " от ", " від ", "\n", "\r"),
)
TELLING_WORDS = (
    *("is", "was", "to", "lautet", "ist", "es", "est", "c'est", "è", "é", "är", "er", "jest"),
    "это",
)
"""Words before a password in a sentence."""

_TOLD_WORDS = 10  # the words after "password" among which a sentence has its value
_QUOTES = tuple("'\"`&“„«‹「『")
_SETTERS = ("env ", "arg ", "setx ", "set -", "export ", "define")
_VALUE_CHARACTERS = frozenset("0123456789!#$%&*+?@^~")
_LONGEST_NAME = 40
_VALUE_NEAR_CHARACTERS = 200
_NEAR_WORDS = 5  # `token: str = Bearer …` has four words before the value
_SHORTEST_VENDORS_KEY = 14
_SHORTEST_BEARER = 16
_SHORTEST_BASIC = 12
_CONTEXT_NEAR_CHARACTERS = 100
_DOTS = 2
_KEY_DIGITS = frozenset("0123456789:")
_HEADER_SIGNS = tuple(":=,")
_NOT_BASE64 = dict.fromkeys(map(ord, ":,;=()[]{}<>\"'`|&?#\\@!$%^*~._-"), " ")
_SEPARATORS = dict.fromkeys(map(ord, "/:,;=()[]{}<>\"'`|&?#\\@!$%^*~+"), " ")

_CALLS = (
    *("ftp(", "smtp(", "imap("),
    *("login(", "auth(", "auth=(", "connect(", "connection(", "credential(", "credentials("),
    *("credentials.new(", "pdo("),
)

_LOGIN_WORDS = (
    *("login", "log in", "sign in", "credentials", "zugangsdaten", "anmeldedaten", "identifiants"),
    *("credenciales", "credenziali", "inloggegevens"),
)

_CONTEXT_LETTERS = (
    ("contribsys", ("",)),
    ("curl", ("-u", "--user", "--proxy-user")),
    ("cookie", ("=",)),
    ("curl -b", ("=",)),
    ("/p", ("/pw", "/pass")),
    (" / ", _LOGIN_WORDS),
    ("wifi:", ("p:",)),
    (" one is ", ("account", "login", "passw", "reset")),
    (" code", ("door", "gate ", "alarm", "garage", "lift", "elevator", "safe ", "entrance")),
    ("credentials", (":",)),
    ("creds", (":",)),
    ("securestring", ("",)),
    ('"kty"', ("",)),
    ("machine ", ("password",)),
    ("requirepass", ("",)),
    ("masterauth", ("",)),
    ("username ", (" password ", " secret ")),
    ("kind: secret", ("data:",)),
    (":5432:", ("",)),
    ("]:587", ("",)),
    ("]:465", ("",)),
    ("mnemonic", ("",)),
    (" phrase", ("seed", "recovery")),
    ("code=", ("?", "&")),
    ("private-lines", ("",)),
    ("client(", ('"', "'")),
    ("send ", ("\\r", "\\n")),
    ("(", _CALLS),
    ("tochararray", ("",)),
    ("fernet(", ("",)),
    ("jwt.", ("sign(", "verify(", "encode(", "decode(")),
    ("@tcp(", ("",)),
    ("auth plain", ("",)),
    ("auth login", ("",)),
    (" identify ", ("nickserv",)),
    ("</key>", ("<string>",)),
    ("form-data", ("name=",)),
    ("digest ", ("response",)),
    ("variable ", ("default",)),
)
"""The letters of a context (see `context.py`), and others of which one must be there too."""

_CONTEXT_PHRASES = (
    ("password", ("with password ", "login password ", "encrypted password ")),
    ("identified", ("identified by ", "identified with ", "identified as ")),
)
"""The same, with whole words that any white space may separate."""

COMMAND_MARKS = (
    *(" -k ", " -p", " -P", " -a ", " -w ", " -u ", " -U", " -A ", " -X ", " -b", " -hp", " -t "),
    *(
        "/p:",
        "/user:",
        "net user ",
        "pass:",
        "--body",
        "add_user",
        "change_password",
        "sqlplus",
        "htpasswd ",
        "wpa_",
        " login ",
    ),
)
"""One of these stands in every command that the table knows."""

_USER_FLAGS = (" -u", " -U", " -a ", " -A ", " --auth", " --user", " --cred", "-auth")
_PAIR_NAMES = ("pass", "pwd", "token", "secret", "key", "credential")
_VALUE_LABELS = ("value=", "value:", 'value"', "--value")
_TABLE_MARKS = frozenset(",;|\t")


class SecretClues:
    """The rules that have a reason to run on a text.

    Neither a dataclass nor a named tuple: the hook would wait for their modules.
    """

    __slots__ = (
        *("blocks", "commands", "contexts", "dotted", "formats", "hidden", "named", "tables"),
        "vendors",
    )

    def __init__(self, text: str) -> None:
        low = text.lower()
        words = [word for word in text.split() if len(word) >= SHORTEST_FORMAT_CHARACTERS]
        keys = [word for word in words if _may_be_key(word)]
        self.formats, self.hidden = list["Format"](), list["Format"]()
        self.dotted, self.vendors = False, list[str]()
        if keys:
            self._add_formats(keys, low)
        self.blocks = "-----" in text or _has_key_line(keys)
        self.commands = _suspected_commands(text, low)
        self.named = _has_named_value(low)
        self.contexts = _suspected_contexts(text, low, named=self.named)
        self.tables = "pass" in low and "\n" in text and _has_password_column(low)

    def _add_formats(self, keys: "list[str]", low: str) -> None:
        from ai_smartness.redact.formats import DOTTED, FORMATS, HIDDEN, VENDORS

        joined = " ".join(keys)
        self.formats = _suspected_formats(FORMATS, keys, joined)
        self.hidden = _suspected_formats(HIDDEN, keys, joined)
        self.dotted = _is_dotted(keys, DOTTED[1])
        self.vendors = [name for name, _ in VENDORS if name in low and _has_key_nearby(low, name)]

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)


def may_name_secret(name: str, value: str) -> bool:
    """Say whether a field of this name may hold this value as a secret."""
    low = name.lower()
    if any(stem in low for stem in NAME_STEMS):
        return True
    if len(value) < _SHORTEST_VENDORS_KEY or _KEY_DIGITS.isdisjoint(value):
        return False
    from ai_smartness.redact.formats import VENDORS

    return any(vendor in low for vendor, _ in VENDORS)


def letter_positions(text: str, letters: str) -> "Iterator[int]":
    """Yield every position of the letters in a text."""
    position = text.find(letters)
    while position >= 0:
        yield position
        position = text.find(letters, position + 1)


def _suspected_formats(formats: "list[Format]", words: "list[str]", joined: str) -> "list[Format]":
    """Return the formats whose letters stand in a word that is long enough."""
    return [
        row
        for row in formats
        for letters in row[2]
        if letters.lstrip("^") in joined and _has_letters(row, words)
    ]


def _has_letters(row: "Format", words: "list[str]") -> bool:
    _, shortest, alternatives, _ = row
    letters = [alternative.lstrip("^") for alternative in alternatives]
    return any(len(word) >= shortest and any(piece in word for piece in letters) for word in words)


def _is_dotted(words: "list[str]", shortest: int) -> bool:
    longest = " ".join(word for word in words if len(word) >= shortest)
    runs = longest.translate(_SEPARATORS).split() if "." in longest else ()
    # A row of dots, as test runners print, has nothing between them.
    split_runs = ([part for part in run.split(".") if part] for run in runs)
    return any(
        len(parts) > _DOTS and sum(map(len, parts)) >= shortest - _DOTS for parts in split_runs
    )


def _may_be_key(word: str) -> bool:
    """Say whether a word may hold a key: hardly any has small letters alone."""
    return word != word.lower() or not _KEY_DIGITS.isdisjoint(word) or "_live_" in word


def _has_key_line(words: "list[str]") -> bool:
    """Say whether a word may be a line of a private key, or a whole key on one line."""
    longest = " ".join(word for word in words if len(word) >= KEY_LINE_CHARACTERS)
    lines = longest.translate(_NOT_BASE64).split()
    if any(len(line) >= KEY_LINE_CHARACTERS and not line.islower() for line in lines):
        return True
    return _has_letters(KEY_FORMAT, words)


def _suspected_commands(text: str, low: str) -> "list[list[str]]":
    """Return the rows of the commands that may have a password in their arguments."""
    if not any(mark in text for mark in COMMAND_MARKS):
        return []
    from ai_smartness.redact.formats import COMMANDS

    return [row for row in COMMANDS if row[0] in low and row[1] in text and f"{row[0]} " in text]


def _has_named_value(low: str) -> bool:
    """Say whether something has the name of a secret and a value, in lower case."""
    return any(
        _may_assign(low, position, position + len(stem), strong=stem in _STRONG_STEMS)
        or (stem in _STRONG_STEMS and _tells_value(low, position + len(stem)))
        for stem in NAME_STEMS
        if stem in low
        for position in letter_positions(low, stem)
    )


def _may_assign(low: str, start: int, end: int, *, strong: bool) -> bool:
    """Say whether a value may follow a name: after a sign, a word or a flag."""
    limit = min(len(low), end + _LONGEST_NAME)
    while end < limit and (low[end].isalnum() or low[end] in _NAME_TAIL):
        end += 1
    near = low[end : end + _VALUE_NEAR_CHARACTERS]
    words = near.split(None, _NEAR_WORDS)[:_NEAR_WORDS]
    if not words:
        return False
    before = low[max(0, start - 20) : start]
    is_flag = "-" in before.rpartition(" ")[2]
    if (
        near.lstrip(_BEFORE_SIGN)[:1] in _ASSIGNMENT_SIGNS
        or near[:3].strip()[:1] in _QUOTES
        # A flag of a command, a macro in C: `--password x`, `#define TOKEN x`.
        or is_flag
        or any(setter in before for setter in _SETTERS)
    ):
        return any(_may_be_value(word, strong=strong) for word in words)
    if near.startswith(_COPULAS):
        return any(_may_be_value(word, strong=False) for word in words)
    if near[:1] not in " \t":
        return False
    if strong and low[start - 1 : start].isalnum() and near.partition("\n")[0].split() == words[:1]:
        return len(words[0]) >= SHORTEST_VALUE  # a directive such as `bindpw hunter`
    return len(words[0]) >= LONG_RUN_CHARACTERS and _has_mark(words[0])


def _tells_value(low: str, end: int) -> bool:
    """Say whether a sentence goes on with "is" and a value: `password at the office is …`."""
    near = low[end : end + _VALUE_NEAR_CHARACTERS].partition(" ")[2]
    words = near.split(None, _TOLD_WORDS)[:_TOLD_WORDS]
    return any(
        words[place].rstrip(":") in TELLING_WORDS and _may_be_value(words[place + 1], strong=False)
        for place in range(len(words) - 1)
    )


def _may_be_value(word: str, *, strong: bool) -> bool:
    if strong:
        return len(word.strip("\"'`:=,;|>*(")) >= SHORTEST_VALUE
    return len(word) >= LONG_RUN_CHARACTERS or (len(word) >= SHORTEST_VALUE and _has_mark(word))


def _has_mark(word: str) -> bool:
    return not _VALUE_CHARACTERS.isdisjoint(word)


def _has_key_nearby(low: str, vendor: str) -> bool:
    """Say whether a word as long as a key follows a few words after a service's name."""
    return any(
        len(word) >= _SHORTEST_VENDORS_KEY and not _KEY_DIGITS.isdisjoint(word)
        for near in _texts_after(low, vendor, low, _VALUE_NEAR_CHARACTERS)
        for word in near.split(None, _NEAR_WORDS)[:_NEAR_WORDS]
    )


def _has_password_column(low: str) -> bool:
    """Say whether a line may be the heading of a table with passwords."""
    return any(
        "pass" in line and not _TABLE_MARKS.isdisjoint(line) for line in low.split("\n")[:-1]
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
    if ("echo " in text and "|" in text) or "<<<" in text:
        contexts.append("piped")
    if any(flag in text for flag in _USER_FLAGS):
        contexts.append("-user")
    if any(label in low for label in _VALUE_LABELS) and any(name in low for name in _PAIR_NAMES):
        contexts.append("value")
    checks = (
        ("x-", named),
        ("://", "://" in text and "@" in text and _has_url_password(text)),
        ("authorization", _has_header_value(low)),
        ("bearer", _has_token_after(text, "bearer", low, _SHORTEST_BEARER)),
        (" login ", _has_token_after(text, " login ", low, LONG_RUN_CHARACTERS)),
        ("basic ", _has_basic_credentials(text, low)),
    )
    return contexts + [letters for letters, is_suspect in checks if is_suspect and letters in low]


def _has_url_password(text: str) -> bool:
    words = (word for word in text.split() if "@" in word)
    users = (word.partition("://")[2].rpartition("@")[0] for word in words)
    return any(":" in user or len(user) >= LONG_RUN_CHARACTERS for user in users)


def _has_header_value(low: str) -> bool:
    return any(
        rest.lstrip(" \t\n\"'")[:1] in _HEADER_SIGNS
        for rest in _texts_after(low, "authorization", low)
    )


def _has_token_after(text: str, letters: str, low: str, shortest: int) -> bool:
    return any(
        len(word) >= shortest and any(character.isdigit() for character in word)
        for rest in _texts_after(text, letters, low)
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
