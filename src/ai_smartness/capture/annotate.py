"""Annotate events: the files, names, commands and errors they mention, and what they state.

A pin is stored here too, as it is: indexed and annotated, but neither cleaned nor assigned.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ai_smartness.capture.index import index_events
from ai_smartness.capture.mentions import Mentions, extract_mentions
from ai_smartness.describe.kinds import kind_proposals
from ai_smartness.model.annotation import Annotation, Mention, MentionKind, RecordedPlacement
from ai_smartness.model.event import Event, is_by_agent
from ai_smartness.ports import Embedder, ThreadStore, Worktree

__all__ = [
    "CaptureContext",
    "known_placement",
    "make_annotation",
    "refresh_annotation",
    "store_pin",
]


LIVE_AGE = timedelta(minutes=10)
"""An older message describes files as they were then, and we only see them as they are now."""

MOST_DIGESTED_FILES = 16  # a message that names more files is a listing

_UNKNOWN_PLACEMENT = RecordedPlacement("unknown", 0.0, 0.0)
_PINNED_PLACEMENT = RecordedPlacement("pinned", 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureContext:
    """The surroundings of a capture: the time, the embedder, the project's files."""

    now: datetime
    embedder: Embedder | None = None
    worktree: Worktree | None = None


def make_annotation(event: Event, placed: RecordedPlacement, context: CaptureContext) -> Annotation:
    """Return the annotation of a stored event."""
    worktree = context.worktree if abs(context.now - event.at) < LIVE_AGE else None
    mentions = extract_mentions(event.text)
    return Annotation(
        seq=event.seq,
        placed=placed,
        mentions=(*_path_mentions(mentions, worktree), *_other_mentions(mentions)),
        proposals=() if is_by_agent(event) else kind_proposals(event.text),
        commit=worktree.head_commit() if worktree and mentions.paths else None,
    )


def refresh_annotation(
    event: Event, known: Annotation | None, context: CaptureContext
) -> Annotation:
    """Annotate an event again, keeping the file digests and the commit of its first annotation."""
    annotation = make_annotation(event, known_placement(known), context)
    if known is None:
        return annotation
    digests = {(mention.name, mention.line): mention.digest for mention in known.mentions}
    mentions = tuple(
        replace(mention, digest=digests.get((mention.name, mention.line), mention.digest))
        for mention in annotation.mentions
    )
    return replace(annotation, mentions=mentions, commit=known.commit or annotation.commit)


def known_placement(annotation: Annotation | None) -> RecordedPlacement:
    """Return the recorded placement of an event, or the unknown one."""
    return _UNKNOWN_PLACEMENT if annotation is None else annotation.placed


def _path_mentions(mentions: Mentions, worktree: Worktree | None) -> list[Mention]:
    digests = {
        path: worktree.file_digest(path) if worktree else None
        for path in mentions.files[:MOST_DIGESTED_FILES]
    }
    return [
        Mention(MentionKind.PATH, place.path, place.line, digests.get(place.path))
        for place in mentions.paths
    ]


def _other_mentions(mentions: Mentions) -> list[Mention]:
    names_by_kind = {
        MentionKind.IDENTIFIER: mentions.identifiers,
        MentionKind.COMMAND: mentions.commands,
        MentionKind.URL: mentions.urls,
        MentionKind.ERROR: mentions.errors,
    }
    return [Mention(kind, name) for kind, names in names_by_kind.items() for name in names]


def store_pin(store: ThreadStore, pin: Event, context: CaptureContext) -> None:
    """Store a pin on its thread; one that is stored already stays as it is."""
    with store.unit(pin.project):
        if store.events.known_ids(pin.project, [pin.id]):
            return
        events = store.events.append([pin])
        store.annotations.add(
            [make_annotation(event, _PINNED_PLACEMENT, context) for event in events]
        )
        index_events(store, events)
