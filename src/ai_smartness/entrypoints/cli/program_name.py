"""How this program is called here: by its name if that leads to it, or else by its path.

A command that we print is to be copied. In a clone or a virtual environment that is not
activated, `ais` is not on the PATH.
"""

import os
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

__all__ = ["other_short_program", "typed_program"]

NAME, SHORT_NAME = "ais", "ai"


def typed_program(environ: Mapping[str, str]) -> str:
    """Return what to type for `ais` in the current folder."""
    own = _own_script(NAME)
    on_path = shutil.which(NAME, path=environ.get("PATH"))
    if on_path and (_is_same_file(Path(on_path), own) or not own.exists()):
        return NAME
    if not own.exists():
        return f"{Path(sys.executable).name} -m ai_smartness"
    try:
        return os.fspath(own.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return os.fspath(own)


def other_short_program(environ: Mapping[str, str]) -> str | None:
    """Return the path of another program that `ai` starts, if it is not ours."""
    path = shutil.which(SHORT_NAME, path=environ.get("PATH"))
    if path is None or _is_same_file(Path(path), _own_script(SHORT_NAME)):
        return None
    return path


def _own_script(name: str) -> Path:
    suffix = ".exe" if os.name == "nt" else ""
    return Path(sysconfig.get_path("scripts")) / f"{name}{suffix}"


def _is_same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
