"""Find secrets by their surroundings: URLs, headers, cookies, commands, the name of a service."""

import re
from binascii import a2b_base64
from collections.abc import Callable, Iterator

from ai_smartness.redact import Secret
from ai_smartness.redact.formats import VENDORS, expanded_pattern
from ai_smartness.redact.plausibility import (
    is_key,
    is_mixed,
    is_password,
    is_placeholder,
    is_token,
    is_trusted_password,
)
from ai_smartness.redact.prefilter import SecretClues
from ai_smartness.text.lazy_pattern import LazyPattern, compiled_pattern

__all__ = ["find_secrets_in_context"]

COMMAND_CHARACTERS = 1_500  # how far before its options a command may stand
STATEMENT_CHARACTERS = 200

EXAMPLE_PASSWORDS = frozenset(
    [
        *("password", "passwd", "pass", "pwd", "pw", "secret", "token", "test", "user", "admin"),
        *("root", "yyy", "key", "postgres", "mysql", "guest", "apikey", "api_key", "api-token"),
    ]
)

_OPTION = r"[ =]{0,3}\\?[\"']?"
_ASSIGNED = r"[\"']?\s{0,3}[:=,]\s{0,3}[\"']?"
_SCHEME = r"(?:(?i:basic|bearer|token|digest|apikey|negotiate|ntlm)\s{1,9})?"
_NAMED = r"[\w.\-]{0,40}(?i:passw(?:or)?d|passwd|pwd|token|secret|api_?key|credential)[\w.\-]{0,20}"
_WORD = r"(?P<secret>[^\s\"'`<>|;]{4,120})"
_IN_QUOTES = r"[\"'](?P<secret>[^\"'\n]{4,200})[\"']"
_USER_ARGUMENT = r"(?:[\"'](?P<user>[^\"'\n]{1,80})[\"']|[\w.$]{1,60}),\s{0,8}"


_READER = r"(?:sudo\s{1,9}-\w{0,4}S|\bpasswd|chpasswd|-stdin|--with-token|\blogin)\b"


class SecretContext:
    """A surrounding that a secret stands in."""

    __slots__ = ("is_secret", "kind", "letters", "pattern")

    def __init__(
        self, kind: str, letters: str, is_secret: Callable[[str], bool], pattern: str
    ) -> None:
        self.kind = kind
        self.letters = letters
        """The letters that `prefilter.py` has found in the text."""
        self.is_secret = is_secret
        self.pattern = pattern
        """`secret` is redacted; `user`, if there is one, must differ from it."""


def _is_anything(_: str) -> bool:
    return True


def _is_literal(secret: str) -> bool:
    return is_trusted_password(secret, quoted=True)


def _is_long_token(secret: str) -> bool:
    return is_token(secret, quoted=True)


def _is_piped_secret(secret: str) -> bool:
    return is_password(secret) or _is_long_token(secret)


def _is_header_value(secret: str) -> bool:
    return secret.endswith("=") or _is_long_token(secret) or _is_encoded_credentials(secret)


def _is_encoded_credentials(secret: str) -> bool:
    """Say whether it is a name and a password in base64, as after `Basic`."""
    try:
        return b":" in a2b_base64(secret, strict_mode=True)
    except ValueError:
        return False


