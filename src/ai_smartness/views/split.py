"""Write the first step of a split: the messages of a thread, and the path that splits it.

The path can be read as it stands. However long the thread is, the answer is
not: its first and last messages are listed.

The first step of a split: the messages of a thread, and the call that splits it.

However long the thread is, the answer is not: its first and last messages are listed.
"""

import json

from ai_smartness.model.event import Event
from ai_smartness.model.link import ANY_SURVIVOR, MergeLink, SplitLink
from ai_smartness.model.split import SplitPart, SplitProposal
from ai_smartness.model.thread import SplitLock, Thread
from ai_smartness.text.display import listed_names, one_line, quoted_start
from ai_smartness.text.markers import marked_text
from ai_smartness.text.virtual_path import percent_encoded
from ai_smartness.views.links import link_path, read_call
from ai_smartness.views.outcome import next_steps, thread_label

__all__ = ["proposal_with_calls", "proposal_with_paths"]


MESSAGE_CHARACTERS = 80
TITLE_CHARACTERS = 200
IDS_CHARACTERS = 400

MAX_LISTED_CHARACTERS = 36_000
"""The messages of a thread take no more; with all the rest an answer stays under 60,000, which
the clients we know show at once."""

MAX_PATH_CHARACTERS = 12_000
"""An agent writes the path itself, and a longer one is not written without a slip."""

_PATH_RULES = (
    "What is not named stays, and that is at least one message.",
    "In a title a comma is written %2C, & is %26 and % is %25.",
    "Locks: compaction, until the context is compacted;",
    "  agent_release, until .ai/unlock/… is read;",
    "  force, until someone runs `ais threads unlock … --force`.",
)


def proposal_with_paths(proposal: SplitProposal) -> str:
    """Answer the first step of a split: the messages, a proposal, and the path of the second."""
    thread, messages = proposal.thread, proposal.messages
    lines = (
        f"Thread: {thread_label(thread)}",
        f"Messages ({len(messages):,}):",
        *_outer_lines([_message_line(each) for each in messages], thread),
        "",
        *(
            _second_step(proposal)
            if len(messages) > 1
            else _nothing_to_split(thread, len(messages))
        ),
    )
    return "\n".join(lines)


def _second_step(proposal: SplitProposal) -> list[str]:
    thread = proposal.thread.id
    confirm = SplitLink(thread, proposal.parts)
    example = SplitLink(thread, _example_parts(proposal.messages))
    if not proposal.parts:
        none = "Proposal: none, it seems to be about one subject."
        yours = "To split it all the same, read this with titles and messages of your choice:"
        return [none, "", yours, read_call(example), *_PATH_RULES]
    parts = ["Proposal:", *(_part_line(*each) for each in enumerate(proposal.parts, 1)), ""]
    if len(link_path(confirm)) <= MAX_PATH_CHARACTERS:
        return [*parts, "To split, read:", read_call(confirm), *_PATH_RULES]
    too_long = (
        f"These are too many messages for one path. `ais threads split {thread} --interactive` "
        "splits it as proposed. To split off fewer, read this with titles and messages of your "
        "choice:"
    )
    return [*parts, too_long, read_call(example), *_PATH_RULES]


def _nothing_to_split(thread: Thread, messages: int) -> list[str]:
    if messages:
        why = "Nothing to split: with its one message gone it would be empty."
        return [
            why,
            *next_steps(
                f"{read_call(MergeLink(ANY_SURVIVOR, thread.id))} puts it on another thread.",
            ),
        ]
    return [
        "Nothing to split.",
        *next_steps(f"`ais log {thread.id}` says where its messages went."),
    ]


def _example_parts(messages: tuple[Event, ...]) -> tuple[SplitPart, ...]:
    """Return two groups that could be split off, one where there is no second."""
    last = messages[1:][-2:]
    return tuple(SplitPart(f"Title{number}", (each.id,)) for number, each in enumerate(last, 1))


def _part_line(number: int, part: SplitPart) -> str:
    ids = listed_names(tuple(percent_encoded(each) for each in part.messages), IDS_CHARACTERS)
    return f"  {number}. {quoted_start(part.title, TITLE_CHARACTERS)}: {ids}"


