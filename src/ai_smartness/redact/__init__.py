"""Redact secrets from text before it is stored: keys, tokens, passwords, private key blocks.

A secret is replaced by `[redacted:kind]`; everything else stays, byte for byte. Redacting twice
is redacting once.

`prefilter.py` looks for clues by letters alone. Only the rules that have a clue run, and they are
loaded then (`scan.py`).
"""

from ai_smartness.redact.prefilter import SHORTEST_VALUE, SecretClues, may_name_secret
from ai_smartness.text.markers import redaction_mark

__all__ = [
    "Secret",
    "find_secrets",
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


def _may_be_secret_field(name: str, value: str) -> bool:
    """Say whether a value may be a secret because of the name of its field."""
    if len(value) < SHORTEST_VALUE or '"' in value or len(value.split()) != 1:
        return False
    return may_name_secret(name, value)
