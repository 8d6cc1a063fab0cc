import re
import subprocess
import sys

import pytest

from ai_smartness.adapters.embedders.model_catalogue import CATALOGUE, DEFAULT_MODEL, ModelCard

every_card = pytest.mark.parametrize("card", CATALOGUE.values(), ids=lambda card: card.name)


def test_the_default_is_the_small_arctic_model_in_a_space_named_by_its_content() -> None:
    card = CATALOGUE[DEFAULT_MODEL]

    assert card.space == "arctic-embed-s@f93ff2253206"
    assert card.size == 34_015_111 + 742_332


@every_card
def test_every_file_has_a_sha256_and_a_place_in_every_source(card: ModelCard) -> None:
    for file in card.files:
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert all(file.name in source.paths for source in card.sources)


@every_card
def test_every_model_tells_unrelated_from_the_same(card: ModelCard) -> None:
    assert card.anchors.unrelated + 0.1 < card.anchors.same < 1


@every_card
def test_every_model_may_be_used_freely(card: ModelCard) -> None:
    assert card.licence in {"Apache-2.0", "MIT"}


def test_looking_at_the_models_loads_neither_numpy_nor_a_runtime() -> None:
    program = (
        "import sys, ai_smartness.adapters.embedders.model_cache\n"
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers'} & sys.modules.keys()))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == "[]"
