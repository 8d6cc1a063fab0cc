"""Write what was done, or which paths there are, and what can be read next."""

from ai_smartness.model.journal import Outcome
from ai_smartness.model.thread import SplitLock, Thread
from ai_smartness.virtual.request import Merge, SplitList, Unknown, Unlock
from ai_smartness.virtual.shown import quoted
from ai_smartness.virtual.spelling import read

__all__ = [
    "OTHER",
    "help_page",
    "merge_answer",
    "name",
    "next_steps",
    "split_answer",
    "unknown_page",
    "unlock_answer",
]

TITLE_CHARACTERS = 200
MANY_PARTS = 10

OTHER = "SURVIVOR"
"""Stands for a thread of the reader's choice."""

_PATHS = (
    'Read(".ai/recall/WORDS") answers with the threads that fit; a thread id gives that thread.',
    'Read(".ai/merge/SURVIVOR/ABSORBED") puts the messages of one thread on another.',
    'Read(".ai/split/THREAD") lists the messages of a thread and says how to split it.',
    'Read(".ai/unlock/THREAD") lets a split thread be merged again.',
    'Read(".ai/suggestions") says what could be merged, split or recalled; words may follow it.',
    'Read(".ai/handoff") says where the session before stood; a session id may follow it.',
    'Read(".ai/status") says what there is.',
    'Read(".ai/help") shows this.',
)


def merge_answer(outcome: Outcome) -> str:
    """Answer a merge."""
    survivor, absorbed = outcome.threads
    return _lines(
        f"Merged: {name(absorbed)} → {name(survivor)}",
        f"Survivor: {name(survivor)}, weight: {survivor.weight:.2f}",
        f"Absorbed: {absorbed.id}, {absorbed.status}, kept with the tag merged_into:{survivor.id}",
        f"Messages moved: {outcome.change.moved:,}",
        _change(outcome),
        *next_steps(
            f"{read(SplitList(survivor.id))} lists all its messages, and splits it if need be.",
            *_way_back(outcome),
        ),
    )


def split_answer(outcome: Outcome) -> str:
    """Answer the second step of a split."""
    parent, *children = outcome.threads
    moved = {move.target: len(move.seqs) for move in outcome.change.moves}
    return _lines(
        f"Split: {name(parent)}",
        f"Messages moved: {outcome.change.moved:,}; those not named stayed.",
        f"New threads ({len(children)}):",
        *(
            f"- {name(child)}, messages: {moved[child.id]:,}, weight: {child.weight:.2f}, "
            f"lock: {child.split_lock}"
            for child in children[:MANY_PARTS]
        ),
        *([f"… and {len(children) - MANY_PARTS:,} more"] if len(children) > MANY_PARTS else []),
        _change(outcome),
        *next_steps(
            *(_release(child) for child in children[:MANY_PARTS]),
            f"{read(SplitList(parent.id))} lists what stayed.",
            *_way_back(outcome),
        ),
    )


def unlock_answer(outcome: Outcome) -> str:
    """Answer an unlock."""
    (thread,) = outcome.threads
    return _lines(
        f"Unlocked: {name(thread)}. It can be merged.",
        _change(outcome),
        *next_steps(
            f"{read(Merge(OTHER, thread.id))} puts its messages on the thread you name.",
            *_way_back(outcome),
        ),
    )


def help_page() -> str:
    """Say which paths there are."""
    return _lines(
        "The memory answers when these paths are read:",
        *(f"- {each}" for each in _PATHS),
        "The start of a thread's id is enough where only one has it; `ais threads` lists them.",
    )


def unknown_page(request: Unknown) -> str:
    """Say that there is no such path, and which there are."""
    if request.verb is None:
        return _lines("Not found: this is no path of the memory.", help_page())
    shown = quoted(request.verb, TITLE_CHARACTERS)
    return _lines(f"Not found: the memory knows no {shown}.", help_page())


def next_steps(*steps: str) -> list[str]:
    """Write what can be done next."""
    return ["Next:", *(f"- {each}" for each in steps)]


def name(thread: Thread) -> str:
    """Name a thread by its id and its title."""
    return f"{thread.id} {quoted(thread.title, TITLE_CHARACTERS)}"


def _release(thread: Thread) -> str:
    if thread.split_lock is SplitLock.FORCE:
        command = f"`ais threads unlock {thread.id} --force`"
        return f"{command} lets {thread.id} be merged again; reading a path does not."
    return f"{read(Unlock(thread.id))} lets {thread.id} be merged again."


def _change(outcome: Outcome) -> str:
    return f"Change: {outcome.number}" if outcome.number is not None else "Change: none"


def _way_back(outcome: Outcome) -> list[str]:
    return [f"`ais undo {outcome.number}` takes it back."] if outcome.number is not None else []


def _lines(*lines: str) -> str:
    return "\n".join(lines)