CONTEXTS = (
    SecretContext(
        "url-password",
        "://",
        _is_anything,
        r"[A-Za-z][A-Za-z0-9+.\-]{1,30}://(?P<user>[^\s/:@'\"`<>]{0,80})"
        r":(?P<secret>[^\s/'\"`<>]{1,200}?)@[\w\[.\-]",
    ),
    SecretContext(
        "url-password",
        "contribsys",
        _is_anything,
        r"(?P<secret>[a-f0-9]{8}:[a-f0-9]{8})@?(?:gems|enterprise)\.contribsys\.com",
    ),
    SecretContext("url-token", "code=", _is_long_token, r"[?&]code=(?P<secret>[\w%.\-]{20,400})"),
    SecretContext(
        "password",
        "curl",
        _is_anything,
        r"\s(?:-u|--user|--proxy-user|-U)" + _OPTION + r"(?P<user>[^\s:\"']{0,80})"
        r":(?P<secret>[^\s\"']{1,120})",
    ),
    SecretContext(
        "key",
        "curl",
        _is_anything,
        r"\s(?:-u|--user)" + _OPTION + r"(?P<secret>[^\s:\"']{8,120}):(?=[\s\"']|\Z)",
    ),
    SecretContext(
        "password",
        "-user",
        is_password,
        r"\s(?:--(?:auth|user|creds?|credentials|basic-auth|proxy-auth|http-auth)|-[aAuU])[ =]"
        r"[\"']?(?P<user>[\w.@\-]{1,60}):(?P<secret>[^\s\"']{6,80})",
    ),
    SecretContext(
        "password",
        "-user",
        is_password,
        r"\s-(?:u|U|-user(?:name)?)[ =][\"']?(?P<user>[\w.@\\\-]{1,60})[\"']?\s"
        r"(?:[^\n|]{0,100}?\s)?-(?:p|P|w|pw)[ =]?[\"']?(?P<secret>[^\s\"'|;]{6,80})",
    ),
    *(
        SecretContext(
            "password",
            "piped",
            _is_piped_secret,
            pattern,
        )
        for pattern in (
            r"\becho\s{1,9}(?:-\w\s{1,9})?[\"']?(?:[\w.\-]{1,40}:)?"
            + _WORD
            + r"[\"']?\s{0,9}\|\s{0,9}[^\n]{0,60}?"
            + _READER,
            _READER + r"[^\n]{0,40}?<<<\s{0,9}[\"']?" + _WORD,
        )
    ),
    SecretContext(
        "token",
        " login ",
        _is_long_token,
        r"\b[\w\-]{2,20}\s(?:auth\s)?login\s(?P<secret>[\w.\-]{24,400})(?![\w.\-/])",
    ),
    SecretContext(
        "key",
        "client(",
        is_key,
        r"(?i:client|bot|sdk)\((?:[^()\n\"']{0,80},\s{0,8})?"
        r"[\"'](?P<secret>[\w.\-]{32,400})[\"']",
    ),
    SecretContext(
        "password",
        "send ",
        is_password,
        r"\bsend\s{1,20}(?:--\s{1,20})?[\"'](?P<secret>[^\s\"'\\]{6,80})\\[rn][\"']",
    ),
    SecretContext(
        "password",
        "wifi:",
        _is_anything,
        r"\bWIFI:(?:[A-OQ-Z]:[^;\n]{0,60};){0,4}P:(?P<secret>[^;\n]{4,80});",
    ),
    SecretContext(
        "password",
        "/p",
        _is_anything,
        r"(?i:\b(?:id|user|username|login|account)\s?/\s?(?:pw|pwd|pass|password)\s?[:=(]\s?)"
        r"(?P<user>[^\s/]{1,60})\s?/\s?(?P<secret>[^\s/)]{6,80})",
    ),
    SecretContext(
        "password",
        " / ",
        is_password,
        r"(?i:\b(?:log ?in|sign ?in|credentials|zugangsdaten|anmeldedaten|identifiants|credenciales"
        r"|credenziali|inloggegevens))[^\n/]{0,20}\s(?P<user>[\w.@\-]{2,40}) / "
        r"(?P<secret>[^\s/]{6,80})",
    ),
    *(
        SecretContext(
            "password",
            letters,
            is_password,
            r"(?i:\bcred(?:ential)?s(?:\s(?:are|is|for\s[\w.\- ]{1,40}))?)\s?[:=]?\s{0,3}[\"'`]?"
            r"(?:(?P<user>[\w.@\-]{2,40}):|[\w.+\-]{1,60}@[\w.\-]{3,60}[ ,/|]{1,3})"
            r"(?P<secret>[^\s\"'`,;]{6,80})",
        )
        for letters in ("credentials", "creds")
    ),
    SecretContext(
        "password",
        " one is ",
        lambda secret: is_password(secret) and is_mixed(secret),
        r"(?i:\b(?:temporary|temp|initial|default|new|current|first)\sone\sis)\s[\"'`]?"
        r"(?P<secret>[^\s\"'`,;]{6,80})",
    ),
    SecretContext(
        "code",
        " code",
        _is_anything,
        r"(?i:\b(?:door|gate|alarm|garage|lift|elevator|safe|entrance)\s(?:pin\s)?code)"
        r"(?:\s[\w\-]{1,20}){0,6}?(?:\sis|\s?[:=])\s?#?(?P<secret>\d{4,8})(?!\w)",
    ),
    SecretContext(
        "password",
        "password",
        _is_anything,
        r"(?i:\b(?:with|login|encrypted)\s{1,20}password\s{1,20})"
        r"(?P<secret>(?=[^\s\d]{0,80}\d)[^\s'\";]{6,80})",
    ),
    SecretContext(
        "password",
        "machine ",
        _is_anything,
        r"\bmachine\s{1,20}\S{1,120}\s{1,20}login\s{1,20}\S{1,120}\s{1,20}password\s{1,20}"
        r"(?P<secret>\S{3,200})",
    ),
    SecretContext("password", "requirepass", _is_literal, r"\brequirepass\s{1,8}[\"']?" + _WORD),
    SecretContext("password", "masterauth", _is_literal, r"\bmasterauth\s{1,8}[\"']?" + _WORD),
    SecretContext(
        "password",
        "username ",
        is_password,
        r"\busername\s{1,20}\S{1,60}\s{1,20}(?:privilege\s{1,20}\d{1,2}\s{1,20})?(?:password|secret)\s{1,20}(?:\d\s{1,20})?"
        r"(?P<secret>[^\s\"']{5,120})",
    ),
    SecretContext(
        "password",
        ":5432:",
        _is_anything,
        r"(?m)^[ \t]{0,20}[\w.\-*]{1,120}:5432:[\w\-*]{1,60}:(?P<user>[\w\-*]{1,60}):"
        r"(?P<secret>\S{4,120})$",
    ),
    *(
        SecretContext(
            "password",
            letters,
            is_password,
            r"\]:(?:587|465)\s{1,20}(?P<user>[^\s:]{1,80}):(?P<secret>\S{4,120})",
        )
        for letters in ("]:587", "]:465")
    ),
    SecretContext(
        "password",
        "value",
        _is_literal,
        r"(?:(?i:name|key|id)[\"']?\s{0,3}[:=\s]\s{0,3})[\"']?" + _NAMED + r"[\"']?,?\s{1,40}"
        r"(?:--|[\"'])?(?i:value)[\"']?\s{0,3}[:=\s]\s{0,3}[\"']?(?P<secret>[^\s\"'<>,{}]{6,200})",
    ),
    SecretContext(
        "password",
        "variable ",
        _is_literal,
        r"\bvariable\s{1,20}\""
        + _NAMED
        + r"\"\s{0,20}\{[^{}]{0,300}?\bdefault\s{0,20}=\s{0,3}"
        + _IN_QUOTES,
    ),
    SecretContext(
        "password",
        "identified",
        _is_anything,
        r"(?i:identified\s{1,20}(?:with\s{1,20}\S{1,60}\s{1,20})?(?:by|as)\s{1,20}(?:password\s{1,20})?)['\"]?"
        r"(?P<secret>[^\s'\";]{4,120})",
    ),
    SecretContext(
        "password",
        "securestring",
        _is_anything,
        r"(?i:convertto-securestring)(?:\s{1,20}-\w{1,30}){0,6}+\s{1,20}\\?[\"']?(?P<secret>[^\s\"'\\$(]{6,120})",
    ),
    SecretContext(
        "password",
        "(",
        is_password,
        r"(?i:(?:login|auth|ftp|smtp|imap|connect|connection|credentials?(?:\.new)?|pdo)\s{0,3}=?\s{0,3})"
        r"\((?:[^()\n\"']{0,80},|[\"'][^()\n\"']{0,120}[\"'],){0,2}?\s{0,8}"
        + _USER_ARGUMENT
        + r"(?:Some\()?(?=[\"'][^\"'\n\d]{0,200}\d)"
        + _IN_QUOTES,
    ),
    SecretContext("password", "tochararray", is_password, _IN_QUOTES + r"\.toCharArray\("),
    SecretContext("key", "fernet(", _is_long_token, r"Fernet\(\s{0,8}b?" + _IN_QUOTES),
    SecretContext(
        "secret",
        "jwt.",
        _is_literal,
        r"jwt\.(?:sign|verify|encode|decode)\([^()\n]{1,120}?,\s{0,8}" + _IN_QUOTES,
    ),
    SecretContext(
        "password",
        "@tcp(",
        _is_anything,
        r"(?P<user>[\w.\-]{1,60}):(?P<secret>[^\s@/\"']{3,120})@tcp\(",
    ),
    *(
        SecretContext(
            "authorization",
            letters,
            _is_header_value,
            r"(?i:\bauth\s(?:plain|login))\s(?P<secret>[A-Za-z0-9+/]{8,400}={0,2})(?![\w-])",
        )
        for letters in ("auth plain", "auth login")
    ),
    SecretContext(
        "password",
        " identify ",
        is_password,
        r"(?i:nickserv\s:?identify)\s(?:(?P<user>[\w\-]{1,30})\s)?(?P<secret>\S{6,80})",
    ),
    SecretContext(
        "password",
        "</key>",
        _is_literal,
        r"<key>" + _NAMED + r"</key>\s{0,20}<string>(?P<secret>[^<>\s]{6,400})</string>",
    ),
    SecretContext(
        "password",
        "form-data",
        is_password,
        r"name=\"" + _NAMED + r"\"\s{2,8}(?P<secret>[^\s<>]{6,200})",
    ),
    SecretContext(
        "url-token",
        "://",
        _is_long_token,
        r"[A-Za-z][A-Za-z0-9+.\-]{1,30}://(?P<secret>[\w\-]{18,255})@[\w\[.\-]",
    ),
    SecretContext(
        "authorization",
        "authorization",
        _is_header_value,
        r"(?i:authorization)"
        + _ASSIGNED
        + _SCHEME
        + r"(?P<secret>[^\s\"'`,;<>{}\[\]()$]{10,4000})",
    ),
    SecretContext(
        "authorization",
        "digest ",
        _is_long_token,
        r"\bresponse=\"(?P<secret>[0-9a-f]{32,64})\"",
    ),
    SecretContext(
        "authorization",
        "bearer",
        _is_header_value,
        r"(?i:\bbearer)\s{1,3}"
        r"(?P<secret>(?=[A-Za-z_.~+/\-]{0,60}\d)[A-Za-z0-9_.~+/\-]{16,4000}={0,2})",
    ),
    SecretContext(
        "authorization",
        "basic ",
        _is_header_value,
        r"\b[Bb]asic (?P<secret>[A-Za-z0-9+/]{12,400}={0,2})(?![\w-])",
    ),
    SecretContext(
        "key",
        "x-",
        _is_anything,
        r"(?i:\bx-[a-z\-]{0,30}(?:api-?key|token|secret|signature))"
        + _ASSIGNED
        + r"(?P<secret>[\w.~+/=\-]{12,400})",
    ),
    SecretContext(
        "key",
        '"kty"',
        _is_anything,
        r"\"(?:d|k|p|q|dp|dq|qi)\"\s{0,3}:\s{0,3}\"(?P<secret>[A-Za-z0-9_-]{20,2000})\"",
    ),
    *(
        SecretContext(
            "mnemonic",
            letters,
            _is_anything,
            r"(?i:\bmnemonic|(?:seed|recovery)[ _-]?phrase)\W{1,8}(?:is\s)?\W{0,3}"
            r"(?P<secret>[a-z]{3,8}(?: [a-z]{3,8}){11,23})\b",
        )
        for letters in ("mnemonic", " phrase")
    ),
    SecretContext(
        "private-key",
        "private-lines",
        _is_anything,
        r"Private-Lines: \d{1,3}\s{1,4}(?P<secret>(?:[A-Za-z0-9+/=]{4,64}\s{0,2}){1,100})",
    ),
)

