"""Find secrets by what stands around them: URLs, headers, commands, the name of a service."""

import re
from binascii import a2b_base64
from collections.abc import Iterator

from ai_smartness.redact import Secret
from ai_smartness.redact.formats import VENDORS
from ai_smartness.redact.plausibility import is_placeholder, is_token
from ai_smartness.text.lazy_pattern import compiled_pattern

__all__ = ["find_secrets_in_context"]

COMMAND_CHARACTERS = 1_500
"""How far before its options a command may stand."""

STATEMENT_CHARACTERS = 200

COMMANDS = frozenset({"curl", "mysql"})


def find_secrets_in_context(text: str, shapes: list[str], vendors: list[str]) -> Iterator[Secret]:
    """Yield the secrets of the URLs, headers, commands and services that are suspected."""
    for kind, letters, pattern in CONTEXTS:
        if letters in shapes:
            for match in compiled_pattern(pattern).finditer(text):
                if _is_secret(text, kind, letters, match):
                    yield Secret(kind, match.start("secret"), match.end("secret"))
    yield from _vendor_secrets(text, vendors)


def _vendor_secrets(text: str, vendors: list[str]) -> Iterator[Secret]:
    for vendor, pattern in VENDORS:
        if vendor in vendors:
            for match in compiled_pattern(_vendor_pattern(vendor, pattern)).finditer(text):
                if not is_placeholder(match["secret"]) and _has_digits(match["secret"]):
                    kind = f"{vendor.strip('_')}-key"
                    yield Secret(kind, match.start("secret"), match.end("secret"))


def _is_secret(text: str, kind: str, letters: str, match: re.Match[str]) -> bool:
    secret = match["secret"]
    if match.groupdict().get("user") == secret or is_placeholder(secret) or _is_common(secret):
        return False
    if letters in COMMANDS and not _follows_command(text, letters, match.start()):
        return False
    if letters == "identified":
        return _is_sql_statement(text, match)
    if kind != "authorization":
        return True
    return secret.endswith("=") or is_token(secret, quoted=True) or _is_encoded_credentials(secret)


def _is_sql_statement(text: str, match: re.Match[str]) -> bool:
    """Say whether it is a statement of SQL: a bug is identified by something too."""
    before = text[max(0, match.start() - STATEMENT_CHARACTERS) : match.start()].lower()
    if text[match.start("secret") - 1] in "'\"":
        return True
    return match[0].startswith("IDENTIFIED") and ("user" in before or "grant" in before)


def _is_encoded_credentials(secret: str) -> bool:
    """Say whether it is a name and a password, as `Basic` has them."""
    try:
        return b":" in a2b_base64(secret, strict_mode=True)
    except ValueError:
        return False


def _follows_command(text: str, command: str, start: int) -> bool:
    return command in text[max(0, start - COMMAND_CHARACTERS) : start].lower()


def _is_common(secret: str) -> bool:
    """Say whether it is what examples have for a password."""
    return secret.lower().strip("-_:") in EXAMPLE_PASSWORDS


EXAMPLE_PASSWORDS = frozenset(
    [
        "password",
        "passwd",
        "pass",
        "pwd",
        "pw",
        "secret",
        "token",
        "test",
        "user",
        "admin",
        "root",
        "yyy",
        "key",
        "postgres",
        "mysql",
        "guest",
        "apikey",
        "api_key",
        "api-token",
    ]
)


def _vendor_pattern(vendor: str, pattern: str) -> str:
    """Return the pattern of what is given to something with a service's name in it."""
    name = rf"(?i:{vendor})[A-Za-z0-9_.\-]{{0,40}}+(?:[ ][A-Za-z]{{2,12}}(?=[ :=])){{0,3}}"
    sign = r"[\"'`\])]{0,3}\s{0,5}(?:(?:=>|:{1,3}=|\|\|:?|\?=|[:=,>])\s{0,5})?[\"'`(]{0,2}"
    return rf"{name}{sign}(?P<secret>{pattern})(?![A-Za-z0-9_-])"


def _has_digits(value: str) -> bool:
    return ":" in value or any(each.isdigit() for each in value)


