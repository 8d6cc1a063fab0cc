"""What an agent can ask for by reading a path.

Write the path by which something is asked for; read as a path, it asks for just that.

Write the call by which an agent does something, to be copied as it stands.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import SplitLock
from ai_smartness.text.virtual_path import percent_encoded

__all__ = [
    "HandoffLink",
    "HelpRequest",
    "IncompleteRequest",
    "Link",
    "MergeLink",
    "ReadingLink",
    "RecallLink",
    "Request",
    "SplitLink",
    "SplitProposalLink",
    "StatusLink",
    "SuggestionsLink",
    "UnknownRequest",
    "UnlockLink",
    "link_path",
    "read_call",
    "tool_call_text",
]


@dataclass(frozen=True, slots=True)
class MergeLink:
    """Put the messages of one thread on another."""

    survivor: str
    absorbed: str


@dataclass(frozen=True, slots=True)
class SplitProposalLink:
    """List a thread's messages, and how it could be split."""

    thread: str


@dataclass(frozen=True, slots=True)
class SplitLink:
    """Split a thread into these parts."""

    thread: str
    parts: tuple[SplitPart, ...]
    lock: SplitLock = SplitLock.COMPACTION


@dataclass(frozen=True, slots=True)
class UnlockLink:
    """Let a split thread be merged again."""

    thread: str


@dataclass(frozen=True, slots=True)
class RecallLink:
    """Answer a question with threads, or give the one whose id it is."""

    query: str
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class SuggestionsLink:
    """Say what could be done, for what somebody is at or for the session."""

    context: str | None = None


@dataclass(frozen=True, slots=True)
class HandoffLink:
    """Say where a session stood: the one named, or the one that whoever asks means."""

    session: str | None = None


@dataclass(frozen=True, slots=True)
class StatusLink:
    """Say what there is."""


@dataclass(frozen=True, slots=True)
class HelpRequest:
    """Say which paths there are."""


@dataclass(frozen=True, slots=True)
class UnknownRequest:
    """Nothing that can be asked for; without a verb the path is not one of ours at all."""

    verb: str | None


@dataclass(frozen=True, slots=True)
class IncompleteRequest:
    """A known verb with something missing, too much or wrong, and the thread if one was named."""

    verb: str
    why: str
    thread: str | None = None


ReadingLink = RecallLink | SuggestionsLink | HandoffLink | StatusLink
"""What changes nothing, but for what a recall brings back."""

Link = MergeLink | SplitProposalLink | SplitLink | UnlockLink | ReadingLink
"""What the memory can be asked as it stands."""

Request = Link | HelpRequest | UnknownRequest | IncompleteRequest


def link_path(request: Link) -> str:
    """Write the path by which this is asked for."""
    match request:
        case RecallLink() | SuggestionsLink() | HandoffLink() | StatusLink():
            return _reading_path(request)
        case MergeLink(survivor, absorbed):
            return f".ai/merge/{percent_encoded(survivor)}/{percent_encoded(absorbed)}"
        case SplitProposalLink(thread):
            return f".ai/split/{percent_encoded(thread)}"
        case UnlockLink(thread):
            return f".ai/unlock/{percent_encoded(thread)}"
        case SplitLink(thread, parts, lock):
            groups = (
                f"msgs_{number}={_comma_joined(part.messages)}" for number, part in enumerate(parts)
            )
            titles = f"titles={_comma_joined(part.title for part in parts)}"
            parameters = "&".join((titles, *groups, f"lock={lock}"))
            return f".ai/split/{percent_encoded(thread)}/confirm?{parameters}"


def read_call(request: Link) -> str:
    """Write the call by which an agent asks for this."""
    return f'Read("{link_path(request)}")'


def _reading_path(request: ReadingLink) -> str:
    match request:
        case RecallLink(query, limit):
            return f".ai/recall/{percent_encoded(query)}" + (f"?limit={limit}" if limit else "")
        case SuggestionsLink(named):
            return f".ai/suggestions/{percent_encoded(named)}" if named else ".ai/suggestions"
        case HandoffLink(named):
            return f".ai/handoff/{percent_encoded(named)}" if named else ".ai/handoff"
        case StatusLink():
            return ".ai/status"


def _comma_joined(several: Iterable[str]) -> str:
    return ",".join(percent_encoded(each) for each in several)


def tool_call_text(tool: str, *arguments: object, **named: object) -> str:
    """Write a call, as `ai_merge('a', 'b')`."""
    said = [repr(each) for each in arguments]
    said += [f"{name}={value!r}" for name, value in named.items()]
    return f"{tool}({', '.join(said)})"
