"""Where things are: the memory, its settings, its cache.

`--home` or `AIS_HOME` moves the memory and the user's settings together, so
that a second memory beside the first is one variable away.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ai_smartness.model.errors import RefusedError

if TYPE_CHECKING:
    from platformdirs.api import PlatformDirsABC

__all__ = ["MemoryPaths", "cache_folder", "memory_home", "memory_paths"]

APPLICATION = "ai_smartness"
SETTINGS_FILE = "config.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPaths:
    """The files and folders of one memory, seen from one project or from none."""

    home: Path
    cache: Path
    user_file: Path
    project_file: Path | None

    @property
    def database(self) -> Path:
        """Name the file that holds the memory."""
        return self.home / "memory.db"


def memory_paths(given: Path | None, root: Path | None, environ: Mapping[str, str]) -> MemoryPaths:
    """Find every place, for the home that was given and the project at `root`."""
    user_file = _user_file(given, environ)
    project_file = root / ".ai" / SETTINGS_FILE if root else None
    return MemoryPaths(
        home=memory_home(given, environ),
        cache=cache_folder(environ),
        user_file=user_file,
        # With AIS_HOME=~/.ai the two are one file, and it is the user's.
        project_file=None if project_file == user_file else project_file,
    )


def memory_home(given: Path | None, environ: Mapping[str, str]) -> Path:
    """Name the folder of the memory."""
    return _moved_home(given, environ) or _platform_folders().user_data_path


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Name the folder for what can be fetched or computed again, such as models."""
    if environ.get("AIS_CACHE"):
        return _absolute_path(Path(environ["AIS_CACHE"]))
    return _platform_folders().user_cache_path


def _user_file(given: Path | None, environ: Mapping[str, str]) -> Path:
    folder = _moved_home(given, environ) or _platform_folders().user_config_path
    return folder / SETTINGS_FILE


def _moved_home(given: Path | None, environ: Mapping[str, str]) -> Path | None:
    if given is not None:
        return _absolute_path(given)
    return _absolute_path(Path(environ["AIS_HOME"])) if environ.get("AIS_HOME") else None


def _absolute_path(path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError as unknown:
        msg = f"cannot use {path} as a folder: there is no such user. Give an absolute path."
        raise RefusedError(msg) from unknown


def _platform_folders() -> "PlatformDirsABC":
    # Imported when asked: it costs as much as starting Python, and with AIS_HOME nobody needs it.
    from platformdirs import PlatformDirs

    return PlatformDirs(APPLICATION)
