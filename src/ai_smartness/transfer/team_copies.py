"""What teammates share, copied into one's own memory.

A person's memory holds their own messages and a copy of what the others share, so every search,
count and suggestion is made of exactly these. A copy names its author. When something is unshared
its copies are deleted, and when it is disputed they are replaced by copies that say so.
"""

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType, Message, default_event_type, event_tier
from ai_smartness.model.shared_item import (
    COPY_ID_START,
    SHARED_THREAD,
    SharedDraft,
    SharedItem,
    SharedMessage,
    TeamUpdate,
)
from ai_smartness.model.statement import DISPUTED_SESSION, SHARED_SESSION, Statement
from ai_smartness.model.thread import Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.ports.team_store import Team
from ai_smartness.redact import redacted_text
from ai_smartness.text.markers import REDACTED_OPEN
from ai_smartness.text.trust import SHARED, SHARED_SOURCE, UNTRUSTED_TIERS
from ai_smartness.threads.ids import thread_id_at

__all__ = [
    "CopyWriter",
    "copy_ids",
    "shared_statement_draft",
    "shared_thread_draft",
    "update_copies",
]

_LOG = logging.getLogger(__name__)

TITLE_CHARACTERS = 120
SEVERAL = 2  # disputers that are named; of more, only the first


def shared_statement_draft(statement: Statement, project: str) -> SharedDraft:
    """Return a statement as it is shared; one with a secret in it is refused."""
    if statement.shared_by:
        msg = f"{statement.short_id} is shared by {statement.shared_by} already."
        raise RefusedError(msg)
    text = " ".join(statement.text.split())
    if REDACTED_OPEN in text:
        _refuse_secret(statement.short_id)
    message = SharedMessage("user", text, statement.at)
    return _checked_draft(
        SharedDraft(statement.id, project, statement.kind.value, text, (message,)),
        statement.short_id,
    )


def shared_thread_draft(thread: Thread, events: Sequence[Event], project: str) -> SharedDraft:
    """Return a thread as it is shared: what people and agents said, and no output of tools.

    A message with a secret in it is refused.
    """
    spoken = [event for event in events if event_tier(event) not in (*UNTRUSTED_TIERS, SHARED)]
    messages = tuple(
        SharedMessage(event.role, event.text, event.at)
        for event in spoken
        if event.text.strip() and event.type is not EventType.COMPACTION
    )
    if not messages:
        msg = f"{thread.id} has nothing to share: nobody but tools and teammates said anything."
        raise RefusedError(msg)
    left_out = len(events) - len(messages)
    title = " ".join(thread.title.split())[:TITLE_CHARACTERS]
    draft = SharedDraft(thread.id, project, SHARED_THREAD, title, messages, left_out)
    return _checked_draft(draft, thread.id)


def _checked_draft(draft: SharedDraft, name: str) -> SharedDraft:
    for text in (draft.title, *(message.text for message in draft.messages)):
        if redacted_text(text) != text:
            _refuse_secret(name)
    return draft


def _refuse_secret(name: str) -> None:
    msg = (
        f"{name} has a secret in it, so nothing was shared. `ais redact --scan` shows which, and "
        "`ais forget` deletes its message."
    )
    raise RefusedError(msg)


def copy_ids(item: SharedItem) -> list[str]:
    """Return the ids that the messages of an item have in the memories of the others.

    A dispute, and its withdrawal, give new ones: a message that was deleted never comes back.
    """
    disputes = ",".join(f"{one.number}{'-' * one.is_withdrawn}" for one in item.disputes)
    return [
        f"{COPY_ID_START}{_digest(f'{item.number}:{disputes}:{place}')}"
        for place in range(item.messages)
    ]


def _digest(text: str) -> str:
    return hashlib.blake2s(text.encode(), digest_size=12).hexdigest()


@dataclass(frozen=True, slots=True)
class CopyWriter:
    """How a memory stores the messages of a copy, and deletes messages by their ids."""

    capture: Callable[[Sequence[Message]], object]
    delete: Callable[[tuple[str, ...]], object]


def update_copies(store: ThreadStore, team: Team, project: str, writer: CopyWriter) -> TeamUpdate:
    """Copy what the others share in a project, and delete the copies of what they do not."""
    items = [item for item in team.items(project) if not item.is_own]
    present = team.copied_ids(project)
    wanted = {id_ for item in items for id_ in copy_ids(item)}
    fresh = [item for item in items if not present.issuperset(copy_ids(item))]
    if stale := tuple(sorted(present - wanted)):
        writer.delete(stale)
    contents = team.messages([item.number for item in fresh])
    copied = 0
    for item in fresh:
        # It may be unshared this moment, or hold what is no message: others can write anything.
        if messages := contents.get(item.number):
            copied += _is_captured(_copies(store, item, messages), writer.capture)
    return TeamUpdate(copied, len(stale))


def _is_captured(
    messages: Sequence[Message], capture: Callable[[Sequence[Message]], object]
) -> bool:
    try:
        capture(messages)
    except RefusedError as error:
        _LOG.warning("something shared is left out: %s", error)
        return False
    return True


def _copies(
    store: ThreadStore, item: SharedItem, messages: Sequence[SharedMessage]
) -> list[Message]:
    disputed_by = _disputers(item)
    dispute = f"{DISPUTED_SESSION}{disputed_by}" if disputed_by else ""
    payload = {"author": item.author, "machine": item.machine, "item": _item_name(item)}
    payload |= {"disputed_by": disputed_by} if disputed_by else {}
    is_thread = item.kind == SHARED_THREAD
    payload |= {} if is_thread else {"kind": item.kind}
    thread_id = _ensure_thread(store, item, messages[0].at) if is_thread else None
    return [
        Message(
            text=message.text,
            role=message.role,
            type=default_event_type(message.role) if is_thread else EventType.NOTE,
            source=SHARED_SOURCE,
            session=f"{SHARED_SESSION}{item.author}{dispute}",
            id=id_,
            at=message.at,
            payload=payload,
            thread=thread_id,
        )
        for id_, message in zip(copy_ids(item), messages, strict=False)
    ]


def _disputers(item: SharedItem) -> str:
    names = item.disputed_by
    if len(names) <= SEVERAL:
        return " and ".join(names)
    return f"{names[0]} and {len(names) - 1} others"


def _item_name(item: SharedItem) -> str:
    """Name an item, whoever disputes it: the ids of its copies' statement and thread go by it."""
    return f"{COPY_ID_START}{item.number}"


def _ensure_thread(store: ThreadStore, item: SharedItem, at: datetime) -> str:
    """Return the thread of a shared thread's copy, with its title; two processes make it once."""
    with store.unit(item.project):
        for attempt in count():
            id_ = thread_id_at(at, item.project, _item_name(item), str(attempt))
            if not store.threads.is_taken(id_):
                store.threads.save(_empty_thread(id_, item, at))
                break
            if _is_active_thread_of(store, id_, item.project):
                break
    return id_


def _is_active_thread_of(store: ThreadStore, id_: str, project: str) -> bool:
    """Say whether a thread can take a copy: one that was merged into another cannot."""
    if not store.threads.has(id_):
        return False
    thread = store.threads.get(id_)
    return thread.project == project and thread.status is not Status.ARCHIVED


def _empty_thread(id_: str, item: SharedItem, at: datetime) -> Thread:
    title = redacted_text(" ".join(item.title.split()))[:TITLE_CHARACTERS]
    return Thread(
        id=id_,
        project=item.project,
        title=title,
        title_given=True,
        created_at=at,
        last_active=at,
    )
