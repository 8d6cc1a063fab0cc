"""A model in a folder of the user's own."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from ai_smartness.adapters.embedders.model_cache import ModelCache, folder_recipe
from ai_smartness.adapters.embedders.model_catalogue import CATALOGUE, DEFAULT_MODEL
from ai_smartness.model.errors import NotFoundError, StoreError
from ai_smartness.ports import Embedder


@pytest.fixture
def own_folder(models_folder: Path, real_embedder: Embedder, tmp_path: Path) -> Path:
    """Copy the default model as somebody's own; the model lies where exports put it."""
    pulled = models_folder / real_embedder.space
    folder = tmp_path / "my-model"
    (folder / "onnx").mkdir(parents=True)
    shutil.copy(pulled / "model.onnx", folder / "onnx" / "model.onnx")
    shutil.copy(pulled / "tokenizer.json", folder / "tokenizer.json")
    return folder


def test_a_folder_of_ones_own_embeds_as_its_settings_say(
    own_folder: Path, real_embedder: Embedder, tmp_path: Path
) -> None:
    prefix = CATALOGUE[DEFAULT_MODEL].query_prefix
    (own_folder / "ais-model.toml").write_text(
        f'name = "mine"\npooling = "cls"\nquery_prefix = "{prefix}"\nmax_tokens = 512\n'
    )

    mine = ModelCache(tmp_path).load_embedder(str(own_folder))

    assert mine is not None
    assert mine.space.startswith("mine@")
    assert mine.dimension == 384
    assert np.array_equal(mine.query("rotate the keys"), real_embedder.query("rotate the keys"))


def test_the_thresholds_of_a_folder_of_ones_own_are_measured(
    own_folder: Path, tmp_path: Path
) -> None:
    mine = ModelCache(tmp_path).load_embedder(str(own_folder))

    assert mine is not None
    query = mine.query("How long do users stay logged in?")
    related, unrelated = mine.documents(
        ["Sessions expire after one hour without a request.", "The soup needs leeks and cream."]
    )
    assert mine.similarity(float(query @ related[0])) > mine.similarity(float(query @ unrelated[0]))
    assert mine.similarity(1.0) == 1


def bare_folder(folder: Path, settings: str | None = None) -> Path:
    """Make a folder that has all the files, with next to nothing in them."""
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"no model")
    tokenizer = {"model": {}, "truncation": {"max_length": 128}}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    if settings is not None:
        (folder / "ais-model.toml").write_text(settings)
    return folder


def test_without_settings_the_pooling_is_the_mean_and_the_tokenizer_tells_the_length(
    tmp_path: Path,
) -> None:
    mine = folder_recipe(bare_folder(tmp_path / "bare"))

    assert (mine.pooling, mine.max_tokens) == ("mean", 128)
    assert mine.space.startswith("bare@")


def test_other_content_is_another_space(tmp_path: Path) -> None:
    folder = bare_folder(tmp_path / "bare")
    before = folder_recipe(folder).space

    (folder / "ais-model.toml").write_text('pooling = "cls"\n')

    assert folder_recipe(folder).space != before


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = bare_folder(tmp_path / "bare")
    (folder / name).unlink()

    with pytest.raises(StoreError, match=f"has no {name}"):
        folder_recipe(folder)


def test_a_folder_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="there is no model folder"):
        ModelCache(tmp_path).load_embedder(str(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('pooling = "max"', "mean or cls"),
        ('max_tokens = "many"', "max_tokens"),
        ("colour = 1", "It may say: name"),
        ("pooling =", "Correct it"),
    ],
)
def test_settings_that_make_no_sense_are_refused(tmp_path: Path, settings: str, said: str) -> None:
    with pytest.raises(StoreError, match=said):
        folder_recipe(bare_folder(tmp_path / "bare", settings))


@pytest.mark.parametrize("content", ["{", "[]", "{}"])
def test_a_tokenizer_that_is_none_is_refused(tmp_path: Path, content: str) -> None:
    folder = bare_folder(tmp_path / "bare")
    (folder / "tokenizer.json").write_text(content)

    with pytest.raises(StoreError, match="not the tokenizer"):
        folder_recipe(folder)


def test_a_model_file_that_is_none_is_refused(own_folder: Path, tmp_path: Path) -> None:
    (own_folder / "onnx" / "model.onnx").write_bytes(b"no model" * 100)

    with pytest.raises(StoreError, match="cannot load the model"):
        ModelCache(tmp_path).load_embedder(str(own_folder))
