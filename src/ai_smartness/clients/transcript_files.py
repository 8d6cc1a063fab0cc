"""Find the transcripts and notes of one user, and read each in its own format."""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from ai_smartness.clients.json_lines import JSON_LINES_SUFFIXES
from ai_smartness.clients.registry import TRANSCRIPT_READERS, load_reader
from ai_smartness.clients.shared_statements import SHARED_FOLDER
from ai_smartness.clients.specstory import is_specstory
from ai_smartness.clients.transcript_reader import (
    Fields,
    TranscriptFormat,
    configured_folder,
    parsed_object,
)
from ai_smartness.ports.transfer import ImportMark, TranscriptChunk, TranscriptFile, UnreadableFile

__all__ = ["FORMATS", "Transcripts", "detect_format", "transcript_sources"]

FORMATS = {name: load_reader(name) for name in TRANSCRIPT_READERS}

NOTE_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "MEMORY.md")
"""The notes of a project that clients read themselves."""

CLAIMING_FORMATS = frozenset(("export", "jsonl", "notes", "shared", "specstory"))
"""Formats that anybody can write by hand, and that no client keeps to itself."""

SNIFFED_BYTES = 65_536
SNIFFED_LINES = 20

FoundFile: TypeAlias = TranscriptFile | UnreadableFile


def transcript_sources(environ: Mapping[str, str], folder: Path | None = None) -> "Transcripts":
    """Return the transcripts of this user, and the notes in a project's folder."""
    home = environ.get("HOME")
    return Transcripts(Path(home) if home else Path.home(), environ, folder)


class Transcripts:
    """Implements the port `TranscriptHistory` for one user, with the notes of one project."""

    def __init__(self, home: Path, environ: Mapping[str, str], project: Path | None = None) -> None:
        self._home = home
        self._environ = environ
        self._project = project

    def find_files(
        self, paths: Sequence[Path] = (), wanted: str | None = None
    ) -> Iterator[FoundFile]:
        """Find the files named, or in the folders named; without names, those of all clients."""
        seen = set[tuple[int, int]]()
        for file in self._named_files(paths, wanted) if paths else self._default_files(wanted):
            if isinstance(file, UnreadableFile):
                yield file
                continue
            try:
                status = file.path.stat()
            except OSError as error:
                yield UnreadableFile(file.path, _error_text(error))
                continue
            # A file that is linked from elsewhere is still one file.
            if (status.st_dev, status.st_ino) not in seen:
                seen.add((status.st_dev, status.st_ino))
                yield replace(file, is_own=self._is_own(file))

    def live_sources(self) -> Iterator[FoundFile]:
        """Find the transcripts that clients go on writing."""
        files = self._default_files(None)
        return (file for file in files if isinstance(file, UnreadableFile) or file.live)

    def read_chunks(
        self, source: TranscriptFile, since: ImportMark | None, now: datetime
    ) -> Iterator[TranscriptChunk]:
        """Read a file from a mark on; raise OSError if it cannot be read."""
        return FORMATS[source.format].read_chunks(source, since, now)

    def session_folder(self, source: TranscriptFile) -> str:
        """Return the folder that a session worked in, as far as its beginning says."""
        return FORMATS[source.format].session_folder(source.path)

    def _is_own(self, file: TranscriptFile) -> bool:
        """Say whether a file is the record of a client of this user.

        What stands in a client's own folder is. Notes, lines of our own format and what is in the
        project's repository only claim who said something.
        """
        path = file.path.absolute()
        if any(path.is_relative_to(place) for place in self._client_folders()):
            return True
        is_in_project = self._project is not None and path.is_relative_to(self._project.absolute())
        return file.format not in CLAIMING_FORMATS and not is_in_project

    def _client_folders(self) -> Iterator[Path]:
        yield configured_folder(self._environ, "CLAUDE_CONFIG_DIR", self._home / ".claude")
        for format_ in FORMATS.values():
            if format_.folders:
                yield from format_.folders(self._home, self._environ)

    def _default_files(self, wanted: str | None) -> Iterator[FoundFile]:
        for format_ in FORMATS.values():
            if wanted in (None, format_.name):
                for place in self._default_places(format_):
                    yield from _files_of_format(place, format_)

    def _default_places(self, format_: TranscriptFormat) -> Iterator[Path]:
        if format_.folders:
            yield from format_.folders(self._home, self._environ)
        if format_.name == "specstory" and self._project:
            yield self._project / ".specstory" / "history"
        if format_.name == "shared" and self._project:
            yield self._project / SHARED_FOLDER
        if format_.name == "notes":
            config = configured_folder(self._environ, "CLAUDE_CONFIG_DIR", self._home / ".claude")
            for folder in (config, *([self._project] if self._project else [])):
                yield from (folder / name for name in NOTE_FILES)
            yield from sorted((config / "projects").glob("*/memory"))

    def _named_files(self, paths: Sequence[Path], wanted: str | None) -> Iterator[FoundFile]:
        for path in paths:
            if not os.path.lexists(path):
                yield UnreadableFile(path, "there is no such file or folder")
            elif wanted is not None:
                yield from _files_of_format(path, FORMATS[wanted], is_named=True)
            else:
                for file in _files_within(path):
                    if isinstance(file, Path):
                        yield _detected_file(file, is_named=file == path)
                    else:
                        yield file


