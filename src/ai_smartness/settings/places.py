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

__all__ = ["Places", "cache", "home", "places"]

APPLICATION = "ai_smartness"
SETTINGS_FILE = "config.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The files and folders of one memory, seen from one project or from none."""

    home: Path
    cache: Path
    user_file: Path
    project_file: Path | None

    @property
    def database(self) -> Path:
        """Name the file that holds the memory."""
        return self.home / "memory.db"


def places(given: Path | None, root: Path | None, environ: Mapping[str, str]) -> Places:
    """Find every place, for the home that was given and the project at `root`."""
    user_file = _user_file(given, environ)
    project_file = root / ".ai" / SETTINGS_FILE if root else None
    return Places(
        home=home(given, environ),
        cache=cache(environ),
        user_file=user_file,
        # With AIS_HOME=~/.ai the two are one file, and it is the user's.
        project_file=None if project_file == user_file else project_file,
    )


def home(given: Path | None, environ: Mapping[str, str]) -> Path:
    """Name the folder of the memory."""
    return _moved_home(given, environ) or _platform().user_data_path


def cache(environ: Mapping[str, str]) -> Path:
    """Name the folder for what can be fetched or computed again, such as models."""
    if environ.get("AIS_CACHE"):
        return _absolute(Path(environ["AIS_CACHE"]))
    return _platform().user_cache_path


def _user_file(given: Path | None, environ: Mapping[str, str]) -> Path:
    folder = _moved_home(given, environ) or _platform().user_config_path
    return folder / SETTINGS_FILE


def _moved_home(given: Path | None, environ: Mapping[str, str]) -> Path | None:
    if given is not None:
        return _absolute(given)
    return _absolute(Path(environ["AIS_HOME"])) if environ.get("AIS_HOME") else None


def _absolute(path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError as unknown:
        msg = f"cannot use {path} as a folder: there is no such user. Give an absolute path."
        raise RefusedError(msg) from unknown


def _platform() -> "PlatformDirsABC":
    # Imported when asked: it costs as much as starting Python, and with AIS_HOME nobody needs it.
    from platformdirs import PlatformDirs  # noqa: PLC0415

    return PlatformDirs(APPLICATION)
