"""Suggestions: pairs of threads side by side, splits, conflicts and pins, to accept or dismiss."""

from contextlib import suppress

from ai_smartness.entrypoints.web.page import PageRequest, Rendered
from ai_smartness.memory import Memory
from ai_smartness.model.compaction import CompactionStrategy
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.journal import Outcome
from ai_smartness.model.suggestion import Suggestions
from ai_smartness.model.thread import Thread
from ai_smartness.views.suggestions import conflict_bridges, suggested_thread_ids

__all__ = ["ACTIONS", "PARTS", "show"]

SHOWN_STEPS = 40  # of a clean-up


def show(request: PageRequest) -> Rendered:
    """Show the page at once; comparing the threads takes a moment."""
    return Rendered("suggestions.html", {"subject": request.query.get("q", "").strip()})


def _list(request: PageRequest) -> Rendered:
    """Compare the threads, and list what could be done."""
    subject = request.query.get("q", "").strip()
    suggested = request.memory.suggestions(subject or None)
    threads = _threads_of(request.memory, suggested)
    values = {"suggested": suggested, "threads": threads, "subject": subject}
    return Rendered("suggestions_list.html", values)


def _threads_of(memory: Memory, suggested: Suggestions) -> dict[str, Thread]:
    threads: dict[str, Thread] = {}
    for id_ in suggested_thread_ids(suggested):
        with suppress(NotFoundError):
            threads[id_] = memory.thread(id_)
    return threads


def _merge(request: PageRequest) -> Outcome:
    return request.memory.merge(request.value("survivor"), request.value("absorbed"))


def _keep_apart(request: PageRequest) -> Outcome:
    return request.memory.keep_apart(request.value("first"), request.value("second"))


def _keep_whole(request: PageRequest) -> Outcome:
    return request.memory.keep_whole(request.value("thread"))


def _split(request: PageRequest) -> Outcome:
    """Split a thread as it is proposed now."""
    proposal = request.memory.propose_split(request.value("thread"))
    return request.memory.split(proposal.thread.id, proposal.parts)


def _archive(request: PageRequest) -> Outcome:
    return request.memory.archive(request.value("thread"))


def _both_hold(request: PageRequest) -> Outcome:
    """Remove the bridges by which two threads are in conflict."""
    older, newer = request.value("older"), request.value("newer")
    bridges = conflict_bridges(request.memory.bridges(older), older, newer)
    outcomes = [request.memory.unlink(bridge.id) for bridge in bridges]
    if not outcomes:
        msg = f"there is no conflict between {older} and {newer} any more. Load the page again."
        raise NotFoundError(msg)
    return outcomes[-1]


def _preview_compaction(request: PageRequest) -> Rendered:
    """Show what a clean-up of all threads would do."""
    plan = request.memory.compact(_strategy(request), dry_run=True)
    ids = {edit.id for edit in plan.outcome.change.threads}
    values = {"plan": plan, "steps": plan.steps[:SHOWN_STEPS], "titles": request.memory.titles(ids)}
    return Rendered("suggestions_compaction.html", values)


def _compact(request: PageRequest) -> Outcome:
    return request.memory.compact(_strategy(request)).outcome


def _strategy(request: PageRequest) -> CompactionStrategy:
    text = request.value("strategy")
    if text not in set(CompactionStrategy):
        msg = f"{text[:40]!r} is none of {', '.join(CompactionStrategy)}."
        raise RefusedError(msg)
    return CompactionStrategy(text)


ACTIONS = {
    "plan": _preview_compaction,
    "compact": _compact,
    "merge": _merge,
    "apart": _keep_apart,
    "split": _split,
    "whole": _keep_whole,
    "archive": _archive,
    "both": _both_hold,
}
PARTS = {"list": _list}
