"""The models this user has, and the one to embed with.

A model is pulled once into the cache folder and checked whenever it is
loaded: a file that changed there is refused, never used.
"""

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ai_smartness.adapters.embedders.catalogue import (
    CATALOGUE,
    MODEL_FILE,
    TOKENIZER_FILE,
    ModelCard,
)
from ai_smartness.adapters.embedders.fetch import check, fetch
from ai_smartness.model.errors import NotFoundError, StoreError
from ai_smartness.ports import Embedder, Progress

if TYPE_CHECKING:
    from ai_smartness.adapters.embedders.onnx import OnnxEmbedder

__all__ = ["KEY_VARIABLE", "NO_MODEL", "ModelShelf"]

NO_MODEL = "none"
KEY_VARIABLE = "AIS_EMBEDDER_KEY"
"""The environment variable that holds the key of an embedding server, where it wants one."""


class ModelShelf:
    """The folder that pulled models are kept in."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def cards(self) -> list[ModelCard]:
        """Return the models of the catalogue, the default first."""
        return list(CATALOGUE.values())

    def has(self, name: str) -> bool:
        """Tell whether the model is here in full."""
        card = _card(name)
        return all((self._home(card) / file.name).is_file() for file in card.files)

    def lacks(self, choice: str) -> bool:
        """Tell whether this choice is a model of the catalogue that is still to be pulled."""
        return choice in CATALOGUE and not self.has(choice)

    def pull(self, name: str, progress: Progress = lambda _done, _total: None) -> None:
        """Get the model's files, unless they are here and as they must be."""
        card = _card(name)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._trouble(card):
            fetch(card, self._home(card), progress)

    def remove(self, name: str) -> None:
        """Delete the model's files; a model that is not here is fine."""
        shutil.rmtree(self._home(_card(name)), ignore_errors=True)

    def size(self, name: str) -> int:
        """Tell how many bytes of the disk the model takes."""
        home = self._home(_card(name))
        return sum(path.stat().st_size for path in home.rglob("*") if path.is_file())

    def load(self, choice: str, *, threads: int = 1, max_chunks: int = 64) -> Embedder | None:
        """Return the embedder of this choice: a known name, a folder, a URL; none for `none`."""
        if choice == NO_MODEL:
            return None
        if choice.startswith(("http://", "https://")):
            return _served(choice, max_chunks)
        if choice in CATALOGUE:
            return self._pulled(CATALOGUE[choice], threads, max_chunks)
        if os.sep in choice or choice.startswith(("~", ".")) or Path(choice).is_dir():
            return _own(Path(choice).expanduser(), threads, max_chunks)
        raise NotFoundError(_unknown(choice))

    def _pulled(self, card: ModelCard, threads: int, max_chunks: int) -> "OnnxEmbedder":
        # Imported here, like below: listing models must not wait for numpy and onnxruntime.
        from ai_smartness.adapters.embedders.calibration import Anchors  # noqa: PLC0415
        from ai_smartness.adapters.embedders.onnx import OnnxEmbedder, Recipe  # noqa: PLC0415

        if trouble := self._trouble(card):
            msg = f"cannot load the model {card.name}: {trouble}. Run `ais model pull {card.name}`."
            raise StoreError(msg)
        recipe = Recipe(
            space=card.space,
            model=self._home(card) / MODEL_FILE,
            tokenizer=self._home(card) / TOKENIZER_FILE,
            pooling=card.pooling,
            max_tokens=card.max_tokens,
            query_prefix=card.query_prefix,
            document_prefix=card.document_prefix,
            anchors=Anchors(card.unrelated, card.same, card.strangers),
        )
        return OnnxEmbedder(recipe, threads=threads, max_chunks=max_chunks)

    def _trouble(self, card: ModelCard) -> str:
        """Say what is wrong with the model's files; nothing if they are as they must be."""
        try:
            for file in card.files:
                check(file, self._home(card) / file.name)
        except StoreError as error:
            return str(error)
        return ""

    def _home(self, card: ModelCard) -> Path:
        return self._folder / card.space


def _served(url: str, max_chunks: int) -> Embedder:
    from ai_smartness.adapters.embedders.remote import RemoteEmbedder  # noqa: PLC0415

    return RemoteEmbedder(url, key=os.environ.get(KEY_VARIABLE), max_chunks=max_chunks)


def _own(folder: Path, threads: int, max_chunks: int) -> Embedder:
    from ai_smartness.adapters.embedders.directory import recipe  # noqa: PLC0415
    from ai_smartness.adapters.embedders.onnx import OnnxEmbedder  # noqa: PLC0415

    return OnnxEmbedder(recipe(folder), threads=threads, max_chunks=max_chunks)


def _card(name: str) -> ModelCard:
    if name not in CATALOGUE:
        raise NotFoundError(_unknown(name))
    return CATALOGUE[name]


def _unknown(name: str) -> str:
    return (
        f"there is no model {name!r}. Choose one of {', '.join(CATALOGUE)}; or a folder with "
        "model.onnx and tokenizer.json, like ./my-model; or a server, like "
        f"http://localhost:11434/v1#model-name; or {NO_MODEL}."
    )
