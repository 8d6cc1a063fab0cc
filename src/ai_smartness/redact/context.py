"""Find secrets by their surroundings: URLs, headers, commands, the name of a service."""

import re
from binascii import a2b_base64
from collections.abc import Iterator

from ai_smartness.redact import Secret
from ai_smartness.redact.formats import VENDORS
from ai_smartness.redact.plausibility import is_placeholder, is_token
from ai_smartness.text.lazy_pattern import compiled_pattern

__all__ = ["find_secrets_in_context"]

COMMAND_CHARACTERS = 1_500  # how far before its options a command may stand
STATEMENT_CHARACTERS = 200

COMMANDS = frozenset({"curl", "mysql"})

EXAMPLE_PASSWORDS = frozenset(
    [
        *("password", "passwd", "pass", "pwd", "pw", "secret", "token", "test", "user", "admin"),
        *("root", "yyy", "key", "postgres", "mysql", "guest", "apikey", "api_key", "api-token"),
    ]
)

_OPTION = r"[ =]{0,3}[\"']?"
_ASSIGNED = r"[\"']?\s{0,3}[:=,]\s{0,3}[\"']?"
_SCHEME = r"(?:(?i:basic|bearer|token|digest|apikey|negotiate|ntlm)\s+)?"

CONTEXTS = (
    # Kind, letters, pattern. `secret` is redacted; `user`, if there is one, must differ from it.
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


def find_secrets_in_context(text: str, contexts: list[str], vendors: list[str]) -> Iterator[Secret]:
    """Yield the secrets in the suspected URLs, headers, commands and services."""
    for kind, letters, pattern in CONTEXTS:
        if letters in contexts:
            for match in compiled_pattern(pattern).finditer(text):
                if _is_secret(text, kind, letters, match):
                    yield Secret(kind, match.start("secret"), match.end("secret"))
    yield from _vendor_keys(text, vendors)


def _vendor_keys(text: str, vendors: list[str]) -> Iterator[Secret]:
    for vendor, pattern in VENDORS:
        if vendor in vendors:
            for match in compiled_pattern(_vendor_pattern(vendor, pattern)).finditer(text):
                value = match["secret"]
                has_digits = ":" in value or any(character.isdigit() for character in value)
                if has_digits and not is_placeholder(value):
                    kind = f"{vendor.strip('_')}-key"
                    yield Secret(kind, match.start("secret"), match.end("secret"))


def _is_secret(text: str, kind: str, letters: str, match: re.Match[str]) -> bool:
    secret = match["secret"]
    is_example = secret.lower().strip("-_:") in EXAMPLE_PASSWORDS
    if is_example or match.groupdict().get("user") == secret or is_placeholder(secret):
        return False
    if letters in COMMANDS:
        before = text[max(0, match.start() - COMMAND_CHARACTERS) : match.start()]
        if letters not in before.lower():
            return False
    if letters == "identified":
        return _is_sql_statement(text, match)
    if kind != "authorization":
        return True
    return secret.endswith("=") or is_token(secret, quoted=True) or _is_encoded_credentials(secret)


def _is_sql_statement(text: str, match: re.Match[str]) -> bool:
    """Distinguish a statement of SQL from a bug that is "identified by" something."""
    before = text[max(0, match.start() - STATEMENT_CHARACTERS) : match.start()].lower()
    if text[match.start("secret") - 1] in "'\"":
        return True
    return match[0].startswith("IDENTIFIED") and ("user" in before or "grant" in before)


def _is_encoded_credentials(secret: str) -> bool:
    """Say whether it is a name and a password in base64, as after `Basic`."""
    try:
        return b":" in a2b_base64(secret, strict_mode=True)
    except ValueError:
        return False


def _vendor_pattern(vendor: str, pattern: str) -> str:
    """Return the pattern of a key that is assigned to a name with the service's name in it."""
    name = rf"(?i:{vendor})[A-Za-z0-9_.\-]{{0,40}}+(?:[ ][A-Za-z]{{2,12}}(?=[ :=])){{0,3}}"
    sign = r"[\"'`\])]{0,3}\s{0,5}(?:(?:=>|:{1,3}=|\|\|:?|\?=|[:=,>])\s{0,5})?[\"'`(]{0,2}"
    return rf"{name}{sign}(?P<secret>{pattern})(?![A-Za-z0-9_-])"
