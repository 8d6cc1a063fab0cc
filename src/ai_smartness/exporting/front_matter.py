"""What a page says about its thread before its text, as YAML."""

import json
import re
from collections.abc import Sequence

from ai_smartness.model.thread import Thread

__all__ = ["front_matter"]

# JSON is YAML, but for characters that YAML does not take as they are.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def front_matter(thread: Thread) -> str:
    """Write what there is to know of a thread."""
    lines = {
        "id": _text(thread.id),
        "title": _text(thread.title),
        "project": _text(thread.project),
        "kind": thread.kind.value,
        "status": thread.status.value,
        "topics": _list(thread.topics),
        "tags": _list(thread.tags),
        "created": f"{thread.created_at:%Y-%m-%dT%H:%M:%SZ}",
        "last_active": f"{thread.last_active:%Y-%m-%dT%H:%M:%SZ}",
        "weight": f"{thread.weight:.2f}",
        "files": _list(thread.files),
    }
    return "\n".join(["---", *(f"{name}: {value}" for name, value in lines.items()), "---", ""])


def _list(values: Sequence[str]) -> str:
    return "[" + ", ".join(_text(value) for value in values) + "]"


def _text(value: str) -> str:
    written = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)
