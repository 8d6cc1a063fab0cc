"""Read the parameters that confirm a split: titles, the messages of each, and the lock."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ai_smartness.model.split import Part
from ai_smartness.model.thread import SplitLock
from ai_smartness.virtual.encoding import decoded
from ai_smartness.virtual.request import Incomplete, SplitConfirm

__all__ = ["confirmed"]

TITLES = "titles"
LOCK = "lock"

_GROUP = re.compile(r"msgs_(0|[1-9][0-9]{0,4})")
_MOST_SHOWN = 80


def confirmed(thread: str, query: str) -> SplitConfirm | Incomplete:
    """Return the split that the parameters describe, or what is wrong with them.

    Each value is decoded when it has been taken apart, so that an encoded comma
    or ampersand belongs to the title it stands in.
    """
    pairs = [_pair(each) for each in query.split("&") if each.strip()]
    names = [name for name, _ in pairs]
    values = dict(pairs)
    why = _misnamed(names) or _unlockable(values) or _unpaired(values)
    if why:
        return Incomplete("split", f"cannot split {thread}: {why}", thread)
    parts = tuple(
        Part(title, tuple(each for each in _listed(values[f"msgs_{number}"]) if each))
        for number, title in enumerate(_listed(values[TITLES]))
    )
    return SplitConfirm(thread, parts, SplitLock(values.get(LOCK, SplitLock.COMPACTION)))


def _misnamed(names: Sequence[str]) -> str:
    for name, times in Counter(names).items():
        shown = name[:_MOST_SHOWN]
        if name not in (TITLES, LOCK) and not _GROUP.fullmatch(name):
            return (
                f"there is no parameter {shown!r}, only titles, msgs_0, msgs_1 … and lock. "
                "An & inside a title is written %26"
            )
        if times > 1:
            return f"{shown} is given {times} times. Give it once, its values parted by commas"
    return ""


def _unlockable(values: Mapping[str, str]) -> str:
    lock = values.get(LOCK, SplitLock.COMPACTION)
    if lock in list(SplitLock):
        return ""
    return f"there is no lock {lock[:_MOST_SHOWN]!r}, only {', '.join(SplitLock)}"


def _unpaired(values: Mapping[str, str]) -> str:
    if TITLES not in values:
        return "no titles are given"
    titles, groups = len(_listed(values[TITLES])), sum(name.startswith("msgs_") for name in values)
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


def _pair(parameter: str) -> tuple[str, str]:
    name, _, value = parameter.partition("=")
    name = decoded(name.strip())
    return name, decoded(value.strip()) if name == LOCK else value


def _listed(value: str) -> list[str]:
    return [decoded(each.strip()) for each in value.split(",")]
