"""What may leave this machine is said by `ais doctor`, and goes to nobody else."""

import json
from pathlib import Path

import pytest

from builders import said
from command_line import ais, captured, standing_in_a_project
from embedding_server import embedding_server

NOWHERE = "http://127.0.0.1:9"  # the discard port, where nobody listens


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def addresses(**env: str) -> str:
    findings = json.loads(ais("doctor", "--json", **env).stdout)
    (text,) = [item["found"] for item in findings if item["check"] == "addresses"]
    assert isinstance(text, str)
    return text


def test_without_any_server_there_is_none() -> None:
    assert addresses() == "none: everything stays on this machine"


def test_a_served_model_a_language_model_and_a_missing_model_are_listed() -> None:
    served = addresses(AIS_EMBEDDER_MODEL="https://ann:pass@models.example:8443/v1#m")
    asked = addresses(AIS_LLM_PROVIDER="anthropic", AIS_LLM_MODEL="m")
    claude = addresses(AIS_LLM_PROVIDER="claude")
    missing = addresses(AIS_EMBEDDER_MODEL="arctic-embed-s", HF_ENDPOINT="https://hub.example")

    assert served.startswith("https://models.example:8443: your messages and questions")
    assert asked.startswith("https://api.anthropic.com: threads")
    assert claude.startswith("whatever `claude -p` contacts")
    assert missing.startswith("https://hub.example, then pip's package index: to download arctic")


def test_a_model_on_this_machine_is_not_reached_through_a_proxy(project: Path) -> None:
    captured(project, said("rotate the keys", id_="m1"))

    with embedding_server() as server:
        found = ais("search", "keys", AIS_EMBEDDER_MODEL=server.url, http_proxy=NOWHERE)

    assert found.exit_code == 0, found.output
    assert server.sizes
