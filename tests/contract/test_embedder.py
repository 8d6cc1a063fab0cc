"""What any embedder does, whatever is behind it."""

from collections.abc import Iterator

import numpy as np
import pytest

from ai_smartness.adapters.embedders.calibration import SAME_PAIRS, UNRELATED_PAIRS
from ai_smartness.adapters.embedders.model_cache import ModelCache
from ai_smartness.adapters.embedders.remote_embedder import RemoteEmbedder
from ai_smartness.ports import Embedder
from ai_smartness.testing import HashEmbedder
from embedding_server import embedding_server

SECOND_MODEL = "all-minilm-l6-v2"
LONG_TEXT = "The harbour was quiet and the boats lay still at the pier. " * 200
ODD_TEXTS = {
    "empty": "",
    "blank": " \n\t ",
    "NUL": "a\0b",
    "only a NUL": "\0",
    "half a character": "a\ud800b",
    "emoji": "\N{ROCKET}\N{GRINNING FACE}\N{ZERO WIDTH JOINER}",
    "200 KB in one word": "x" * 200_000,
    "200 KB of words": "many words " * 18_200,
}


@pytest.fixture(scope="module")
def second_model(user_shelf: ModelCache) -> Embedder:
    if not user_shelf.has(SECOND_MODEL):
        pytest.skip(f"{SECOND_MODEL} is not pulled; `ais model pull {SECOND_MODEL}` does")
    embedder = user_shelf.load_embedder(SECOND_MODEL, max_chunks=8)
    assert embedder is not None
    return embedder


@pytest.fixture(scope="module")
def served_model() -> Iterator[Embedder]:
    with embedding_server() as server:
        yield RemoteEmbedder(server.url)


@pytest.fixture(scope="module")
def hashes() -> Embedder:
    return HashEmbedder()


@pytest.fixture(scope="module")
def table_model(embedder_of_two_models: Embedder) -> Embedder:
    """Return the model for other languages, a table of word pieces."""
    table = embedder_of_two_models.other_languages
    assert table is not None
    return table


@pytest.fixture(
    scope="module",
    params=["hashes", "real_embedder", "second_model", "table_model", "served_model"],
)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    found: Embedder = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module", params=["real_embedder", "second_model"])
def model(request: pytest.FixtureRequest) -> Embedder:
    found: Embedder = request.getfixturevalue(request.param)
    return found


def test_every_vector_has_unit_length_and_the_dimension_that_is_told(embedder: Embedder) -> None:
    query = embedder.query("where are the signing keys?")
    (rows,) = embedder.documents(["the signing keys are in the vault"])

    assert query.shape == (embedder.dimension,)
    assert rows.shape == (1, embedder.dimension)
    assert query.dtype == rows.dtype == np.float32
    assert np.linalg.norm(query) == pytest.approx(1, abs=1e-5)
    assert np.linalg.norm(rows[0]) == pytest.approx(1, abs=1e-5)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.documents([]) == []


def test_a_text_gets_the_same_vector_whatever_it_is_embedded_with(embedder: Embedder) -> None:
    (alone,) = embedder.documents(["rotate the keys"])
    together = embedder.documents(["a login page", "rotate the keys", "a much longer text " * 9])

    assert np.array_equal(alone, together[1])


def test_a_query_gets_the_same_vector_each_time(embedder: Embedder) -> None:
    assert np.array_equal(embedder.query("rotate the keys"), embedder.query("rotate the keys"))


def test_a_long_text_has_several_chunks_and_a_short_one_has_one(embedder: Embedder) -> None:
    short, long = embedder.documents(["a short text", LONG_TEXT])

    assert len(short) == 1
    assert len(long) > 1


def test_the_last_words_of_a_long_text_can_be_found(embedder: Embedder) -> None:
    ending = "Rotate the signing keys of the payment gateway before Friday."
    query = embedder.query("rotate the signing keys of the payment gateway")

    without, with_ending = embedder.documents([LONG_TEXT, LONG_TEXT + ending])

    assert (with_ending @ query).max() > (without @ query).max()


def test_a_long_query_is_still_one_vector(embedder: Embedder) -> None:
    query = embedder.query(LONG_TEXT)

    assert query.shape == (embedder.dimension,)
    assert np.linalg.norm(query) == pytest.approx(1, abs=1e-5)


def test_a_similarity_is_within_0_to_1_and_grows_with_the_cosine(embedder: Embedder) -> None:
    values = [embedder.similarity(cosine / 50) for cosine in range(-50, 51)]

    assert values == sorted(values)
    assert values[0] == 0
    assert values[-1] == 1


def test_the_space_is_a_name_that_stays(embedder: Embedder) -> None:
    assert embedder.space == embedder.space
    assert "@" in embedder.space


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
def test_an_odd_text_has_a_vector_like_any_other(embedder: Embedder, text: str) -> None:
    (rows,) = embedder.documents([text])

    assert len(rows) >= 1
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(rows)), abs=1e-5)
    assert np.linalg.norm(embedder.query(text)) == pytest.approx(1, abs=1e-5)


def test_a_real_model_puts_every_paraphrase_above_every_unrelated_text(model: Embedder) -> None:
    queries = [model.query(said) for said, _ in SAME_PAIRS]
    documents = {text: model.documents([text])[0][0] for _, text in SAME_PAIRS}

    same = [float(q @ documents[text]) for q, (_, text) in zip(queries, SAME_PAIRS, strict=True)]
    other = [
        float(q @ documents[text]) for q, (_, text) in zip(queries, UNRELATED_PAIRS, strict=True)
    ]

    assert min(same) > max(other)


def test_a_real_model_has_thresholds_that_mean_the_same_as_anothers(model: Embedder) -> None:
    query = model.query("How long do users stay logged in?")

    related, unrelated = model.documents(
        ["Sessions expire after one hour without a request.", "The soup needs leeks and cream."]
    )

    assert model.similarity(float(query @ related[0])) > 0.35
    assert model.similarity(float(query @ unrelated[0])) < 0.25
