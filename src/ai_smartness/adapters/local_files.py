"""The files of a memory beside its store: inbox, logs, answers to reads, briefs, backups."""

import ast
import fcntl
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import Self

from ai_smartness.adapters.byte_search import ByteHit, search_files, search_hashes
from ai_smartness.clients.project import project_at, project_by_path
from ai_smartness.model.erasure import distinctive_words
from ai_smartness.settings.inject_section import inject_sections
from ai_smartness.settings.paths import INTENT_SUFFIX, HomePaths, make_private_folder

__all__ = ["LocalMemoryFiles", "RecallLog"]


INBOX_FILES = ("events.jsonl", "taken-*", "waiting-*")
LINE_FILES = ("recall.log*", "logs/*", "inbox/bad-*", "inbox/marks.json")
"""In the home folder; the other files of the inbox are waiting to be read."""

MAX_LOG_BYTES = 1_000_000
"""Then the log is rotated: about a year of recalls, and never more than two files."""

ANSWER_FILES = "recalls/*"
BRIEF_FILES = "briefs/*"
USER_FILES = frozenset({"config.toml"})  # written by the user


class LocalMemoryFiles:
    """Fulfils the port `MemoryFiles`."""

    def __init__(
        self,
        database: Path,
        home: Path | None,
        backups: Path | None,
        settings: Sequence[Path] = (),
    ) -> None:
        """Take the store's file, its home and backup folders if it has any, and its settings."""
        self._database = database
        self._home = home
        self._backups = backups
        self._settings = settings

    def project_name(self, folder: str) -> str:
        if self._home is None:
            return project_by_path(folder).name
        return project_at(folder, str(self._home)).name

    def is_forgetting(self) -> bool:
        return self._intent_path.exists()

    @contextmanager
    def intent_file(self) -> Iterator["LocalIntentFile | None"]:
        with LocalIntentFile(self._intent_path) as file:
            yield file if file.is_ours else None

    @property
    def _intent_path(self) -> Path:
        return Path(f"{self._database}{INTENT_SUFFIX}")

    def inbox_lines(self) -> Iterable[str]:
        for path in self._inbox_files():
            for line in path.read_bytes().split(b"\n"):
                yield line.decode(errors="replace")

    def filter_inbox(self, keep: Callable[[str], bool]) -> dict[str, str]:
        return _filter_files(self._inbox_files(), keep)

    def filter_logs(self, keep: Callable[[str], bool]) -> dict[str, str]:
        paths = [path for name in LINE_FILES for path in self._home_files(name)]
        return _filter_files(paths, keep)

    def filter_answers(self, keep: Callable[[str], bool]) -> dict[str, str]:
        gone = [
            path
            for path in self._answer_files()
            if not keep(path.read_bytes().decode(errors="replace"))
        ]
        for path in gone:
            path.unlink(missing_ok=True)
        return {str(path): "removed" for path in gone}

    def inject_settings(self, files: Iterable[str] | None = None) -> dict[str, str]:
        return inject_sections(map(str, self._settings) if files is None else files)

    def saved_brief(self, project: str) -> str:
        path = self._brief_file(project)
        if path is None:
            return ""
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return ""

    def save_brief(self, project: str, text: str) -> None:
        path = self._brief_file(project)
        if path is None:
            return
        make_private_folder(str(path.parent))
        fresh = path.with_name(f".{path.name}.new-{os.getpid()}-{get_ident()}")
        try:
            handle = os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)

    def remove_briefs(self) -> dict[str, str]:
        briefs = list(self._home_files(BRIEF_FILES))
        for path in briefs:
            path.unlink(missing_ok=True)
        return {str(path): "removed" for path in briefs}

    def all(self) -> list[Path]:
        paths = [*self._database.parent.glob(f"{self._database.name}*"), *self._answer_files()]
        paths += [folder for folder in (self._home, self._backups) if folder is not None]
        paths += [inner for path in list(paths) if path.is_dir() for inner in path.rglob("*")]
        files = (path for path in paths if path.is_file())
        return sorted({path for path in files if path.name not in USER_FILES})

    def search_bytes(
        self, files: Collection[Path], words: Collection[str]
    ) -> tuple[int, list[ByteHit]]:
        return search_files(files, words)

    def search_hashes(
        self, files: Collection[Path], salt: str, hashes: Collection[str]
    ) -> tuple[int, list[tuple[str, str]]]:
        return search_hashes(files, salt, hashes)

    def program_words(self) -> frozenset[str]:
        package = Path(__file__).parents[1]
        words = set[str]()
        for path in package.rglob("*.py"):
            names = " ".join(path.relative_to(package).with_suffix("").parts)
            words |= distinctive_words(" ".join([names, *_written_texts(path)]))
        return frozenset(words)

    def _home_files(self, pattern: str) -> Iterator[Path]:
        if self._home is not None:
            yield from (path for path in sorted(self._home.glob(pattern)) if path.is_file())

    def _brief_file(self, project: str) -> Path | None:
        return Path(HomePaths(str(self._home)).brief_file(project)) if self._home else None

    def _inbox_files(self) -> list[Path]:
        return [path for name in INBOX_FILES for path in self._home_files(f"inbox/{name}")]

    def _answer_files(self) -> list[Path]:
        elsewhere = Path(f"/tmp/ais-recalls-{os.getuid()}")  # noqa: S108 - the hook's folder
        answers = [*self._home_files(ANSWER_FILES)]
        if self._home is not None and elsewhere.is_dir():
            answers += (path for path in elsewhere.iterdir() if path.is_file())
        return answers


