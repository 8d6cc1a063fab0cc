"""Work out what is worth noting about a message: what it names and what it seems to state.

Store what was pinned, as it is, on the thread that was made for it.

It is findable at once, and neither cleaned nor placed: who pins knows what is worth it.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ai_smartness.capture.index import index_events
from ai_smartness.capture.mentions import Mentions, extract_mentions
from ai_smartness.describe.kinds import kind_proposals
from ai_smartness.model.annotation import Annotation, Mention, MentionKind, RecordedPlacement
from ai_smartness.model.event import Event, is_by_agent
from ai_smartness.ports import Embedder, ThreadStore, Worktree

__all__ = ["CaptureContext", "known_placement", "make_note", "refresh_note", "store_pin"]


LIVE_AGE = timedelta(minutes=10)
"""What was said longer ago was said about files as they were then, and we see them as they are."""

MOST_DIGESTED_FILES = 16
"""A message that names more files than this is a listing."""

_UNKNOWN_PLACEMENT = RecordedPlacement("unknown", 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureContext:
    """What surrounds a capture: the time, the model that is at hand, the project's files."""

    now: datetime
    embedder: Embedder | None = None
    worktree: Worktree | None = None


def make_note(event: Event, placed: RecordedPlacement, present: CaptureContext) -> Annotation:
    """Return all that can be worked out about a stored event."""
    worktree = present.worktree if abs(present.now - event.at) < LIVE_AGE else None
    found = extract_mentions(event.text)
    return Annotation(
        seq=event.seq,
        placed=placed,
        mentions=(*_path_mentions(found, worktree), *_other_mentions(found)),
        proposals=() if is_by_agent(event) else kind_proposals(event.text),
        commit=worktree.head_commit() if worktree and found.paths else None,
    )


def refresh_note(event: Event, known: Annotation | None, present: CaptureContext) -> Annotation:
    """Return what can be worked out about an event, keeping what was seen of its files before."""
    note = make_note(event, known_placement(known), present)
    if known is None:
        return note
    seen = {(each.name, each.line): each.digest for each in known.mentions}
    mentions = tuple(
        replace(each, digest=seen.get((each.name, each.line), each.digest))
        for each in note.mentions
    )
    return replace(note, mentions=mentions, commit=known.commit or note.commit)


def known_placement(note: Annotation | None) -> RecordedPlacement:
    """Return how an event was placed, as far as it is known."""
    return _UNKNOWN_PLACEMENT if note is None else note.placed


def _path_mentions(found: Mentions, worktree: Worktree | None) -> list[Mention]:
    digests = {
        path: worktree.file_digest(path) if worktree else None
        for path in found.files[:MOST_DIGESTED_FILES]
    }
    return [
        Mention(MentionKind.PATH, place.path, place.line, digests.get(place.path))
        for place in found.paths
    ]


def _other_mentions(found: Mentions) -> list[Mention]:
    named = {
        MentionKind.IDENTIFIER: found.identifiers,
        MentionKind.COMMAND: found.commands,
        MentionKind.URL: found.urls,
        MentionKind.ERROR: found.errors,
    }
    return [Mention(kind, name) for kind, names in named.items() for name in names]


_PINNED_PLACEMENT = RecordedPlacement("pinned", 0.0, 0.0)


def store_pin(store: ThreadStore, pinned: Event, present: CaptureContext) -> None:
    """Store a pin that names its thread; one that is known is left as it is."""
    with store.unit():
        if store.events.known_ids(pinned.project, [pinned.id]):
            return
        events = store.events.append([pinned])
        store.annotations.add([make_note(event, _PINNED_PLACEMENT, present) for event in events])
        index_events(store, events)