def _message_line(event: Event) -> str:
    # As it is written in a path, so that it can be copied into one.
    return f"- {percent_encoded(event.id)} [{one_line(event.role)}] {quoted_start(event.text, MESSAGE_CHARACTERS)}"


def _outer_lines(lines: list[str], thread: Thread) -> list[str]:
    """Return all the lines, or the first and the last if they are too many."""
    if sum(len(line) + 1 for line in lines) <= MAX_LISTED_CHARACTERS:
        return lines
    first, last = _fitting_count(lines), _fitting_count(lines[::-1])
    left_out = len(lines) - first - last
    gap = f"  … {left_out:,} messages are left out here: `ais threads show {thread.id}` shows all."
    return [*lines[:first], gap, *lines[len(lines) - last :]]


def _fitting_count(lines: list[str]) -> int:
    """Count the lines that fill half of the room."""
    room = MAX_LISTED_CHARACTERS // 2
    for number, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return number
    return len(lines)


CALL_MESSAGE_CHARACTERS = 100
CALL_TITLE_CHARACTERS = 200
CALL_IDS_CHARACTERS = 400

MAX_LISTED_MESSAGES = 200
"""With these an answer has some 8,000 tokens; the clients we know cut at 25,000."""

MAX_CALL_CHARACTERS = 12_000
"""A model writes the call itself, and a longer one is not written without a slip."""

_CALL_RULES = (
    "Messages in no part stay, and that is at least one. "
    f"Lock: {SplitLock.COMPACTION} (until the context is compacted), "
    f"{SplitLock.AGENT_RELEASE} (until ai_unlock), {SplitLock.FORCE} (until ai_unlock with force)."
)


def proposal_with_calls(proposal: SplitProposal) -> str:
    """Return the messages, the parts that are proposed, and how to split."""
    thread, messages = proposal.thread, proposal.messages
    lines = (
        f"Thread: {thread.id} {quoted_start(thread.title, CALL_TITLE_CHARACTERS)}",
        f"Messages ({len(messages):,}):",
        *_outer_messages([_listed_message(each) for each in messages]),
        *_proposed_parts(proposal),
    )
    return marked_text("\n".join(lines)) + "\n" + "\n".join(_call_steps(proposal))


def _proposed_parts(proposal: SplitProposal) -> list[str]:
    if not proposal.parts:
        return ["Proposal: none, it seems to be about one subject."]
    return ["Proposal:", *(_proposed_part(*each) for each in enumerate(proposal.parts, 1))]


def _proposed_part(number: int, part: SplitPart) -> str:
    ids = listed_names(part.messages, CALL_IDS_CHARACTERS)
    return f"  {number}. {quoted_start(part.title, CALL_TITLE_CHARACTERS)}: {ids}"


def _call_steps(proposal: SplitProposal) -> list[str]:
    if len(proposal.messages) <= 1:
        return ["Nothing to split: there are fewer than two messages."]
    ready = _split_call(proposal.thread.id, proposal.parts)
    if proposal.parts and len(ready) <= MAX_CALL_CHARACTERS:
        return ["To split it so:", ready, _CALL_RULES]
    example = (SplitPart("TITLE", (proposal.messages[-1].id,)),)
    return [
        "To split it, with titles and messages of your choice:",
        _split_call(proposal.thread.id, example),
        _CALL_RULES,
    ]


def _split_call(thread_id: str, parts: tuple[SplitPart, ...]) -> str:
    said = [{"title": one_line(part.title), "messages": part.messages} for part in parts]
    return f"ai_split({thread_id!r}, parts={json.dumps(said, ensure_ascii=False)})"


def _listed_message(event: Event) -> str:
    return f"- {one_line(event.id)} [{one_line(event.role)}] {quoted_start(event.text, CALL_MESSAGE_CHARACTERS)}"


def _outer_messages(lines: list[str]) -> list[str]:
    """Return all the lines, or the first and the last if they are too many."""
    if len(lines) <= MAX_LISTED_MESSAGES:
        return lines
    half = MAX_LISTED_MESSAGES // 2
    left_out = len(lines) - MAX_LISTED_MESSAGES
    return [*lines[:half], f"  … {left_out:,} messages are left out here.", *lines[-half:]]
