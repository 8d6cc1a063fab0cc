"""A table of word pieces: packed into one byte a number, it says almost exactly the same."""

from pathlib import Path

import numpy as np
import pytest

from ai_smartness.adapters.embedders.model_catalogue import CATALOGUE, LANGUAGES_MODEL, ModelRecipe
from ai_smartness.adapters.embedders.static_embedder import StaticEmbedder, pack_table

PIECES = ("▁die", "▁Die", "▁das", "▁pumpe", ".", "▁(", "[UNK]", "▁ventil", "druck", "▁")
TEXTS = ("Die Pumpe", "das Ventil", "die Ventildruck Pumpe", "")


@pytest.fixture
def recipe(tmp_path: Path) -> ModelRecipe:
    """Make a table of floats as it is downloaded."""
    vectors = np.random.default_rng(1).normal(0, 4, (len(PIECES), 128)).astype(np.float16)
    vectors[-1] = 0
    np.save(tmp_path / "vectors.npy", vectors)
    (tmp_path / "pieces.txt").write_text("\n".join(PIECES), encoding="utf-8")
    return ModelRecipe(
        space="table@1",
        model=tmp_path / "vectors.npy",
        tokenizer=tmp_path / "pieces.txt",
        pooling="mean",
        max_tokens=256,
        anchors=CATALOGUE[LANGUAGES_MODEL].anchors,
    )


def test_a_packed_table_gives_almost_the_same_vectors(recipe: ModelRecipe) -> None:
    floats = StaticEmbedder(recipe)
    expected = [floats.query(text) for text in TEXTS]

    pack_table(recipe.model, recipe.tokenizer)
    packed = StaticEmbedder(recipe)

    assert packed.dimension == 128
    assert min(
        packed.query(text) @ vector for text, vector in zip(TEXTS, expected, strict=True)
    ) > (0.9999)


def test_a_table_is_packed_once_and_always_into_the_same_bytes(recipe: ModelRecipe) -> None:
    original, pieces = recipe.model.read_bytes(), recipe.tokenizer.read_bytes()
    pack_table(recipe.model, recipe.tokenizer)
    packed = recipe.model.read_bytes()

    pack_table(recipe.model, recipe.tokenizer)
    again = recipe.model.read_bytes()
    recipe.model.write_bytes(original)
    recipe.tokenizer.write_bytes(pieces)
    pack_table(recipe.model, recipe.tokenizer)

    assert recipe.model.read_bytes() == again == packed
    assert len(packed) < 0.5 * len(original)


def test_only_pieces_that_can_be_in_a_word_are_stored(recipe: ModelRecipe) -> None:
    pack_table(recipe.model, recipe.tokenizer)

    stored = recipe.tokenizer.read_text(encoding="utf-8").split("\n")
    assert stored == ["▁die", "▁das", "▁pumpe", "▁ventil", "druck", "▁"]
