"""Condense one thread: write a compaction that stands for its events.

The events stay as they are. A condenser is asked outside any lock and within a
deadline; what it gives back is checked before a single thing is written, and the
thread goes on as it was where it fails.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from ai_smartness.compact.calls import unanswered
from ai_smartness.compact.checked import checked
from ai_smartness.compact.condensers import Condenser, Context, Wrote
from ai_smartness.compact.deadline import run
from ai_smartness.compact.known import Known
from ai_smartness.compact.sizes import view_tokens
from ai_smartness.compact.view import everything_on, working_view
from ai_smartness.model.condensed import (
    CONDENSER,
    Anchor,
    Condensed,
    Scope,
    covered_by,
    in_force,
    payload_of,
)
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.covering import compactions_on
from ai_smartness.threads.plan import Plan, counted, refuse_absorbed

__all__ = ["Draft", "Request", "condense", "drafted"]

_LOG = logging.getLogger(__name__)

LEAST_ROOM_TOKENS = 64
"""With less nothing can be said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How a thread is to be condensed; `target` is what its whole working view may take."""

    scope: Scope
    target: int
    deadline_seconds: float
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """A compaction that is not written yet, and what was in force when it was made."""

    thread: Thread
    condensed: Condensed
    found: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Selected:
    """What a condenser is given, what stays in view beside it, and what was in force."""

    given: list[Event]
    beside: list[Event]
    covers: frozenset[int]
    supersedes: tuple[int, ...]
    in_force: tuple[int, ...]


def drafted(
    store: ThreadStore, thread_id: str, condenser: Condenser, request: Request, context: Context
) -> Draft:
    """Have a condenser write what stands for a thread's events; refuse what cannot be used."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "condense")
    selected = _selected(store, thread, request.scope)
    before, beside = view_tokens(selected.given), view_tokens(selected.beside)
    _refuse_needless(thread, request, before, beside, selected)
    told = store.notes.told(thread.project)
    known = Known(store.notes.of(e.seq for e in selected.given if 0 < e.seq <= told))
    context = replace(
        context,
        target=request.target - beside,
        parameters=request.parameters,
        named=known.named,
        stated=known.stated,
    )
    wrote = _wrote(thread, condenser, selected.given, context, request.deadline_seconds)
    first = selected.given[0]
    condensed = Condensed(
        condenser=condenser.id,
        version=str(condenser.version),
        scope=request.scope,
        parameters={"target": request.target, **request.parameters},
        covers=tuple(sorted(selected.covers)),
        supersedes=selected.supersedes,
        beside=tuple(seq for seq in selected.in_force if seq not in selected.supersedes),
        anchor=_anchor(store, thread, selected, first),
        originals=len(selected.covers),
        tokens_before=before,
        tokens_after=view_tokens(wrote.replacements),
        replacements=tuple(wrote.replacements),
        said=wrote.remark,
    )
    return Draft(thread, condensed, selected.in_force)


def condense(store: ThreadStore, draft: Draft, id_: str, now: datetime, *, dry_run: bool) -> Plan:
    """Plan to put a drafted compaction in force, and write its event unless it is a dry run."""
    thread, condensed = store.threads.get(draft.thread.id), replace(draft.condensed, id=id_)
    said = _said(thread, condensed)
    if dry_run:
        return Plan(thread.project, said, Change(), (thread.id,))
    _refuse_changed(store, thread, draft)
    (event,) = store.events.append([_event(thread, condensed, now)])
    aside = replace(thread, set_aside=tuple(sorted({*thread.set_aside, event.seq})))
    return Plan(thread.project, said, Change((ThreadEdit(aside, thread),)), (thread.id,))


