"""Take secrets out of text before it is kept: keys, tokens, passwords, private key blocks.

What is taken out leaves `[redacted:kind]` in its place; all else stays as it was, byte for byte.
Redacting twice is redacting once. Standard library only, and without regular expressions where
nothing looks like a secret: a hook does this before it writes anything.
"""

from ai_smartness.redact.suspicion import clues, may_be_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ai_smartness.redact.secret import Secret

__all__ = ["redacted", "redacted_fields", "redacted_within", "secrets_in"]

MOST_PASSES = 5
"""What stands beside a secret may look like one once that is gone; hardly more than once."""

SHORTEST_CHARACTERS = 6
"""No secret is shorter."""

MOST_CLEAN = 20_000

_clean = set[int]()
"""The hashes of texts that were found to have no secret: most come by again on their way."""


def redacted(text: str) -> str:
    """Return a text without its secrets; nothing else of it changes."""
    if len(text) < SHORTEST_CHARACTERS or hash(text) in _clean:
        return text
    for _ in range(MOST_PASSES):
        found = secrets_in(text)
        if not found:
            _remember(text)
            break
        text = _cut(text, found)
    return text


def redacted_within(value: object) -> object:
    """Return a value of JSON without its secrets, however deep they are; names of fields stay."""
    match value:
        case str():
            return redacted(value)
        case list() | tuple():
            return [redacted_within(each) for each in value]
        case dict():
            return redacted_fields(value)
    return value


def redacted_fields(fields: "dict[str, object]") -> "dict[str, object]":
    """Return an object of JSON without its secrets; the names of its fields stay."""
    return {name: _of_field(name, each) for name, each in fields.items()}


def secrets_in(text: str) -> "list[Secret]":
    """Return where the secrets of a text are, from first to last; they do not overlap."""
    clue = clues(text)
    if clue is None:
        return []
    from ai_smartness.redact.find import found  # noqa: PLC0415 - brings regular expressions

    return found(text, clue)


def _of_field(name: str, value: object) -> object:
    """Redact what a field holds, by what it is called too: `{"password": "…"}` names a secret."""
    clean = redacted_within(value)
    if not isinstance(clean, str) or not may_be_of(name, clean):
        return clean
    start = f'"{name}": "'
    whole = redacted(f'{start}{clean}"')
    return whole[len(start) : -1] if whole.startswith(start) and whole.endswith('"') else clean


def _remember(clean: str) -> None:
    if len(_clean) >= MOST_CLEAN:
        _clean.clear()
    _clean.add(hash(clean))


def _cut(text: str, found: "list[Secret]") -> str:
    pieces, end = list[str](), 0
    for secret in found:
        pieces += [text[end : secret.start], f"[redacted:{secret.kind}]"]
        end = secret.end
    return "".join([*pieces, text[end:]])
