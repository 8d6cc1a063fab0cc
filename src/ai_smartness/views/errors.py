"""Tell an agent why a request was not carried out, and what to read or call next."""

from ai_smartness.model.errors import AisError, NotFoundError, RefusedError
from ai_smartness.model.link import (
    ANY_SURVIVOR,
    HandoffLink,
    Link,
    MergeLink,
    RecallLink,
    RemedyLink,
    SplitLink,
    SplitProposalLink,
    StatementsLink,
    StatusLink,
    SuggestionsLink,
    SurvivorLink,
    ThreadListLink,
    UnlockLink,
    link_command,
)
from ai_smartness.text.display import one_line, shortened_text
from ai_smartness.views.links import link_tool_call, read_call
from ai_smartness.views.outcome import next_steps

__all__ = ["error_with_calls", "error_with_paths", "refused_path_page"]

MAX_ERROR_CHARACTERS = 2_000
"""No message of ours is longer, but one may quote a whole path or argument."""

MAX_REPEATED_CHARACTERS = 400  # a longer call is not written out a second time

_PATH_FORMS: dict[type[Link], str] = {
    RecallLink: 'Read(".ai/recall/WORDS") is the whole form; the id of a thread will do.',
    MergeLink: (
        'Read(".ai/merge/SURVIVOR/ABSORBED") is the whole form; `ais threads` lists the ids.'
    ),
    SplitProposalLink: 'Read(".ai/split/THREAD") is the whole form; `ais threads` lists the ids.',
    UnlockLink: 'Read(".ai/unlock/THREAD") is the whole form; `ais threads` lists the ids.',
    SuggestionsLink: 'Read(".ai/suggestions") again in a while; `ais doctor` looks closer.',
    StatementsLink: 'Read(".ai/statements") again in a while; `ais doctor` looks closer.',
    HandoffLink: 'Read(".ai/handoff") is the handoff of the session before.',
    StatusLink: 'Read(".ai/status") again in a while; `ais doctor` looks closer.',
}


def error_with_calls(error: AisError) -> str:
    """Return an error as the answer of a tool: the way out is a tool call."""
    text = f"{_error_kind(error)}: {error.problem}"
    if error.remedy:
        text = f"{text} {error.remedy.spelled_sentence(_call_phrase)}"
    return shortened_text(one_line(text), MAX_ERROR_CHARACTERS)


def error_with_paths(error: AisError, request: Link) -> str:
    """Return an error as the page that an agent reads at a path: the next step is another path."""
    step = _remedy_step(error.remedy.link, request) if error.remedy else ""
    return _error_page(f"{_error_kind(error)}: {error}", step or _form_step(request))


def refused_path_page(problem: str, form: type[Link], thread: str | None) -> str:
    """Return the page for a path that lacks something or has too much."""
    split_of = thread if form is SplitProposalLink else None
    step = _PATH_FORMS[form] if split_of is None else _proposal_step(split_of)
    return _error_page(f"Refused: {problem}. Nothing was changed.", step)


def _error_kind(error: AisError) -> str:
    match error:
        case NotFoundError():
            return "Not found"
        case RefusedError():
            return "Refused"
        case _:
            return "Not done"


def _error_page(text: str, step: str) -> str:
    return "\n".join((shortened_text(one_line(text), MAX_ERROR_CHARACTERS), *next_steps(step)))


def _call_phrase(link: RemedyLink) -> str:
    does = " finds threads with their ids" if isinstance(link, ThreadListLink) else ""
    return f"`{link_tool_call(link)}`{does}"


def _remedy_step(link: RemedyLink, request: Link) -> str:
    """Return the path that leads out of an error, empty where none does."""
    match link:
        case UnlockLink(force=True):
            return (
                "A lock by force is not released by reading a path: run "
                f"{link_command(link)} in a shell, or ask the user to."
            )
        case UnlockLink():
            return f"{read_call(link)} unlocks it{_merge_again(request)}."
        case SplitProposalLink(thread):
            return f"{read_call(SplitProposalLink(thread))} lists its messages and how to split it."
        case SurvivorLink(thread):
            return f"{read_call(SplitProposalLink(thread))} lists the messages of both."
        case MergeLink(survivor) if survivor == ANY_SURVIVOR:
            return f"{read_call(link)} puts its messages on the thread you name."
        case _:
            return ""


def _merge_again(request: Link) -> str:
    again = read_call(request)
    merges = isinstance(request, MergeLink) and len(again) <= MAX_REPEATED_CHARACTERS
    return f"; then {again} merges" if merges else ""


def _form_step(request: Link) -> str:
    if isinstance(request, SplitLink):
        return _proposal_step(request.thread)
    return _PATH_FORMS[type(request)]


def _proposal_step(thread: str) -> str:
    call = read_call(SplitProposalLink(thread))
    if len(call) > MAX_REPEATED_CHARACTERS:
        return _PATH_FORMS[SplitProposalLink]
    return f"{call} lists its messages and how to split it."