_OPTION = r"[ =]{0,3}[\"']?"
_ASSIGNED = r"[\"']?\s{0,3}[:=,]\s{0,3}[\"']?"
_SCHEME = r"(?:(?i:basic|bearer|token|digest|apikey|negotiate|ntlm)\s+)?"

CONTEXTS = (
    # kind, letters, pattern. What is cut is `secret`; `user`, if there is one, is not the same.
    (
        "url-password",
        "://",
        (
            r"[A-Za-z][A-Za-z0-9+.\-]{1,30}://(?P<user>[^\s/:@'\"`<>]{0,80})"
            r":(?P<secret>[^\s/'\"`<>]{1,200}?)@[\w\[.\-]"
        ),
    ),
    (
        "url-password",
        "contribsys",
        r"(?P<secret>[a-f0-9]{8}:[a-f0-9]{8})@?(?:gems|enterprise)\.contribsys\.com",
    ),
    (
        "password",
        "curl",
        r"\s(?:-u|--user|--proxy-user|-U)" + _OPTION + r"(?P<user>[^\s:\"']{0,80})"
        r":(?P<secret>[^\s\"']{1,120})",
    ),
    ("key", "curl", r"\s(?:-u|--user)" + _OPTION + r"(?P<secret>[^\s:\"']{8,120}):(?=[\s\"']|\Z)"),
    ("password", "mysql", r"\s-p(?P<secret>[^\s\-\"'][^\s\"']{3,80})"),
    ("password", "sshpass", r"sshpass\s+-p\s*[\"']?(?P<secret>[^\s\"']{3,80})"),
    (
        "password",
        "/p",
        (
            r"(?i:\b(?:id|user|username|login|account)\s?/\s?(?:pw|pwd|pass|password)\s?[:=(]\s?)"
            r"(?P<user>[^\s/]{1,60})\s?/\s?(?P<secret>[^\s/)]{6,80})"
        ),
    ),
    (
        "password",
        "password",
        r"(?i:\b(?:with|login|encrypted)\s+password\s+)(?P<secret>(?=[^\s\d]{0,80}\d)[^\s'\";]{6,80})",
    ),
    (
        "password",
        "value=",
        (
            r"(?i:name=[\"'][\w.\-]{0,20}(?:password|passwd|pwd|token|secret)[\"'])[^<>\n]{0,60}?"
            r"\svalue=[\"'](?P<secret>[^\"'\s]{6,120})[\"']"
        ),
    ),
    (
        "password",
        "identified",
        (
            r"(?i:identified\s+(?:with\s+\S{1,60}\s+)?(?:by|as)\s+(?:password\s+)?)['\"]?"
            r"(?P<secret>[^\s'\";]{4,120})"
        ),
    ),
    (
        "password",
        "securestring",
        r"(?i:convertto-securestring)(?:\s+-\w+){0,6}+\s+\\?[\"']?(?P<secret>[^\s\"'\\$(]{6,120})",
    ),
    (
        "authorization",
        "authorization",
        r"(?i:authorization)"
        + _ASSIGNED
        + _SCHEME
        + r"(?P<secret>[^\s\"'`,;<>{}\[\]()$]{10,4000})",
    ),
    (
        "authorization",
        "bearer",
        (
            r"(?i:\bbearer)\s{1,3}"
            r"(?P<secret>(?=[A-Za-z_.~+/\-]{0,60}\d)[A-Za-z0-9_.~+/\-]{16,4000}={0,2})"
        ),
    ),
    ("authorization", "basic ", r"\b[Bb]asic (?P<secret>[A-Za-z0-9+/]{12,400}={0,2})(?![\w-])"),
    (
        "key",
        "x-",
        r"(?i:\bx-[a-z\-]{0,30}(?:api-?key|token|secret))"
        + _ASSIGNED
        + r"(?P<secret>[\w.~+/=\-]{12,400})",
    ),
    (
        "key",
        '"kty"',
        r"\"(?:d|k|p|q|dp|dq|qi)\"\s{0,3}:\s{0,3}\"(?P<secret>[A-Za-z0-9_-]{20,2000})\"",
    ),
)
