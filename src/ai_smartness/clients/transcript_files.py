"""Find the transcripts and notes of one user, and read each in its own format."""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from ai_smartness.clients import claude_mem, gemini, markdown_notes, specstory
from ai_smartness.clients.json_lines import JSON_LINES_SUFFIXES
from ai_smartness.clients.registry import TRANSCRIPT_READERS, load_reader
from ai_smartness.clients.transcript_reader import Fields, TranscriptFormat, parsed_object
from ai_smartness.ports.transfer import ImportMark, TranscriptChunk, TranscriptFile, UnreadableFile

__all__ = ["FORMATS", "Transcripts", "detect_format"]

FORMATS = {name: load_reader(name) for name in TRANSCRIPT_READERS}

SNIFFED_BYTES = 65_536
SNIFFED_LINES = 20

NOTE_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "MEMORY.md")
"""The notes of a project that clients read themselves."""


class Transcripts:
    """Fulfils the port `History` for the files of a user, seen from a project's folder."""

    def __init__(self, home: Path, environ: Mapping[str, str], project: Path | None = None) -> None:
        self._home = home
        self._environ = environ
        self._project = project

    def find_files(
        self, paths: Sequence[Path] = (), wanted: str | None = None
    ) -> Iterator[TranscriptFile | UnreadableFile]:
        """Find files: those named or within the folders named, else where clients keep theirs."""
        seen = set[tuple[int, int]]()
        found = self._named_sources(paths, wanted) if paths else self._default_sources(wanted)
        for each in found:
            if isinstance(each, UnreadableFile):
                yield each
                continue
            try:
                about = each.path.stat()
            except OSError as error:
                yield UnreadableFile(each.path, _error_text(error))
                continue
            # Linked from elsewhere, a file is still one file.
            if (about.st_dev, about.st_ino) not in seen:
                seen.add((about.st_dev, about.st_ino))
                yield each

    def live_sources(self) -> Iterator[TranscriptFile | UnreadableFile]:
        """Find the transcripts that clients go on writing."""
        return (
            each
            for each in self._default_sources(None)
            if isinstance(each, UnreadableFile) or each.live
        )

    def read_chunks(
        self, source: TranscriptFile, since: ImportMark | None, now: datetime
    ) -> Iterator[TranscriptChunk]:
        """Read a file on from a mark; raise OSError if it cannot be read."""
        return FORMATS[source.format].read_chunks(source, since, now)

    def session_folder(self, source: TranscriptFile) -> str:
        """Return the folder that a session was held in, as far as its beginning tells."""
        return FORMATS[source.format].session_folder(source.path)

    def _default_sources(self, wanted: str | None) -> Iterator[TranscriptFile | UnreadableFile]:
        for each in FORMATS.values():
            if wanted in (None, each.name):
                folders = each.folders(self._home, self._environ) if each.folders else []
                for place in folders:
                    yield from self._sources_within(place, each)
        if wanted in (None, "specstory") and self._project:
            history = self._project / ".specstory" / "history"
            yield from self._sources_within(history, FORMATS["specstory"])
        if wanted in (None, "notes"):
            for note in self._note_files():
                yield from self._sources_within(note, FORMATS["notes"])

    def _note_files(self) -> Iterator[Path]:
        moved = self._environ.get("CLAUDE_CONFIG_DIR")
        config = Path(moved) if moved else self._home / ".claude"
        for folder in (config, *([self._project] if self._project else [])):
            yield from (folder / name for name in NOTE_FILES)
        yield from sorted((config / "projects").glob("*/memory"))

    def _named_sources(
        self, paths: Sequence[Path], wanted: str | None
    ) -> Iterator[TranscriptFile | UnreadableFile]:
        for path in paths:
            if not os.path.lexists(path):
                yield UnreadableFile(path, "there is no such file or folder")
            elif wanted is not None:
                yield from self._sources_within(path, FORMATS[wanted], named=True)
            else:
                for each in _files_within(path):
                    yield (
                        each
                        if isinstance(each, UnreadableFile)
                        else self._detected_source(each, asked=each == path)
                    )

    def _detected_source(self, path: Path, *, asked: bool) -> TranscriptFile | UnreadableFile:
        # A pipe must not be opened to see what it is: it may never say.
        there = _make_source(path, FORMATS["jsonl"])
        if isinstance(there, UnreadableFile):
            return there
        try:
            name = detect_format(path)
        except OSError as error:
            return UnreadableFile(path, _error_text(error))
        if name is None:
            return UnreadableFile(path, "it is of no format that is known" if asked else "")
        return _make_source(path, FORMATS[name])

    def _sources_within(
        self, place: Path, format_: TranscriptFormat, *, named: bool = False
    ) -> Iterator[TranscriptFile | UnreadableFile]:
        for each in _files_within(place):
            if isinstance(each, UnreadableFile):
                yield each
            elif (named and each == place) or format_.is_transcript(each):
                yield _make_source(each, format_)


def detect_format(path: Path) -> str | None:
    """Name the format of a file by its name and how it begins; nothing if it is none of ours.

    Raise OSError if it cannot be read.
    """
    if claude_mem.is_database(path):
        return claude_mem.FORMAT
    if path.suffix == ".json":
        return gemini.FORMAT if gemini.is_transcript(path) or "session" in path.name else None
    is_note = markdown_notes.is_markdown(path)
    if not is_note and path.suffix not in JSON_LINES_SUFFIXES:
        return None
    with path.open("rb") as file:
        start = file.read(SNIFFED_BYTES)
    if is_note:
        is_session = specstory.is_specstory(start.decode(errors="replace"))
        return specstory.FORMAT if is_session else markdown_notes.FORMAT
    lines = (parsed_object(line) or {} for line in start.splitlines()[:SNIFFED_LINES])
    return next((name for line in lines if (name := _format_of_line(line))), None)


def _format_of_line(fields: Fields) -> str | None:
    formats = (format_ for format_ in FORMATS.values() if format_.is_line)
    return next((each.name for each in formats if each.is_line and each.is_line(fields)), None)


def _files_within(place: Path) -> Iterator[Path | UnreadableFile]:
    """Return a file itself, or the files under a folder; links to folders are not followed."""
    # Not by `Path`, which raises where a folder above may not be looked into.
    if not os.path.isdir(place):
        if os.path.lexists(place):
            yield place
        return
    troubles: list[OSError] = []
    for folder, folders, names in os.walk(place, onerror=troubles.append):
        folders.sort()
        for name in sorted(names):
            yield Path(folder) / name
    for error in troubles:
        yield UnreadableFile(Path(str(error.filename)), _error_text(error))


def _make_source(path: Path, format_: TranscriptFormat) -> TranscriptFile | UnreadableFile:
    try:
        about = path.stat()
    except OSError as error:
        return UnreadableFile(path, _error_text(error))
    if not stat.S_ISREG(about.st_mode):
        return UnreadableFile(path, "it is no file")
    return TranscriptFile(format_.name, path, about.st_size, about.st_mtime_ns, format_.live)


def _error_text(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
