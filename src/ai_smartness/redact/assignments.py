"""Find values that are assigned to the name of a secret: in code, settings, JSON, flags, prose."""

import re
from collections.abc import Iterable, Iterator

from ai_smartness.redact import Secret
from ai_smartness.redact.names import NAME_STEMS, PASSWORD_WORDS, SECRET_WORDS
from ai_smartness.redact.plausibility import (
    SHORTEST_PASSWORD,
    is_cut_short,
    is_key,
    is_mixed,
    is_numeric_code,
    is_passphrase,
    is_password,
    is_random,
    is_token,
    is_trusted_password,
)
from ai_smartness.redact.prefilter import TELLING_WORDS, letter_positions
from ai_smartness.text.lazy_pattern import LazyPattern
from ai_smartness.text.markers import REDACTED_OPEN

__all__ = ["find_assigned_secrets"]

LONGEST_VALUE_CHARACTERS = 2_000

DEEPEST_NAMES = 8
"""Nested names: `"Authorization: token=…"` has two, a text made to be slow has thousands."""

MOST_PIECES = 8  # of a string that is written in pieces
SHORTEST_UNSIGNED_TOKEN = 20  # `use the token 1f…`: nothing says that this is the value
SHORTEST_LABELLED_TOKEN = 16  # "API key" on one line, and the key on the next
SHORTEST_PASSPHRASE = 16
SHORTEST_KEY_SETTING = 24  # `FERNET_KEY=…`: other keys than secret ones are shorter


def _any_of(words: Iterable[str]) -> str:
    return "|".join(words).replace(" ", "[ ]")


def _is_short_word(word: str) -> bool:
    """Say whether a word of another language may stand within an English one, as in `enclave`."""
    return len(word) <= SHORT_WORD_LETTERS and word[0].isascii()


SHORT_WORD_LETTERS = 6
_SHORT = r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z0-9])(?=[A-Z])))"
SECRET_NAME = LazyPattern(
    rf"""(?:(?P<password>pass(?:[_-]?word|wd|phrase|code)|pas{{1,2}}wo?r?d|pss?wo?r?d|userpwd
        |(?<![a-z])(?!by|com|mini|sur|tres|under|over|encom|multi|single|low|high|band|all|one|two)
        [a-z]{{2,8}}(?:pass|pwd)(?![a-z])|(?:bind|root|user|admin|db)pw
        |{_any_of(word for word in PASSWORD_WORDS if not _is_short_word(word))}
        |{_SHORT}(?:{_any_of(filter(_is_short_word, PASSWORD_WORDS))})
        |{_SHORT}(?:pass(?!thr|ing|ive|age|port|ion|band|count|rate|fail)w?|pwd|pw|psd|psw|psk
            |pin(?=[ ]?(?:code)?[ ]?[:=])))
    |(?P<token>secret|token|private[_-]?key|authorization
        |(?:api|app|access|account|auth|client|consumer|deploy|encryption|encrypt|aes|hmac|license
        |master|server|service|session|shared|signing|sign|ssh|subscription|webhook|write|admin
        |preshared|integration|routing|ingest|application|account)
        [_-]?key|(?:api|access|secret|license|encryption|master|account|signing)[ ]key
        |{_SHORT}(?:o?auth|credentials?|creds?|salt|jwt|t?otp|bearer)
        |{_any_of(word for word in SECRET_WORDS if not _is_short_word(word))}
        |{_SHORT}(?:{_any_of(filter(_is_short_word, SECRET_WORDS))}))
    |(?P<key>{_SHORT}(?:p?key|api)))(?P<many>s?)(?-i:(?![a-z]))""",
    re.IGNORECASE | re.VERBOSE,
)

BEFORE_CHARACTERS = len("subscription_")
AFTER_CHARACTERS = len("authorization") + 1
"""How far a name reaches around its stem, and one more to see that it ends there."""

