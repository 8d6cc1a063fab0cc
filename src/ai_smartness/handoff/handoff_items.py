"""Choose what a handoff tells: the session's statements, and no command or name that is noise."""

import re
from collections.abc import Sequence

from ai_smartness.condense.digest_items import DigestItem, DigestMaterial, ItemKind
from ai_smartness.condense.open_tasks import listed_tasks
from ai_smartness.model.statement import Speaker, Statement, StatementKind
from ai_smartness.text.display import one_line

__all__ = ["add_statements", "drop_noise"]

LEAST_CONFIDENCE = 0.5  # of a statement: what is told after a compaction is taken for certain
LEAST_MENTIONS = 2  # of a name: one that came once is seldom what the session was about

_ITEM_KINDS = {
    StatementKind.RULE: ItemKind.CONSTRAINT,
    StatementKind.PREFERENCE: ItemKind.CONSTRAINT,
    StatementKind.DECISION: ItemKind.DECISION,
    StatementKind.OPEN_TASK: ItemKind.OPEN,
}
_ONLY_LOOKS = re.compile(
    r"(?:cd \S+ && )?(?:ssh \S+ [\"']?)?(?:grep|rg|ls|cat|head|tail|find|wc|sed -n|awk|which"
    r"|echo|pwd"
    r"|tree|stat|du|df|ps|git (?:status|diff|log|show|branch))\b"
)


def add_statements(material: DigestMaterial, statements: Sequence[Statement]) -> None:
    """Add the statements of a session to what its handoff tells."""
    places = {event.seq: place for place, event in enumerate(material.events)}
    for statement in sorted(statements, key=lambda one: (one.seq, one.id)):
        kind, place = _ITEM_KINDS.get(statement.kind), places.get(statement.seq)
        is_certain = statement.confidence >= LEAST_CONFIDENCE
        if kind is None or place is None or not is_certain or not _may_state(statement, kind):
            continue
        text = one_line(statement.text)
        if kind is ItemKind.DECISION and statement.speaker is Speaker.ASSISTANT:
            text = f"{text} (agent)"
        if kind is not ItemKind.OPEN or not _is_listed(material, text, place):
            material.add_item(kind, text, place)


def _may_state(statement: Statement, kind: ItemKind) -> bool:
    """Say whether a speaker can state this: a user all, an agent no constraint."""
    if statement.speaker is Speaker.USER:
        return True
    return statement.speaker is Speaker.ASSISTANT and kind is not ItemKind.CONSTRAINT


def drop_noise(material: DigestMaterial) -> None:
    """Leave out commands that only looked at something, and names that came once."""
    material.items = {key: item for key, item in material.items.items() if not _is_noise(item)}


def _is_listed(material: DigestMaterial, text: str, place: int) -> bool:
    """Say whether a list of open tasks has it, or a later list of its thread takes its place."""
    if any(item.name in text for item in material.items_of(ItemKind.OPEN)):
        return True
    thread = material.events[place].thread_id
    later = (event for event in material.events[place:] if event.thread_id == thread)
    return any(listed_tasks(event.text) is not None for event in later)


def _is_noise(item: DigestItem) -> bool:
    match item.kind:
        case ItemKind.COMMAND:
            return _ONLY_LOOKS.match(item.name) is not None and "failed" not in item.note
        case ItemKind.NAME:
            return item.count < LEAST_MENTIONS
        case _:
            return False
