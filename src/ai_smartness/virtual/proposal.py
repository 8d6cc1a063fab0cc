"""Write the first step of a split: the messages of a thread, and the path that splits it.

The path can be read as it stands. However long the thread is, the answer is
not: its first and last messages are listed.
"""

from ai_smartness.model.event import Event
from ai_smartness.model.saying import one_line
from ai_smartness.model.split import Part, SplitProposal
from ai_smartness.model.thread import Thread
from ai_smartness.virtual.encoding import encoded
from ai_smartness.virtual.render import OTHER, name, next_steps
from ai_smartness.virtual.request import Merge, SplitConfirm
from ai_smartness.virtual.shown import listed, quoted
from ai_smartness.virtual.spelling import path_of, read

__all__ = ["proposal_answer"]

MESSAGE_CHARACTERS = 80
TITLE_CHARACTERS = 200
IDS_CHARACTERS = 400

LISTED_CHARACTERS = 36_000
"""The messages of a thread take no more; with all the rest an answer stays under 60,000, which
the clients we know show at once."""

PATH_CHARACTERS = 12_000
"""An agent writes the path itself, and a longer one is not written without a slip."""

_RULES = (
    "What is not named stays, and that is at least one message.",
    "In a title a comma is written %2C, & is %26 and % is %25.",
    "Locks: compaction, until the context is compacted;",
    "  agent_release, until .ai/unlock/… is read;",
    "  force, until someone runs `ais threads unlock … --force`.",
)


def proposal_answer(proposal: SplitProposal) -> str:
    """Answer the first step of a split: the messages, a proposal, and the path of the second."""
    thread, messages = proposal.thread, proposal.messages
    lines = (
        f"Thread: {name(thread)}",
        f"Messages ({len(messages):,}):",
        *_outer([_message(each) for each in messages], thread),
        "",
        *(_second_step(proposal) if len(messages) > 1 else _indivisible(thread, len(messages))),
    )
    return "\n".join(lines)


def _second_step(proposal: SplitProposal) -> list[str]:
    thread = proposal.thread.id
    confirm = SplitConfirm(thread, proposal.parts)
    example = SplitConfirm(thread, _example(proposal.messages))
    if not proposal.parts:
        none = "Proposal: none, it seems to be about one subject."
        yours = "To split it all the same, read this with titles and messages of your choice:"
        return [none, "", yours, read(example), *_RULES]
    parts = ["Proposal:", *(_part(*each) for each in enumerate(proposal.parts, 1)), ""]
    if len(path_of(confirm)) <= PATH_CHARACTERS:
        return [*parts, "To split, read:", read(confirm), *_RULES]
    too_long = (
        f"These are too many messages for one path. `ais threads split {thread} --interactive` "
        "splits it as proposed. To split off fewer, read this with titles and messages of your "
        "choice:"
    )
    return [*parts, too_long, read(example), *_RULES]


def _indivisible(thread: Thread, messages: int) -> list[str]:
    if messages:
        why = "Nothing to split: with its one message gone it would be empty."
        return [why, *next_steps(f"{read(Merge(OTHER, thread.id))} puts it on another thread.")]
    return [
        "Nothing to split.",
        *next_steps(f"`ais log {thread.id}` says where its messages went."),
    ]


def _example(messages: tuple[Event, ...]) -> tuple[Part, ...]:
    """Return two groups that could be split off, one where there is no second."""
    last = messages[1:][-2:]
    return tuple(Part(f"Title{number}", (each.id,)) for number, each in enumerate(last, 1))


def _part(number: int, part: Part) -> str:
    ids = listed(tuple(encoded(each) for each in part.messages), IDS_CHARACTERS)
    return f"  {number}. {quoted(part.title, TITLE_CHARACTERS)}: {ids}"


def _message(event: Event) -> str:
    # As it is written in a path, so that it can be copied into one.
    return (
        f"- {encoded(event.id)} [{one_line(event.role)}] {quoted(event.text, MESSAGE_CHARACTERS)}"
    )


def _outer(lines: list[str], thread: Thread) -> list[str]:
    """Return all the lines, or the first and the last if they are too many."""
    if sum(len(line) + 1 for line in lines) <= LISTED_CHARACTERS:
        return lines
    first, last = _fitting(lines), _fitting(lines[::-1])
    left_out = len(lines) - first - last
    gap = f"  … {left_out:,} messages are left out here: `ais threads show {thread.id}` shows all."
    return [*lines[:first], gap, *lines[len(lines) - last :]]


def _fitting(lines: list[str]) -> int:
    """Count the lines that fill half of the room."""
    room = LISTED_CHARACTERS // 2
    for number, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return number
    return len(lines)