def _selected(store: ThreadStore, thread: Thread, scope: Scope) -> _Selected:
    compactions = in_force(compactions_on(store, thread.id), thread.set_aside)
    seqs = tuple(each.seq for each in compactions)
    view = working_view(store, thread)
    superseded: tuple[int, ...] = seqs
    match scope:
        case Scope.INCREMENTAL:
            pool, superseded = [event for event in view if event.seq], ()
        case Scope.HYBRID:
            pool = view
        case Scope.FULL:
            everything = everything_on(store, thread)
            pool = [event for event in everything if event.type is not EventType.COMPACTION]
    waiting = {pool[place].id for place in unanswered(pool)}
    given = [event for event in pool if event.id not in waiting]
    named = {event.seq for event in given if event.seq}
    covers = named | covered_by(compactions) if superseded else named
    taken = {event.id for event in given}
    beside = [
        event for event in view if event.id not in taken and not (superseded and not event.seq)
    ]
    return _Selected(given, beside, frozenset(covers), superseded, seqs)


def _anchor(store: ThreadStore, thread: Thread, selected: _Selected, first: Event) -> Anchor:
    """Tell where the first event stood that is covered from now on."""
    if first.seq:
        return Anchor(first.seq, first.at, first.session)
    earlier = [
        each for each in compactions_on(store, thread.id) if first.id.startswith(f"{each.id}.")
    ]
    return earlier[0].anchor if earlier else Anchor(min(selected.covers), first.at, first.session)


def _refuse_needless(
    thread: Thread, request: Request, before: int, beside: int, selected: _Selected
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
    if request.target - beside < LEAST_ROOM_TOKENS:
        msg = (
            f"cannot condense {thread.id} to {request.target:,} tokens: what stays in view takes "
            f"about {beside:,} already. Give a larger target, or condense what was condensed "
            "before as well, with the scope `hybrid` or `full`."
        )
        raise RefusedError(msg)


def _wrote(
    thread: Thread, condenser: Condenser, given: list[Event], context: Context, seconds: float
) -> Wrote:
    ran = run(lambda: condenser.condense(given, context), seconds)
    why = ""
    if not ran.is_done.is_set():
        why = f"it had not ended after {seconds:g} seconds (`condense.deadline_seconds`)"
    elif ran.error is not None:
        why = f"it raised {type(ran.error).__name__}: {ran.error}"
    if not why:
        wrote = checked(ran.value, given)
        if isinstance(wrote, Wrote):
            return wrote
        why = wrote
    msg = (
        f"cannot condense {thread.id} with {condenser.id}: {why}. Nothing was written, and the "
        "thread is as it was. Choose another condenser, or repair this one."
    )
    _LOG.warning("%s", msg)
    raise RefusedError(msg) from ran.error


def _refuse_changed(store: ThreadStore, thread: Thread, draft: Draft) -> None:
    """Refuse to write what was drafted for another state of the thread.

    A message that left it meanwhile is no matter: where it is, nothing stands for it.
    """
    now = in_force(compactions_on(store, thread.id), thread.set_aside)
    if tuple(each.seq for each in now) != draft.found or thread.merged_into:
        msg = (
            f"cannot condense {thread.id}: it was changed meanwhile. Nothing was written; "
            "condense it again."
        )
        raise RefusedError(msg)


def _event(thread: Thread, condensed: Condensed, now: datetime) -> Event:
    return Event(
        id=condensed.id,
        project=thread.project,
        thread_id=thread.id,
        session=None,
        type=EventType.COMPACTION,
        role="note",
        # No words of its own: nobody said it, and nothing of it is to be found as if.
        text="",
        payload=payload_of(condensed),
        at=now,
        source=CONDENSER,
    )


def _said(thread: Thread, condensed: Condensed) -> str:
    remark = f" {condensed.said[0].upper()}{condensed.said[1:]}." if condensed.said else ""
    return (
        f"Condensed {thread.id} with {condensed.condenser}: {counted(condensed.originals)} stand "
        f"as {len(condensed.replacements)}, about {condensed.tokens_before:,} tokens as "
        f"{condensed.tokens_after:,} ({condensed.id}).{remark}"
    )
