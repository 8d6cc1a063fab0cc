"""Read a path as a request to the memory.

What cannot be carried out is a request all the same: one that says what is
missing or wrong. Only the standard library is needed here.
"""

import re
from collections.abc import Sequence

from ai_smartness.virtual.confirm import confirmed
from ai_smartness.virtual.encoding import decoded
from ai_smartness.virtual.location import is_virtual, within
from ai_smartness.virtual.request import (
    Handoff,
    Help,
    Incomplete,
    Merge,
    Recall,
    Request,
    SplitList,
    Status,
    Suggestions,
    Unknown,
    Unlock,
)

__all__ = ["is_virtual", "parsed"]

_THREADS = {"merge": "two threads", "split": "one thread", "unlock": "one thread"}
_MOST_SHOWN = 80
_LIMIT = re.compile(r"(.*)\?limit=([1-9][0-9]?)", re.DOTALL)


def parsed(path: str) -> Request:
    """Return what a path asks for; one that cannot be carried out says what is wrong with it."""
    found = within(path)
    if found is None:
        return Unknown(None)
    begins = decoded(found[0].partition("?")[0]) if found else ""
    if begins == "recall":
        return _recall("/".join(found[1:]))
    if begins in ("suggestions", "handoff"):
        named = decoded("/".join(found[1:])).strip() or None
        return Suggestions(named) if begins == "suggestions" else Handoff(named)
    head, asks, query = "/".join(found).partition("?")
    verb, *names = [decoded(each) for each in head.split("/")]
    if verb == "split" and names[1:] == ["confirm"]:
        return confirmed(names[0], query)
    if asks and verb in _THREADS:
        why = f"cannot {verb}: this path takes no parameters, and {query[:_MOST_SHOWN]!r} is given"
        return Incomplete(verb, why, names[0] if names else None)
    return _asked(verb, names)


def _recall(written: str) -> Request:
    """Read a question, which may hold anything, and after it how many threads are wanted."""
    limited = _LIMIT.fullmatch(written)
    text, limit = (limited[1], int(limited[2])) if limited else (written, None)
    query = decoded(text).strip()
    if not query:
        return Incomplete("recall", "cannot recall: no question is given")
    return Recall(query, limit)


def _asked(verb: str, names: Sequence[str]) -> Request:
    match verb, names:
        case (("" | "help" | "status"), _):
            return Status() if verb == "status" else Help()
        case "merge", [survivor, absorbed]:
            return Merge(survivor, absorbed)
        case "split", [thread]:
            return SplitList(thread)
        case "unlock", [thread]:
            return Unlock(thread)
        case _ if verb in _THREADS:
            return Incomplete(verb, _miscounted(verb, names), names[0] if names else None)
    return Unknown(verb)


def _miscounted(verb: str, names: Sequence[str]) -> str:
    named = " and ".join(name[:_MOST_SHOWN] for name in names[:3]) or "none"
    return f"cannot {verb}: it takes {_THREADS[verb]}, and what is named is {named}"
