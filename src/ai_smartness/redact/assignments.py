"""Find values that are assigned to the name of a secret: in code, settings, JSON, flags, prose."""

import re
from collections.abc import Iterator

from ai_smartness.redact import Secret, letter_positions
from ai_smartness.redact.plausibility import (
    SHORTEST_PASSWORD,
    is_cut_short,
    is_key,
    is_numeric_code,
    is_password,
    is_token,
)
from ai_smartness.text.lazy_pattern import LazyPattern
from ai_smartness.text.markers import REDACTED_OPEN

__all__ = ["find_assigned_secrets"]

LONGEST_VALUE_CHARACTERS = 2_000

DEEPEST_NAMES = 8
"""Nested names: `"Authorization: token=…"` has two, a text made to be slow has thousands."""

_SHORT = r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z0-9])(?=[A-Z])))"
SECRET_NAME = LazyPattern(
    rf"""(?:(?P<password>pass(?:[_-]?word|wd|phrase|code|wort)|pas{{1,2}}wo?r?d|pss?wo?r?d|userpwd
        |mot[ _]de[ _]passe|contraseña|senha|пароль|密码|密碼|パスワード|비밀번호|암호
        |{_SHORT}(?:passw?|pwd|pw|psd|psw))
    |(?P<token>secret|token|private[_-]?key|authorization
        |(?:api|app|access|account|auth|client|consumer|deploy|encryption|encrypt|aes|hmac|license
        |master|server|service|session|shared|signing|sign|ssh|subscription|webhook|write|admin)
        [_-]?key|{_SHORT}(?:o?auth|credentials?|creds?|salt|jwt|t?otp))
    |(?P<key>{_SHORT}(?:p?key|api)))(?-i:(?![a-z]))""",
    re.IGNORECASE | re.VERBOSE,
)
NAME_STEMS = (
    *("pass", "pasw", "psw", "pssw", "psd", "pw", "contraseña", "senha", "пароль", "密码", "密碼"),
    *("パスワード", "비밀번호", "암호", "secret", "token", "key", "auth", "cred", "salt", "jwt"),
    *("otp", "api"),
)
"""Every name contains one of these."""

BEFORE_CHARACTERS = len("subscription_")
AFTER_CHARACTERS = len("authorization") + 1
"""How far a name reaches around its stem, and one more to see that it ends there."""

ASSIGNMENT = LazyPattern(
    r"""(?P<tail>[A-Za-z0-9_.\-]{0,40}+)
    (?:\\{0,4}["'`]|\]|\)|&quot;){0,3}+
    (?P<sign>[ \t]{0,20}+
        (?::[ ]?[A-Za-z_][\w.\[\]|]{0,30}[ ]?=(?!=)  # password: str = "…"
        |:{1,3}=|=>|->|\|\|:?|\?=|[!=]={1,2}|::?|=|>(?!=))
      |,[ ]{0,4}(?=["'])  # setenv("TOKEN", "…")
      |[ ]-(?=[ ])|[ ](?:is|was)(?:[ ]set[ ]to)?:?(?=[ ])
      |(?:\\{1,4}t){1,3}|(?=[ \t]+))
    [ \t]{0,20}+(?:(?:Bearer|Basic|Token|token)[ ]+(?=\S))?[(\[]?
    (?P<quote>[urbfURBF@$]{0,2}\\{0,4}["'`]|&quot;)?""",
    re.VERBOSE,
)
BARE_VALUE = LazyPattern(r"[^\s\"'`<>,;|&(){}\[\]\\]{1,400}")
NAME_HEAD = LazyPattern(r"[A-Za-z0-9_.\-]*\Z")
HEAD_CHARACTERS = 40
NOT_A_SECRET = LazyPattern(
    r"""(?ix)public|csrf|xsrf|pagina|continuation|next_?page|primary|foreign|cache|partition|idempot
    |tokeniz|max_?tok|token_?count|num_?tok|keyword|keyboard|keycode|hot_?key|sort_?key|redacted
    |shortcut|author(?!iz)|_?(?:ids?|names?|urls?|uri|path|file|dir|type|count|limit|length|len|size
    |expir\w*|expires_?(?:in|at)|at|hash|digest|field|label|hint|error|errors|policy|pattern
    |regex|min|max|version|status|method|endpoint|scope|format|column|prefix|suffix|usage|budget)$"""
)
"""Names that contain the name of a secret and are none."""


