"""Tell an agent what a change did, and what to read next."""

from ai_smartness.model.journal import Outcome
from ai_smartness.model.link import ANY_SURVIVOR, MergeLink, SplitProposalLink, UnlockLink
from ai_smartness.model.thread import SplitLock, Thread
from ai_smartness.text.display import quoted_start
from ai_smartness.views.links import read_call

__all__ = [
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

_PATH_HELP = (
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
    return _joined_lines(
        f"Merged: {thread_label(absorbed)} → {thread_label(survivor)}",
        f"Survivor: {thread_label(survivor)}, weight: {survivor.weight:.2f}",
        f"Absorbed: {absorbed.id}, {absorbed.status}, kept with the tag merged_into:{survivor.id}",
        f"Messages moved: {outcome.change.moved_count:,}",
        _change_line(outcome),
        *next_steps(
            f"{read_call(SplitProposalLink(survivor.id))} lists all its messages, and splits it "
            "if need be.",
            *_undo_steps(outcome),
        ),
    )


def split_answer(outcome: Outcome) -> str:
    """Answer the second step of a split."""
    parent, *children = outcome.threads
    moved = {move.target: len(move.seqs) for move in outcome.change.moves}
    return _joined_lines(
        f"Split: {thread_label(parent)}",
        f"Messages moved: {outcome.change.moved_count:,}; those not named stayed.",
        f"New threads ({len(children)}):",
        *(
            f"- {thread_label(child)}, messages: {moved[child.id]:,}, weight: {child.weight:.2f}, "
            f"lock: {child.split_lock}"
            for child in children[:MAX_LISTED_PARTS]
        ),
        *(
            [f"… and {len(children) - MAX_LISTED_PARTS:,} more"]
            if len(children) > MAX_LISTED_PARTS
            else []
        ),
        _change_line(outcome),
        *next_steps(
            *(_unlock_step(child) for child in children[:MAX_LISTED_PARTS]),
            f"{read_call(SplitProposalLink(parent.id))} lists what stayed.",
            *_undo_steps(outcome),
        ),
    )


def unlock_answer(outcome: Outcome) -> str:
    """Answer an unlock."""
    (thread,) = outcome.threads
    return _joined_lines(
        f"Unlocked: {thread_label(thread)}. It can be merged.",
        _change_line(outcome),
        *next_steps(
            f"{read_call(MergeLink(ANY_SURVIVOR, thread.id))} puts its messages on the thread "
            "you name.",
            *_undo_steps(outcome),
        ),
    )


def help_page() -> str:
    """Say which paths there are."""
    return _joined_lines(
        "The memory answers when these paths are read:",
        *(f"- {path}" for path in _PATH_HELP),
        "The start of a thread's id is enough where only one has it; `ais threads` lists them.",
    )


def unknown_page(verb: str | None) -> str:
    """Say that a path does not exist, and list the paths that do; without a verb it is not ours."""
    problem = (
        "this is no path of the memory"
        if verb is None
        else f"the memory knows no {quoted_start(verb, TITLE_CHARACTERS)}"
    )
    return f"Not found: {problem}.\n{help_page()}"


def next_steps(*steps: str) -> list[str]:
    """Write what can be done next."""
    return ["Next:", *(f"- {step}" for step in steps)]


def thread_label(thread: Thread) -> str:
    """Name a thread by its id and its title."""
    return f"{thread.id} {quoted_start(thread.title, TITLE_CHARACTERS)}"


def _unlock_step(thread: Thread) -> str:
    if thread.split_lock is SplitLock.FORCE:
        command = f"`ais threads unlock {thread.id} --force`"
        return f"{command} lets {thread.id} be merged again; reading a path does not."
    return f"{read_call(UnlockLink(thread.id))} lets {thread.id} be merged again."


def _change_line(outcome: Outcome) -> str:
    return f"Change: {outcome.number}" if outcome.number is not None else "Change: none"


def _undo_steps(outcome: Outcome) -> list[str]:
    return [f"`ais undo {outcome.number}` takes it back."] if outcome.number is not None else []


def _joined_lines(*lines: str) -> str:
    return "\n".join(lines)