ASSIGNMENT = LazyPattern(
    r"""(?P<tail>[A-Za-z0-9_.\-]{0,40}+)
    (?P<closed>(?:\\{0,4}["'`]|\]|\)|&quot;|&\#3[49];|%22|\\u0022|\*\*|__){0,3}+)
    (?:[ ]\([\w .\-]{1,30}\)(?=:)|[ ]\d{1,2}(?=:)|[ ](?:for|of|on|pour|für|para|de|от|від)[ ]
        [\w.@\-]{1,40}(?:[ ][\w.@\-]{1,30})?(?=[ ]?:[ ]))?  # password for ada: …
    (?P<sign>[ \t]{0,20}+
        (?:(?::[ ]?|As[ ])[A-Za-z_&][\w.\[\]|<>']{0,30}[ ]?=(?!=)  # password: str = "…"
        |%3[AaDd]|\\u003[aAdD]|:-(?=\S)  # url-encoded; ${TOKEN:-…}
        |:{1,3}=|=>|->|\|\|:?|\?=|[!=]={1,2}|::?|=|[：＝]|>(?!=)|[|│┃](?=[ ]))
      |,[ ]{0,4}(?=["'])  # setenv("TOKEN", "…")
      |\([ ]?(?=["'])  # setPassword("…")
      |[ ]-(?=[ ])
      |[ ](?:(?:is|was|are|should[ ]be|must[ ]be|will[ ]be|es|è|é|est|ist|lautet|är|er|jest
        |это)(?:[ ](?:now|set[ ]to|jetzt|maintenant|ahora|adesso|agora|nu|teraz|теперь))?
        |(?:set[ ]|changed[ ]|reset[ ])?to):?(?=[ ])
      |[是为為は는은]
      |(?:\\{1,4}t){1,3}|(?=[ \t]|\r?\n))
    (?:\*\*)?[ \t]{0,20}+
    (?P<fold>(?:[>|][+-]?|\(|\\)?[ \t]{0,8}+\r?\n[ \t]{0,40}+)?
    (?:(?:Bearer|Basic|Token|token)[ ]{1,9}(?=\S))?[(\[]?
    (?P<quote>[urbfURBFNL@$]{0,2}\\{0,4}["'`]|&quot;|&\#3[49];|%22|\\u0022|[“„«‹「『])?""",
    re.VERBOSE,
)
TOLD_VALUE = LazyPattern(
    rf"""(?:[ ][^\s.,;:!?=<>{{}}()\[\]"'`]{{1,30}}){{1,8}}?[ ](?:{"|".join(TELLING_WORDS)}):?
    [ ]["'`“„«]?(?P<secret>[^\s"'`“”„«»]{{6,80}})""",
    re.VERBOSE,
)
"""The password of something, told in a sentence: `password at the office is …`."""

