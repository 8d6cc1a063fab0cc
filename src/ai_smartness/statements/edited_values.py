"""The values that an agent's edits change, and the orders behind the old and the new one.

"Bring the band down to 0.3" names neither the hysteresis nor its old value. The edit that carries
it out does: it takes out "HEAT_HYST_MK 500", which an earlier edit put in for "hysteresis 0.5 K".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from ai_smartness.model.event import Event
from ai_smartness.model.search import SearchScope
from ai_smartness.model.statement import Speaker
from ai_smartness.ports import ThreadStore
from ai_smartness.statements.conversation import event_speaker
from ai_smartness.statements.pair_features import word_stem
from ai_smartness.statements.typed_values import typed_values
from ai_smartness.text.search_terms import search_terms

__all__ = [
    "ChangedOrder",
    "ChangedValue",
    "changed_orders",
    "changed_values",
    "edited_path",
    "names_setting",
    "tells_value",
]

SEARCHED_EDITS = 20  # the messages that are most like a line that was taken out
MESSAGES_BACK = 40  # between an order and its last edit, the agent's tools among them
MOST_CHANGED_TOKENS = 4  # of a line; where more differ, it is another line
LEAST_NAME_CHARACTERS = 3  # of a part of a name
LEAST_WORD_CHARACTERS = 2  # a shorter value is part of too many words

_EDIT = re.compile(r"(?:Edited|Created) (\S+)")
_TOKEN = re.compile(r"\d(?:[\d.:,_]*\d)?|[^\W\d]\w*|[^\w\s]")
_WORD = re.compile(r"[^\W_](?:[\w.+#-]*\w)?")
_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CODE_WORDS = (
    "const export define static public private let var int float double string bool type def final"
    " val mut pub src lib app main test tests index config settings env time value"
)
_CODE_STEMS = frozenset(map(word_stem, _CODE_WORDS.split()))
"""Words that stand in any line of code or path."""

_OPENS_VALUE = frozenset("=:\"'`")
_SECONDS = {"minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}


class ChangedValue(NamedTuple):
    """A line that an edit took out, the one in its place, and the values that differ."""

    removed: str
    added: str
    old: tuple[str, ...]
    new: tuple[str, ...]


class ChangedOrder(NamedTuple):
    """What a person ordered, if an edit shows it, the later order, and what its edit changes."""

    older: Event | None
    newer: Event
    change: ChangedValue


def changed_orders(store: ThreadStore, edit: Event) -> Iterator[ChangedOrder]:
    """Yield what an edit changes, with the order that it carries out and the one before that."""
    changes = list(changed_values(edit.text))
    newer = _order_before(store, edit) if changes else None
    if newer is None:
        return
    for change in changes:
        earlier = _edit_that_put_in(store, edit, change.removed)
        older = _order_before(store, earlier) if earlier else None
        is_changed = older is not None and older.seq < newer.seq
        yield ChangedOrder(older if is_changed else None, newer, change)


def changed_values(edit: str) -> Iterator[ChangedValue]:
    """Yield the lines of an edit in which nothing but a value changed."""
    if not _EDIT.match(edit):
        return
    for removed, added in _changed_lines(edit):
        before, after = _TOKEN.findall(removed), _TOKEN.findall(added)
        head = _shared_length(before, after)
        tail = _shared_length(before[head:][::-1], after[head:][::-1])
        old, new = before[head : len(before) - tail], after[head : len(after) - tail]
        has_name = any(token[0].isalpha() for token in before[:head])
        if has_name and max(len(old), len(new)) <= MOST_CHANGED_TOKENS:
            is_value = before[head - 1] in _OPENS_VALUE
            values = [tuple(_values(tokens, with_words=is_value)) for tokens in (old, new)]
            if all(values):
                pairs = zip(values, (before, after), strict=True)
                whole = (found + _joined_number(tokens) for found, tokens in pairs)
                yield ChangedValue(removed.strip(), added.strip(), *whole)


def tells_value(text: str, values: Sequence[str]) -> bool:
    """Say whether a text has one of the values, in whatever unit: "30 minutes" are 1800."""
    words = {word.casefold() for word in _WORD.findall(text)}
    digits = _told_digits(typed_values(text))
    return any(
        _significant(value) in digits if value[0].isdigit() else value.casefold() in words
        for value in values
    )


def names_setting(path: str, line: str) -> frozenset[str]:
    """Return the stems of the words in a line of code and its path: `perMinute` has two."""
    words = (word.casefold() for word in _NAME_PART.findall(f"{path} {line}"))
    telling = (word for word in words if len(word) >= LEAST_NAME_CHARACTERS)
    return frozenset(map(word_stem, telling)) - _CODE_STEMS


def _changed_lines(edit: str) -> Iterator[tuple[str, str]]:
    """Yield the lines that an edit took out, each with the one that it put in their place."""
    removed: list[str] = []
    for sign, lines in groupby(edit.split("\n"), key=lambda line: line[:1]):
        texts = [line[1:] for line in lines]
        if sign == "+":
            yield from zip(removed, texts, strict=False)
        removed = texts if sign == "-" else []


def _shared_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many tokens two sequences begin with in common."""
    pairs = zip(first, second, strict=False)
    differing = (place for place, (one, other) in enumerate(pairs) if one != other)
    return next(differing, min(len(first), len(second)))


def _values(tokens: Sequence[str], *, with_words: bool) -> Iterator[str]:
    for token in tokens:
        is_word = with_words and token[0].isalpha() and len(token) >= LEAST_WORD_CHARACTERS
        if token[0].isdigit() or is_word:
            yield token


def _joined_number(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the numbers of a line as one, if there are several: `time(19, 30)` is 19:30."""
    numbers = [token for token in tokens if token[0].isdigit()]
    return ("".join(numbers),) if len(numbers) > 1 else ()


def edited_path(text: str) -> str:
    """Return the file that an edit changes."""
    match = _EDIT.match(text)
    return match[1] if match else ""


def _told_digits(values: Mapping[str, frozenset[str]]) -> set[str]:
    """Return the digits of values, of durations also in seconds."""
    digits = {_significant(value) for found in values.values() for value in found}
    for unit, seconds in _SECONDS.items():
        amounts = (value for value in values.get(unit, ()) if value.replace(".", "", 1).isdigit())
        digits |= {_significant(f"{float(amount) * seconds:.6f}") for amount in amounts}
    return digits - {""}


def _significant(value: str) -> str:
    """Return the digits of a value without its scale: those of 0.5 and 500 are the same."""
    return "".join(filter(str.isdigit, value)).strip("0")


def _edit_that_put_in(store: ThreadStore, edit: Event, line: str) -> Event | None:
    """Return the last edit of the same file before this one that put a line in."""
    terms = search_terms(line)
    matches = store.word_index.match(SearchScope(project=edit.project), terms, SEARCHED_EDITS)
    seqs = [match.seq for match in matches if match.seq < edit.seq]
    path = edited_path(edit.text)
    earlier = sorted(store.events.by_seq(seqs).values(), key=lambda event: -event.seq)
    for event in earlier:
        added = (text[1:].strip() for text in event.text.split("\n") if text.startswith("+"))
        if event.project == edit.project and edited_path(event.text) == path and line in added:
            return event
    return None


def _order_before(store: ThreadStore, event: Event) -> Event | None:
    """Return what a person said last before an edit, in the same session."""
    previous = store.events.previous_in_session(event)
    for _ in range(MESSAGES_BACK):
        if previous is None or event_speaker(previous) is Speaker.USER:
            return previous
        previous = store.events.previous_in_session(previous)
    return None
