"""The user's embedding models: those pulled into the cache, and a folder of their own.

A model is pulled once and verified whenever it is loaded: a changed file is refused.

A folder of the user's needs `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`;
`ais-model.toml` in it may say more. Its vector space is named by the content of all
these files, so vectors of a changed model are never mixed.
"""

import hashlib
import json
import os
import shutil
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from ai_smartness.adapters.embedders.download import (
    Notify,
    check_file,
    fetch_model,
    file_sha256,
    recorded_origin,
)
from ai_smartness.adapters.embedders.model_catalogue import (
    CATALOGUE,
    MODEL_FILE,
    TOKENIZER_FILE,
    ModelCard,
    ModelFile,
    ModelRecipe,
    Pooling,
)
from ai_smartness.model.errors import NotFoundError, StoreError
from ai_smartness.ports import Embedder, Progress, Reranker
from ai_smartness.settings.regular_file import read_regular_file
from ai_smartness.settings.schema import EMBEDDER_KEY_VARIABLE

__all__ = [
    "NO_MODEL",
    "SETTINGS_FILE",
    "ModelCache",
    "folder_recipe",
    "load_reranker",
]

NO_MODEL = "none"
MAX_KEY_BYTES = 10_000

SETTINGS_FILE = "ais-model.toml"
DEFAULT_MAX_TOKENS = 512
POOLINGS: dict[str, Pooling] = {"mean": "mean", "cls": "cls"}


class ModelCache:
    """The folder of pulled models."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def model_cards(self) -> list[ModelCard]:
        """Return the models of the catalogue, the default first."""
        return list(CATALOGUE.values())

    def has(self, name: str) -> bool:
        """Say whether all files of the model are here."""
        card = _model_card(name)
        return all((self._model_folder(card) / file.name).is_file() for file in card.files)

    def is_unpulled(self, choice: str) -> bool:
        """Say whether this is a model of the catalogue that must still be pulled."""
        return choice in CATALOGUE and not self.has(choice)

    def unpulled_models(self, choices: Iterable[str]) -> tuple[str, ...]:
        """Return those of the chosen models that must still be pulled."""
        return tuple(choice for choice in choices if self.is_unpulled(choice))

    def origin(self, name: str) -> str | None:
        """Return where the model's files here are from, if that was recorded."""
        return recorded_origin(self._model_folder(_model_card(name)))

    def folder_files(self, folder: str) -> tuple[ModelFile, ...]:
        """Return the files of a model in a folder of the user's, as far as they are there."""
        path = Path(folder).expanduser()
        present = (path / name for name in (MODEL_FILE, f"onnx/{MODEL_FILE}", TOKENIZER_FILE))
        return tuple(
            ModelFile(str(file.relative_to(path)), file_sha256(file), file.stat().st_size)
            for file in present
            if file.is_file()
        )

    def pull_model(
        self,
        name: str,
        progress: Progress = lambda _done, _total: None,
        notify: Notify = lambda _text: None,
        folder: Path | None = None,
    ) -> bool:
        """Fetch the model's files, from the folder if there is one, unless they are intact here.

        Say whether they were fetched.
        """
        card = _model_card(name)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._file_problem(card):
                return False
            fetch_model(card, self._model_folder(card), progress, notify, folder=folder)
        except OSError as error:
            msg = (
                f"cannot keep the model {name} in {self._folder.parent}: {error.strerror}. "
                "Make it a folder with room that you may write to, or name another with AIS_CACHE."
            )
            raise StoreError(msg) from error
        return True

    def remove(self, name: str) -> None:
        """Delete the model's files, if there are any."""
        shutil.rmtree(self._model_folder(_model_card(name)), ignore_errors=True)

    def load_embedder(
        self,
        choice: str,
        *,
        threads: int = 1,
        max_chunks: int = 64,
        languages: str = NO_MODEL,
        key_file: str = NO_MODEL,
    ) -> Embedder | None:
        """Return the embedder for a catalogue name, a folder or a URL; none for `none`.

        `languages` names the model for texts in languages that the embedder does not read,
        `key_file` the file with a server's key.
        """
        if choice == NO_MODEL:
            return None
        # Imported here: listing models must not wait for numpy and onnxruntime.
        if choice.startswith(("http://", "https://")):
            from ai_smartness.adapters.embedders.remote_embedder import RemoteEmbedder

            return RemoteEmbedder(choice, key=_server_key(key_file), max_chunks=max_chunks)
        recipe = self._recipe(choice)
        if choice in CATALOGUE and CATALOGUE[choice].is_table:
            from ai_smartness.adapters.embedders.static_embedder import StaticEmbedder

            return StaticEmbedder(recipe, max_chunks=max_chunks)
        from ai_smartness.adapters.embedders.onnx_embedder import OnnxEmbedder

        is_missing = self.is_unpulled(languages)
        other = None if is_missing else self.load_embedder(languages, max_chunks=max_chunks)
        return OnnxEmbedder(recipe, threads=threads, max_chunks=max_chunks, other_languages=other)

    def _recipe(self, choice: str) -> ModelRecipe:
        if choice in CATALOGUE:
            return self._pulled_recipe(CATALOGUE[choice])
        if _is_folder(choice):
            return folder_recipe(Path(choice).expanduser())
        raise NotFoundError(_unknown_model(choice))

    def _pulled_recipe(self, card: ModelCard) -> ModelRecipe:
        if problem := self._file_problem(card):
            msg = f"cannot load the model {card.name}: {problem}. Run `ais model pull {card.name}`."
            raise StoreError(msg)
        return ModelRecipe(
            space=card.space,
            model=self._model_folder(card) / card.files[0].name,
            tokenizer=self._model_folder(card) / card.files[1].name,
            pooling=card.pooling,
            max_tokens=card.max_tokens,
            query_prefix=card.query_prefix,
            document_prefix=card.document_prefix,
            anchors=card.anchors,
        )

    def _file_problem(self, card: ModelCard) -> str:
        """Describe what is wrong with the model's files; empty if they are intact."""
        try:
            for file in card.files:
                check_file(file, self._model_folder(card) / file.name)
        except StoreError as error:
            return str(error)
        return ""

    def _model_folder(self, card: ModelCard) -> Path:
        return self._folder / card.space


