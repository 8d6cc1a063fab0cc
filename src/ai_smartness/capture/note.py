"""Work out what is worth noting about a message: what it names and what it seems to state."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ai_smartness.capture.extract import Extract, extracted
from ai_smartness.model.event import Event, by_agent
from ai_smartness.model.note import Mention, Named, Note, Placed
from ai_smartness.ports import Embedder, Worktree
from ai_smartness.threads.kinds import proposals

__all__ = ["Present", "noted", "placed_as", "renoted"]

JUST_NOW = timedelta(minutes=10)
"""What was said longer ago was said about files as they were then, and we see them as they are."""

DIGESTED_FILES = 16
"""A message that names more files than this is a listing."""

_UNKNOWN = Placed("unknown", 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """What surrounds a capture: the time, the model that is at hand, the project's files."""

    now: datetime
    embedder: Embedder | None = None
    worktree: Worktree | None = None


def noted(event: Event, placed: Placed, present: Present) -> Note:
    """Return all that can be worked out about a stored event."""
    worktree = present.worktree if abs(present.now - event.at) < JUST_NOW else None
    found = extracted(event.text)
    return Note(
        seq=event.seq,
        placed=placed,
        mentions=(*_paths(found, worktree), *_others(found)),
        proposals=() if by_agent(event) else proposals(event.text),
        commit=worktree.commit() if worktree and found.paths else None,
    )


def renoted(event: Event, known: Note | None, present: Present) -> Note:
    """Return what can be worked out about an event, keeping what was seen of its files before."""
    note = noted(event, placed_as(known), present)
    if known is None:
        return note
    seen = {(each.name, each.line): each.digest for each in known.mentions}
    mentions = tuple(
        replace(each, digest=seen.get((each.name, each.line), each.digest))
        for each in note.mentions
    )
    return replace(note, mentions=mentions, commit=known.commit or note.commit)


def placed_as(note: Note | None) -> Placed:
    """Return how an event was placed, as far as it is known."""
    return _UNKNOWN if note is None else note.placed


def _paths(found: Extract, worktree: Worktree | None) -> list[Mention]:
    digests = {
        path: worktree.digest(path) if worktree else None for path in found.files[:DIGESTED_FILES]
    }
    return [
        Mention(Named.PATH, place.path, place.line, digests.get(place.path))
        for place in found.paths
    ]


def _others(found: Extract) -> list[Mention]:
    named = {
        Named.IDENTIFIER: found.identifiers,
        Named.COMMAND: found.commands,
        Named.URL: found.urls,
        Named.ERROR: found.errors,
    }
    return [Mention(kind, name) for kind, names in named.items() for name in names]
