"""The files of one user's past: where they are, of which format, and how each is read."""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from ai_smartness.adapters.transcripts import gemini
from ai_smartness.adapters.transcripts.folder import worked_in
from ai_smartness.adapters.transcripts.formats import FORMATS, Format, format_of
from ai_smartness.ports.history import Mark, Piece, Source, Unread

__all__ = ["Transcripts"]

NOTES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "MEMORY.md")
"""The notes of a project that clients read themselves."""


class Transcripts:
    """Fulfils the port `History` for the files of a user, seen from a project's folder."""

    def __init__(self, home: Path, environ: Mapping[str, str], project: Path | None = None) -> None:
        self._home = home
        self._environ = environ
        self._project = project

    def sources(
        self, paths: Sequence[Path] = (), wanted: str | None = None
    ) -> Iterator[Source | Unread]:
        """Find files: those named or within the folders named, else where clients keep theirs."""
        seen = set[tuple[int, int]]()
        found = self._named(paths, wanted) if paths else self._kept(wanted)
        for each in found:
            if isinstance(each, Unread):
                yield each
                continue
            try:
                about = each.path.stat()
            except OSError as error:
                yield Unread(each.path, _why(error))
                continue
            # Linked from elsewhere, a file is still one file.
            if (about.st_dev, about.st_ino) not in seen:
                seen.add((about.st_dev, about.st_ino))
                yield each

    def live(self) -> Iterator[Source | Unread]:
        """Find the transcripts that clients go on writing."""
        return (each for each in self._kept(None) if isinstance(each, Unread) or each.live)

    def pieces(self, source: Source, since: Mark | None, now: datetime) -> Iterator[Piece]:
        """Read a file on from a mark; raise OSError if it cannot be read."""
        return FORMATS[source.format].pieces(source, since, now)

    def folder_of(self, source: Source) -> str:
        """Return the folder that a session was held in, as far as its beginning tells."""
        if source.format == gemini.FORMAT:
            return gemini.project_of(source.path)
        return worked_in(source.path)

    def _kept(self, wanted: str | None) -> Iterator[Source | Unread]:
        for each in FORMATS.values():
            if wanted in (None, each.name):
                for place in each.kept(self._home, self._environ):
                    yield from self._within(place, each)
        if wanted in (None, "specstory") and self._project:
            history = self._project / ".specstory" / "history"
            yield from self._within(history, FORMATS["specstory"])
        if wanted in (None, "notes"):
            for note in self._notes():
                yield from self._within(note, FORMATS["notes"])

    def _notes(self) -> Iterator[Path]:
        moved = self._environ.get("CLAUDE_CONFIG_DIR")
        config = Path(moved) if moved else self._home / ".claude"
        for folder in (config, *([self._project] if self._project else [])):
            yield from (folder / name for name in NOTES)
        yield from sorted((config / "projects").glob("*/memory"))

    def _named(self, paths: Sequence[Path], wanted: str | None) -> Iterator[Source | Unread]:
        for path in paths:
            if not os.path.lexists(path):
                yield Unread(path, "there is no such file or folder")
            elif wanted is not None:
                yield from self._within(path, FORMATS[wanted], named=True)
            else:
                for each in _files(path):
                    yield (
                        each
                        if isinstance(each, Unread)
                        else self._of_any_format(each, asked=each == path)
                    )

    def _of_any_format(self, path: Path, *, asked: bool) -> Source | Unread:
        # A pipe must not be opened to see what it is: it may never say.
        there = _source(path, FORMATS["jsonl"])
        if isinstance(there, Unread):
            return there
        try:
            name = format_of(path)
        except OSError as error:
            return Unread(path, _why(error))
        if name is None:
            return Unread(path, "it is of no format that is known" if asked else "")
        return _source(path, FORMATS[name])

    def _within(
        self, place: Path, format_: Format, *, named: bool = False
    ) -> Iterator[Source | Unread]:
        for each in _files(place):
            if isinstance(each, Unread):
                yield each
            elif (named and each == place) or format_.is_one(each):
                yield _source(each, format_)


def _files(place: Path) -> Iterator[Path | Unread]:
    """Return a file itself, or the files under a folder; links to folders are not followed."""
    # Not by `Path`, which raises where a folder above may not be looked into.
    if not os.path.isdir(place):  # noqa: PTH112
        if os.path.lexists(place):
            yield place
        return
    troubles: list[OSError] = []
    for folder, folders, names in os.walk(place, onerror=troubles.append):
        folders.sort()
        for name in sorted(names):
            yield Path(folder) / name
    for error in troubles:
        yield Unread(Path(str(error.filename)), _why(error))


def _source(path: Path, format_: Format) -> Source | Unread:
    try:
        about = path.stat()
    except OSError as error:
        return Unread(path, _why(error))
    if not stat.S_ISREG(about.st_mode):
        return Unread(path, "it is no file")
    return Source(format_.name, path, about.st_size, about.st_mtime_ns, format_.live)


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