def find_assigned_secrets(text: str) -> Iterator[Secret]:
    """Yield the values that are assigned to names of secrets."""
    outer, within = 0, 0
    for name in _names_in(text):
        within = within + 1 if name.start() < outer else 0
        assignment = ASSIGNMENT.match(text, name.end()) if within <= DEEPEST_NAMES else None
        if assignment is None:
            continue
        value = _assigned_value(text, assignment)
        end = assignment.end() + len(value)
        outer = max(outer, end)
        if len(value) < SHORTEST_PASSWORD:
            continue
        if _names_a_secret(text, name, assignment) and _is_secret(text, name, assignment, value):
            yield Secret(_secret_kind(name), assignment.end(), end)


def _names_in(text: str) -> Iterator[re.Match[str]]:
    """Yield the names of secrets, looking only near their stems, which is much faster."""
    low = text.lower()
    if len(low) != len(text):
        yield from SECRET_NAME.finditer(text)
        return
    for start, end in _name_windows(low):
        yield from SECRET_NAME.finditer(text, start, end)


def _name_windows(low: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches where names may be, from first to last, without overlaps."""
    start, end = 0, 0
    for at in sorted(at for stem in NAME_STEMS for at in letter_positions(low, stem)):
        if at - BEFORE_CHARACTERS > end:
            if end:
                yield start, end
            start = at - BEFORE_CHARACTERS
        end = at + AFTER_CHARACTERS
    if end:
        yield start, end


def _assigned_value(text: str, assignment: re.Match[str]) -> str:
    start, quote = assignment.end(), assignment["quote"]
    if quote:
        line = text.find("\n", start, start + LONGEST_VALUE_CHARACTERS)
        limit = line if line >= 0 else start + LONGEST_VALUE_CHARACTERS
        end = text.find("&quot;" if quote == "&quot;" else quote[-1], start, limit)
        if end >= 0:
            return text[start:end].rstrip("\\")
    bare = BARE_VALUE.match(text, start)
    return bare[0].rstrip(".:") if bare else ""


def _names_a_secret(text: str, name: re.Match[str], assignment: re.Match[str]) -> bool:
    """Say whether the whole name is that of a secret, and a value is assigned to it."""
    start = name.start()
    before = NAME_HEAD.search(text, max(0, start - HEAD_CHARACTERS), start)
    head = before[0] if before else ""
    if NOT_A_SECRET.search(head + name[0] + assignment["tail"]):
        return False
    if text.startswith(REDACTED_OPEN, max(0, start - len(REDACTED_OPEN))):
        return False
    has_sign = bool(assignment["sign"].strip()) or head.startswith("-")
    return has_sign or _is_assigned_without_sign(text, name, assignment)


def _is_assigned_without_sign(text: str, name: re.Match[str], assignment: re.Match[str]) -> bool:
    """Say whether a value follows without a sign: `WITH PASSWORD 'x'`, `#define TOKEN x`."""
    if "define" in text[max(0, name.start() - 12) : name.start()]:
        return True
    return (assignment["quote"] or " ")[-1] in "'\"" and len(name[0]) > len("token")


def _is_secret(text: str, name: re.Match[str], assignment: re.Match[str], value: str) -> bool:
    end, quoted, sign = (
        assignment.end() + len(value),
        bool(assignment["quote"]),
        assignment["sign"].strip(),
    )
    is_call = not quoted and text[end : end + 1] in ("(", "[", "{")
    if is_call or is_cut_short(text, end):
        return False
    if sign in ("is", "was", "-") and not _is_strong(value):
        return False
    if name["password"]:
        spelled_out = len(name[0]) >= len("passwd")
        return is_password(value, quoted=quoted) or (spelled_out and is_numeric_code(value))
    if name["token"]:
        return is_token(value, quoted=quoted)
    return bool(sign) and is_key(value)


def _is_strong(value: str) -> bool:
    has_digit = any(character.isdigit() for character in value)
    return has_digit or len({character.isupper() for character in value[1:]}) > 1


def _secret_kind(name: re.Match[str]) -> str:
    if name["password"]:
        return "password"
    if name["key"]:
        return "key"
    low = name[0].lower()
    return next((kind for kind in ("token", "key", "auth", "salt") if kind in low), "secret")
