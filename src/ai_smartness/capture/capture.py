"""Store messages, each on the thread it belongs to.

Capturing is idempotent by id: a message that is stored already stays as it is. When the call
returns, all messages are on disk and can be found by keyword search.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

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

TRANSACTION_MESSAGES = 200  # enough to be quick, few enough that nobody waits long for the lock
LIVE_MESSAGES = 32
"""Up to this many messages in one call are embedded at once and assigned by meaning too. A longer
call is a history: it is assigned by its words and embedded later."""

AFTER_ALL = 2**62  # a `seq` that no event reaches


@dataclass(frozen=True, slots=True)
class Captured:
    """The outcome of a call: how many messages were stored or known, and their threads.

    `differing` lists ids that are stored with another text or in another session; these
    messages stay as they are too.
    """

    stored: int
    known: int
    threads: tuple[str, ...]
    differing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Embedded:
    """The vectors of new messages by id, and the embedder's space."""

    space: str | None = None
    vectors: "Rows" = field(default_factory=dict)


def capture(
    store: ThreadStore,
    assigner: ThreadAssigner,
    messages: Iterable[Message],
    context: CaptureContext,
    progress: Progress,
) -> Captured:
    """Store messages, each on its thread."""
    drafts = validated_drafts(messages, assigner.project, context.now)
    drafts = _with_known_threads(store, assigner.project, drafts)
    live = context if len(drafts) <= LIVE_MESSAGES else None
    stored: list[Event] = []
    differing: list[str] = []
    for start in range(0, len(drafts), TRANSACTION_MESSAGES):
        unit = drafts[start : start + TRANSACTION_MESSAGES]
        new, other = _store_unit(store, assigner, unit, live)
        stored += new
        differing += other
        progress(min(start + TRANSACTION_MESSAGES, len(drafts)), len(drafts))
    store.word_index.refresh_index(assigner.project)
    threads = dict.fromkeys(event.thread_id for event in stored)
    known = len(drafts) - len(stored)
    return Captured(len(stored), known, tuple(threads), tuple(dict.fromkeys(differing)))


def _with_known_threads(
    store: ThreadStore, project: str, drafts: Sequence[MessageDraft]
) -> list[MessageDraft]:
    """Resolve the thread ids that the drafts name; refuse a thread of another project."""
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
    assigner: ThreadAssigner,
    drafts: Sequence[MessageDraft],
    live: CaptureContext | None,
) -> tuple[list[Event], list[str]]:
    """Store drafts in one transaction; return the new events, and the ids of differing ones."""
    project = assigner.project
    # The long read happens without the lock; later events are read inside the transaction.
    known, _ = store.read_together(
        partial(_known_drafts, store, project, drafts), partial(assigner.catch_up, store)
    )
    try:
        embedded = _embed_new_drafts(known.new_drafts(drafts), live)
    except StoreError:
        # The model is unreachable or broken: store the messages, assigned by their words.
        embedded = _Embedded()
    try:
        with store.unit(project):
            # Once more under the lock: a named thread may have been merged since.
            drafts = _with_known_threads(store, project, drafts)
            before = _StateBefore(store, assigner, drafts, embedded.space)
            new = _store_drafts(
                store, assigner, before.known.new_drafts(drafts), live, (embedded, before)
            )
            return new, _differing_ids(store, drafts, new, before.known.forgotten)
    except BaseException:
        # The assigner has recorded events that were rolled back.
        assigner.clear_state()
        raise


def _store_drafts(
    store: ThreadStore,
    assigner: ThreadAssigner,
    drafts: Sequence[MessageDraft],
    live: CaptureContext | None,
    prepared: "tuple[_Embedded, _StateBefore]",
) -> list[Event]:
    embedded, before = prepared
    batch = CaptureBatch(store, assigner, live, before.texts)
    space, vectors = embedded.space, embedded.vectors
    while drafts:
        room = assigner.events_until_block_end()
        for draft in drafts[:room]:
            rows = vectors.get(draft.event.id)
            batch.store_draft(draft, None if rows is None else _mean_vector(rows))
        drafts = drafts[room:]
        if drafts:
            # At the end of a block, the assigner rebuilds its state from the store.
            batch.write_pending()
            assigner.catch_up(store)
    events = batch.finish_batch()
    if space is not None and events:
        embedded_events = [event for event in events if event.id in vectors]
        chunks = event_chunks(embedded_events, [vectors[event.id] for event in embedded_events])
        store.vector_index.add(
            assigner.project, space, chunks, events[-1].seq if before.is_embedded else None
        )
    return events