def load_reranker(choice: str, *, threads: int = 1) -> Reranker:
    """Return the reranker in a folder of the user's."""
    if not _is_folder(choice):
        msg = (
            f"there is no reranker {choice!r}: no reranker is in the catalogue, since we know the "
            "sha256 of none. Download a cross-encoder and name the folder with its model.onnx and "
            f"tokenizer.json, like ./my-reranker; or {NO_MODEL}."
        )
        raise NotFoundError(msg)
    from ai_smartness.adapters.embedders.onnx_reranker import OnnxReranker

    try:
        return OnnxReranker(folder_recipe(Path(choice).expanduser()), threads=threads)
    except (OSError, RuntimeError) as error:
        msg = f"cannot read the reranker {choice}: {error}. Give a folder that you can read."
        raise StoreError(msg) from error


def _is_folder(choice: str) -> bool:
    return os.sep in choice or choice.startswith(("~", ".")) or Path(choice).is_dir()


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


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The keys of `ais-model.toml`."""

    name: str = ""
    pooling: str = "mean"
    query_prefix: str = ""
    document_prefix: str = ""
    max_tokens: int = 0


def folder_recipe(folder: Path) -> ModelRecipe:
    """Return the recipe for the model in this folder."""
    if not folder.is_dir():
        msg = f"there is no model folder {folder}. Choose one with {MODEL_FILE} in it."
        raise NotFoundError(msg)
    model = _first_file(folder, MODEL_FILE, f"onnx/{MODEL_FILE}")
    tokenizer = _first_file(folder, TOKENIZER_FILE)
    settings = _model_settings(folder / SETTINGS_FILE)
    name, revision = settings.name or folder.resolve().name, _content_revision(model, tokenizer)
    return ModelRecipe(
        space=f"{name}@{revision}",
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
    """Read the user's settings of the model, and refuse unknown ones."""
    if not path.is_file():
        return ModelSettings()
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"cannot read {path}: {error}. Correct it or remove it."
        raise StoreError(msg) from error
    types = {field.name: type(field.default) for field in fields(ModelSettings)}
    for name, value in values.items():
        if name not in types or not isinstance(value, types[name]):
            words = {str: "a text", int: "a number"}
            allowed = ", ".join(f"{key} ({words[kind]})" for key, kind in types.items())
            msg = f"{path} says {name} = {value!r}. It may say: {allowed}."
            raise StoreError(msg)
    if values.get("pooling", "mean") not in POOLINGS:
        msg = f"{path} says pooling = {values['pooling']!r}. It can be {' or '.join(POOLINGS)}."
        raise StoreError(msg)
    return ModelSettings(**values)


def _max_tokens(tokenizer: Path, wanted: int) -> int:
    """Return the user's number, or the tokenizer's, or the default."""
    try:
        content = json.loads(tokenizer.read_bytes())
        truncated = (content.get("truncation") or {}).get("max_length", DEFAULT_MAX_TOKENS)
        is_tokenizer = "model" in content
    except (ValueError, AttributeError):
        is_tokenizer = False
    if not is_tokenizer:
        msg = f"cannot read {tokenizer}: it is not the tokenizer.json of a fast tokenizer."
        raise StoreError(msg)
    return wanted if wanted > 0 else int(truncated)


def _content_revision(model: Path, tokenizer: Path) -> str:
    """Hash the content; large models keep weights in files whose names start like theirs."""
    digest = hashlib.sha256()
    settings = tokenizer.with_name(SETTINGS_FILE)
    weights = sorted(path for path in model.parent.glob(f"{model.name}*") if path.is_file())
    for path in (*weights, tokenizer, *([settings] if settings.is_file() else [])):
        with path.open("rb") as content:
            digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()[:12]


def _server_key(key_file: str) -> str | None:
    """Return the key of an embedding server: the variable's, else the file's."""
    if key := os.environ.get(EMBEDDER_KEY_VARIABLE):
        return key
    if key_file == NO_MODEL:
        return None
    path = Path(key_file).expanduser()
    try:
        mode = path.stat().st_mode
        key = read_regular_file(str(path), MAX_KEY_BYTES).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"cannot read the key in {path}: {error}. Correct it or `embedder.key_file`."
        raise StoreError(msg) from error
    if mode & 0o077:
        msg = f"others can read the key in {path}. Run `chmod 600 {path}`."
        raise StoreError(msg)
    return key or None
