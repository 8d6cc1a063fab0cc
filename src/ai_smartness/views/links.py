"""Write a link the way its reader follows it: as a path to read or a tool to call.

A path that is written here parses back into the same link.
"""

from collections.abc import Iterable

from ai_smartness.model.link import (
    HandoffLink,
    Link,
    MergeLink,
    ReadingLink,
    RecallLink,
    RemedyLink,
    SplitLink,
    SplitProposalLink,
    StatementsLink,
    StatusLink,
    SuggestionsLink,
    SurvivorLink,
    ThreadListLink,
    UndoLink,
    UnlockLink,
)
from ai_smartness.text.virtual_path import percent_encoded

__all__ = ["link_path", "link_tool_call", "read_call", "tool_call_text"]


def read_call(link: Link) -> str:
    """Write the `Read` call with which an agent follows a link."""
    return f'Read("{link_path(link)}")'


def link_path(link: Link) -> str:
    """Write the virtual path of a link."""
    match link:
        case RecallLink() | SuggestionsLink() | StatementsLink() | HandoffLink() | StatusLink():
            return _reading_path(link)
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


def link_tool_call(link: RemedyLink | RecallLink) -> str:
    """Write the tool call that follows a link."""
    match link:
        case UnlockLink(thread, force):
            return tool_call_text("ai_unlock", thread, **({"force": True} if force else {}))
        case SplitProposalLink(thread) | SurvivorLink(thread):
            return tool_call_text("ai_split", thread)
        case MergeLink(survivor, absorbed):
            return tool_call_text("ai_merge", survivor, absorbed)
        case UndoLink(change):
            return tool_call_text("ai_undo", change)
        case RecallLink(query):
            return tool_call_text("ai_recall", query)
        case ThreadListLink():
            return "ai_recall"


def tool_call_text(tool: str, *arguments: object, **named: object) -> str:
    """Write a tool call, as `ai_merge('a', 'b')`."""
    values = [repr(value) for value in arguments]
    values += [f"{name}={value!r}" for name, value in named.items()]
    return f"{tool}({', '.join(values)})"


def _reading_path(link: ReadingLink) -> str:
    match link:
        case RecallLink(query, limit):
            return f".ai/recall/{percent_encoded(query)}" + (f"?limit={limit}" if limit else "")
        case SuggestionsLink(context):
            return f".ai/suggestions/{percent_encoded(context)}" if context else ".ai/suggestions"
        case StatementsLink(about):
            return f".ai/statements/{percent_encoded(about)}" if about else ".ai/statements"
        case HandoffLink(session):
            return f".ai/handoff/{percent_encoded(session)}" if session else ".ai/handoff"
        case StatusLink():
            return ".ai/status"


def _comma_joined(texts: Iterable[str]) -> str:
    return ",".join(percent_encoded(text) for text in texts)
