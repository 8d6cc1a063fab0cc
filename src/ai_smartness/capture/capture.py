"""Keep what was said and done, each thing on the thread it belongs to.

Capturing is idempotent by id: a message that is known already is left as it
is. When the call returns, everything it was given is on disk and findable by
its words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from ai_smartness.capture.annotate import CaptureContext
from ai_smartness.capture.assign.assigner import ThreadAssigner
from ai_smartness.capture.batch import CaptureBatch
from ai_smartness.capture.embed import event_chunks, event_vectors, model_errors
from ai_smartness.capture.validate import MessageDraft, validated_drafts
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.event import Event, Message
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.threads.change_plan import surviving_thread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows: TypeAlias = dict[str, NDArray[np.float32]]

__all__ = ["Captured", "capture"]

TRANSACTION_MESSAGES = 200
"""One transaction's worth: long enough to be quick, short enough that nobody waits long."""

LIVE_MESSAGES = 32
"""Up to this many messages in one call are embedded at once and placed by meaning as well. A
longer call is a history: it is placed by its words and embedded afterwards."""


@dataclass(frozen=True, slots=True)
class Captured:
    """What became of a call: how many were stored, how many were known, on which threads.

    `differing` names those that are known by their id with another text or in
    another session; they too are left as they are.
    """

    stored: int
    known: int
    threads: tuple[str, ...]
    differing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Embedded:
    """What a model made of messages before they are stored: its space, their vectors by id."""

    space: str | None = None
    vectors: "Rows" = field(default_factory=dict)


def capture(
    store: ThreadStore,
    desk: ThreadAssigner,
    messages: Iterable[Message],
    present: CaptureContext,
    progress: Progress,
) -> Captured:
    """Store messages, each on its thread."""
    drafts = validated_drafts(messages, desk.project, present.now)
    drafts = _with_known_threads(store, desk.project, drafts)
    live = present if len(drafts) <= LIVE_MESSAGES else None
    stored: list[Event] = []
    differing: list[str] = []
    for start in range(0, len(drafts), TRANSACTION_MESSAGES):
        some = drafts[start : start + TRANSACTION_MESSAGES]
        new, other = _store_unit(store, desk, some, live)
        stored += new
        differing += other
        progress(min(start + TRANSACTION_MESSAGES, len(drafts)), len(drafts))
    store.word_index.refresh_index(desk.project)
    threads = dict.fromkeys(event.thread_id for event in stored)
    known = len(drafts) - len(stored)
    return Captured(len(stored), known, tuple(threads), tuple(dict.fromkeys(differing)))


def _with_known_threads(
    store: ThreadStore,
    project: str,
    drafts: Sequence[MessageDraft],
) -> list[MessageDraft]:
    """Return the drafts with the whole ids of the threads they name; refuse a strange one."""
    ids: dict[str | None, str | None] = {None: None}
    for named in dict.fromkeys(draft.thread for draft in drafts if draft.thread is not None):
        thread = surviving_thread(store, store.threads.get(named))
        if thread.project != project:
            msg = (
                f"cannot put a message of project {project} on {named}: that thread is of project "
                f"{thread.project}. Nothing was stored."
            )
            raise RefusedError(msg)
        ids[named] = thread.id
    return [replace(draft, thread=ids[draft.thread]) for draft in drafts]


def _store_unit(
    store: ThreadStore,
    desk: ThreadAssigner,
    drafts: Sequence[MessageDraft],
    live: CaptureContext | None,
) -> tuple[list[Event], list[str]]:
    """Store one unit's worth; return the new events, and which of the others differ."""
    try:
        meant = _embed_new_drafts(store, desk.project, drafts, live)
    except StoreError:
        # The model is out of reach or broken: what was said is kept, and placed by its words.
        meant = _Embedded()
    # Read without a lock what takes long; what comes in until the unit begins is read inside it.
    desk.catch_up(store)
    try:
        with store.unit():
            # Once more, under the lock: a thread that is named may have been merged since.
            drafts = _with_known_threads(store, desk.project, drafts)
            new = _store_drafts(store, desk, _new_drafts(store, desk.project, drafts), live, meant)
            return new, _differing_ids(store, drafts, new)
    except BaseException:
        # The desk was told of events that are not there after all.
        desk.clear_state()
        raise


def _store_drafts(
    store: ThreadStore,
    desk: ThreadAssigner,
    drafts: Sequence[MessageDraft],
    live: CaptureContext | None,
    meant: _Embedded,
) -> list[Event]:
    filing = CaptureBatch(store, desk, live)
    space, rows = meant.space, meant.vectors
    up_to_date = space is not None and not store.vector_index.count_missing(desk.project, space)
    while drafts:
        # The desk may start anew here, from what is stored.
        filing.write_pending()
        desk.catch_up(store)
        room = desk.events_until_block_end()
        for draft in drafts[:room]:
            of_draft = rows.get(draft.event.id)
            filing.store_draft(draft, None if of_draft is None else _mean_vector(of_draft))
        drafts = drafts[room:]
    events = filing.finish_batch()
    if space is not None and events:
        spoken = [event for event in events if event.id in rows]
        chunks = event_chunks(spoken, [rows[event.id] for event in spoken])
        store.vector_index.add(desk.project, space, chunks, events[-1].seq if up_to_date else None)
    return events


def _new_drafts(
    store: ThreadStore,
    project: str,
    drafts: Sequence[MessageDraft],
) -> list[MessageDraft]:
    """Return the drafts that are not stored yet; of one id in one call, the first."""
    ids = [draft.event.id for draft in drafts]
    # What was forgotten does not come back, by whichever way it is handed in again.
    known = store.events.known_ids(project, ids) | store.events.forgotten_ids(project, ids)
    first = {draft.event.id: draft for draft in reversed(drafts)}
    return [
        draft for draft in drafts if draft.event.id not in known and first[draft.event.id] is draft
    ]


def _differing_ids(
    store: ThreadStore,
    drafts: Sequence[MessageDraft],
    stored: Sequence[Event],
) -> list[str]:
    """Name the drafts that were known by their id, with another text or in another session."""
    at_hand = {event.id: event for event in stored}
    gone = (
        store.events.forgotten_ids(drafts[0].event.project, (each.event.id for each in drafts))
        if drafts
        else set()
    )
    given = [draft.event for draft in drafts if draft.event.id not in gone]
    pairs = [(new, at_hand.get(new.id) or store.events.get(new.project, new.id)) for new in given]
    return [new.id for new, kept in pairs if (new.text, new.session) != (kept.text, kept.session)]


def _embed_new_drafts(
    store: ThreadStore,
    project: str,
    drafts: Sequence[MessageDraft],
    live: CaptureContext | None,
) -> _Embedded:
    """Embed what is new before the transaction begins: nobody waits for a model with a lock."""
    if live is None or live.embedder is None:
        return _Embedded()
    fresh = [draft.event for draft in _new_drafts(store, project, drafts) if draft.event.text]
    if not fresh:
        return _Embedded()
    rows = event_vectors(live.embedder, fresh)
    of_ids = {event.id: row for event, row in zip(fresh, rows, strict=True)}
    # A server may be asked for its space too, and be gone by now.
    with model_errors():
        return _Embedded(live.embedder.space, of_ids)


def _mean_vector(rows: "NDArray[np.float32]") -> "NDArray[np.float32]":
    centre: NDArray[np.float32] = rows.mean(axis=0)
    length = float((centre @ centre) ** 0.5)
    return centre / length if length else centre
