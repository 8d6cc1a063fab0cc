"""Whether the files that something was said about have changed since."""

from collections.abc import Iterable

from ai_smartness.model.note import Named, Note
from ai_smartness.ports import Worktree

__all__ = ["changed_since"]

LOOKED_AT = 16
"""Files of one thread, the latest named: each has to be read."""


def changed_since(notes: Iterable[Note], worktree: Worktree | None) -> tuple[str, ...]:
    """Name the files that are no longer as they were when they were last spoken of."""
    if worktree is None:
        return ()
    seen: dict[str, str] = {}
    for note in sorted(notes, key=lambda each: each.seq):
        for mention in note.mentions:
            if mention.named is Named.PATH and mention.digest:
                seen.pop(mention.name, None)
                seen[mention.name] = mention.digest
    latest = list(seen.items())[-LOOKED_AT:]
    return tuple(name for name, digest in latest if worktree.digest(name) != digest)
