"""Collect what a digest must keep of a thread's events: statements, names, tool use, numbers.

The events are read once, in order. Each item counts how often it came and remembers where
last, and how it ended.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ai_smartness.condense.condenser import Context
from ai_smartness.condense.error_fixes import command_result, error_fixes
from ai_smartness.condense.open_tasks import done_tasks, listed_tasks, open_tasks
from ai_smartness.condense.tool_calls import call_arguments, paired_calls, tool_name
from ai_smartness.model.annotation import MentionKind
from ai_smartness.model.event import Event, EventType, event_tier, is_by_agent
from ai_smartness.model.thread import Kind
from ai_smartness.text.display import one_line
from ai_smartness.text.trust import STATING_TIERS

__all__ = ["DigestItem", "DigestMaterial", "ItemKind", "gathered_material"]

NUMBER_CONTEXT_CHARACTERS = 16  # characters around a number that may say what it measures
READ_CHARACTERS = 20_000  # part of a message that is read for numbers: a longer one is a dump


class ItemKind(StrEnum):
    """The kinds of items, in the order of a digest."""

    CONSTRAINT = "Constraints stated by the user"
    DECISION = "Decisions"
    GOAL = "Goals"
    OPEN = "Open tasks"
    FILE = "Files"
    COMMAND = "Commands"
    ERROR = "Errors"
    NAME = "Names"
    NUMBER = "Numbers"
    URL = "Addresses"


@dataclass(slots=True)
class DigestItem:
    """One item: how often it came, where last, and whether in tool output only.

    An error is solved if the command that printed it worked later, or if the agent says so.
    """

    kind: ItemKind
    name: str
    count: int = 0
    last: int = 0
    by_user: bool = False
    in_output: bool = True
    note: str = ""
    is_solved: bool = False

    def as_text(self) -> str:
        """Return its name with its note."""
        return f"{self.name} ({self.note})" if self.note else self.name


@dataclass(slots=True)
class DigestMaterial:
    """All items of a thread, by kind and name."""

    events: Sequence[Event]
    items: dict[tuple[ItemKind, str], DigestItem] = field(default_factory=dict)
    edits: dict[str, tuple[int, int]] = field(default_factory=dict)
    reads: dict[str, int] = field(default_factory=dict)
    listed: dict[str, list[str]] = field(default_factory=dict)
    """The tasks that were listed last as still open, by thread."""

    def items_of(self, kind: ItemKind) -> list[DigestItem]:
        """Return the items of one kind, in the order they came."""
        return [item for item in self.items.values() if item.kind is kind]

    def drop_solved_errors(self) -> None:
        """Leave out the errors that are solved."""
        self.items = {key: item for key, item in self.items.items() if not item.is_solved}

    def add_item(self, kind: ItemKind, name: str, place: int) -> DigestItem:
        """Record that an item was named at a place."""
        item = self.items.setdefault((kind, name), DigestItem(kind, name))
        item.count += 1
        item.last = place
        item.by_user |= not is_by_agent(self.events[place])
        item.in_output &= self.events[place].type is EventType.TOOL_RESULT
        return item


_MENTION_KINDS = {
    MentionKind.PATH: ItemKind.FILE,
    MentionKind.IDENTIFIER: ItemKind.NAME,
    MentionKind.COMMAND: ItemKind.COMMAND,
    MentionKind.URL: ItemKind.URL,
    MentionKind.ERROR: ItemKind.ERROR,
}
_STATEMENT_KINDS = {
    Kind.CONSTRAINT: ItemKind.CONSTRAINT,
    Kind.PREFERENCE: ItemKind.CONSTRAINT,
    Kind.DECISION: ItemKind.DECISION,
    Kind.TODO: ItemKind.OPEN,
    Kind.GOAL: ItemKind.GOAL,
}
# The digit first, so that a text without one is passed over at once.
_NUMBER = re.compile(r"\d(?<![\w./:#-]\d)[\d.,]*\d%?(?![\w/-])")
_WORD_BEFORE = re.compile(r"\b[^\W\d_]{1,14}[ :=]{1,2}$")
_WORD_AFTER = re.compile(r" [^\W\d_]{1,10}\b")
_PATHS = ("path", "file_path", "notebook_path")
_EXIT_CODE = re.compile(r"[Ee]xit(?:ed)?(?: with)?(?: (?:code|status))?:? -?\w{1,10}")
_SPOKEN_TYPES = (EventType.USER_MESSAGE, EventType.AGENT_MESSAGE)
_EDITS = re.compile(r"edit|write|create|patch|replace", re.IGNORECASE)


def gathered_material(events: Sequence[Event], context: Context) -> DigestMaterial:
    """Read events for the items that a digest must keep."""
    material = DigestMaterial(events)
    results = {call: events[place] for call, place in paired_calls(events).items()}
    for place, event in enumerate(events):
        _add_mentions(material, event, place, context)
        _add_statements(material, event, place, context)
        _add_tool_use(material, event, place, results.get(place, event))
        for number, words in _numbers_with_context(event.text[:READ_CHARACTERS]):
            item = material.add_item(ItemKind.NUMBER, number, place)
            item.note = item.note or words
    _add_fixes(material)
    return material


def _add_mentions(material: DigestMaterial, event: Event, place: int, context: Context) -> None:
    for mention in context.named(event):
        # A command's exit code stands beside the command.
        if not _EXIT_CODE.fullmatch(mention.name):
            material.add_item(_MENTION_KINDS[mention.named], one_line(mention.name), place)


def _add_statements(material: DigestMaterial, event: Event, place: int, context: Context) -> None:
    if not is_by_agent(event):
        for proposal in context.stated(event):
            if kind := _STATEMENT_KINDS.get(proposal.kind):
                material.add_item(kind, one_line(proposal.sentence), place)
    if event_tier(event) not in STATING_TIERS:
        return
    for task in open_tasks(event.text):
        material.add_item(ItemKind.OPEN, one_line(task), place)
    _add_listed_tasks(material, event, place)
    for task in done_tasks(event.text):
        material.items.pop((ItemKind.OPEN, one_line(task)), None)


def _add_listed_tasks(material: DigestMaterial, event: Event, place: int) -> None:
    """Add what a message lists as still open, in place of what its thread listed before."""
    tasks = listed_tasks(event.text) if event.type in _SPOKEN_TYPES else None
    if tasks is None:
        return
    for task in material.listed.get(event.thread_id, ()):
        material.items.pop((ItemKind.OPEN, task), None)
    material.listed[event.thread_id] = [one_line(task) for task in tasks]
    for task in material.listed[event.thread_id]:
        material.add_item(ItemKind.OPEN, task, place)


def _add_tool_use(material: DigestMaterial, event: Event, place: int, result: Event) -> None:
    """Record a command and how it ended, or a file and what changed in it."""
    if event.type not in (EventType.TOOL_CALL, EventType.TOOL_RESULT):
        return
    arguments = call_arguments(event)
    command = arguments.get("command")
    if isinstance(command, str) and command.strip():
        item = material.add_item(ItemKind.COMMAND, one_line(command), place)
        item.note = _command_note(result) or item.note
    path = next((p for p in map(arguments.get, _PATHS) if isinstance(p, str)), "")
    if path and event.type is EventType.TOOL_CALL:
        _add_file(material, event, place, path)


def _add_file(material: DigestMaterial, event: Event, place: int, path: str) -> None:
    counts = [event.payload.get(name) for name in ("added", "removed")]
    item = material.add_item(ItemKind.FILE, path, place)
    if all(isinstance(count, int) for count in counts):
        before = material.edits.get(path, (0, 0))
        added, removed = (old + int(str(new)) for old, new in zip(before, counts, strict=True))
        material.edits[path] = (added, removed)
        item.note = f"changed +{added} -{removed}"
    elif _EDITS.search(tool_name(event)):
        material.edits.setdefault(path, (0, 0))
        item.note = item.note or "changed"
    else:
        material.reads[path] = material.reads.get(path, 0) + 1


def _command_note(result: Event) -> str:
    """Say how a command ended, if that is known."""
    worked, code = command_result(result), result.payload.get("exit_code")
    if worked is None:
        return ""
    failed = f"failed, exit code {code}" if isinstance(code, int) else "failed"
    return "worked" if worked else failed


def _add_fixes(material: DigestMaterial) -> None:
    errors = {item.name: item.last for item in material.items_of(ItemKind.ERROR)}
    for name, fix in error_fixes(material.events, errors).items():
        item = material.items[ItemKind.ERROR, name]
        item.is_solved = fix.is_solved
        item.note = f"→ {fix.sentence}" if fix.sentence else "solved"


def _numbers_with_context(text: str) -> Iterator[tuple[str, str]]:
    """Yield each number of two digits or more with the words next to it; without any, none."""
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        before = _WORD_BEFORE.search(text[max(0, start - NUMBER_CONTEXT_CHARACTERS) : start])
        after = _WORD_AFTER.match(text[end : end + NUMBER_CONTEXT_CHARACTERS])
        if before or after:
            words = f"{before[0] if before else ''}{match[0]}{after[0] if after else ''}"
            yield match[0], one_line(words)
