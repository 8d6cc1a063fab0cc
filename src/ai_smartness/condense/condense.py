"""Condense one thread: write a compaction that stands for its events.

The events stay as they are. A condenser is asked outside any lock and within a
deadline; what it gives back is checked before a single thing is written, and the
thread goes on as it was where it fails.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from ai_smartness.condense import Condenser, Context, Wrote
from ai_smartness.condense.condenser import EventNotes, checked_output
from ai_smartness.condense.event_tokens import view_tokens
from ai_smartness.condense.registry import run_with_deadline
from ai_smartness.condense.tool_calls import unanswered_calls
from ai_smartness.condense.working_view import all_events_on, working_view
from ai_smartness.model.condensation import (
    CONDENSER,
    Anchor,
    Condensation,
    Scope,
    active_condensations,
    condensation_payload,
    covered_seqs,
)
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import (
    ChangePlan,
    compactions_on,
    counted_messages,
    refuse_absorbed,
)

__all__ = ["CompactionDraft", "CondenseRequest", "condense", "draft_compaction"]

_LOG = logging.getLogger(__name__)

MIN_ROOM_TOKENS = 64
"""With less nothing can be said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CondenseRequest:
    """How a thread is to be condensed; `target` is what its whole working view may take."""

    scope: Scope
    target: int
    deadline_seconds: float
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompactionDraft:
    """A compaction that is not written yet, and what was in force when it was made."""

    thread: Thread
    condensed: Condensation
    in_force_seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _SelectedEvents:
    """What a condenser is given, what stays in view beside it, and what was in force."""

    given: list[Event]
    beside: list[Event]
    covers: frozenset[int]
    supersedes: tuple[int, ...]
    in_force: tuple[int, ...]