COOKIE_HEADER = LazyPattern(
    r"(?i:(?:set-)?cookie[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"|curl\b[^\n|]{0,200}?\s(?:-b|--cookie)\s{1,3}[\"']?)(?P<pairs>[^\n\"']{4,8000})"
)
COOKIE = LazyPattern(r"(?P<name>[\w.\-]{1,80})=(?P<secret>[^\s;,\"']{8,4000})")
SESSION_COOKIE = LazyPattern(r"(?i)sess|sid\b|auth|token|jwt|remember|login|secret|identity|aspnet")
SHORTEST_COOKIE = 20  # of one whose name does not say that it is a session

SECRET_MANIFEST = LazyPattern(
    r"(?m)^[ \t]*(?:string)?[dD]ata:[ \t]*\n(?P<rows>(?:[ \t]+[^\n]*\n?){1,100})"
)
MANIFEST_ROW = LazyPattern(
    r"(?m)^[ \t]+[\w.\-]{1,80}:[ \t]*[\"']?(?P<secret>[^\s\"'{}|>#][^\s\"']{5,4000})"
)


def find_secrets_in_context(text: str, clues: SecretClues) -> Iterator[Secret]:
    """Yield the secrets in the suspected URLs, headers, commands and services."""
    for context in CONTEXTS:
        if context.letters in clues.contexts:
            for match in compiled_pattern(context.pattern).finditer(text):
                if _is_secret(text, context, match):
                    yield Secret(context.kind, match.start("secret"), match.end("secret"))
    if "cookie" in clues.contexts or "curl -b" in clues.contexts:
        yield from _cookies(text)
    if "kind: secret" in clues.contexts:
        yield from _manifest_secrets(text)
    yield from _command_secrets(text, clues.commands)
    yield from _vendor_keys(text, clues.vendors)


def _command_secrets(text: str, commands: list[list[str]]) -> Iterator[Secret]:
    for program, _, before in commands:
        pattern = (
            rf"(?<![\w-]){re.escape(program)}\b[^\n|]{{0,300}}?{before}[\"']?(?![-$\"'])" + _WORD
        )
        for match in compiled_pattern(pattern).finditer(text):
            if is_trusted_password(match["secret"], quoted=True):
                yield Secret("password", match.start("secret"), match.end("secret"))


def _cookies(text: str) -> Iterator[Secret]:
    """Yield the values of session cookies, and of others that are as random as a token."""
    for header in COOKIE_HEADER.finditer(text):
        for cookie in COOKIE.finditer(text, header.start("pairs"), header.end("pairs")):
            value = cookie["secret"]
            is_session = SESSION_COOKIE.search(cookie["name"]) is not None
            is_long = is_session or len(value) >= SHORTEST_COOKIE
            if is_long and is_token(value, quoted=is_session):
                yield Secret("cookie", cookie.start("secret"), cookie.end("secret"))


def _manifest_secrets(text: str) -> Iterator[Secret]:
    """Yield the values of a Secret of Kubernetes, which have any name."""
    for block in SECRET_MANIFEST.finditer(text):
        for row in MANIFEST_ROW.finditer(text, block.start("rows"), block.end("rows")):
            if is_trusted_password(row["secret"], quoted=False):
                yield Secret("secret", row.start("secret"), row.end("secret"))


def _vendor_keys(text: str, vendors: list[str]) -> Iterator[Secret]:
    for vendor, pattern in VENDORS:
        if vendor in vendors:
            whole = _vendor_pattern(vendor, expanded_pattern(pattern))
            for match in compiled_pattern(whole).finditer(text):
                value = match["secret"]
                has_digits = ":" in value or any(character.isdigit() for character in value)
                if has_digits and not is_placeholder(value):
                    kind = f"{vendor.strip('_')}-key"
                    yield Secret(kind, match.start("secret"), match.end("secret"))


def _is_secret(text: str, context: SecretContext, match: re.Match[str]) -> bool:
    secret = match["secret"]
    is_example = secret.lower().strip("-_:") in EXAMPLE_PASSWORDS
    if is_example or match.groupdict().get("user") == secret or is_placeholder(secret):
        return False
    if context.letters == "curl" and not _follows_command(text, match):
        return False
    if context.letters == "identified" and not _is_sql_statement(text, match):
        return False
    return context.is_secret(secret)


def _follows_command(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - COMMAND_CHARACTERS) : match.start()]
    return "curl" in before.lower()


def _is_sql_statement(text: str, match: re.Match[str]) -> bool:
    """Distinguish a statement of SQL from a bug that is "identified by" something."""
    before = text[max(0, match.start() - STATEMENT_CHARACTERS) : match.start()].lower()
    if text[match.start("secret") - 1] in "'\"":
        return True
    return match[0].startswith("IDENTIFIED") and ("user" in before or "grant" in before)


def _vendor_pattern(vendor: str, pattern: str) -> str:
    """Return the pattern of a key that is assigned to a name with the service's name in it."""
    name = rf"(?i:{vendor})[A-Za-z0-9_.\-]{{0,40}}+(?:[ ][A-Za-z]{{2,12}}(?=[ :=])){{0,3}}"
    sign = r"[\"'`\])]{0,3}\s{0,5}(?:(?:=>|:{1,3}=|\|\|:?|\?=|[:=,>])\s{0,5})?[\"'`(]{0,2}"
    return rf"{name}{sign}(?P<secret>{pattern})(?![A-Za-z0-9_-])"