CLOSING_QUOTES = {"“": "”", "„": "“", "«": "»", "‹": "›", "「": "」", "『": "』"}
BARE_VALUE = LazyPattern(r"[^\s\"'`<>,;|&(){}\[\]\\]{1,400}")
ENV_VALUE = LazyPattern(r"[^\s\"'`]{1,400}")
NEXT_PIECE = LazyPattern(r"[ \t]{0,8}(?:[+.\\]?[ \t]{0,8}\r?\n?[ \t]{0,40}|[+.][ \t]{0,8})[\"']")
NEXT_ITEM = LazyPattern(r"[ \t]{0,8},[ \t]{0,8}\r?\n?[ \t]{0,40}[\"']")
NAME_HEAD = LazyPattern(r"[A-Za-z0-9_.\-]*\Z")
HEAD_CHARACTERS = 40
LINE_CHARACTERS = 300
LINE_START = LazyPattern(r"[ \t>*+\-;#|]{0,40}(?:(?:export|set|setenv|ENV|ARG|local|let)\s+)?\Z")
SETTER = LazyPattern(r"(?:\b(?:ENV|ARG|setenv|SetEnv|setx|export|define)\s+|\bset\s+-\w+\s+)\Z")
SECTION = LazyPattern(r"(?m)^[ \t]*\[[\w .:\"/-]{1,60}\][ \t]*$")
PLAIN_TAIL = LazyPattern(
    r"(?i)(?:[_.\-]?(?:prod|dev|test|stag(?:e|ing)|live|main|plain|key|key_?base|base|value|\d+))?\Z"
)
NOT_A_SECRET = LazyPattern(
    r"""(?ix)public|csrf|xsrf|pagina|continuation|next_?page|primary|foreign|cache|partition|idempot
    |tokeniz|max_?tok|token_?count|num_?tok|keyword|keyboard|keycode|hot_?key|sort_?key|redacted
    |shortcut|author(?!iz)|auths|_?(?:ids?|names?|urls?|uri|path|file|dir|type|count|limit|length|len|size
    |expir\w*|expires_?(?:in|at)|at|hash|digest|field|label|hint|error|errors|policy|pattern
    |regex|min|max|version|status|method|endpoint|scope|format|column|prefix|suffix|usage|budget
    |ref|store|manager|provider|backend|placeholder|title|message|strength|kind|header)$"""
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
        found = _Assignment(text, name, assignment)
        outer = max(outer, found.end)
        if len(found.value) >= SHORTEST_PASSWORD and found.names_secret() and found.is_secret():
            yield from found.secrets()
        elif name["password"]:
            yield from _told_password(text, name)


def _told_password(text: str, name: re.Match[str]) -> Iterator[Secret]:
    """Yield the password that a sentence names some words after the word for it."""
    told = TOLD_VALUE.match(text, name.end())
    if told is None or is_cut_short(text, told.end("secret")):
        return
    value = told["secret"].rstrip(",;:)")
    if is_password(value) and is_mixed(value):
        yield Secret("password", told.start("secret"), told.start("secret") + len(value))


class _Assignment:
    """A name, a sign and a value."""

    def __init__(self, text: str, name: re.Match[str], assignment: re.Match[str]) -> None:
        self.text = text
        self.name = name
        self.tail: str = assignment["tail"]
        self.closed: str = assignment["closed"]
        self.sign: str = assignment["sign"]
        self.quote: str = assignment["quote"] or ""
        self.is_folded = bool(assignment["fold"])
        self.start = assignment.end()
        before = NAME_HEAD.search(text, max(0, name.start() - HEAD_CHARACTERS), name.start())
        self.head = before[0] if before else ""
        self.value = self._value()
        self.end = self.start + len(self.value)

    def secrets(self) -> Iterator[Secret]:
        """Yield the value, and the further pieces of a string that is written in several."""
        kind = _secret_kind(self.name)
        yield Secret(kind, self.start, self.end)
        if self.quote not in ("'", '"'):
            return
        end = self.end + 1
        next_piece = NEXT_ITEM if self.name["many"] else NEXT_PIECE
        for _ in range(MOST_PIECES):
            start = next_piece.match(self.text, end)
            close = self.text.find(self.text[start.end() - 1], start.end()) if start else -1
            if start is None or not start.end() < close <= start.end() + LINE_CHARACTERS:
                return
            if start[0].strip(" \t'\"") == "" and "\n" not in start[0]:
                return
            if (
                "\n" not in self.text[start.end() : close]
                and self.text[close + 1 : close + 2] != ":"
            ):
                yield Secret(kind, start.end(), close)
            end = close + 1

    def names_secret(self) -> bool:
        """Say whether the whole name is that of a secret, and a value is assigned to it."""
        if NOT_A_SECRET.search(self.head + self.name[0] + self.tail):
            return False
        if self.sign[:1] == "," and not self._is_named_argument():
            return False
        if self.sign == ":" and "secretsmanager:" in self.text[slice(*self._window_before())]:
            return False  # an Amazon resource name
        start = self.name.start()
        if self.text.startswith(REDACTED_OPEN, max(0, start - len(REDACTED_OPEN))):
            return False
        if self.is_folded:
            return self._ends_line() and self._is_label()
        return bool(self.sign.strip()) or self._is_flag or self._is_assigned_without_sign()

    def _is_named_argument(self) -> bool:
        """Say whether it is `put("password", "…")`, not `hasattr(pwd, "…")`."""
        is_quoted = self.closed.endswith(("'", '"', "`"))
        return not self.name["many"] and (is_quoted or self.name[0].isupper())

    def _is_label(self) -> bool:
        """Say whether the value of this name may stand on the next line."""
        if self.sign.strip() in (":", "=", ":=", "=>", "："):
            return True
        is_long = len(self.value) >= SHORTEST_LABELLED_TOKEN
        return not self.sign.strip() and is_long and is_token(self.value, quoted=False)

    def is_secret(self) -> bool:
        """Say whether the value is a secret, trusting the name as far as the form allows."""
        if self.sign[:1] == "(" and self.tail:
            return False  # `password.encode("latin1")`
        is_call = not self.quote and self.text[self.end : self.end + 1] in ("(", "[", "{")
        if is_call or is_cut_short(self.text, self.end):
            return False
        if self.name["password"]:
            return self._is_password()
        is_trusted = self._is_setting()
        if self.name["token"]:
            is_literal = is_trusted and (bool(self.quote) or self.sign.strip() != ":")
            return is_token(self.value, quoted=is_literal) or (
                is_trusted and self._is_secret_phrase()
            )
        if is_key(self.value):
            return bool(self.sign.strip())
        is_long = len(self.value) >= SHORTEST_KEY_SETTING
        return (
            is_long and is_trusted and self.head.endswith("_") and is_token(self.value, quoted=True)
        )

    def _value(self) -> str:
        text, start = self.text, self.start
        if self.quote:
            line = text.find("\n", start, start + LONGEST_VALUE_CHARACTERS)
            limit = line if line >= 0 else start + LONGEST_VALUE_CHARACTERS
            close = self.quote if self.quote[0] in "&%" or "u00" in self.quote else self.quote[-1]
            end = text.find(CLOSING_QUOTES.get(close, close), start, limit)
            if end >= 0:
                return text[start:end].rstrip("\\")
        if self.sign == "=" and self.head + self.name[0] == (self.head + self.name[0]).upper():
            whole = ENV_VALUE.match(text, start)
            if whole and is_trusted_password(whole[0], quoted=False):
                return whole[0].rstrip(",;)")
        bare = BARE_VALUE.match(text, start)
        value = bare[0].rstrip(".:") if bare else ""
        return value.partition("%26")[0] if self.sign[:1] == "%" else value

    def _is_password(self) -> bool:
        value, sign = self.value, self.sign.strip()
        if sign == "-" or (sign[:1].isalpha() and sign[0] not in "A是为為は는은"):
            return is_password(value) and _is_strong(value)
        spelled_out = len(self.name[0]) >= len("passwd")
        if spelled_out and is_numeric_code(value):
            return True
        if self.name[0] == "PIN":
            return is_numeric_code(value)
        if self._is_setting():
            return is_trusted_password(value, quoted=bool(self.quote))
        return is_password(value) or (is_random(value) and self.sign.strip() in (":", "：", "="))

    def _is_secret_phrase(self) -> bool:
        """Say whether the value of a secret is several words, as people choose them."""
        return (
            "secret" in self.name[0].lower()
            and len(self.value) >= SHORTEST_PASSPHRASE
            and is_passphrase(self.value)
            and is_trusted_password(self.value, quoted=True)
        )

    @property
    def _is_flag(self) -> bool:
        """Whether it is an option of a command: `--password x`, `/password:x`."""
        if self.closed:
            return False
        before = self.text[max(0, self._window_before()[1] - 2) : self._window_before()[1]]
        return self.head.startswith("-") or (self.sign == ":" and before == " /")

    def _is_setting(self) -> bool:
        """Say whether a literal is assigned: quoted, on the command line, in a settings file."""
        if not PLAIN_TAIL.match(self.tail) or self.is_folded:
            return False
        sign = self.sign.strip()
        if sign in (">", "|"):
            return not self.closed and self.text.startswith("</", self.end)
        if self.quote:
            is_setter = (
                sign == "("
                and not self.tail
                and (self.name[0] == "PASSWORD" or self.head.endswith((".", "set", "with")))
            )
            return is_setter or sign not in ("==", "===", "!=", "!==", "(")
        if self._is_flag or SETTER.search(self.text, *self._window_before()):
            return True
        return self._is_unspaced_setting() or self._is_settings_line()

    def _is_unspaced_setting(self) -> bool:
        """Say whether it is `NAME=value`, and no argument of a call."""
        if self.sign != "=" or self.text[self.start : self.start + 1].isspace():
            return False
        start, stop = self._window_before()
        line = self.text[start:stop].rpartition("\n")[2]
        is_in_string = (line.count('"') + line.count("'")) % 2 == 1
        return is_in_string or line.count("(") <= line.count(")")

    def _is_settings_line(self) -> bool:
        """Say whether a line has the name and the value and nothing else."""
        sign = self.sign.strip()
        start, stop = self._window_before()
        line = max(start, self.text.rfind("\n", start, stop) + 1)
        if not self._ends_line() or not LINE_START.match(self.text[line:stop]):
            return False
        if sign in (":", "：", ":="):
            return True
        if not sign:
            return self._has_compound_name()
        return sign == "=" and SECTION.search(self.text, start, stop) is not None

    def _has_compound_name(self) -> bool:
        """Say whether a directive may have this name: `bindpw x`, not `password reset`."""
        name = self.name[0].lower()
        is_glued = name.endswith(("pass", "pw", "pwd")) and name not in ("pass", "pw", "pwd")
        return bool(self.name["password"]) and (is_glued or bool(self.head.strip("-.")))

    def _ends_line(self) -> bool:
        rest = self.text[self.end : self.end + LINE_CHARACTERS].partition("\n")[0]
        rest = rest.strip(" \t\r\"'`,;)")
        return not rest or rest[0] == "#" or rest.startswith("//")

    def _window_before(self) -> tuple[int, int]:
        stop = self.name.start() - len(self.head)
        return max(0, stop - LINE_CHARACTERS), stop

    def _is_assigned_without_sign(self) -> bool:
        """Say whether a value follows without a sign: `WITH PASSWORD 'x'`, `#define TOKEN x`."""
        if self.value[0] == "-":
            return False
        if SETTER.search(self.text, *self._window_before()):
            return True
        if (self.quote or " ")[-1] in "'\"":
            return len(self.name[0]) > len("token") or self.name[0].lower() in ("psk", "pwd", "pw")
        has_digit = any(character.isdigit() for character in self.value)
        if has_digit and len(self.value) >= SHORTEST_UNSIGNED_TOKEN and not self.name["key"]:
            return True
        return self._is_settings_line()


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
