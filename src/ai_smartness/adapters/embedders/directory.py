"""Use a model the user has in a folder of their own.

The folder needs `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`. What
cannot be seen in them is said in `ais-model.toml`. The space is named by the
content of all of these, so vectors of a changed model are never mixed.
"""

import hashlib
import json
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

from ai_smartness.adapters.embedders.catalogue import MODEL_FILE, TOKENIZER_FILE, Pooling
from ai_smartness.adapters.embedders.onnx import Recipe
from ai_smartness.model.errors import NotFoundError, StoreError

__all__ = ["SETTINGS_FILE", "recipe"]

SETTINGS_FILE = "ais-model.toml"
USUAL_MAX_TOKENS = 512
POOLINGS: dict[str, Pooling] = {"mean": "mean", "cls": "cls"}


@dataclass(frozen=True, slots=True)
class OwnSettings:
    """What `ais-model.toml` may say."""

    name: str = ""
    pooling: str = "mean"
    query_prefix: str = ""
    document_prefix: str = ""
    max_tokens: int = 0


def recipe(folder: Path) -> Recipe:
    """Return how to use the model in this folder."""
    if not folder.is_dir():
        msg = f"there is no model folder {folder}. Choose one with {MODEL_FILE} in it."
        raise NotFoundError(msg)
    model = _first(folder, MODEL_FILE, f"onnx/{MODEL_FILE}")
    tokenizer = _first(folder, TOKENIZER_FILE)
    settings = _settings(folder / SETTINGS_FILE)
    return Recipe(
        space=f"{settings.name or folder.resolve().name}@{_revision(folder, model, tokenizer)}",
        model=model,
        tokenizer=tokenizer,
        pooling=POOLINGS[settings.pooling],
        max_tokens=_max_tokens(tokenizer, settings.max_tokens),
        query_prefix=settings.query_prefix,
        document_prefix=settings.document_prefix,
    )


def _first(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    msg = f"cannot use the model in {folder}: it has no {' or '.join(names)}. Add it there."
    raise StoreError(msg)


def _settings(path: Path) -> OwnSettings:
    """Read what the user says about the model, and refuse what we would not understand."""
    if not path.is_file():
        return OwnSettings()
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"cannot read {path}: {error}. Correct it or remove it."
        raise StoreError(msg) from error
    known = {field.name: type(field.default) for field in fields(OwnSettings)}
    for name, value in said.items():
        if name not in known or not isinstance(value, known[name]):
            msg = f"{path} says {name} = {value!r}. It may say: {_vocabulary(known)}."
            raise StoreError(msg)
    if said.get("pooling", "mean") not in POOLINGS:
        msg = f"{path} says pooling = {said['pooling']!r}. It can be {' or '.join(POOLINGS)}."
        raise StoreError(msg)
    return OwnSettings(**said)


def _vocabulary(known: dict[str, type]) -> str:
    words = {str: "a text", int: "a number"}
    return ", ".join(f"{name} ({words[kind]})" for name, kind in known.items())


def _max_tokens(tokenizer: Path, said: int) -> int:
    """Return the user's number, else the tokenizer's, else the usual."""
    try:
        content = json.loads(tokenizer.read_bytes())
        told = (content.get("truncation") or {}).get("max_length", USUAL_MAX_TOKENS)
        whole = "model" in content
    except (ValueError, AttributeError):
        whole = False
    if not whole:
        msg = f"cannot read {tokenizer}: it is not the tokenizer.json of a fast tokenizer."
        raise StoreError(msg)
    return said if said > 0 else int(told)


def _revision(folder: Path, model: Path, tokenizer: Path) -> str:
    """Name the content; weights can lie beside the model in files that start like it."""
    digest = hashlib.sha256()
    settings = folder / SETTINGS_FILE
    weights = sorted(path for path in model.parent.glob(f"{model.name}*") if path.is_file())
    for path in (*weights, tokenizer, *([settings] if settings.is_file() else [])):
        with path.open("rb") as opened:
            digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()[:12]
