"""Answer an agent that reads a virtual path: carry out the request and describe the result.

A refusal is an answer too. The agent expected a file, so it never reads a traceback.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, assert_never

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
    StatementsLink,
    StatusLink,
    SuggestionsLink,
    UnlockLink,
)
from ai_smartness.model.search import RecallResult
from ai_smartness.model.split import SplitPart, SplitProposal
from ai_smartness.model.statement import Statement, StatementKind
from ai_smartness.model.status import MemoryStatus
from ai_smartness.model.suggestion import Suggestions
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
from ai_smartness.views.statements import paths_to_statements, statements_page
from ai_smartness.views.status import status_page
from ai_smartness.views.suggestions import suggestions_page
from ai_smartness.virtual.path import HelpRequest, IncompleteRequest, UnknownRequest, parsed_request

__all__ = ["answer_path"]


class _MemoryVerbs(Protocol):
    """The methods of `Memory` that a path can reach; `Memory` itself stands above this module."""

    def recall(self, query: str, limit: int = ..., /) -> RecallResult: ...
    def merge(self, survivor: str, absorbed: str, /) -> Outcome: ...
    def propose_split(self, thread_id: str, /) -> SplitProposal: ...
    def split(
        self, thread_id: str, parts: Sequence[SplitPart], /, *, lock: SplitLock, session: str | None
    ) -> Outcome: ...
    def unlock(self, thread_id: str, /) -> Outcome: ...
    def suggestions(self, context: str | None, /, *, session: str | None) -> Suggestions: ...
    def statements(
        self, kind: StatementKind | None, /, *, query: str | None
    ) -> list[Statement]: ...
    def handoff(self, session: str | None, /, *, asker: str | None) -> str: ...
    def status(self) -> MemoryStatus: ...


class _Asker(NamedTuple):
    """The agent's session, and when it reads a path."""

    session: str | None
    now: datetime


def answer_path(memory: _MemoryVerbs, path: str, now: datetime, session: str | None = None) -> str:
    """Return the page that an agent of this session reads at a path."""
    request = parsed_request(path)
    match request:
        case HelpRequest():
            return help_page()
        case UnknownRequest(verb):
            return unknown_page(verb)
        case IncompleteRequest(form, problem, thread):
            return refused_path_page(problem, form, thread)
    try:
        return _answer_link(memory, request, _Asker(session, now))
    except AisError as error:
        return error_with_paths(error, request)


def _answer_link(memory: _MemoryVerbs, link: Link, asker: _Asker) -> str:
    match link:
        case RecallLink() | SuggestionsLink() | StatementsLink() | HandoffLink() | StatusLink():
            return _answer_reading(memory, link, asker)
        case MergeLink(survivor, absorbed):
            return merge_answer(memory.merge(survivor, absorbed))
        case SplitProposalLink(thread):
            return proposal_with_paths(memory.propose_split(thread))
        case SplitLink(thread, parts, lock):
            return split_answer(memory.split(thread, parts, lock=lock, session=asker.session))
        case UnlockLink(thread):
            return unlock_answer(memory.unlock(thread))
        case _:
            assert_never(link)


def _answer_reading(memory: _MemoryVerbs, link: ReadingLink, asker: _Asker) -> str:
    match link:
        case RecallLink(query, limit):
            return (memory.recall(query, limit) if limit else memory.recall(query)).text
        case SuggestionsLink(context):
            return suggestions_page(memory.suggestions(context, session=asker.session))
        case StatementsLink(about):
            return _statements_page(memory, about, asker.now)
        case HandoffLink(named):
            return memory.handoff(named, asker=asker.session)
        case StatusLink():
            return status_page(memory.status())


def _statements_page(memory: _MemoryVerbs, about: str | None, now: datetime) -> str:
    """List the statements in force: all, those of a kind, or those with these words."""
    kind = StatementKind(about) if about in list(StatementKind) else None
    statements = memory.statements(kind, query=None if kind else about)
    return statements_page(statements, now, paths_to_statements())
