"""Whether the files that something was said about have changed since."""

from collections.abc import Iterable

from ai_smartness.model.annotation import Annotation, MentionKind
from ai_smartness.ports import Worktree

__all__ = ["changed_files_since"]

MAX_FILES = 16
"""Files of one thread, the latest named: each has to be read."""


def changed_files_since(notes: Iterable[Annotation], worktree: Worktree | None) -> tuple[str, ...]:
    """Name the files that are no longer as they were when they were last spoken of."""
    if worktree is None:
        return ()
    seen: dict[str, str] = {}
    for note in sorted(notes, key=lambda each: each.seq):
        for mention in note.mentions:
            if mention.named is MentionKind.PATH and mention.digest:
                seen.pop(mention.name, None)
                seen[mention.name] = mention.digest
    latest = list(seen.items())[-MAX_FILES:]
    return tuple(name for name, digest in latest if worktree.file_digest(name) != digest)
