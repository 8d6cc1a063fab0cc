"""A model behind a URL, and all the ways a server can disappoint."""

import json
import socket
from pathlib import Path

import pytest

from ai_smartness.adapters.embedders.model_cache import ModelCache
from ai_smartness.adapters.embedders.remote_embedder import RemoteEmbedder
from ai_smartness.model.errors import RefusedError, StoreError
from embedding_server import Said, embedding_server


def vectors(*embeddings: list[float]) -> bytes:
    """Return the body of an answer with these vectors."""
    entries = [{"index": at, "embedding": vector} for at, vector in enumerate(embeddings)]
    return json.dumps({"data": entries}).encode()


def test_a_url_is_a_choice_like_any_other(tmp_path: Path) -> None:
    with embedding_server() as server:
        embedder = ModelCache(tmp_path).load_embedder(server.url)

        assert embedder is not None
        assert embedder.space == "http:hashes@96"


def test_many_texts_are_asked_for_in_several_requests() -> None:
    with embedding_server() as server:
        rows = RemoteEmbedder(server.url).documents(["a text"] * 70)

    assert len(rows) == 70
    assert server.sizes == [32, 32, 6]


def test_the_key_in_the_environment_is_sent_and_only_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with embedding_server() as server:
        RemoteEmbedder(server.url).query("without")
        monkeypatch.setenv("AIS_EMBEDDER_KEY", "sesame")
        embedder = ModelCache(tmp_path).load_embedder(server.url)
        assert embedder is not None
        embedder.query("with")

    assert server.authorizations == [None, "Bearer sesame"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Said(404, b"no such model"), "it answered 404"),
        (Said(200, b"<html>"), "not a list of embeddings"),
        (Said(200, b'{"data": 3}'), "not a list of embeddings"),
        (Said(200, vectors([1.0], [2.0])), "it gave 2 vectors for 1 texts"),
        (Said(200, b'{"data": [{"index": 0, "embedding": "AAAA"}]}'), "not numbers"),
    ],
    ids=lambda value: value.body.decode() if isinstance(value, Said) else "",
)
def test_a_server_that_answers_nonsense_is_named_with_what_it_did(said: Said, why: str) -> None:
    with embedding_server(said) as server, pytest.raises(StoreError) as error:
        RemoteEmbedder(server.url, key="sesame").query("anything")

    assert why in str(error.value)
    assert server.url.split("#")[0] in str(error.value)
    assert "sesame" not in str(error.value)


def test_the_key_does_not_follow_a_redirect() -> None:
    with embedding_server() as elsewhere:
        moved = Said(307, location=elsewhere.url)
        with embedding_server(moved) as server, pytest.raises(StoreError, match="answered 307"):
            RemoteEmbedder(server.url, key="sesame").query("anything")

    assert elsewhere.authorizations == []


def test_a_server_that_is_not_running_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

        with pytest.raises(StoreError, match=f"127.0.0.1:{port}/v1/embeddings: .*refused"):
            RemoteEmbedder(f"http://127.0.0.1:{port}/v1#any").query("anything")


def test_a_server_that_never_answers_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1#any"

        with pytest.raises(StoreError, match="timed out"):
            RemoteEmbedder(url, timeout_seconds=0.2).query("anything")


def test_a_url_without_a_model_says_how_to_write_one() -> None:
    with pytest.raises(RefusedError, match="#NAME"):
        RemoteEmbedder("http://127.0.0.1:1/v1")
