"""Condense one thread: write a compaction that replaces its events in the working view.

The events stay stored. The condenser runs outside any lock and within a deadline. Its
output is checked before anything is written; if it fails, the thread stays as it was.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from ai_smartness.condense.condenser import Condenser, Context, EventNotes, Wrote, checked_output
from ai_smartness.condense.condenser_registry import run_with_deadline
from ai_smartness.condense.tool_calls import unanswered_calls, view_tokens
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

MIN_ROOM_TOKENS = 64  # no condenser can say anything in fewer tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class CondenseRequest:
    """How to condense a thread; `target` limits its whole working view, in tokens."""

    scope: Scope
    target: int
    deadline_seconds: float
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompactionDraft:
    """A compaction that is not written yet, and those in force when it was drafted."""

    thread: Thread
    condensed: Condensation
    in_force_seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _SelectedEvents:
    """The events to condense, those that stay in view, and the compactions involved."""

    events: list[Event]
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
    """Let a condenser write the replacement of a thread's events; refuse unusable output."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "condense")
    selected = _select_events(store, thread, request.scope)
    before, beside = view_tokens(selected.events), view_tokens(selected.beside)
    _refuse_needless(thread, request, before, beside, selected)
    annotated = store.annotations.described_through(thread.project)
    seqs = (event.seq for event in selected.events if 0 < event.seq <= annotated)
    notes = EventNotes(store.annotations.of(seqs))
    context = replace(
        context,
        target=request.target - beside,
        parameters=request.parameters,
        named=notes.mentions_of,
        stated=notes.proposals_of,
    )
    wrote = _condenser_output(thread, condenser, selected.events, context, request.deadline_seconds)
    condensed = Condensation(
        condenser=condenser.id,
        version=str(condenser.version),
        scope=request.scope,
        parameters={"target": request.target, **request.parameters},
        covers=tuple(sorted(selected.covers)),
        supersedes=selected.supersedes,
        beside=tuple(seq for seq in selected.in_force if seq not in selected.supersedes),
        anchor=_first_anchor(store, thread, selected),
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
    """Plan to put a draft in force, and write its event unless it is a dry run."""
    thread, condensed = store.threads.get(draft.thread.id), replace(draft.condensed, id=id_)
    sentence = _outcome_text(thread, condensed)
    if dry_run:
        return ChangePlan(thread.project, sentence, Change(), (thread.id,))
    _refuse_changed(store, thread, draft)
    (event,) = store.events.append([_compaction_event(thread, condensed, now)])
    aside = replace(thread, set_aside=tuple(sorted({*thread.set_aside, event.seq})))
    return ChangePlan(thread.project, sentence, Change((ThreadEdit(aside, thread),)), (thread.id,))


def _select_events(store: ThreadStore, thread: Thread, scope: Scope) -> _SelectedEvents:
    compactions = active_condensations(compactions_on(store, thread.id), thread.set_aside)
    in_force = tuple(compaction.seq for compaction in compactions)
    view = working_view(store, thread)
    supersedes: tuple[int, ...] = in_force
    match scope:
        case Scope.INCREMENTAL:
            candidates, supersedes = [event for event in view if event.seq], ()
        case Scope.HYBRID:
            candidates = view
        case Scope.FULL:
            everything = all_events_on(store, thread)
            candidates = [event for event in everything if event.type is not EventType.COMPACTION]
    waiting = {candidates[place].id for place in unanswered_calls(candidates)}
    events = [event for event in candidates if event.id not in waiting]
    covers = {event.seq for event in events if event.seq}
    if supersedes:
        covers |= covered_seqs(compactions)
    ids = {event.id for event in events}
    beside = [event for event in view if event.id not in ids and (event.seq or not supersedes)]
    return _SelectedEvents(events, beside, frozenset(covers), supersedes, in_force)


def _first_anchor(store: ThreadStore, thread: Thread, selected: _SelectedEvents) -> Anchor:
    """Return the place of the first event that the compaction covers."""
    first = selected.events[0]
    if first.seq:
        return Anchor(first.seq, first.at, first.session)
    compactions = compactions_on(store, thread.id)
    earlier = [c.anchor for c in compactions if first.id.startswith(f"{c.id}.")]
    return earlier[0] if earlier else Anchor(min(selected.covers), first.at, first.session)


def _refuse_needless(
    thread: Thread, request: CondenseRequest, before: int, beside: int, selected: _SelectedEvents
) -> None:
    msg = ""
    if not selected.events:
        msg = f"there is nothing to condense on {thread.id}: no message has come since."
    elif before + beside <= request.target:
        msg = (
            f"there is nothing to condense on {thread.id}: what is in view takes about "
            f"{before + beside:,} tokens, within the target of {request.target:,}. "
            "Give a smaller target."
        )
    elif request.target - beside < MIN_ROOM_TOKENS:
        msg = (
            f"cannot condense {thread.id} to {request.target:,} tokens: what stays in view takes "
            f"about {beside:,} already. Give a larger target, or condense what was condensed "
            "before as well, with the scope `hybrid` or `full`."
        )
    if msg:
        raise RefusedError(msg)


def _condenser_output(
    thread: Thread, condenser: Condenser, events: list[Event], context: Context, seconds: float
) -> Wrote:
    run = run_with_deadline(lambda: condenser.condense(events, context), seconds)
    output: Wrote | str
    if not run.is_done.is_set():
        output = f"it had not ended after {seconds:g} seconds (`condense.deadline_seconds`)"
    elif run.error is not None:
        output = f"it raised {type(run.error).__name__}: {run.error}"
    else:
        output = checked_output(run.value, events)
    if isinstance(output, Wrote):
        return output
    msg = (
        f"cannot condense {thread.id} with {condenser.id}: {output}. Nothing was written, and the "
        "thread is as it was. Choose another condenser, or repair this one."
    )
    _LOG.warning("%s", msg)
    raise RefusedError(msg) from run.error


def _refuse_changed(store: ThreadStore, thread: Thread, draft: CompactionDraft) -> None:
    """Refuse a draft if the thread's compactions have changed since.

    A message that left the thread meanwhile does not matter: nothing covers it elsewhere.
    """
    active = active_condensations(compactions_on(store, thread.id), thread.set_aside)
    if tuple(compaction.seq for compaction in active) != draft.in_force_seqs or thread.merged_into:
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
        # Without text: nobody said it, so search must not find it.
        text="",
        payload=condensation_payload(condensed),
        at=now,
        source=CONDENSER,
    )


def _outcome_text(thread: Thread, condensed: Condensation) -> str:
    remark = f" {condensed.said[0].upper()}{condensed.said[1:]}." if condensed.said else ""
    return (
        f"Condensed {thread.id} with {condensed.condenser}: "
        f"{counted_messages(condensed.originals)} replaced by "
        f"{len(condensed.replacements)}, about {condensed.tokens_before:,} tokens by "
        f"{condensed.tokens_after:,} ({condensed.id}).{remark}"
    )
