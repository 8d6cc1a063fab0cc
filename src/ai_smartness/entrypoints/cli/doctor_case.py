"""What `ais doctor` examines, and how it says what it found."""

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ai_smartness.entrypoints.cli.client import Client, client
from ai_smartness.entrypoints.cli.context import Context
from ai_smartness.entrypoints.installing.hook_log import Run, runs
from ai_smartness.model.errors import AisError, StoreError
from ai_smartness.settings import Loaded, Places

__all__ = ["Case", "Finding", "case_of", "examined", "refuse_readable_by_others"]

LOG_TAIL_BYTES = 200_000
"""Some two thousand runs: how it goes now, not how it went last year."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """What is examined."""

    places: Places
    loaded: Loaded
    project: str
    root: Path | None
    environ: Mapping[str, str]

    @cached_property
    def client(self) -> Client:
        """The coding agent's client on this machine."""
        return client(self.environ)

    @cached_property
    def runs(self) -> list[Run]:
        """The latest runs of the hook."""
        logs = self.places.home / "logs"
        # The log before this one too: it may have been begun a moment ago.
        return runs((_tail(logs / "hook.log.1") + _tail(logs / "hook.log")).splitlines())


class Finding(NamedTuple):
    """What one check found: that all is well, or what is not and how to mend it."""

    check: str
    ok: bool
    found: str


def case_of(context: Context, loaded: Loaded) -> Case:
    """Take what a command was given as the case to examine."""
    return Case(
        places=context.places,
        loaded=loaded,
        project=context.name,
        root=context.folder.root if context.folder else None,
        environ=context.environ,
    )


def examined(name: str, check: Callable[[Case], str], case: Case) -> Finding:
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


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LOG_TAIL_BYTES))
            return file.read().decode(errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return ""
