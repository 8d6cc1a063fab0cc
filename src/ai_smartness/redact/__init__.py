"""Take secrets out of text before it is kept: keys, tokens, passwords, private key blocks.

What is taken out leaves `[redacted:kind]` in its place; all else stays as it was, byte for byte.
Redacting twice is redacting once. Standard library only, and without regular expressions where
nothing looks like a secret: a hook does this before it writes anything.

A secret in a text: what it is, and where.
"""

from ai_smartness.redact.prefilter import find_clues, may_be_secret_field
from ai_smartness.text.markers import redaction_mark

__all__ = ["Secret", "find_secrets", "redacted_fields", "redacted_json", "redacted_text"]


MOST_PASSES = 5
"""What stands beside a secret may look like one once that is gone; hardly more than once."""

SHORTEST_TEXT_CHARACTERS = 6
"""No secret is shorter."""

MOST_CLEAN_HASHES = 20_000

_clean_hashes = set[int]()
"""The hashes of texts that were found to have no secret: most come by again on their way."""


def redacted_text(text: str) -> str:
    """Return a text without its secrets; nothing else of it changes."""
    if len(text) < SHORTEST_TEXT_CHARACTERS or hash(text) in _clean_hashes:
        return text
    for _ in range(MOST_PASSES):
        found = find_secrets(text)
        if not found:
            _remember_clean(text)
            break
        text = _replace_secrets(text, found)
    return text


def redacted_json(value: object) -> object:
    """Return a value of JSON without its secrets, however deep they are; names of fields stay."""
    match value:
        case str():
            return redacted_text(value)
        case list() | tuple():
            return [redacted_json(each) for each in value]
        case dict():
            return redacted_fields(value)
    return value


def redacted_fields(fields: "dict[str, object]") -> "dict[str, object]":
    """Return an object of JSON without its secrets; the names of its fields stay."""
    return {name: _redacted_field(name, each) for name, each in fields.items()}


def find_secrets(text: str) -> "list[Secret]":
    """Return where the secrets of a text are, from first to last; they do not overlap."""
    clue = find_clues(text)
    if clue is None:
        return []
    from ai_smartness.redact.scan import scan_text

    return scan_text(text, clue)


def _redacted_field(name: str, value: object) -> object:
    """Redact what a field holds, by what it is called too: `{"password": "…"}` names a secret."""
    clean = redacted_json(value)
    if not isinstance(clean, str) or not may_be_secret_field(name, clean):
        return clean
    start = f'"{name}": "'
    whole = redacted_text(f'{start}{clean}"')
    return whole[len(start) : -1] if whole.startswith(start) and whole.endswith('"') else clean


def _remember_clean(clean: str) -> None:
    if len(_clean_hashes) >= MOST_CLEAN_HASHES:
        _clean_hashes.clear()
    _clean_hashes.add(hash(clean))


def _replace_secrets(text: str, found: "list[Secret]") -> str:
    pieces, end = list[str](), 0
    for secret in found:
        pieces += [text[end : secret.start], redaction_mark(secret.kind)]
        end = secret.end
    return "".join([*pieces, text[end:]])


class Secret:
    """What sort of secret stands between which characters.

    Neither a dataclass nor a named tuple: a hook would wait for them to be loaded.
    """

    __slots__ = ("end", "kind", "start")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind = kind
        self.start = start
        self.end = end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"Secret({self.kind!r}, {self.start}, {self.end})"

    @property
    def _key(self) -> "tuple[str, int, int]":
        return self.kind, self.start, self.end
