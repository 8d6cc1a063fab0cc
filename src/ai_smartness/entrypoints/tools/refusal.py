"""Say why something was not done in an agent's words: the way out is a call it can make."""

import re

from ai_smartness.entrypoints.tools.spelling import call_of
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError
from ai_smartness.model.saying import one_line, shortened

__all__ = ["refused"]

WHY_CHARACTERS = 2_000
"""A reason that quotes a whole argument is cut; no reason of ours is that long."""

_COMMAND = re.compile(r"`ais (threads unlock|threads split|threads merge|undo) (\S[^`]*)`")
_LISTS = {
    "`ais threads` lists them": "`ai_recall` finds threads with their ids",
    ", or merge with --force": "",
}


def refused(error: AisError) -> str:
    """Return what an agent is told of an error."""
    match error:
        case NotFoundError():
            kind = "Not found"
        case RefusedError():
            kind = "Refused"
        case _:
            kind = "Not done"
    said = _COMMAND.sub(_as_call, str(error))
    for theirs, ours in _LISTS.items():
        said = said.replace(theirs, ours)
    return shortened(one_line(f"{kind}: {said}"), WHY_CHARACTERS)


def _as_call(found: re.Match[str]) -> str:
    """Write a command of the shell as the call that does the same."""
    command, words = found[1], found[2].split()
    force = {"force": True} if "--force" in words else {}
    names = [word for word in words if not word.startswith("--")]
    if command == "undo":
        whole = [int(name) for name in names if name.isdecimal()]
        return f"`{call_of('ai_undo', *whole)}`" if whole else found[0]
    return f"`{call_of('ai_' + command.removeprefix('threads '), *names, **force)}`"
