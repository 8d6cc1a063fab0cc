"""Answer an agent that reads a path: carry out what it asks for, and say what came of it.

What the memory refuses is an answer like any other. An agent reads it where it
expected a file, so it never is a traceback.
"""

from collections.abc import Sequence
from typing import Protocol, assert_never

from ai_smartness.model.errors import AisError
from ai_smartness.model.journal import Outcome
from ai_smartness.model.link import (
    HandoffLink,
    Link,
    MergeLink,
    ReadingLink,
    RecallLink,
    SplitLink,
    SplitProposalLink,
    StatusLink,
    SuggestionsLink,
    UnlockLink,
)
from ai_smartness.model.search import RecallResult
from ai_smartness.model.split import SplitPart, SplitProposal
from ai_smartness.model.suggestion import Suggestions as Suggested
from ai_smartness.model.thread import SplitLock
from ai_smartness.views.errors import error_with_paths, refused_path_page
from ai_smartness.views.outcome import (
    help_page,
    merge_answer,
    split_answer,
    unknown_page,
    unlock_answer,
)
from ai_smartness.views.split import proposal_with_paths
from ai_smartness.views.status import StatusFacts, status_page
from ai_smartness.views.suggestions import suggestions_page
from ai_smartness.virtual.path import (
    HelpRequest,
    IncompleteRequest,
    UnknownRequest,
    parsed_request,
)

__all__ = ["MemoryVerbs", "answer_path"]


class MemoryVerbs(Protocol):
    """What of a memory can be asked for by reading a path."""

    def recall(self, query: str, limit: int = ..., /) -> RecallResult:
        """Answer a question with threads."""
        ...

    def merge(self, survivor: str, absorbed: str, /) -> Outcome:
        """Put the messages of one thread on another."""
        ...

    def propose_split(self, thread_id: str, /) -> SplitProposal:
        """List a thread's messages, and the groups in which its subject changed."""
        ...

    def split(
        self,
        thread_id: str,
        parts: Sequence[SplitPart],
        /,
        *,
        lock: SplitLock,
        session: str | None,
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

    def status(self) -> StatusFacts:
        """Say what there is."""
        ...


def answer_path(memory: MemoryVerbs, path: str, session: str | None = None) -> str:
    """Return what an agent of this session reads at a path."""
    request = parsed_request(path)
    match request:
        case HelpRequest():
            return help_page()
        case UnknownRequest(verb):
            return unknown_page(verb)
        case IncompleteRequest(form, problem, thread):
            return refused_path_page(problem, form, thread)
    try:
        return _answer_link(memory, request, session)
    except AisError as error:
        return error_with_paths(error, request)


def _answer_link(memory: MemoryVerbs, request: Link, session: str | None) -> str:
    match request:
        case RecallLink() | SuggestionsLink() | HandoffLink() | StatusLink():
            return _answer_reading(memory, request, session)
        case MergeLink(survivor, absorbed):
            return merge_answer(memory.merge(survivor, absorbed))
        case SplitProposalLink(thread):
            return proposal_with_paths(memory.propose_split(thread))
        case SplitLink(thread, parts, lock):
            return split_answer(memory.split(thread, parts, lock=lock, session=session))
        case UnlockLink(thread):
            return unlock_answer(memory.unlock(thread))
        case _:
            assert_never(request)


def _answer_reading(memory: MemoryVerbs, request: ReadingLink, session: str | None) -> str:
    match request:
        case RecallLink(query, limit):
            return (memory.recall(query, limit) if limit else memory.recall(query)).text
        case SuggestionsLink(context):
            return suggestions_page(memory.suggestions(context, session=session))
        case HandoffLink(named):
            return memory.handoff(named, asker=session)
        case StatusLink():
            return status_page(memory.status())