class LocalIntentFile:
    """Fulfils the port `IntentFile`; whoever has the lock works on the deletion."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle = -1
        self.is_ours = False

    def __enter__(self) -> Self:
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Another process may have removed it between the two.
            self.is_ours = self._path.exists() and os.path.samestat(
                self._path.stat(), os.fstat(self._handle)
            )
        except BlockingIOError:
            self.is_ours = False
        return self

    def __exit__(self, *_error: object) -> None:
        if self.is_ours and not os.fstat(self._handle).st_size:
            self.remove()
        os.close(self._handle)

    def text(self) -> str:
        return os.pread(self._handle, os.fstat(self._handle).st_size, 0).decode(errors="replace")

    def write(self, text: str) -> None:
        contents = text.encode()
        os.ftruncate(self._handle, 0)
        done = 0
        while done < len(contents):
            done += os.pwrite(self._handle, contents[done:], done)
        os.fsync(self._handle)

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)


def _written_texts(source: Path) -> Iterator[str]:
    """Yield the texts in a source file and the fields of its classes: names of ours in JSON.

    Not its other names and its documentation, which nothing writes.
    """
    tree = ast.parse(source.read_text(encoding="utf-8"))
    documentation = {
        id(first.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for first in node.body[:1]
        if isinstance(first, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documentation:
            yield node.value if isinstance(node.value, str) else ""
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _filter_files(paths: Iterable[Path], keep: Callable[[str], bool]) -> dict[str, str]:
    removed = {str(path): _filter_lines(path, keep) for path in paths}
    return {path: f"{lines:,} lines removed" for path, lines in removed.items() if lines}


def _filter_lines(path: Path, keep: Callable[[str], bool]) -> int:
    """Remove the lines of a file that `keep` rejects, and return their number."""
    with path.open("rb") as file:
        # Locked like an appender: after the replacement, appenders open the new file.
        fcntl.flock(file, fcntl.LOCK_EX)
        lines = file.read().split(b"\n")
        left = [line for line in lines if not line or keep(line.decode(errors="replace"))]
        if len(left) < len(lines):
            fresh = path.with_name(f"{path.name}.new-{os.getpid()}")
            handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(handle, "wb") as new:
                new.write(b"\n".join(left))
                new.flush()
                os.fsync(handle)
            fresh.replace(path)
    return len(lines) - len(left)


class RecallLog:
    """The log of recalls: one line each, in a file that only its owner can read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def append_line(self, line: str) -> None:
        """Append a line; a failure does not prevent the recall."""
        with suppress(OSError):
            if self._path.exists() and self._path.stat().st_size > MAX_LOG_BYTES:
                self._path.replace(self._path.with_suffix(".log.1"))
            handle = os.open(self._path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
            with os.fdopen(handle, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{line}\n")
