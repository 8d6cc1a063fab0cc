"""The exact things a log holds: what is looked for in what stands for it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from ai_smartness.capture.mentions import extract_mentions
from ai_smartness.condense.digest import is_named_in
from ai_smartness.describe.kinds import kind_proposals
from ai_smartness.model.event import EventType, default_event_type
from ai_smartness.model.thread import Kind

__all__ = ["PRINTED", "SORTS", "Facts", "facts_in", "found_in", "text_of", "words_of"]

Facts = dict[str, set[str]]

SORTS = ("paths", "commands", "identifiers", "numbers", "urls", "errors", "constraints")
"""Of what the user or the agent said, or the agent gave to a tool."""

PRINTED = "printed"
"""Facts of any sort that only the output of a tool holds."""

_NUMBER = re.compile(r"(?<![\w./:#-])\d[\d.,]*\d%?(?![\w/-])")
_RULES = (Kind.CONSTRAINT, Kind.PREFERENCE)
_PATHS = ("path", "file_path")


class Spoken(Protocol):
    """A message, an event, or what stands for some."""

    @property
    def type(self) -> EventType | None:
        """What it is."""
        ...

    @property
    def role(self) -> str:
        """Who said it."""
        ...

    @property
    def text(self) -> str:
        """What was said."""
        ...

    @property
    def payload(self) -> Mapping[str, object]:
        """What came with it."""
        ...


def facts_in(messages: Iterable[Spoken]) -> Facts:
    """Return every path, command, identifier, number, address, error and rule of the user's."""
    found: Facts = {sort: set() for sort in SORTS}
    printed: Facts = {sort: set() for sort in SORTS}
    for message in messages:
        given = list(_given(message))
        if _is_output(message):
            _take(printed, message.text)
        else:
            _take(found, "\n".join([message.text, *(text for _, text in given)]))
        found["commands"].update(text for name, text in given if name == "command")
        found["paths"].update(text for name, text in given if name in _PATHS)
        if message.role == "user":
            stated = (each for each in kind_proposals(message.text) if each.kind in _RULES)
            found["constraints"].update(each.sentence for each in stated)
    said = {sort: {_plain(each) for each in names} for sort, names in found.items()}
    known = set().union(*said.values())
    alone = {_plain(each) for names in printed.values() for each in names} - known
    return {**said, PRINTED: alone}


def found_in(facts: Facts, text: str) -> dict[str, int]:
    """Count the facts of each sort that stand in a text, whole."""
    text = _plain(text)
    return {sort: sum(is_named_in(name, text) for name in names) for sort, names in facts.items()}


def words_of(message: Spoken) -> str:
    """Return all the words of a message, also those a tool was called with."""
    return "\n".join([message.text, *(text for _, text in _given(message))])


def text_of(messages: Iterable[Spoken]) -> str:
    """Return all the words of messages."""
    return "\n".join(map(words_of, messages))


def _take(found: Facts, text: str) -> None:
    named = extract_mentions(text)
    found["paths"].update(named.files)
    found["commands"].update(named.commands)
    found["identifiers"].update(named.identifiers)
    found["urls"].update(named.urls)
    found["errors"].update(named.errors)
    found["numbers"].update(_NUMBER.findall(text))


def _given(message: Spoken) -> Iterator[tuple[str, str]]:
    """Yield what a tool was called with, by name."""
    inner = message.payload.get("args")
    fields = {**message.payload, **(inner if isinstance(inner, Mapping) else {})}
    for name in ("command", *_PATHS, "pattern", "old_string", "new_string"):
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            yield name, value


def _is_output(message: Spoken) -> bool:
    return (message.type or default_event_type(message.role)) is EventType.TOOL_RESULT


def _plain(text: str) -> str:
    return " ".join(text.split())
