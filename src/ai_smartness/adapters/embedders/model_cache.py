"""The models this user has, and the one to embed with.

A model is pulled once into the cache folder and checked whenever it is
loaded: a file that changed there is refused, never used.

Use a model the user has in a folder of their own.

The folder needs `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`. What
cannot be seen in them is said in `ais-model.toml`. The space is named by the
content of all of these, so vectors of a changed model are never mixed.
"""

import hashlib
import json
import os
import shutil
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from ai_smartness.adapters.embedders.download import check_file, fetch_model
from ai_smartness.adapters.embedders.model_catalogue import (
    CATALOGUE,
    MODEL_FILE,
    TOKENIZER_FILE,
    ModelCard,
    Pooling,
)
from ai_smartness.adapters.embedders.onnx_embedder import ModelRecipe
from ai_smartness.model.errors import NotFoundError, StoreError
from ai_smartness.ports import Embedder, Progress

if TYPE_CHECKING:
    from ai_smartness.adapters.embedders.onnx_embedder import OnnxEmbedder


__all__ = ["KEY_VARIABLE", "NO_MODEL", "SETTINGS_FILE", "ModelCache", "folder_recipe"]


NO_MODEL = "none"
KEY_VARIABLE = "AIS_EMBEDDER_KEY"
"""The environment variable that holds the key of an embedding server, where it wants one."""


class ModelCache:
    """The folder that pulled models are kept in."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def model_cards(self) -> list[ModelCard]:
        """Return the models of the catalogue, the default first."""
        return list(CATALOGUE.values())

    def has(self, name: str) -> bool:
        """Tell whether the model is here in full."""
        card = _model_card(name)
        return all((self._model_folder(card) / file.name).is_file() for file in card.files)

    def is_unpulled(self, choice: str) -> bool:
        """Tell whether this choice is a model of the catalogue that is still to be pulled."""
        return choice in CATALOGUE and not self.has(choice)

    def pull_model(self, name: str, progress: Progress = lambda _done, _total: None) -> None:
        """Get the model's files, unless they are here and as they must be."""
        card = _model_card(name)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._file_problem(card):
            fetch_model(card, self._model_folder(card), progress)

    def remove(self, name: str) -> None:
        """Delete the model's files; a model that is not here is fine."""
        shutil.rmtree(self._model_folder(_model_card(name)), ignore_errors=True)

    def disk_bytes(self, name: str) -> int:
        """Tell how many bytes of the disk the model takes."""
        home = self._model_folder(_model_card(name))
        return sum(path.stat().st_size for path in home.rglob("*") if path.is_file())

    def load_embedder(
        self,
        choice: str,
        *,
        threads: int = 1,
        max_chunks: int = 64,
    ) -> Embedder | None:
        """Return the embedder of this choice: a known name, a folder, a URL; none for `none`."""
        if choice == NO_MODEL:
            return None
        if choice.startswith(("http://", "https://")):
            return _load_served(choice, max_chunks)
        if choice in CATALOGUE:
            return self._load_pulled(CATALOGUE[choice], threads, max_chunks)
        if os.sep in choice or choice.startswith(("~", ".")) or Path(choice).is_dir():
            return _load_folder(Path(choice).expanduser(), threads, max_chunks)
        raise NotFoundError(_unknown_model(choice))

    def _load_pulled(self, card: ModelCard, threads: int, max_chunks: int) -> "OnnxEmbedder":
        # Imported here, like below: listing models must not wait for numpy and onnxruntime.
        from ai_smartness.adapters.embedders.calibration import CosineAnchors
        from ai_smartness.adapters.embedders.onnx_embedder import ModelRecipe, OnnxEmbedder

        if trouble := self._file_problem(card):
            msg = f"cannot load the model {card.name}: {trouble}. Run `ais model pull {card.name}`."
            raise StoreError(msg)
        recipe = ModelRecipe(
            space=card.space,
            model=self._model_folder(card) / MODEL_FILE,
            tokenizer=self._model_folder(card) / TOKENIZER_FILE,
            pooling=card.pooling,
            max_tokens=card.max_tokens,
            query_prefix=card.query_prefix,
            document_prefix=card.document_prefix,
            anchors=CosineAnchors(card.unrelated, card.same, card.unrelated_documents),
        )
        return OnnxEmbedder(recipe, threads=threads, max_chunks=max_chunks)

    def _file_problem(self, card: ModelCard) -> str:
        """Say what is wrong with the model's files; nothing if they are as they must be."""
        try:
            for file in card.files:
                check_file(file, self._model_folder(card) / file.name)
        except StoreError as error:
            return str(error)
        return ""

    def _model_folder(self, card: ModelCard) -> Path:
        return self._folder / card.space


