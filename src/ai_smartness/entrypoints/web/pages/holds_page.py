"""What holds: statements by kind, what they replaced, and the brief that the next session gets.

A statement can be confirmed, corrected or rejected.
"""

from ai_smartness.entrypoints.web.page import PageRequest, Rendered, paged
from ai_smartness.model.journal import Outcome
from ai_smartness.model.statement import KIND_HEADINGS, HeldGroup, Statement
from ai_smartness.text.token_count import estimate_tokens

__all__ = ["ACTIONS", "PARTS", "show"]

SHOWN_OF_A_KIND = 8  # on the first page; a kind has a page of its own
SHOWN_ON_A_PAGE = 40
SHOWN_REJECTED = 40


def show(request: PageRequest) -> Rendered:
    """Show what holds, all kinds or one of them."""
    words, kind = request.query.get("q", "").strip(), request.query.get("kind", "")
    kind = kind if kind in set(KIND_HEADINGS) else ""
    after = request.query.get("after") or None
    size = SHOWN_ON_A_PAGE + 1 if kind else SHOWN_OF_A_KIND
    groups = request.memory.held_statements(
        kind or None, query=words or None, after=after, limit=size
    )
    next_address = ""
    if kind and groups:
        groups, next_address = _page_of_kind(request, groups[0])
    seqs = [held.statement.seq for group in groups for held in group.statements]
    values = {
        "groups": groups,
        "is_first": after is None,
        "next_address": next_address,
        "kind": kind,
        "words": words,
        "kinds": KIND_HEADINGS,
        "sources": request.memory.line_sources(seqs),
        "budget": request.memories.settings_of(request.project.name).settings.inject.brief_tokens,
    }
    return Rendered("holds.html", values)


def _page_of_kind(request: PageRequest, group: HeldGroup) -> tuple[list[HeldGroup], str]:
    """Cut a kind to one page, and return it with the address of the next."""
    words = request.query.get("q")
    page = paged(
        group.statements,
        lambda last: request.address(kind=group.kind, q=words, after=last.statement.id),
        SHOWN_ON_A_PAGE,
    )
    return [group._replace(statements=tuple(page.rows))], page.next_address


def _brief(request: PageRequest) -> Rendered:
    """Show the brief as the next session gets it; nothing counts as shown."""
    text = request.memory.brief().text
    return Rendered("holds_brief.html", {"brief": text, "tokens": estimate_tokens(text)})


def _correcting(request: PageRequest) -> Rendered:
    """Show the form that corrects a statement."""
    statement = request.memory.statement(request.query.get("id", ""))
    return Rendered("holds_correcting.html", {"one": statement, "kinds": KIND_HEADINGS})


def _rejected(request: PageRequest) -> Rendered:
    """List what was rejected, newest first."""
    rejected = request.memory.rejected_statements(SHOWN_REJECTED)
    return Rendered("holds_rejected.html", {"rejected": rejected})


def _statement(request: PageRequest) -> Statement:
    return request.memory.statement(request.value("statement"))


def _confirm(request: PageRequest) -> Outcome:
    return request.memory.confirm_statement(_statement(request).id)


def _reject(request: PageRequest) -> Outcome:
    return request.memory.reject_statement(_statement(request).id)


def _correct(request: PageRequest) -> Outcome:
    """Correct the sentence, the kind or both: what is as it was stays."""
    statement = _statement(request)
    text, kind = " ".join(request.value("text").split()), request.value("kind")
    return request.memory.correct_statement(
        statement.id,
        text if text != statement.text else None,
        kind if kind != statement.kind else None,
    )


ACTIONS = {"confirm": _confirm, "reject": _reject, "correct": _correct}
PARTS = {"brief": _brief, "correcting": _correcting, "rejected": _rejected}