def _files_of_format(
    place: Path, format_: TranscriptFormat, *, is_named: bool = False
) -> Iterator[FoundFile]:
    for file in _files_within(place):
        if isinstance(file, UnreadableFile):
            yield file
        elif (is_named and file == place) or format_.is_transcript(file):
            yield _transcript_file(file, format_)


def _files_within(place: Path) -> Iterator[Path | UnreadableFile]:
    """Yield a file itself, or the files below a folder; links to folders are not followed."""
    # Not by `Path`, which raises where a folder above may not be read.
    if not os.path.isdir(place):
        if os.path.lexists(place):
            yield place
        return
    errors: list[OSError] = []
    for folder, folders, names in os.walk(place, onerror=errors.append):
        folders.sort()
        for name in sorted(names):
            yield Path(folder) / name
    for error in errors:
        yield UnreadableFile(Path(str(error.filename)), _error_text(error))


def _detected_file(path: Path, *, is_named: bool) -> FoundFile:
    # A pipe must not be opened to see its format: it may never answer.
    file = _transcript_file(path, FORMATS["jsonl"])
    if isinstance(file, UnreadableFile):
        return file
    try:
        name = detect_format(path)
    except OSError as error:
        return UnreadableFile(path, _error_text(error))
    if name is None:
        return UnreadableFile(path, "its format is unknown" if is_named else "")
    return _transcript_file(path, FORMATS[name])


def detect_format(path: Path) -> str | None:
    """Name the format of a file by its name and its beginning; nothing if it is unknown.

    Raise OSError if it cannot be read.
    """
    if FORMATS["claude-mem"].is_transcript(path):
        return "claude-mem"
    if path.suffix == ".json":
        is_gemini = FORMATS["gemini"].is_transcript(path) or "session" in path.name
        return "gemini" if is_gemini else None
    if FORMATS["shared"].is_transcript(path):
        return "shared"
    is_note = FORMATS["notes"].is_transcript(path)
    if not is_note and path.suffix not in JSON_LINES_SUFFIXES:
        return None
    with path.open("rb") as file:
        start = file.read(SNIFFED_BYTES)
    if is_note:
        return "specstory" if is_specstory(start.decode(errors="replace")) else "notes"
    lines = (parsed_object(line) or {} for line in start.splitlines()[:SNIFFED_LINES])
    return next((name for line in lines if (name := _format_of_line(line))), None)


def _format_of_line(fields: Fields) -> str | None:
    for format_ in FORMATS.values():
        if format_.is_line and format_.is_line(fields):
            return format_.name
    return None


def _transcript_file(path: Path, format_: TranscriptFormat) -> FoundFile:
    try:
        status = path.stat()
    except OSError as error:
        return UnreadableFile(path, _error_text(error))
    if not stat.S_ISREG(status.st_mode):
        return UnreadableFile(path, "it is not a regular file")
    return TranscriptFile(format_.name, path, status.st_size, status.st_mtime_ns, format_.live)


def _error_text(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
