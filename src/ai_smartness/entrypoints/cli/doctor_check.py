"""The parts of `ais doctor`: the setup that it checks, its findings, and the log of the hook."""

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
    "CheckedSetup",
    "Finding",
    "HookRun",
    "checked_setup",
    "logged_runs",
    "percentile",
    "refuse_readable_by_others",
    "run_check",
]

LOG_TAIL_BYTES = 200_000
"""Some two thousand runs: how it goes now, not how it went last year."""

ERROR_PREFIX = "trouble_"
"""In the hook's log, an error is named after the step that failed."""


@dataclass(frozen=True, slots=True)
class HookRun:
    """One run of the hook."""

    at: str
    event: str
    took_ms: float
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class CheckedSetup:
    """The memory, the settings, the project and the client that are checked."""

    places: MemoryPaths
    loaded: LoadedSettings
    project: str
    root: Path | None
    environ: Mapping[str, str]

    @cached_property
    def client(self) -> InstalledClient:
        """The coding agent's client on this machine."""
        return find_client(self.environ)

    @cached_property
    def hook_runs(self) -> list[HookRun]:
        """The latest runs of the hook."""
        logs = self.places.home / "logs"
        # The previous log too: the current one may have been started a moment ago.
        tails = _file_tail(logs / "hook.log.1") + _file_tail(logs / "hook.log")
        return logged_runs(tails.splitlines())


class Finding(NamedTuple):
    """The result of one check: a state, or a problem and how to fix it."""

    check: str
    ok: bool
    found: str


def checked_setup(context: CliContext, loaded: LoadedSettings) -> CheckedSetup:
    """Return the setup around a command."""
    return CheckedSetup(
        places=context.places,
        loaded=loaded,
        project=context.project_name,
        root=context.project_folder.root if context.project_folder else None,
        environ=context.environ,
    )


def run_check(name: str, check: Callable[[CheckedSetup], str], setup: CheckedSetup) -> Finding:
    """Run one check. An error of ours is its finding: each says how to fix the problem."""
    try:
        return Finding(name, ok=True, found=check(setup))
    except AisError as error:
        return Finding(name, ok=False, found=str(error))
    except OSError as error:
        return Finding(name, ok=False, found=f"{error.filename}: {error.strerror}. Fix that.")


def refuse_readable_by_others(paths: Sequence[Path]) -> None:
    """Refuse files and folders that anybody but their owner can use."""
    for path in paths:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            right = "700" if path.is_dir() else "600"
            msg = f"others can use {path} (mode {mode:o}). Run `chmod {right} {path}`."
            raise StoreError(msg)


def logged_runs(lines: Iterable[str]) -> list[HookRun]:
    """Parse the lines of the hook's log, the oldest first; skip lines of other kinds."""
    return [run for line in lines if (run := _parsed_run(line)) is not None]


def percentile(numbers: Sequence[float], percent: int) -> float:
    """Return the number that this percentage of them does not exceed."""
    ordered = sorted(numbers)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _parsed_run(line: str) -> HookRun | None:
    at, _, rest = line.strip().partition(" ")
    values = dict(word.partition("=")[::2] for word in rest.split())
    errors = [error for name, error in values.items() if name.startswith(ERROR_PREFIX)]
    try:
        return HookRun(at, values["event"], float(values["took_ms"]), "; ".join(errors))
    except (KeyError, ValueError):
        return None


def _file_tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LOG_TAIL_BYTES))
            return file.read().decode(errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return ""
