"""Read from a message which tasks it lists as open or done.

A task is an item of a checklist, or follows words such as "Still open:".
"""

import re
from collections.abc import Sequence

__all__ = ["done_tasks", "listed_tasks", "open_tasks"]

_OPEN = re.compile(r"^\s*[-*] \[ \] +(.{3,200})$", re.MULTILINE)
_DONE = re.compile(r"^\s*[-*] \[[xX]\] +(.{3,200})$", re.MULTILINE)
_LISTED = re.compile(
    r"\b(?:(?:still|what is|what's|remains|remaining|left) (?:open|to do|left|to be done)"
    r"|not (?:yet )?done(?: yet)?|open (?:tasks?|points?|items?|questions?)|remaining"
    r"|(?:reste à faire|noch offen|noch zu tun|queda pendiente|pendiente|осталось))"
    r"\**\s?:\**[ \t]*(?P<line>.{0,300})(?P<list>(?:\n[ \t]*(?:[-*•]|\d{1,2}[.)]) .{1,300}){0,20})",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)]) +(?:\[[ xX]\] +)?", re.MULTILINE)
_NOTHING = re.compile(r"(?:nothing|none|no|n/a|-|rien|nichts|nada|ничего)\b.{0,30}", re.IGNORECASE)


def open_tasks(text: str) -> Sequence[str]:
    """Return the items of a message's checklists that are not ticked."""
    return _OPEN.findall(text) if "] " in text else ()


def done_tasks(text: str) -> Sequence[str]:
    """Return the items of a message's checklists that are ticked."""
    return _DONE.findall(text) if "] " in text else ()


def listed_tasks(text: str) -> list[str] | None:
    """Return what a message lists after "Still open:"; nothing if it has no such list."""
    lists = list(_LISTED.finditer(text))
    if not lists:
        return None
    return [task for match in lists for task in _tasks_of(match) if not _NOTHING.fullmatch(task)]


def _tasks_of(match: re.Match[str]) -> list[str]:
    line = match["line"].strip(" *")
    if line:
        return [line]
    items = (_BULLET.sub("", item).strip() for item in match["list"].splitlines())
    return [item for item in items if item]
