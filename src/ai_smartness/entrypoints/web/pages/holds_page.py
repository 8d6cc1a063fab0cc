"""What holds: statements by kind, what they replaced, and the brief that the next session gets.

A statement can be confirmed, corrected or rejected.
"""

from collections.abc import Sequence

from ai_smartness.entrypoints.web.page import PageRequest, Rendered
from ai_smartness.model.journal import Outcome
from ai_smartness.model.statement import KIND_HEADINGS, ReviewState, Statement
from ai_smartness.text.token_count import estimate_tokens
from ai_smartness.views.statements import HeldGroup, held_groups

__all__ = ["ACTIONS", "PARTS", "show"]

SHOWN_OF_A_KIND = 8  # on the first page; a kind has a page of its own
SHOWN_ON_A_PAGE = 40
SHOWN_REJECTED = 40


def show(request: PageRequest) -> Rendered:
    """Show what holds, all kinds or one of them."""
    words, kind = request.query.get("q", "").strip(), request.query.get("kind", "")
    kind = kind if kind in set(KIND_HEADINGS) else ""
    statements = request.memory.statements(query=words or None, superseded=True)
    groups = held_groups(statements)
    first = request.number("start") or 0
    size = SHOWN_ON_A_PAGE if kind else SHOWN_OF_A_KIND
    chosen = [group for group in groups if kind in ("", group.kind)]
    shown = [
        (group, group.statements[first : first + size], len(group.statements)) for group in chosen
    ]
    seqs = [one.statement.seq for _, rows, _ in shown for one in rows]
    values = {
        "groups": shown,
        "first": first,
        "next_address": _next_address(request, kind, chosen, first + size),
        "kind": kind,
        "words": words,
        "kinds": KIND_HEADINGS,
        "sources": request.memory.line_sources(seqs),
        "held": sum(len(group.statements) for group in groups),
        "budget": request.memories.settings_of(request.project.name).settings.inject.brief_tokens,
    }
    return Rendered("holds.html", values)


def _next_address(request: PageRequest, kind: str, groups: Sequence[HeldGroup], start: int) -> str:
    """Return the address of the next page of one kind, empty at its end."""
    if not kind or not groups or len(groups[0].statements) <= start:
        return ""
    return request.address(kind=kind, q=request.query.get("q"), start=start)


def _brief(request: PageRequest) -> Rendered:
    """Show the brief as the next session gets it; nothing counts as shown."""
    text = request.memory.brief().text
    return Rendered("holds_brief.html", {"brief": text, "tokens": estimate_tokens(text)})


def _rejected(request: PageRequest) -> Rendered:
    """List what was rejected, newest first."""
    statements = request.memory.statements(rejected=True)
    rejected = [one for one in statements if one.review is ReviewState.REJECTED]
    return Rendered("holds_rejected.html", {"rejected": rejected[:SHOWN_REJECTED]})


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
PARTS = {"brief": _brief, "rejected": _rejected}