def _load_served(url: str, max_chunks: int) -> Embedder:
    from ai_smartness.adapters.embedders.remote_embedder import RemoteEmbedder

    return RemoteEmbedder(url, key=os.environ.get(KEY_VARIABLE), max_chunks=max_chunks)


def _load_folder(folder: Path, threads: int, max_chunks: int) -> Embedder:
    from ai_smartness.adapters.embedders.onnx_embedder import OnnxEmbedder

    return OnnxEmbedder(folder_recipe(folder), threads=threads, max_chunks=max_chunks)


def _model_card(name: str) -> ModelCard:
    if name not in CATALOGUE:
        raise NotFoundError(_unknown_model(name))
    return CATALOGUE[name]


def _unknown_model(name: str) -> str:
    return (
        f"there is no model {name!r}. Choose one of {', '.join(CATALOGUE)}; or a folder with "
        "model.onnx and tokenizer.json, like ./my-model; or a server, like "
        f"http://localhost:11434/v1#model-name; or {NO_MODEL}."
    )


SETTINGS_FILE = "ais-model.toml"
DEFAULT_MAX_TOKENS = 512
POOLINGS: dict[str, Pooling] = {"mean": "mean", "cls": "cls"}


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What `ais-model.toml` may say."""

    name: str = ""
    pooling: str = "mean"
    query_prefix: str = ""
    document_prefix: str = ""
    max_tokens: int = 0


def folder_recipe(folder: Path) -> ModelRecipe:
    """Return how to use the model in this folder."""
    if not folder.is_dir():
        msg = f"there is no model folder {folder}. Choose one with {MODEL_FILE} in it."
        raise NotFoundError(msg)
    model = _first_file(folder, MODEL_FILE, f"onnx/{MODEL_FILE}")
    tokenizer = _first_file(folder, TOKENIZER_FILE)
    settings = _model_settings(folder / SETTINGS_FILE)
    return ModelRecipe(
        space=f"{settings.name or folder.resolve().name}@{_content_revision(folder, model, tokenizer)}",
        model=model,
        tokenizer=tokenizer,
        pooling=POOLINGS[settings.pooling],
        max_tokens=_max_tokens(tokenizer, settings.max_tokens),
        query_prefix=settings.query_prefix,
        document_prefix=settings.document_prefix,
    )


def _first_file(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    msg = f"cannot use the model in {folder}: it has no {' or '.join(names)}. Add it there."
    raise StoreError(msg)


def _model_settings(path: Path) -> ModelSettings:
    """Read what the user says about the model, and refuse what we would not understand."""
    if not path.is_file():
        return ModelSettings()
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"cannot read {path}: {error}. Correct it or remove it."
        raise StoreError(msg) from error
    known = {field.name: type(field.default) for field in fields(ModelSettings)}
    for name, value in said.items():
        if name not in known or not isinstance(value, known[name]):
            msg = f"{path} says {name} = {value!r}. It may say: {_allowed_keys(known)}."
            raise StoreError(msg)
    if said.get("pooling", "mean") not in POOLINGS:
        msg = f"{path} says pooling = {said['pooling']!r}. It can be {' or '.join(POOLINGS)}."
        raise StoreError(msg)
    return ModelSettings(**said)


def _allowed_keys(known: dict[str, type]) -> str:
    words = {str: "a text", int: "a number"}
    return ", ".join(f"{name} ({words[kind]})" for name, kind in known.items())


def _max_tokens(tokenizer: Path, said: int) -> int:
    """Return the user's number, else the tokenizer's, else the usual."""
    try:
        content = json.loads(tokenizer.read_bytes())
        told = (content.get("truncation") or {}).get("max_length", DEFAULT_MAX_TOKENS)
        whole = "model" in content
    except (ValueError, AttributeError):
        whole = False
    if not whole:
        msg = f"cannot read {tokenizer}: it is not the tokenizer.json of a fast tokenizer."
        raise StoreError(msg)
    return said if said > 0 else int(told)


def _content_revision(folder: Path, model: Path, tokenizer: Path) -> str:
    """Name the content; weights can lie beside the model in files that start like it."""
    digest = hashlib.sha256()
    settings = folder / SETTINGS_FILE
    weights = sorted(path for path in model.parent.glob(f"{model.name}*") if path.is_file())
    for path in (*weights, tokenizer, *([settings] if settings.is_file() else [])):
        with path.open("rb") as opened:
            digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()[:12]
