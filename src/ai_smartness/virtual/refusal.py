"""Write why something was not done, and what to read or run next."""

import re
from collections.abc import Iterator

from ai_smartness.model.errors import AisError, NotFoundError, RefusedError
from ai_smartness.model.saying import one_line, shortened
from ai_smartness.virtual.render import OTHER, next_steps
from ai_smartness.virtual.request import (
    Complete,
    Handoff,
    Incomplete,
    Merge,
    Recall,
    SplitConfirm,
    SplitList,
    Status,
    Suggestions,
    Unlock,
)
from ai_smartness.virtual.spelling import read

__all__ = ["incomplete", "refused"]

WHY_CHARACTERS = 2_000
"""A reason that quotes a whole path is cut; no reason of ours is that long."""

AGAIN_CHARACTERS = 400
"""A call that is longer is not written out a second time."""

_COMMAND = re.compile(r"`ais threads (unlock|split) (\S+?)( --force)?`")
_ABSORBED = re.compile(r"it was merged into (\S+?),")
_UNLOCKED = re.compile(r"cannot unlock (\S+?): it is not locked")

_FORMS = {
    "recall": 'Read(".ai/recall/WORDS") is the whole form; the id of a thread will do.',
    "merge": 'Read(".ai/merge/SURVIVOR/ABSORBED") is the whole form; `ais threads` lists the ids.',
    "split": 'Read(".ai/split/THREAD") is the whole form; `ais threads` lists the ids.',
    "unlock": 'Read(".ai/unlock/THREAD") is the whole form; `ais threads` lists the ids.',
    "suggestions": 'Read(".ai/suggestions") again in a while; `ais doctor` looks closer.',
    "handoff": 'Read(".ai/handoff") is the handoff of the session before.',
    "status": 'Read(".ai/status") again in a while; `ais doctor` looks closer.',
}


_VERBS: dict[type[Complete], str] = {
    Recall: "recall",
    Merge: "merge",
    SplitList: "split",
    SplitConfirm: "split",
    Unlock: "unlock",
    Suggestions: "suggestions",
    Handoff: "handoff",
    Status: "status",
}


def refused(error: AisError, request: Complete) -> str:
    """Answer a request that the memory refused or could not carry out."""
    match error:
        case NotFoundError():
            said = f"Not found: {error}"
        case RefusedError():
            said = f"Refused: {error}"
        case _:
            said = f"Not done: {error}"
    steps = list(_translated(str(error), request)) or [_step(request)]
    return _answer(said, *steps)


def incomplete(request: Incomplete) -> str:
    """Answer a path from which it cannot be told what to do."""
    said = f"Refused: {request.why}. Nothing was changed."
    if request.verb == "split" and request.thread is not None:
        return _answer(said, _step(SplitConfirm(request.thread, ())))
    return _answer(said, _FORMS[request.verb])


def _answer(said: str, *steps: str) -> str:
    return "\n".join((shortened(one_line(said), WHY_CHARACTERS), *next_steps(*steps)))


def _translated(said: str, request: Complete) -> Iterator[str]:
    """Yield the path to read for each way out that the reason names and that has one."""
    for verb, thread, force in dict.fromkeys(_COMMAND.findall(said)):
        if force:
            yield (
                "A lock by force is not released by reading a path: run "
                f"`ais threads {verb} {thread}{force}` in a shell, or ask the user to."
            )
        elif verb == "unlock":
            yield f"{read(Unlock(thread))} unlocks it{_then(request)}."
        else:
            yield f"{read(SplitList(thread))} lists its messages and how to split it."
    for survivor in _ABSORBED.findall(said):
        yield f"{read(SplitList(survivor))} lists the messages of both."
    for thread in _UNLOCKED.findall(said):
        yield f"{read(Merge(OTHER, thread))} puts its messages on the thread you name."


def _then(request: Complete) -> str:
    again = read(request)
    merges = isinstance(request, Merge) and len(again) <= AGAIN_CHARACTERS
    return f"; then {again} merges" if merges else ""


def _step(request: Complete) -> str:
    match request:
        case SplitConfirm(thread):
            again = read(SplitList(thread))
            whole = f"{again} lists its messages and how to split it."
            return whole if len(again) <= AGAIN_CHARACTERS else _FORMS["split"]
        case _:
            return _FORMS[_VERBS[type(request)]]
