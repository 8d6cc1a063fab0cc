"""Tell an agent that reads paths what a change did, and what to read next."""

from ai_smartness.model.journal import Outcome
from ai_smartness.model.link import ANY_SURVIVOR, MergeLink, SplitProposalLink, UnlockLink
from ai_smartness.model.thread import SplitLock, Thread
from ai_smartness.text.display import quoted_start
from ai_smartness.views.links import read_call

__all__ = [
    "TITLE_CHARACTERS",
    "help_page",
    "merge_answer",
    "next_steps",
    "split_answer",
    "thread_label",
    "unknown_page",
    "unlock_answer",
]

TITLE_CHARACTERS = 200
MAX_LISTED_PARTS = 10

_HELP_PAGE = """\
The memory answers when these paths are read:
- Read(".ai/recall/WORDS") answers with the threads that fit; a thread id gives that thread.
- Read(".ai/merge/SURVIVOR/ABSORBED") puts the messages of one thread on another.
- Read(".ai/split/THREAD") lists the messages of a thread and says how to split it.
- Read(".ai/unlock/THREAD") lets a split thread be merged again.
- Read(".ai/suggestions") says what could be merged, split or recalled; words may follow it.
- Read(".ai/statements") lists the rules, decisions and facts that hold; a kind or words may follow.
- Read(".ai/handoff") says where the session before stood; a session id may follow it.
- Read(".ai/status") says what there is.
- Read(".ai/help") shows this.
The start of a thread's id is enough where only one has it; `ais threads` lists them."""


def merge_answer(outcome: Outcome) -> str:
    """Return the page of a merge."""
    survivor, absorbed = outcome.threads
    messages, tag = read_call(SplitProposalLink(survivor.id)), f"merged_into:{survivor.id}"
    return _outcome_page(
        outcome,
        [
            f"Merged: {thread_label(absorbed)} → {thread_label(survivor)}",
            f"Survivor: {thread_label(survivor)}, weight: {survivor.weight:.2f}",
            f"Absorbed: {absorbed.id}, {absorbed.status}, kept with the tag {tag}",
            f"Messages moved: {outcome.change.moved_count:,}",
        ],
        [f"{messages} lists all its messages, and splits it if need be."],
    )


def split_answer(outcome: Outcome) -> str:
    """Return the page of a split."""
    parent, *children = outcome.threads
    listed, more = children[:MAX_LISTED_PARTS], len(children) - MAX_LISTED_PARTS
    moved = {move.target: len(move.seqs) for move in outcome.change.moves}
    return _outcome_page(
        outcome,
        [
            f"Split: {thread_label(parent)}",
            f"Messages moved: {outcome.change.moved_count:,}; those not named stayed.",
            f"New threads ({len(children)}):",
            *(
                f"- {thread_label(child)}, messages: {moved[child.id]:,}, "
                f"weight: {child.weight:.2f}, lock: {child.split_lock}"
                for child in listed
            ),
            *([f"… and {more:,} more"] if more > 0 else []),
        ],
        [
            *map(_unlock_step, listed),
            f"{read_call(SplitProposalLink(parent.id))} lists what stayed.",
        ],
    )


def unlock_answer(outcome: Outcome) -> str:
    """Return the page of an unlock."""
    (thread,) = outcome.threads
    merge = read_call(MergeLink(ANY_SURVIVOR, thread.id))
    return _outcome_page(
        outcome,
        [f"Unlocked: {thread_label(thread)}. It can be merged."],
        [f"{merge} puts its messages on the thread you name."],
    )


def help_page() -> str:
    """List the paths."""
    return _HELP_PAGE


def unknown_page(verb: str | None) -> str:
    """Say that a path does not exist, and list the paths that do; without a verb it is not ours."""
    problem = (
        "this is no path of the memory"
        if verb is None
        else f"the memory knows no {quoted_start(verb, TITLE_CHARACTERS)}"
    )
    return f"Not found: {problem}.\n{_HELP_PAGE}"


def next_steps(*steps: str) -> list[str]:
    """List what can be done next."""
    return ["Next:", *(f"- {step}" for step in steps)]


def thread_label(thread: Thread) -> str:
    """Name a thread by its id and its title."""
    return f"{thread.id} {quoted_start(thread.title, TITLE_CHARACTERS)}"


def _outcome_page(outcome: Outcome, lines: list[str], steps: list[str]) -> str:
    if outcome.number is None:
        return "\n".join([*lines, "Change: none", *next_steps(*steps)])
    undo = f"`ais undo {outcome.number}` takes it back."
    return "\n".join([*lines, f"Change: {outcome.number}", *next_steps(*steps, undo)])


def _unlock_step(thread: Thread) -> str:
    if thread.split_lock is SplitLock.FORCE:
        command = f"`ais threads unlock {thread.id} --force`"
        return f"{command} lets {thread.id} be merged again; reading a path does not."
    return f"{read_call(UnlockLink(thread.id))} lets {thread.id} be merged again."