class _KnownDrafts(NamedTuple):
    """The ids of drafts that are stored already, and of those that were forgotten."""

    stored: set[str]
    forgotten: set[str]

    def new_drafts(self, drafts: Sequence[MessageDraft]) -> list[MessageDraft]:
        """Return the drafts that are not stored yet, the first of each id."""
        # A forgotten message never comes back, however it is captured again.
        known = self.stored | self.forgotten
        first = {draft.event.id: draft for draft in reversed(drafts)}
        return [
            draft
            for draft in drafts
            if draft.event.id not in known and first[draft.event.id] is draft
        ]


def _known_drafts(store: ThreadStore, project: str, drafts: Sequence[MessageDraft]) -> _KnownDrafts:
    ids = [draft.event.id for draft in drafts]
    return _KnownDrafts(
        *store.read_together(
            partial(store.events.known_ids, project, ids),
            partial(store.events.forgotten_ids, project, ids),
        )
    )


class _StateBefore:
    """What is stored before a transaction writes, read at once; the assigner catches up too."""

    def __init__(
        self,
        store: ThreadStore,
        assigner: ThreadAssigner,
        drafts: Sequence[MessageDraft],
        space: str | None,
    ) -> None:
        self.known: _KnownDrafts
        first = {draft.event.session: draft.event for draft in reversed(drafts)}
        self.known, missing, _, *before = store.read_together(
            partial(_known_drafts, store, assigner.project, drafts),
            partial(_missing_vectors, store, assigner.project, space),
            partial(assigner.catch_up, store),
            *(partial(_previous_text, store, event) for event in first.values()),
        )
        self.is_embedded: bool = not missing
        self.texts: dict[str | None, str] = dict(zip(first, before, strict=True))


def _missing_vectors(store: ThreadStore, project: str, space: str | None) -> int:
    return store.vector_index.count_missing(project, space) if space is not None else 0


def _previous_text(store: ThreadStore, event: Event) -> str:
    """Return the last text of the session of an event that will be stored."""
    previous = store.events.previous_in_session(replace(event, seq=AFTER_ALL))
    return previous.text if previous else ""


def _differing_ids(
    store: ThreadStore,
    drafts: Sequence[MessageDraft],
    new_events: Sequence[Event],
    forgotten: Collection[str],
) -> list[str]:
    """Return the ids that are stored with another text or in another session."""
    if not drafts:
        return []
    project = drafts[0].event.project
    known = {event.id: event for event in new_events}
    differing = []
    for event in (draft.event for draft in drafts if draft.event.id not in forgotten):
        stored = known.get(event.id) or store.events.get(project, event.id)
        if (event.text, event.session) != (stored.text, stored.session):
            differing.append(event.id)
    return differing


def _embed_new_drafts(drafts: Sequence[MessageDraft], live: CaptureContext | None) -> _Embedded:
    """Embed new messages before the transaction: nobody waits for a model under the lock."""
    if live is None or live.embedder is None:
        return _Embedded()
    fresh = [draft.event for draft in drafts if draft.event.text]
    if not fresh:
        return _Embedded()
    rows = event_vectors(live.embedder, fresh)
    vectors = {event.id: row for event, row in zip(fresh, rows, strict=True)}
    # Reading the space may ask a server, which may be gone by now.
    with model_errors():
        return _Embedded(live.embedder.space, vectors)


def _mean_vector(rows: "NDArray[np.float32]") -> "NDArray[np.float32]":
    centre: NDArray[np.float32] = rows.mean(axis=0)
    length = float((centre @ centre) ** 0.5)
    return centre / length if length else centre
