"""What a thread's events hold that must not be lost: who said what, what was named, how it went.

Read once through, in order; each thing is known by how often and how lately it
came, and by how it ended.
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

FIX_EVENTS = 6
"""Events after an error in which what was done about it is told."""

FIX_CHARACTERS = 120

NUMBER_CONTEXT_CHARACTERS = 16
"""Around a number, in which the words are that say what it is of."""

READ_CHARACTERS = 20_000
"""Of a message, what is read for numbers: what is longer is a dump."""


class ItemKind(StrEnum):
    """What sort of thing it is; the order is that of a digest."""

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
    """One thing worth keeping: how often it came, where last, and whether in tool output alone."""

    kind: ItemKind
    name: str
    count: int = 0
    last: int = 0
    by_user: bool = False
    in_output: bool = True
    note: str = ""

    def as_text(self) -> str:
        """Write it with what there is to say of it."""
        return f"{self.name} ({self.note})" if self.note else self.name


@dataclass(slots=True)
class DigestMaterial:
    """Everything found, by sort and name."""

    events: Sequence[Event]
    items: dict[tuple[ItemKind, str], DigestItem] = field(default_factory=dict)
    edits: dict[str, tuple[int, int]] = field(default_factory=dict)
    reads: dict[str, int] = field(default_factory=dict)

    def items_of(self, sort: ItemKind) -> list[DigestItem]:
        """Return the things of one sort, in the order they came."""
        return [item for item in self.items.values() if item.kind is sort]

    def add_item(self, sort: ItemKind, name: str, place: int) -> DigestItem:
        """Take note that something was named at a place."""
        item = self.items.get((sort, name))
        if item is None:
            item = self.items[sort, name] = DigestItem(sort, name)
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
    """Read events through for what must be kept of them."""
    found = DigestMaterial(events)
    answers = {call: events[place] for call, place in paired_calls(events).items()}
    for place, event in enumerate(events):
        _add_mentions(found, event, place, context)
        _add_statements(found, event, place, context)
        _add_tool_use(found, event, place, answers.get(place, event))
        for name, said in _numbers_with_context(event.text[:READ_CHARACTERS]):
            item = found.add_item(ItemKind.NUMBER, name, place)
            item.note = item.note or said
    _add_fixes(found)
    return found


def _add_mentions(found: DigestMaterial, event: Event, place: int, context: Context) -> None:
    for mention in context.named(event):
        sort = _MENTION_KINDS[mention.named]
        found.add_item(sort, one_line(mention.name), place)


def _add_statements(found: DigestMaterial, event: Event, place: int, context: Context) -> None:
    if not is_by_agent(event):
        for each in context.stated(event):
            if each.kind in _STATEMENT_KINDS:
                found.add_item(_STATEMENT_KINDS[each.kind], one_line(each.sentence), place)
    if "] " in event.text:
        for task in _OPEN.findall(event.text):
            found.add_item(ItemKind.OPEN, one_line(task), place)
        for task in _DONE.findall(event.text):
            found.items.pop((ItemKind.OPEN, one_line(task)), None)


def _add_tool_use(found: DigestMaterial, event: Event, place: int, answer: Event) -> None:
    """Take note of what a tool did: a command and how it ended, a file and what changed in it."""
    if event.type not in (EventType.TOOL_CALL, EventType.TOOL_RESULT):
        return
    given = call_arguments(event)
    command = given.get("command")
    path = next((given[name] for name in _PATHS if isinstance(given.get(name), str)), None)
    if isinstance(command, str) and command.strip():
        item = found.add_item(ItemKind.COMMAND, one_line(command), place)
        item.note = _command_result(answer) or item.note
    if isinstance(path, str) and path and event.type is EventType.TOOL_CALL:
        _add_file(found, event, place, path)


def _add_file(found: DigestMaterial, event: Event, place: int, path: str) -> None:
    counts = [event.payload.get(name) for name in ("added", "removed")]
    item = found.add_item(ItemKind.FILE, path, place)
    if all(isinstance(count, int) for count in counts):
        before = found.edits.get(path, (0, 0))
        added, removed = (old + int(str(new)) for old, new in zip(before, counts, strict=True))
        found.edits[path] = (added, removed)
        item.note = f"changed +{added} -{removed}"
    elif _EDITS.search(tool_name(event)):
        found.edits.setdefault(path, (0, 0))
        item.note = item.note or "changed"
    else:
        found.reads[path] = found.reads.get(path, 0) + 1


def _command_result(answer: Event) -> str:
    """Say how a command ended, if that is known."""
    code, wrong = answer.payload.get("exit_code"), answer.payload.get("is_error")
    if isinstance(code, int) and not isinstance(code, bool):
        return "worked" if code == 0 else f"failed, exit code {code}"
    if isinstance(wrong, bool):
        return "failed" if wrong else "worked"
    return ""


def _add_fixes(found: DigestMaterial) -> None:
    for item in found.items_of(ItemKind.ERROR):
        for event in found.events[item.last + 1 : item.last + 1 + FIX_EVENTS]:
            fixed = _FIXED.search(event.text[:READ_CHARACTERS])
            if event.type is EventType.AGENT_MESSAGE and fixed:
                item.note = (
                    f"→ {shortened_text(_sentence_around(event.text, fixed), FIX_CHARACTERS)}"
                )
                break


def _sentence_around(text: str, around: re.Match[str]) -> str:
    """Return the sentence that something stands in; a dot inside a name ends none."""
    begins = max((e.end() for e in _SENTENCE_ENDS.finditer(text, 0, around.start())), default=0)
    ends = _SENTENCE_ENDS.search(text, around.end())
    return one_line(text[begins : ends.start() if ends else len(text)][:READ_CHARACTERS])


def _numbers_with_context(text: str) -> Iterator[tuple[str, str]]:
    """Yield each number of some length, and the words it stands between."""
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        before = _WORD_BEFORE.search(text[max(0, start - NUMBER_CONTEXT_CHARACTERS) : start])
        after = _WORD_AFTER.match(text[end : end + NUMBER_CONTEXT_CHARACTERS])
        said = f"{before[0] if before else ''}{match[0]}{after[0] if after else ''}"
        yield match[0], one_line(said)
