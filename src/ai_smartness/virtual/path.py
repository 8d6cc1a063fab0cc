"""Read a path as a request to the memory.

What cannot be carried out is a request all the same: one that says what is
missing or wrong. Only the standard library is needed here.

Read the parameters that confirm a split: titles, the messages of each, and the lock.
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
    "parsed_split",
]

_FORMS: dict[str, type[Link]] = {
    "merge": MergeLink,
    "split": SplitProposalLink,
    "unlock": UnlockLink,
}
_MAX_SHOWN_CHARACTERS = 80
_LIMIT_SUFFIX = re.compile(r"(.*)\?limit=([1-9][0-9]?)", re.DOTALL)


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
    """Return what a path asks for; one that cannot be carried out says what is wrong with it."""
    found = virtual_segments(path)
    if found is None:
        return UnknownRequest(None)
    begins = percent_decoded(found[0].partition("?")[0]) if found else ""
    if begins == "recall":
        return _recall_request("/".join(found[1:]))
    if begins in ("suggestions", "handoff"):
        named = percent_decoded("/".join(found[1:])).strip() or None
        return SuggestionsLink(named) if begins == "suggestions" else HandoffLink(named)
    head, asks, query = "/".join(found).partition("?")
    verb, *names = [percent_decoded(each) for each in head.split("/")]
    if verb == "split" and names[1:] == ["confirm"]:
        return parsed_split(names[0], query)
    if asks and verb in _FORMS:
        shown = repr(query[:_MAX_SHOWN_CHARACTERS])
        problem = f"cannot {verb}: this path takes no parameters, and {shown} is given"
        return IncompleteRequest(_FORMS[verb], problem, names[0] if names else None)
    return _thread_request(verb, names)


def _recall_request(written: str) -> Request:
    """Read a question, which may hold anything, and after it how many threads are wanted."""
    limited = _LIMIT_SUFFIX.fullmatch(written)
    text, limit = (limited[1], int(limited[2])) if limited else (written, None)
    query = percent_decoded(text).strip()
    if not query:
        return IncompleteRequest(RecallLink, "cannot recall: no question is given")
    return RecallLink(query, limit)


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
            problem = _wrong_count_text(verb, names)
            return IncompleteRequest(_FORMS[verb], problem, names[0] if names else None)
    return UnknownRequest(verb)


def _wrong_count_text(verb: str, names: Sequence[str]) -> str:
    named = " and ".join(name[:_MAX_SHOWN_CHARACTERS] for name in names[:3]) or "none"
    takes = "two threads" if verb == "merge" else "one thread"
    return f"cannot {verb}: it takes {takes}, and what is named is {named}"


TITLES_PARAMETER = "titles"
LOCK_PARAMETER = "lock"

_GROUP_NAME = re.compile(r"msgs_(0|[1-9][0-9]{0,4})")
_MAX_PARAMETER_CHARACTERS = 80


def parsed_split(thread: str, query: str) -> SplitLink | IncompleteRequest:
    """Return the split that the parameters describe, or what is wrong with them.

    Each value is decoded when it has been taken apart, so that an encoded comma
    or ampersand belongs to the title it stands in.
    """
    pairs = [_name_and_value(each) for each in query.split("&") if each.strip()]
    names = [name for name, _ in pairs]
    values = dict(pairs)
    why = _name_problem(names) or _lock_problem(values) or _group_problem(values)
    if why:
        return IncompleteRequest(SplitProposalLink, f"cannot split {thread}: {why}", thread)
    parts = tuple(
        SplitPart(title, tuple(each for each in _comma_separated(values[f"msgs_{number}"]) if each))
        for number, title in enumerate(_comma_separated(values[TITLES_PARAMETER]))
    )
    return SplitLink(thread, parts, SplitLock(values.get(LOCK_PARAMETER, SplitLock.COMPACTION)))


def _name_problem(names: Sequence[str]) -> str:
    for name, times in Counter(names).items():
        shown = name[:_MAX_PARAMETER_CHARACTERS]
        if name not in (TITLES_PARAMETER, LOCK_PARAMETER) and not _GROUP_NAME.fullmatch(name):
            return (
                f"there is no parameter {shown!r}, only titles, msgs_0, msgs_1 … and lock. "
                "An & inside a title is written %26"
            )
        if times > 1:
            return f"{shown} is given {times} times. Give it once, its values parted by commas"
    return ""


def _lock_problem(values: Mapping[str, str]) -> str:
    lock = values.get(LOCK_PARAMETER, SplitLock.COMPACTION)
    if lock in list(SplitLock):
        return ""
    return f"there is no lock {lock[:_MAX_PARAMETER_CHARACTERS]!r}, only {', '.join(SplitLock)}"


def _group_problem(values: Mapping[str, str]) -> str:
    if TITLES_PARAMETER not in values:
        return "no titles are given"
    titles, groups = (
        len(_comma_separated(values[TITLES_PARAMETER])),
        sum(name.startswith("msgs_") for name in values),
    )
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
    return [percent_decoded(each.strip()) for each in value.split(",")]
