"""Keep what was said and done, each thing on the thread it belongs to.

Capturing is idempotent by id: a message that is known already is left as it
is. When the call returns, everything it was given is on disk and findable by
its words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from ai_smartness.capture.desk import Desk
from ai_smartness.capture.draft import Draft, drafted
from ai_smartness.capture.embed import chunks_of, passage
from ai_smartness.capture.filing import Filing
from ai_smartness.capture.note import Present
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.event import Event, Message
from ai_smartness.ports import Progress, ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows: TypeAlias = dict[str, NDArray[np.float32]]

__all__ = ["Captured", "capture"]

UNIT_MESSAGES = 200
"""One transaction's worth: long enough to be quick, short enough that nobody waits long."""

LIVE_MESSAGES = 32
"""Up to this many messages in one call are embedded at once and placed by meaning as well. A
longer call is a history: it is placed by its words and embedded afterwards."""


@dataclass(frozen=True, slots=True)
class Captured:
    """What became of a call: how many were stored, how many were known, on which threads."""

    stored: int
    known: int
    threads: tuple[str, ...]


def capture(
    store: ThreadStore,
    desk: Desk,
    messages: Iterable[Message],
    present: Present,
    progress: Progress,
) -> Captured:
    """Store messages, each on its thread."""
    drafts = drafted(messages, desk.project, present.now)
    drafts = _with_known_threads(store, desk.project, drafts)
    live = present if len(drafts) <= LIVE_MESSAGES else None
    stored: list[Event] = []
    for start in range(0, len(drafts), UNIT_MESSAGES):
        stored += _stored(store, desk, drafts[start : start + UNIT_MESSAGES], live)
        progress(min(start + UNIT_MESSAGES, len(drafts)), len(drafts))
    store.words.settle(desk.project)
    threads = dict.fromkeys(event.thread_id for event in stored)
    return Captured(len(stored), len(drafts) - len(stored), tuple(threads))


def _with_known_threads(store: ThreadStore, project: str, drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts with the whole ids of the threads they name; refuse a strange one."""
    ids: dict[str | None, str | None] = {None: None}
    for named in dict.fromkeys(draft.thread for draft in drafts if draft.thread is not None):
        thread = store.threads.get(named)
        if thread.project != project:
            msg = (
                f"cannot put a message of project {project} on {named}: that thread is of project "
                f"{thread.project}. Nothing was stored."
            )
            raise RefusedError(msg)
        ids[named] = thread.id
    return [replace(draft, thread=ids[draft.thread]) for draft in drafts]


def _stored(
    store: ThreadStore, desk: Desk, drafts: Sequence[Draft], live: Present | None
) -> list[Event]:
    try:
        rows = _embedded(store, desk.project, drafts, live)
    except StoreError:
        # The model's server is out of reach: what was said is kept, and placed by its words.
        rows = {}
    # Read without a lock what takes long; what comes in until the unit begins is read inside it.
    desk.catch_up(store)
    try:
        with store.unit():
            return _filed(store, desk, _fresh(store, desk.project, drafts), live, rows)
    except BaseException:
        # The desk was told of events that are not there after all.
        desk.forget()
        raise


def _filed(
    store: ThreadStore, desk: Desk, drafts: Sequence[Draft], live: Present | None, rows: "Rows"
) -> list[Event]:
    filing = Filing(store, desk, live)
    space = live.embedder.space if live and live.embedder and rows else None
    up_to_date = space is not None and not store.vectors.pending(desk.project, space)
    while drafts:
        # The desk may start anew here, from what is stored.
        filing.write()
        desk.catch_up(store)
        room = desk.room()
        for draft in drafts[:room]:
            of_draft = rows.get(draft.event.id)
            filing.file(draft, None if of_draft is None else _centre(of_draft))
        drafts = drafts[room:]
    events = filing.finish()
    if space is not None and events:
        spoken = [event for event in events if event.id in rows]
        chunks = chunks_of(spoken, [rows[event.id] for event in spoken])
        store.vectors.add(desk.project, space, chunks, events[-1].seq if up_to_date else None)
    return events


def _fresh(store: ThreadStore, project: str, drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts that are not stored yet; of one id in one call, the first."""
    known = store.events.known(project, (draft.event.id for draft in drafts))
    first = {draft.event.id: draft for draft in reversed(drafts)}
    return [
        draft for draft in drafts if draft.event.id not in known and first[draft.event.id] is draft
    ]


def _embedded(
    store: ThreadStore, project: str, drafts: Sequence[Draft], live: Present | None
) -> "Rows":
    """Embed what is new before the transaction begins: nobody waits for a model with a lock."""
    if live is None or live.embedder is None:
        return {}
    fresh = [draft.event for draft in _fresh(store, project, drafts) if draft.event.text]
    rows = live.embedder.documents([passage(event) for event in fresh])
    return {event.id: row for event, row in zip(fresh, rows, strict=True)}


def _centre(rows: "NDArray[np.float32]") -> "NDArray[np.float32]":
    centre: NDArray[np.float32] = rows.mean(axis=0)
    length = float((centre @ centre) ** 0.5)
    return centre / length if length else centre
