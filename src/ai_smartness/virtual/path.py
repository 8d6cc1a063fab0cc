"""Parse a virtual path into a request to the memory.

A path that cannot be carried out is a request too: one that says what is missing or wrong.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ai_smartness.model.link import (
    HandoffLink,
    Link,
    MergeLink,
    RecallLink,
    SplitLink,
    SplitProposalLink,
    StatementsLink,
    StatusLink,
    SuggestionsLink,
    UnlockLink,
)
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import SplitLock
from ai_smartness.text.virtual_path import is_virtual, percent_decoded, virtual_segments

__all__ = [
    "HelpRequest",
    "IncompleteRequest",
    "Request",
    "UnknownRequest",
    "is_virtual",
    "parsed_request",
]

TITLES_PARAMETER = "titles"
LOCK_PARAMETER = "lock"
MAX_SHOWN_CHARACTERS = 80

_FORMS: dict[str, type[Link]] = {
    "merge": MergeLink,
    "split": SplitProposalLink,
    "unlock": UnlockLink,
}
_TEXT_FORMS: dict[str, type[SuggestionsLink | StatementsLink | HandoffLink]] = {
    "suggestions": SuggestionsLink,
    "statements": StatementsLink,
    "handoff": HandoffLink,
}
"""Paths on which any text may follow."""

_LIMIT_SUFFIX = re.compile(r"(.*)\?limit=([1-9][0-9]?)", re.DOTALL)
_GROUP_NAME = re.compile(r"msgs_(0|[1-9][0-9]{0,4})")


@dataclass(frozen=True, slots=True)
class HelpRequest:
    """A request for the list of paths."""


@dataclass(frozen=True, slots=True)
class UnknownRequest:
    """A path with an unknown verb; without a verb the path is not one of ours at all."""

    verb: str | None


@dataclass(frozen=True, slots=True)
class IncompleteRequest:
    """A known verb with something missing, superfluous or wrong, and the thread it names."""

    form: type[Link]
    problem: str
    thread: str | None = None


Request = Link | HelpRequest | UnknownRequest | IncompleteRequest


def parsed_request(path: str) -> Request:
    """Return the request of a path."""
    segments = virtual_segments(path)
    if segments is None:
        return UnknownRequest(None)
    first = percent_decoded(segments[0].partition("?")[0]) if segments else ""
    rest = "/".join(segments[1:])
    if first == "recall":
        return _recall_request(rest)
    if first in _TEXT_FORMS:
        return _TEXT_FORMS[first](percent_decoded(rest).strip() or None)
    head, has_query, query = "/".join(segments).partition("?")
    verb, *names = map(percent_decoded, head.split("/"))
    if verb == "split" and names[1:] == ["confirm"]:
        return _split_request(names[0], query)
    if has_query and verb in _FORMS:
        extra = repr(query[:MAX_SHOWN_CHARACTERS])
        problem = f"cannot {verb}: this path takes no parameters, and {extra} is given"
        return IncompleteRequest(_FORMS[verb], problem, names[0] if names else None)
    return _thread_request(verb, names)


def _recall_request(text: str) -> Request:
    """Parse a question, which may hold anything, and an optional limit after it."""
    limited = _LIMIT_SUFFIX.fullmatch(text)
    query = percent_decoded(limited[1] if limited else text).strip()
    if not query:
        return IncompleteRequest(RecallLink, "cannot recall: no question is given")
    return RecallLink(query, int(limited[2]) if limited else None)


def _thread_request(verb: str, names: Sequence[str]) -> Request:
    match verb, names:
        case (("" | "help" | "status"), _):
            return StatusLink() if verb == "status" else HelpRequest()
        case "merge", [survivor, absorbed]:
            return MergeLink(survivor, absorbed)
        case "split", [thread]:
            return SplitProposalLink(thread)
        case "unlock", [thread]:
            return UnlockLink(thread)
        case _ if verb in _FORMS:
            takes = "two threads" if verb == "merge" else "one thread"
            named = " and ".join(name[:MAX_SHOWN_CHARACTERS] for name in names[:3]) or "none"
            problem = f"cannot {verb}: it takes {takes}, and what is named is {named}"
            return IncompleteRequest(_FORMS[verb], problem, names[0] if names else None)
    return UnknownRequest(verb)


def _split_request(thread: str, query: str) -> SplitLink | IncompleteRequest:
    """Parse the parameters of a split: its titles, the messages of each, and the lock.

    Each value is decoded after it has been taken apart, so that an encoded comma
    or ampersand belongs to the title it stands in.
    """
    pairs = [_name_and_value(pair) for pair in query.split("&") if pair.strip()]
    values = dict(pairs)
    problem = (
        _name_problem([name for name, _ in pairs])
        or _lock_problem(values)
        or _group_problem(values)
    )
    if problem:
        return IncompleteRequest(SplitProposalLink, f"cannot split {thread}: {problem}", thread)
    parts = tuple(
        SplitPart(title, tuple(filter(None, _comma_separated(values[f"msgs_{number}"]))))
        for number, title in enumerate(_comma_separated(values[TITLES_PARAMETER]))
    )
    return SplitLink(thread, parts, SplitLock(values.get(LOCK_PARAMETER, SplitLock.COMPACTION)))


def _name_problem(names: Sequence[str]) -> str:
    for name, times in Counter(names).items():
        start = name[:MAX_SHOWN_CHARACTERS]
        if name not in (TITLES_PARAMETER, LOCK_PARAMETER) and not _GROUP_NAME.fullmatch(name):
            return (
                f"there is no parameter {start!r}, only titles, msgs_0, msgs_1 … and lock. "
                "An & inside a title is written %26"
            )
        if times > 1:
            return f"{start} is given {times} times. Give it once, its values parted by commas"
    return ""


def _lock_problem(values: Mapping[str, str]) -> str:
    lock = values.get(LOCK_PARAMETER, SplitLock.COMPACTION)
    if lock in list(SplitLock):
        return ""
    return f"there is no lock {lock[:MAX_SHOWN_CHARACTERS]!r}, only {', '.join(SplitLock)}"


def _group_problem(values: Mapping[str, str]) -> str:
    if TITLES_PARAMETER not in values:
        return "no titles are given"
    titles = len(_comma_separated(values[TITLES_PARAMETER]))
    groups = sum(name.startswith("msgs_") for name in values)
    # As many numbers as there are groups, and no gap: then they are 0, 1, 2 …
    missing = next((n for n in range(groups) if f"msgs_{n}" not in values), None)
    if missing is not None:
        return f"msgs_{missing} is missing. The groups are numbered from 0, without a gap"
    if titles != groups:
        return (
            f"there are {titles} titles and {groups} groups of messages (msgs_0 …). Give each "
            "title its group. A comma inside a title is written %2C"
        )
    return ""


def _name_and_value(parameter: str) -> tuple[str, str]:
    name, _, value = parameter.partition("=")
    name = percent_decoded(name.strip())
    return name, percent_decoded(value.strip()) if name == LOCK_PARAMETER else value


def _comma_separated(value: str) -> list[str]:
    return [percent_decoded(text.strip()) for text in value.split(",")]
