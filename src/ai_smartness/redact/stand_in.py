"""Tell a secret from what people write in its place: `YOUR_API_KEY`, `xxxx`, `${VAR}`."""

from ai_smartness.redact.pattern import Pattern

__all__ = ["is_stand_in"]

FEWEST_CHARACTERS = 3
SAME_LETTERS = 6

WORDS = (
    *("example", "placeholder", "your", "insert", "changeme", "change_me", "dummy", "sample"),
    *("redacted", "replace", "abcdefghij", "123456789012345", "todo", "undefined"),
    *("environ", "process.env", "getenv", "getpass"),
)
WHOLE = frozenset(
    [
        *("none", "null", "nil", "true", "false", "test", "string", "password", "secret", "token"),
        *("foo", "bar", "baz", "pass", "pwd"),
    ]
)
STARTS = ("os.", "env.", "self.", "this.", "config.", "settings.", "$", "%s")
PARTS = ("$(", "${", "{{", "%(", "%{", "...", "…", "XXXX")
AROUND = frozenset(["<>", "{}", "[]", "()"])
MINE = Pattern(r"my[_-]?(?:pass|secret|token|key|api)")
SIGNS = Pattern(r"\{\w*\}|%\w+%|[*•]{3}|[x#]{4}")


def is_stand_in(value: str) -> bool:
    """Say whether something only holds a secret's place."""
    low = value.lower()
    return (
        len(set(value)) <= FEWEST_CHARACTERS
        or low in WHOLE
        or low.startswith(STARTS)
        or low.endswith("here")
        or value[:1] + value[-1:] in AROUND
        or any(part in value for part in PARTS)
        or any(word in low for word in WORDS)
        or ("my" in low and MINE.search(low) is not None)
        or SIGNS.search(value) is not None
        or _repeats(value)
    )


def _repeats(value: str) -> bool:
    """Say whether one letter stands many times in a row; `A` does in base64."""
    return len(value) >= SAME_LETTERS and any(
        each * SAME_LETTERS in value for each in set(value) if each.isalpha() and each != "A"
    )
