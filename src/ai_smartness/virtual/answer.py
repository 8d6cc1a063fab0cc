"""Answer an agent that reads a path: carry out what it asks for, and say what came of it.

What the memory refuses is an answer like any other. An agent reads it where it
expected a file, so it never is a traceback.
"""

from collections.abc import Sequence
from typing import Protocol, assert_never

from ai_smartness.model.errors import AisError
from ai_smartness.model.journal import Outcome
from ai_smartness.model.recalled import Recalled
from ai_smartness.model.split import Part, SplitProposal
from ai_smartness.model.suggestion import Suggestions as Suggested
from ai_smartness.model.thread import SplitLock
from ai_smartness.virtual.path import parsed
from ai_smartness.virtual.proposal import proposal_answer
from ai_smartness.virtual.refusal import incomplete, refused
from ai_smartness.virtual.render import (
    help_page,
    merge_answer,
    split_answer,
    unknown_page,
    unlock_answer,
)
from ai_smartness.virtual.request import (
    Complete,
    Handoff,
    Help,
    Incomplete,
    Look,
    Merge,
    Recall,
    SplitConfirm,
    SplitList,
    Status,
    Suggestions,
    Unknown,
    Unlock,
)
from ai_smartness.virtual.status import Standing, status_page
from ai_smartness.virtual.suggestions import suggestions_page

__all__ = ["Verbs", "answer"]


class Verbs(Protocol):
    """What of a memory can be asked for by reading a path."""

    def recall(self, query: str, limit: int = ..., /) -> Recalled:
        """Answer a question with threads."""
        ...

    def merge(self, survivor: str, absorbed: str, /) -> Outcome:
        """Put the messages of one thread on another."""
        ...

    def propose_split(self, thread_id: str, /) -> SplitProposal:
        """List a thread's messages, and the groups in which its subject changed."""
        ...

    def split(
        self, thread_id: str, parts: Sequence[Part], /, *, lock: SplitLock, session: str | None
    ) -> Outcome:
        """Put groups of a thread's messages on threads of their own."""
        ...

    def unlock(self, thread_id: str, /) -> Outcome:
        """Let a split thread be merged again."""
        ...

    def suggestions(self, context: str | None, /, *, session: str | None) -> Suggested:
        """Say what could be done."""
        ...

    def handoff(self, session: str | None, /, *, asker: str | None) -> str:
        """Say where a session stood."""
        ...

    def status(self) -> Standing:
        """Say what there is."""
        ...


def answer(memory: Verbs, path: str, session: str | None = None) -> str:
    """Return what an agent of this session reads at a path."""
    request = parsed(path)
    match request:
        case Help():
            return help_page()
        case Unknown():
            return unknown_page(request)
        case Incomplete():
            return incomplete(request)
    try:
        return _done(memory, request, session)
    except AisError as error:
        return refused(error, request)


def _done(memory: Verbs, request: Complete, session: str | None) -> str:
    match request:
        case Recall() | Suggestions() | Handoff() | Status():
            return _looked(memory, request, session)
        case Merge(survivor, absorbed):
            return merge_answer(memory.merge(survivor, absorbed))
        case SplitList(thread):
            return proposal_answer(memory.propose_split(thread))
        case SplitConfirm(thread, parts, lock):
            return split_answer(memory.split(thread, parts, lock=lock, session=session))
        case Unlock(thread):
            return unlock_answer(memory.unlock(thread))
        case _:
            assert_never(request)


def _looked(memory: Verbs, request: Look, session: str | None) -> str:
    match request:
        case Recall(query, limit):
            return (memory.recall(query, limit) if limit else memory.recall(query)).text
        case Suggestions(context):
            return suggestions_page(memory.suggestions(context, session=session))
        case Handoff(named):
            return memory.handoff(named, asker=session)
        case Status():
            return status_page(memory.status())
