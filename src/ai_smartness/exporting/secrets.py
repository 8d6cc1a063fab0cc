"""Take secrets out of records before they are stored.

What this version exported has none. A file from an older one, or by another hand, may.
"""

from collections.abc import Mapping
from typing import Any

from ai_smartness.redact import redacted_within

__all__ = ["without_secrets"]

WORDS: dict[str, tuple[str, ...]] = {
    "event": ("text", "payload", "note"),
    "thread": ("title", "summary", "topics", "topics_given", "ratings"),
    "bridge": ("reason",),
    "focus": ("topic",),
    "change": ("arguments", "said"),
    "turn": ("skipped",),
    "shown": ("why",),
}
"""The fields of each kind that hold words; what is known by its id keeps it."""


def without_secrets(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record without the secrets in its words."""
    kept = dict(given)
    for name in WORDS.get(kind, ()):
        if name in kept:
            kept[name] = redacted_within(kept[name])
    if kind == "change" and "change" in kept:
        kept["change"] = _edited(kept["change"])
    return kept


def _edited(change: Mapping[str, Any]) -> dict[str, Any]:
    """Return a change without the secrets in what it tells of threads and bridges."""
    kinds = {"threads": "thread", "bridges": "bridge", "foci": "focus"}
    return {
        name: [_edit(kinds[name], each) for each in edits] if name in kinds else edits
        for name, edits in change.items()
    }


def _edit(kind: str, edit: Mapping[str, Any]) -> dict[str, Any]:
    return {when: given and without_secrets(kind, given) for when, given in edit.items()}
