"""Write why something was not done, and what to read or run next.

Say why something was not done in an agent's words: the way out is a call it can make.
"""

import re
from collections.abc import Iterator

from ai_smartness.model.errors import AisError, NotFoundError, RefusedError
from ai_smartness.text.display import one_line, shortened_text
from ai_smartness.views.links import (
    HandoffLink,
    IncompleteRequest,
    Link,
    MergeLink,
    RecallLink,
    SplitLink,
    SplitProposalLink,
    StatusLink,
    SuggestionsLink,
    UnlockLink,
    read_call,
    tool_call_text,
)
from ai_smartness.views.outcome import SURVIVOR_PLACEHOLDER, next_steps

__all__ = ["error_with_calls", "error_with_paths", "incomplete_page"]


MAX_ERROR_CHARACTERS = 2_000
"""A reason that quotes a whole path is cut; no reason of ours is that long."""

MAX_REPEATED_CHARACTERS = 400
"""A call that is longer is not written out a second time."""

_REMEDY_COMMAND = re.compile(r"`ais threads (unlock|split) (\S+?)( --force)?`")
_ABSORBED_INTO = re.compile(r"it was merged into (\S+?),")
_NOT_LOCKED = re.compile(r"cannot unlock (\S+?): it is not locked")

_PATH_FORMS = {
    "recall": 'Read(".ai/recall/WORDS") is the whole form; the id of a thread will do.',
    "merge": 'Read(".ai/merge/SURVIVOR/ABSORBED") is the whole form; `ais threads` lists the ids.',
    "split": 'Read(".ai/split/THREAD") is the whole form; `ais threads` lists the ids.',
    "unlock": 'Read(".ai/unlock/THREAD") is the whole form; `ais threads` lists the ids.',
    "suggestions": 'Read(".ai/suggestions") again in a while; `ais doctor` looks closer.',
    "handoff": 'Read(".ai/handoff") is the handoff of the session before.',
    "status": 'Read(".ai/status") again in a while; `ais doctor` looks closer.',
}


_LINK_VERBS: dict[type[Link], str] = {
    RecallLink: "recall",
    MergeLink: "merge",
    SplitProposalLink: "split",
    SplitLink: "split",
    UnlockLink: "unlock",
    SuggestionsLink: "suggestions",
    HandoffLink: "handoff",
    StatusLink: "status",
}


def error_with_paths(error: AisError, request: Link) -> str:
    """Answer a request that the memory refused or could not carry out."""
    match error:
        case NotFoundError():
            said = f"Not found: {error}"
        case RefusedError():
            said = f"Refused: {error}"
        case _:
            said = f"Not done: {error}"
    steps = list(_remedy_steps(str(error), request)) or [_next_step(request)]
    return _error_page(said, *steps)


def incomplete_page(request: IncompleteRequest) -> str:
    """Answer a path from which it cannot be told what to do."""
    said = f"Refused: {request.why}. Nothing was changed."
    if request.verb == "split" and request.thread is not None:
        return _error_page(said, _next_step(SplitLink(request.thread, ())))
    return _error_page(said, _PATH_FORMS[request.verb])


def _error_page(said: str, *steps: str) -> str:
    return "\n".join((shortened_text(one_line(said), MAX_ERROR_CHARACTERS), *next_steps(*steps)))


def _remedy_steps(said: str, request: Link) -> Iterator[str]:
    """Yield the path to read for each way out that the reason names and that has one."""
    for verb, thread, force in dict.fromkeys(_REMEDY_COMMAND.findall(said)):
        if force:
            yield (
                "A lock by force is not released by reading a path: run "
                f"`ais threads {verb} {thread}{force}` in a shell, or ask the user to."
            )
        elif verb == "unlock":
            yield f"{read_call(UnlockLink(thread))} unlocks it{_merge_again(request)}."
        else:
            yield f"{read_call(SplitProposalLink(thread))} lists its messages and how to split it."
    for survivor in _ABSORBED_INTO.findall(said):
        yield f"{read_call(SplitProposalLink(survivor))} lists the messages of both."
    for thread in _NOT_LOCKED.findall(said):
        yield f"{read_call(MergeLink(SURVIVOR_PLACEHOLDER, thread))} puts its messages on the thread you name."


def _merge_again(request: Link) -> str:
    again = read_call(request)
    merges = isinstance(request, MergeLink) and len(again) <= MAX_REPEATED_CHARACTERS
    return f"; then {again} merges" if merges else ""


def _next_step(request: Link) -> str:
    match request:
        case SplitLink(thread):
            again = read_call(SplitProposalLink(thread))
            whole = f"{again} lists its messages and how to split it."
            return whole if len(again) <= MAX_REPEATED_CHARACTERS else _PATH_FORMS["split"]
        case _:
            return _PATH_FORMS[_LINK_VERBS[type(request)]]


TOOL_ERROR_CHARACTERS = 2_000
"""A reason that quotes a whole argument is cut; no reason of ours is that long."""

_SHELL_COMMAND = re.compile(r"`ais (threads unlock|threads split|threads merge|undo) (\S[^`]*)`")
_TOOL_WORDINGS = {
    "`ais threads` lists them": "`ai_recall` finds threads with their ids",
    ", or merge with --force": "",
}


def error_with_calls(error: AisError) -> str:
    """Return what an agent is told of an error."""
    match error:
        case NotFoundError():
            kind = "Not found"
        case RefusedError():
            kind = "Refused"
        case _:
            kind = "Not done"
    said = _SHELL_COMMAND.sub(_command_as_call, str(error))
    for theirs, ours in _TOOL_WORDINGS.items():
        said = said.replace(theirs, ours)
    return shortened_text(one_line(f"{kind}: {said}"), TOOL_ERROR_CHARACTERS)


def _command_as_call(found: re.Match[str]) -> str:
    """Write a command of the shell as the call that does the same."""
    command, words = found[1], found[2].split()
    force = {"force": True} if "--force" in words else {}
    names = [word for word in words if not word.startswith("--")]
    if command == "undo":
        whole = [int(name) for name in names if name.isdecimal()]
        return f"`{tool_call_text('ai_undo', *whole)}`" if whole else found[0]
    return f"`{tool_call_text('ai_' + command.removeprefix('threads '), *names, **force)}`"
