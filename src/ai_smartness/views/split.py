"""Show a thread's messages and a proposed split, with the path or the tool call that splits it.

The path and the call can be used as they stand. However long the thread is, the page is not:
only its first and last messages are listed.
"""

import json
from collections.abc import Callable, Sequence

from ai_smartness.model.event import Event
from ai_smartness.model.link import ANY_SURVIVOR, MergeLink, SplitLink
from ai_smartness.model.split import SplitPart, SplitProposal
from ai_smartness.model.thread import SplitLock, Thread
from ai_smartness.text.display import listed_names, one_line, quoted_start
from ai_smartness.text.markers import marked_text
from ai_smartness.text.virtual_path import percent_encoded
from ai_smartness.views.links import link_path, read_call
from ai_smartness.views.outcome import TITLE_CHARACTERS, next_steps, thread_label

__all__ = ["proposal_with_calls", "proposal_with_paths"]

IDS_CHARACTERS = 400
PATH_MESSAGE_CHARACTERS = 80
CALL_MESSAGE_CHARACTERS = 100

MAX_LISTED_CHARACTERS = 36_000
"""With this many for the messages a page stays under 60,000, which clients show at once."""

MAX_LISTED_MESSAGES = 200
"""With these an answer has some 8,000 tokens; the clients we know cut at 25,000."""

MAX_CALL_CHARACTERS = 12_000
"""The agent writes the path or call itself, and makes mistakes in a longer one."""

_NO_PROPOSAL = "Proposal: none, it seems to be about one subject."

_PATH_RULES = (
    "What is not named stays, and that is at least one message.",
    "In a title a comma is written %2C, & is %26 and % is %25.",
    "Locks: compaction, until the context is compacted;",
    "  agent_release, until .ai/unlock/… is read;",
    "  force, until someone runs `ais threads unlock … --force`.",
)

_CALL_RULES = (
    "Messages in no part stay, and that is at least one. "
    f"Lock: {SplitLock.COMPACTION} (until the context is compacted), "
    f"{SplitLock.AGENT_RELEASE} (until ai_unlock), {SplitLock.FORCE} (until ai_unlock with force)."
)


def proposal_with_paths(proposal: SplitProposal) -> str:
    """Return the page for an agent that reads paths."""
    # Ids are encoded as in a path, so that they can be copied into one.
    lines = _message_lines(proposal, percent_encoded, PATH_MESSAGE_CHARACTERS)
    if sum(len(line) + 1 for line in lines) > MAX_LISTED_CHARACTERS:
        more = f": `ais threads show {proposal.thread.id}` shows all."
        lines = _outer_lines(lines, _fitting_count(lines), _fitting_count(lines[::-1]), more)
    return "\n".join([*_head_lines(proposal), *lines, "", *_path_steps(proposal)])


def proposal_with_calls(proposal: SplitProposal) -> str:
    """Return the answer for an agent that calls tools."""
    lines = _message_lines(proposal, one_line, CALL_MESSAGE_CHARACTERS)
    if len(lines) > MAX_LISTED_MESSAGES:
        lines = _outer_lines(lines, MAX_LISTED_MESSAGES // 2, MAX_LISTED_MESSAGES // 2, ".")
    parts = _part_lines(proposal, str) if proposal.parts else [_NO_PROPOSAL]
    page = marked_text("\n".join([*_head_lines(proposal), *lines, *parts]))
    return "\n".join([page, *_call_steps(proposal)])


def _head_lines(proposal: SplitProposal) -> list[str]:
    count = f"Messages ({len(proposal.messages):,}):"
    return [f"Thread: {thread_label(proposal.thread)}", count]


def _message_lines(
    proposal: SplitProposal, spell_id: Callable[[str], str], characters: int
) -> list[str]:
    return [
        f"- {spell_id(event.id)} [{one_line(event.role)}] {quoted_start(event.text, characters)}"
        for event in proposal.messages
    ]


def _part_lines(proposal: SplitProposal, spell_id: Callable[[str], str]) -> list[str]:
    lines = ["Proposal:"]
    for number, part in enumerate(proposal.parts, 1):
        ids = listed_names(tuple(map(spell_id, part.messages)), IDS_CHARACTERS)
        lines.append(f"  {number}. {quoted_start(part.title, TITLE_CHARACTERS)}: {ids}")
    return lines


def _outer_lines(lines: list[str], first: int, last: int, more: str) -> list[str]:
    """Keep the first and the last lines."""
    gap = f"  … {len(lines) - first - last:,} messages are left out here{more}"
    return [*lines[:first], gap, *lines[len(lines) - last :]]


def _fitting_count(lines: Sequence[str]) -> int:
    """Count the lines that fill half of the room."""
    room = MAX_LISTED_CHARACTERS // 2
    for number, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return number
    return len(lines)


def _path_steps(proposal: SplitProposal) -> list[str]:
    thread = proposal.thread.id
    if len(proposal.messages) <= 1:
        return _nothing_to_split(proposal.thread, len(proposal.messages))
    link = SplitLink(thread, proposal.parts)
    example = read_call(SplitLink(thread, _example_parts(proposal.messages)))
    if not proposal.parts:
        yours = "To split it all the same, read this with titles and messages of your choice:"
        return [_NO_PROPOSAL, "", yours, example, *_PATH_RULES]
    parts = [*_part_lines(proposal, percent_encoded), ""]
    if len(link_path(link)) <= MAX_CALL_CHARACTERS:
        return [*parts, "To split, read:", read_call(link), *_PATH_RULES]
    too_long = (
        f"These are too many messages for one path. `ais threads split {thread} --interactive` "
        "splits it as proposed. To split off fewer, read this with titles and messages of your "
        "choice:"
    )
    return [*parts, too_long, example, *_PATH_RULES]


def _nothing_to_split(thread: Thread, messages: int) -> list[str]:
    if not messages:
        step = f"`ais log {thread.id}` says where its messages went."
        return ["Nothing to split.", *next_steps(step)]
    merge = read_call(MergeLink(ANY_SURVIVOR, thread.id))
    problem = "Nothing to split: with its one message gone it would be empty."
    return [problem, *next_steps(f"{merge} puts it on another thread.")]


def _example_parts(messages: Sequence[Event]) -> tuple[SplitPart, ...]:
    """Return two groups that could be split off, or one if there is no second."""
    last = enumerate(messages[1:][-2:], 1)
    return tuple(SplitPart(f"Title{number}", (event.id,)) for number, event in last)


def _call_steps(proposal: SplitProposal) -> list[str]:
    if len(proposal.messages) <= 1:
        return ["Nothing to split: there are fewer than two messages."]
    call = _split_call(proposal.thread.id, proposal.parts)
    if proposal.parts and len(call) <= MAX_CALL_CHARACTERS:
        return ["To split it so:", call, _CALL_RULES]
    example = (SplitPart("TITLE", (proposal.messages[-1].id,)),)
    yours = "To split it, with titles and messages of your choice:"
    return [yours, _split_call(proposal.thread.id, example), _CALL_RULES]


def _split_call(thread_id: str, parts: tuple[SplitPart, ...]) -> str:
    values = [{"title": one_line(part.title), "messages": part.messages} for part in parts]
    # As JSON writes it, a bracket in an id is no tag, and still the same id.
    parts_text = json.dumps(values, ensure_ascii=False).replace("<", "\\u003c")
    return f"ai_split({thread_id!r}, parts={parts_text})"
