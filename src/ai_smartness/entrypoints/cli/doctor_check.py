"""What the hook's log tells of its runs: when, for what, how long, and what went wrong.

What `ais doctor` examines, and how it says what it found.
"""

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ai_smartness.clients.claude_code.install import InstalledClient, find_client
from ai_smartness.entrypoints.cli.cli_context import CliContext
from ai_smartness.model.errors import AisError, StoreError
from ai_smartness.settings.load import LoadedSettings
from ai_smartness.settings.paths import MemoryPaths

__all__ = [
    "DoctorCase",
    "Finding",
    "HookRun",
    "doctor_case",
    "logged_runs",
    "percentile",
    "refuse_readable_by_others",
    "run_check",
]


ERROR_PREFIX = "trouble_"
"""How the hook names what went wrong, followed by what it was about to do."""


@dataclass(frozen=True, slots=True)
class HookRun:
    """One run of the hook."""

    at: str
    event: str
    took_ms: float
    error: str = ""


def logged_runs(lines: Iterable[str]) -> list[HookRun]:
    """Read the lines of a log, the oldest first; what is no line of a run is passed over."""
    return [run for line in lines if (run := _parsed_run(line)) is not None]


def percentile(numbers: Sequence[float], percent: int) -> float:
    """Return the number that so many percent of them do not exceed."""
    ordered = sorted(numbers)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _parsed_run(line: str) -> HookRun | None:
    at, _, rest = line.strip().partition(" ")
    told = dict(word.partition("=")[::2] for word in rest.split())
    troubles = [said for name, said in told.items() if name.startswith(ERROR_PREFIX)]
    try:
        return HookRun(at, told["event"], float(told["took_ms"]), "; ".join(troubles))
    except (KeyError, ValueError):
        return None


LOG_TAIL_BYTES = 200_000
"""Some two thousand runs: how it goes now, not how it went last year."""


@dataclass(frozen=True, kw_only=True)
class DoctorCase:
    """What is examined."""

    places: MemoryPaths
    loaded: LoadedSettings
    project: str
    root: Path | None
    environ: Mapping[str, str]

    @cached_property
    def found_client(self) -> InstalledClient:
        """The coding agent's client on this machine."""
        return find_client(self.environ)

    @cached_property
    def hook_runs(self) -> list[HookRun]:
        """The latest runs of the hook."""
        logs = self.places.home / "logs"
        # The log before this one too: it may have been begun a moment ago.
        return logged_runs(
            (_file_tail(logs / "hook.log.1") + _file_tail(logs / "hook.log")).splitlines(),
        )


class Finding(NamedTuple):
    """What one check found: that all is well, or what is not and how to mend it."""

    check: str
    ok: bool
    found: str


def doctor_case(context: CliContext, loaded: LoadedSettings) -> DoctorCase:
    """Take what a command was given as the case to examine."""
    return DoctorCase(
        places=context.places,
        loaded=loaded,
        project=context.project_name,
        root=context.project_folder.root if context.project_folder else None,
        environ=context.environ,
    )


def run_check(name: str, check: Callable[[DoctorCase], str], case: DoctorCase) -> Finding:
    """Make one check. What it raises is its finding: every error of ours says the way out."""
    try:
        return Finding(name, ok=True, found=check(case))
    except AisError as problem:
        return Finding(name, ok=False, found=str(problem))
    except OSError as barred:
        return Finding(name, ok=False, found=f"{barred.filename}: {barred.strerror}. Mend that.")


def refuse_readable_by_others(paths: Sequence[Path]) -> None:
    """Refuse what others than its owner may use."""
    for path in paths:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            right = "700" if path.is_dir() else "600"
            msg = f"others may use {path} (mode {mode:o}). Run `chmod {right} {path}`."
            raise StoreError(msg)


def _file_tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LOG_TAIL_BYTES))
            return file.read().decode(errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return ""
