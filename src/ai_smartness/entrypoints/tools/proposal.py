"""The first step of a split: the messages of a thread, and the call that splits it.

However long the thread is, the answer is not: its first and last messages are listed.
"""

import json

from ai_smartness.entrypoints.tools.marks import marked
from ai_smartness.model.event import Event
from ai_smartness.model.saying import one_line
from ai_smartness.model.split import Part, SplitProposal
from ai_smartness.model.thread import SplitLock
from ai_smartness.virtual.shown import listed, quoted

__all__ = ["proposal_text"]

MESSAGE_CHARACTERS = 100
TITLE_CHARACTERS = 200
IDS_CHARACTERS = 400

LISTED_MESSAGES = 200
"""With these an answer has some 8,000 tokens; the clients we know cut at 25,000."""

CALL_CHARACTERS = 12_000
"""A model writes the call itself, and a longer one is not written without a slip."""

_RULES = (
    "Messages in no part stay, and that is at least one. "
    f"Lock: {SplitLock.COMPACTION} (until the context is compacted), "
    f"{SplitLock.AGENT_RELEASE} (until ai_unlock), {SplitLock.FORCE} (until ai_unlock with force)."
)


def proposal_text(proposal: SplitProposal) -> str:
    """Return the messages, the parts that are proposed, and how to split."""
    thread, messages = proposal.thread, proposal.messages
    lines = (
        f"Thread: {thread.id} {quoted(thread.title, TITLE_CHARACTERS)}",
        f"Messages ({len(messages):,}):",
        *_outer([_message(each) for each in messages]),
        *_parts(proposal),
    )
    return marked("\n".join(lines)) + "\n" + "\n".join(_next(proposal))


def _parts(proposal: SplitProposal) -> list[str]:
    if not proposal.parts:
        return ["Proposal: none, it seems to be about one subject."]
    return ["Proposal:", *(_part(*each) for each in enumerate(proposal.parts, 1))]


def _part(number: int, part: Part) -> str:
    ids = listed(part.messages, IDS_CHARACTERS)
    return f"  {number}. {quoted(part.title, TITLE_CHARACTERS)}: {ids}"


def _next(proposal: SplitProposal) -> list[str]:
    if len(proposal.messages) <= 1:
        return ["Nothing to split: there are fewer than two messages."]
    ready = _call(proposal.thread.id, proposal.parts)
    if proposal.parts and len(ready) <= CALL_CHARACTERS:
        return ["To split it so:", ready, _RULES]
    example = (Part("TITLE", (proposal.messages[-1].id,)),)
    return [
        "To split it, with titles and messages of your choice:",
        _call(proposal.thread.id, example),
        _RULES,
    ]


def _call(thread_id: str, parts: tuple[Part, ...]) -> str:
    said = [{"title": one_line(part.title), "messages": part.messages} for part in parts]
    return f"ai_split({thread_id!r}, parts={json.dumps(said, ensure_ascii=False)})"


def _message(event: Event) -> str:
    return (
        f"- {one_line(event.id)} [{one_line(event.role)}] {quoted(event.text, MESSAGE_CHARACTERS)}"
    )


def _outer(lines: list[str]) -> list[str]:
    """Return all the lines, or the first and the last if they are too many."""
    if len(lines) <= LISTED_MESSAGES:
        return lines
    half = LISTED_MESSAGES // 2
    left_out = len(lines) - LISTED_MESSAGES
    return [*lines[:half], f"  … {left_out:,} messages are left out here.", *lines[-half:]]
