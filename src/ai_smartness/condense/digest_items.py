"""Collect what a digest must keep of a thread's events: statements, names, tool use, numbers.

The events are read once, in order. Each item counts how often it came and remembers where
last, and how it ended.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ai_smartness.condense.condenser import Context
from ai_smartness.condense.tool_calls import call_arguments, paired_calls, tool_name
from ai_smartness.model.annotation import MentionKind
from ai_smartness.model.event import Event, EventType, is_by_agent
from ai_smartness.model.thread import Kind
from ai_smartness.text.display import one_line, shortened_text

__all__ = ["DigestItem", "DigestMaterial", "ItemKind", "gathered_material"]

FIX_EVENTS = 6  # events after an error that may tell its fix
FIX_CHARACTERS = 120
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
    """One item: how often it came, where last, and whether in tool output only."""

    kind: ItemKind
    name: str
    count: int = 0
    last: int = 0
    by_user: bool = False
    in_output: bool = True
    note: str = ""

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

    def items_of(self, kind: ItemKind) -> list[DigestItem]:
        """Return the items of one kind, in the order they came."""
        return [item for item in self.items.values() if item.kind is kind]

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
_EDITS = re.compile(r"edit|write|create|patch|replace", re.IGNORECASE)
_OPEN = re.compile(r"^\s*[-*] \[ \] +(.{3,200})$", re.MULTILINE)
_DONE = re.compile(r"^\s*[-*] \[[xX]\] +(.{3,200})$", re.MULTILINE)
_FIXED = re.compile(
    r"\b(?:fix|fixed|fixes|solved|resolved|because|caused|the cause|instead)\b"
    r"|\b(?:corrigé|résolu|behoben|gelöst|исправ\w*|arreglad\w*)\b",
    re.IGNORECASE,
)
_SENTENCE_ENDS = re.compile(r"[.!?](?=\s)|\n")


def gathered_material(events: Sequence[Event], context: Context) -> DigestMaterial:
    """Read events for the items that a digest must keep."""
    material = DigestMaterial(events)
    results = {call: events[place] for call, place in paired_calls(events).items()}
    for place, event in enumerate(events):
        for mention in context.named(event):
            material.add_item(_MENTION_KINDS[mention.named], one_line(mention.name), place)
        _add_statements(material, event, place, context)
        _add_tool_use(material, event, place, results.get(place, event))
        for number, words in _numbers_with_context(event.text[:READ_CHARACTERS]):
            item = material.add_item(ItemKind.NUMBER, number, place)
            item.note = item.note or words
    _add_fixes(material)
    return material


def _add_statements(material: DigestMaterial, event: Event, place: int, context: Context) -> None:
    if not is_by_agent(event):
        for proposal in context.stated(event):
            if kind := _STATEMENT_KINDS.get(proposal.kind):
                material.add_item(kind, one_line(proposal.sentence), place)
    if "] " in event.text:
        for task in _OPEN.findall(event.text):
            material.add_item(ItemKind.OPEN, one_line(task), place)
        for task in _DONE.findall(event.text):
            material.items.pop((ItemKind.OPEN, one_line(task)), None)


def _add_tool_use(material: DigestMaterial, event: Event, place: int, result: Event) -> None:
    """Record a command and how it ended, or a file and what changed in it."""
    if event.type not in (EventType.TOOL_CALL, EventType.TOOL_RESULT):
        return
    arguments = call_arguments(event)
    command = arguments.get("command")
    if isinstance(command, str) and command.strip():
        item = material.add_item(ItemKind.COMMAND, one_line(command), place)
        item.note = _command_result(result) or item.note
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


def _command_result(result: Event) -> str:
    """Say how a command ended, if that is known."""
    code, is_error = result.payload.get("exit_code"), result.payload.get("is_error")
    if isinstance(code, int) and not isinstance(code, bool):
        return "worked" if code == 0 else f"failed, exit code {code}"
    if isinstance(is_error, bool):
        return "failed" if is_error else "worked"
    return ""


def _add_fixes(material: DigestMaterial) -> None:
    for item in material.items_of(ItemKind.ERROR):
        for event in material.events[item.last + 1 : item.last + 1 + FIX_EVENTS]:
            fix = _FIXED.search(event.text[:READ_CHARACTERS])
            if event.type is EventType.AGENT_MESSAGE and fix:
                sentence = _sentence_around(event.text, fix)
                item.note = f"→ {shortened_text(sentence, FIX_CHARACTERS)}"
                break


def _sentence_around(text: str, match: re.Match[str]) -> str:
    """Return the sentence around a match; a dot inside a name does not end it."""
    begins = max((e.end() for e in _SENTENCE_ENDS.finditer(text, 0, match.start())), default=0)
    ends = _SENTENCE_ENDS.search(text, match.end())
    return one_line(text[begins : ends.start() if ends else len(text)][:READ_CHARACTERS])


def _numbers_with_context(text: str) -> Iterator[tuple[str, str]]:
    """Yield each number of two digits or more, with the words next to it."""
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        before = _WORD_BEFORE.search(text[max(0, start - NUMBER_CONTEXT_CHARACTERS) : start])
        after = _WORD_AFTER.match(text[end : end + NUMBER_CONTEXT_CHARACTERS])
        words = f"{before[0] if before else ''}{match[0]}{after[0] if after else ''}"
        yield match[0], one_line(words)