def draft_compaction(
    store: ThreadStore,
    thread_id: str,
    condenser: Condenser,
    request: CondenseRequest,
    context: Context,
) -> CompactionDraft:
    """Have a condenser write what stands for a thread's events; refuse what cannot be used."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "condense")
    selected = _select_events(store, thread, request.scope)
    before, beside = view_tokens(selected.given), view_tokens(selected.beside)
    _refuse_needless(thread, request, before, beside, selected)
    told = store.annotations.described_through(thread.project)
    known = EventNotes(store.annotations.of(e.seq for e in selected.given if 0 < e.seq <= told))
    context = replace(
        context,
        target=request.target - beside,
        parameters=request.parameters,
        named=known.mentions_of,
        stated=known.proposals_of,
    )
    wrote = _condenser_output(thread, condenser, selected.given, context, request.deadline_seconds)
    first = selected.given[0]
    condensed = Condensation(
        condenser=condenser.id,
        version=str(condenser.version),
        scope=request.scope,
        parameters={"target": request.target, **request.parameters},
        covers=tuple(sorted(selected.covers)),
        supersedes=selected.supersedes,
        beside=tuple(seq for seq in selected.in_force if seq not in selected.supersedes),
        anchor=_first_anchor(store, thread, selected, first),
        originals=len(selected.covers),
        tokens_before=before,
        tokens_after=view_tokens(wrote.replacements),
        replacements=tuple(wrote.replacements),
        said=wrote.remark,
    )
    return CompactionDraft(thread, condensed, selected.in_force)


def condense(
    store: ThreadStore, draft: CompactionDraft, id_: str, now: datetime, *, dry_run: bool
) -> ChangePlan:
    """Plan to put a drafted compaction in force, and write its event unless it is a dry run."""
    thread, condensed = store.threads.get(draft.thread.id), replace(draft.condensed, id=id_)
    said = _outcome_text(thread, condensed)
    if dry_run:
        return ChangePlan(thread.project, said, Change(), (thread.id,))
    _refuse_changed(store, thread, draft)
    (event,) = store.events.append([_compaction_event(thread, condensed, now)])
    aside = replace(thread, set_aside=tuple(sorted({*thread.set_aside, event.seq})))
    return ChangePlan(thread.project, said, Change((ThreadEdit(aside, thread),)), (thread.id,))


def _select_events(store: ThreadStore, thread: Thread, scope: Scope) -> _SelectedEvents:
    compactions = active_condensations(compactions_on(store, thread.id), thread.set_aside)
    seqs = tuple(each.seq for each in compactions)
    view = working_view(store, thread)
    superseded: tuple[int, ...] = seqs
    match scope:
        case Scope.INCREMENTAL:
            pool, superseded = [event for event in view if event.seq], ()
        case Scope.HYBRID:
            pool = view
        case Scope.FULL:
            everything = all_events_on(store, thread)
            pool = [event for event in everything if event.type is not EventType.COMPACTION]
    waiting = {pool[place].id for place in unanswered_calls(pool)}
    given = [event for event in pool if event.id not in waiting]
    named = {event.seq for event in given if event.seq}
    covers = named | covered_seqs(compactions) if superseded else named
    taken = {event.id for event in given}
    beside = [
        event for event in view if event.id not in taken and not (superseded and not event.seq)
    ]
    return _SelectedEvents(given, beside, frozenset(covers), superseded, seqs)


def _first_anchor(
    store: ThreadStore, thread: Thread, selected: _SelectedEvents, first: Event
) -> Anchor:
    """Tell where the first event stood that is covered from now on."""
    if first.seq:
        return Anchor(first.seq, first.at, first.session)
    earlier = [
        each for each in compactions_on(store, thread.id) if first.id.startswith(f"{each.id}.")
    ]
    return earlier[0].anchor if earlier else Anchor(min(selected.covers), first.at, first.session)


def _refuse_needless(
    thread: Thread, request: CondenseRequest, before: int, beside: int, selected: _SelectedEvents
) -> None:
    if not selected.given:
        msg = f"there is nothing to condense on {thread.id}: no message has come since."
        raise RefusedError(msg)
    if before + beside <= request.target:
        msg = (
            f"there is nothing to condense on {thread.id}: what is in view takes about "
            f"{before + beside:,} tokens, within the target of {request.target:,}. "
            "Give a smaller target."
        )
        raise RefusedError(msg)
    if request.target - beside < MIN_ROOM_TOKENS:
        msg = (
            f"cannot condense {thread.id} to {request.target:,} tokens: what stays in view takes "
            f"about {beside:,} already. Give a larger target, or condense what was condensed "
            "before as well, with the scope `hybrid` or `full`."
        )
        raise RefusedError(msg)


def _condenser_output(
    thread: Thread, condenser: Condenser, given: list[Event], context: Context, seconds: float
) -> Wrote:
    ran = run_with_deadline(lambda: condenser.condense(given, context), seconds)
    why = ""
    if not ran.is_done.is_set():
        why = f"it had not ended after {seconds:g} seconds (`condense.deadline_seconds`)"
    elif ran.error is not None:
        why = f"it raised {type(ran.error).__name__}: {ran.error}"
    if not why:
        wrote = checked_output(ran.value, given)
        if isinstance(wrote, Wrote):
            return wrote
        why = wrote
    msg = (
        f"cannot condense {thread.id} with {condenser.id}: {why}. Nothing was written, and the "
        "thread is as it was. Choose another condenser, or repair this one."
    )
    _LOG.warning("%s", msg)
    raise RefusedError(msg) from ran.error


def _refuse_changed(store: ThreadStore, thread: Thread, draft: CompactionDraft) -> None:
    """Refuse to write what was drafted for another state of the thread.

    A message that left it meanwhile is no matter: where it is, nothing stands for it.
    """
    now = active_condensations(compactions_on(store, thread.id), thread.set_aside)
    if tuple(each.seq for each in now) != draft.in_force_seqs or thread.merged_into:
        msg = (
            f"cannot condense {thread.id}: it was changed meanwhile. Nothing was written; "
            "condense it again."
        )
        raise RefusedError(msg)


def _compaction_event(thread: Thread, condensed: Condensation, now: datetime) -> Event:
    return Event(
        id=condensed.id,
        project=thread.project,
        thread_id=thread.id,
        session=None,
        type=EventType.COMPACTION,
        role="note",
        # No words of its own: nobody said it, and nothing of it is to be found as if.
        text="",
        payload=condensation_payload(condensed),
        at=now,
        source=CONDENSER,
    )


def _outcome_text(thread: Thread, condensed: Condensation) -> str:
    remark = f" {condensed.said[0].upper()}{condensed.said[1:]}." if condensed.said else ""
    return (
        f"Condensed {thread.id} with {condensed.condenser}: {counted_messages(condensed.originals)} stand "
        f"as {len(condensed.replacements)}, about {condensed.tokens_before:,} tokens as "
        f"{condensed.tokens_after:,} ({condensed.id}).{remark}"
    )
