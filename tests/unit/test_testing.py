import subprocess
import sys
from datetime import UTC, datetime

import pytest

from ai_smartness.model.errors import StoreError
from ai_smartness.testing import HashEmbedder, ScriptedModel, SetClock


def test_the_clock_stands_still_until_it_is_told() -> None:
    clock = SetClock(datetime(2026, 3, 1, tzinfo=UTC))

    clock.advance(days=1, hours=2)

    assert clock() == clock() == datetime(2026, 3, 2, 2, tzinfo=UTC)


def test_the_clock_can_be_set_back() -> None:
    clock = SetClock()

    clock.set(datetime(2020, 1, 1, tzinfo=UTC))

    assert clock().year == 2020


def test_texts_are_alike_as_far_as_they_share_words() -> None:
    embedder = HashEmbedder()
    query = embedder.query("rotate the signing keys")

    near, far = embedder.documents(["the signing keys rotate daily", "bake an apple pie"])

    assert query @ near[0] > query @ far[0]


def test_the_hash_embedder_gives_one_vector_in_every_process() -> None:
    program = (
        "from ai_smartness.testing import HashEmbedder\n"
        "print(HashEmbedder().query('rotate the keys').tobytes().hex())"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == HashEmbedder().query("rotate the keys").tobytes().hex()


def test_the_scripted_model_answers_in_order_and_keeps_what_it_was_asked() -> None:
    model = ScriptedModel(["a title", "a summary of it"])

    answers = [model.complete("name this", 10).text, model.complete("sum this up", 2).text]

    assert answers == ["a title", "a summary"]
    assert model.prompts == ["name this", "sum this up"]


def test_a_script_that_has_ended_is_a_model_that_is_gone() -> None:
    model = ScriptedModel([])

    with pytest.raises(StoreError, match="has 0 answers"):
        model.complete("anyone there?", 10)
