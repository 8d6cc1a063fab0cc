"""Get, choose and remove a model on the command line."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ai_smartness.ports import Embedder
from builders import said
from command_line import ais, captured, standing_in_a_project, three_threads
from embedding_server import Asked, Said, embedding_server

DEFAULT = "arctic-embed-s"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = standing_in_a_project(tmp_path, monkeypatch)
    monkeypatch.delenv("AIS_EMBEDDER_MODEL")
    return root


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Leave pip and the hub nowhere to ask."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def pulled(real_embedder: Embedder, models_folder: Path, tmp_path: Path) -> Path:
    """Have the default model in the cache, and return its folder."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "models").symlink_to(models_folder)
    return models_folder / real_embedder.space


def junk_on_the_shelf(tmp_path: Path) -> Path:
    """Put files with the right names and the wrong content where the default model belongs."""
    folder = tmp_path / "cache" / "models" / "arctic-embed-s@f93ff2253206"
    folder.mkdir(parents=True)
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).write_bytes(b"junk")
    return folder


def chosen() -> str:
    return ais("config", "get", "embedder.model").stdout.strip()


def status() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(ais("status", "--json").stdout)
    return told


def another(server: Asked) -> str:
    """Name another model of the same server: its vectors are a space of their own."""
    return server.url.replace("#hashes", "#others")


def test_the_models_are_listed_with_how_they_stand(tmp_path: Path) -> None:
    bare = ais("model").stdout
    junk_on_the_shelf(tmp_path)
    listed = {each["name"]: each for each in json.loads(ais("model", "list", "--json").stdout)}

    assert re.search(rf"{DEFAULT} +34.8 MB +384 +English +Apache-2.0 +in use, not downloaded", bare)
    assert re.search(r"potion-multilingual .* MIT +in use, not downloaded", bare)
    assert (listed[DEFAULT]["pulled"], listed[DEFAULT]["in_use"]) == (True, True)
    assert listed["all-minilm-l6-v2"]["pulled"] is False


def test_the_list_names_where_each_model_comes_from_and_its_checksums(tmp_path: Path) -> None:
    before = ais("model").stdout
    junk_on_the_shelf(tmp_path)
    unknown = ais("model").stdout
    (tmp_path / "cache/models/arctic-embed-s@f93ff2253206/origin.json").write_text(
        '{"origin": "the wheel bot-brain==0.8.0"}'
    )
    listed = {each["name"]: each for each in json.loads(ais("model", "list", "--json").stdout)}

    assert (
        f"{DEFAULT} is not downloaded. It would come from the model hub (Snowflake/"
        "snowflake-arctic-embed-s, revision e596f5074675), or else from the wheel bot-brain==0.8.0."
    ) in before
    sha256 = "f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14"
    assert f"  model.onnx\n    sha256 {sha256}\n" in before
    assert f"{DEFAULT} was downloaded by an earlier version, which did not record from where." in (
        unknown
    )
    assert listed[DEFAULT]["origin"] == "the wheel bot-brain==0.8.0"
    assert listed["all-minilm-l6-v2"]["origin"] is None
    assert listed["all-minilm-l6-v2"]["sources"] == ["the wheel hybriddb==0.10.0"]
    assert listed["potion-multilingual"]["files"][0] == {
        "name": "vectors.npy",
        "sha256": "cfc770898ca92f9c254bab33a38e44532e6fca256f987937a6bce191bea0211c",
        "size": 30_450_816,
    }
    assert f"{DEFAULT} is from the wheel bot-brain==0.8.0." in ais("model").stdout


@pytest.mark.usefixtures("offline")
def test_a_model_of_the_catalogue_is_pulled_from_a_folder_without_a_connection(
    real_embedder: Embedder, models_folder: Path
) -> None:
    ran = ais("model", "pull", DEFAULT, "--from", str(models_folder / real_embedder.space))

    assert ran.stdout == f"{DEFAULT} is copied from the folder and verified.\n"
    assert f"{DEFAULT} is from the folder {models_folder}" in ais("model").stdout


def test_a_folder_in_use_is_listed_with_its_own_checksums(project: Path) -> None:
    (project / "mine").mkdir()
    (project / "mine" / "model.onnx").write_bytes(b"weights")
    (project / "mine" / "tokenizer.json").write_bytes(b"words")
    ais("config", "set", "embedder.model", str(project / "mine"))

    mine = json.loads(ais("model", "list", "--json").stdout)[-1]

    assert (mine["origin"], mine["size"]) == (f"the folder {project / 'mine'}", 12)
    assert mine["files"][0] == {
        "name": "model.onnx",
        "sha256": "9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c",
        "size": 7,
    }


def test_a_model_that_is_not_of_the_catalogue_is_listed_when_it_is_in_use() -> None:
    ais("model", "use", "none")

    shown = ais("model").stdout

    assert shown.splitlines()[4].split() == ["none", "in", "use"]
    assert "none: Search is by keyword only." in shown


@pytest.mark.usefixtures("offline")
def test_a_model_that_cannot_be_got_is_an_error_with_each_sources_reason() -> None:
    ran = ais("model", "pull", DEFAULT)

    assert ran.exit_code == 1
    assert (
        "- the model hub (Snowflake/snowflake-arctic-embed-s, revision e596f5074675): "
        in ran.stderr
    )
    assert "- the wheel bot-brain==0.8.0: " in ran.stderr


@pytest.mark.usefixtures("pulled")
def test_a_model_that_is_here_is_verified_and_not_said_to_be_downloaded() -> None:
    pulled = ais("model", "pull", DEFAULT)
    begun = ais("init", "--no-hooks", AIS_EMBEDDER_MODEL=DEFAULT)

    assert pulled.stdout == f"{DEFAULT} is here already, and intact.\n"
    assert f"model   {DEFAULT}, here already and intact\n" in begun.stdout
    assert "download" not in begun.stdout.partition("potion")[0]


def test_a_cache_that_cannot_be_written_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    ran = ais("model", "pull", DEFAULT, AIS_CACHE=str(tmp_path / "file"))

    assert ran.exit_code == 1
    assert "AIS_CACHE" in ran.stderr


def test_switching_embeds_everything_and_drops_the_old_vectors(project: Path) -> None:
    three_threads(project)
    captured("other", said("elsewhere"))

    with embedding_server() as server:
        first = ais("model", "use", server.url)
        before = status()
        second = ais("model", "use", another(server))
        after = status()
        found = ais("search", "rotate", "keys", "--why")

    assert first.stdout.startswith("5 messages embedded.\n")
    assert (before["vectors"], before["waiting"]) == ({"http:hashes@96": 5}, 0)
    assert second.stdout.endswith("5 vectors of other models dropped.\n")
    assert chosen() == another(server)
    assert (after["vectors"], after["waiting"]) == ({"http:others@96": 5}, 0)
    assert "meaning #1" in found.stdout


def test_old_vectors_can_be_kept_to_go_back_soon(project: Path) -> None:
    three_threads(project)

    with embedding_server() as server:
        ais("model", "use", server.url)
        ais("model", "use", another(server), "--keep-old")
        kept = status()["vectors"]
        back = ais("model", "use", server.url)

    assert kept == {"http:hashes@96": 4, "http:others@96": 4}
    assert back.stdout.startswith("0 messages embedded.\n")


def test_without_a_model_the_search_is_by_words(project: Path) -> None:
    three_threads(project)

    ran = ais("model", "use", "none")

    assert ran.exit_code == 0
    assert chosen() == "none"
    assert ais("search", "keys").stdout.splitlines()[1].endswith(", message m1, session s1")


def test_a_folder_is_written_down_so_that_it_is_found_from_everywhere(
    pulled: Path, project: Path
) -> None:
    three_threads(project)
    (project / "mine").symlink_to(pulled)

    ran = ais("model", "use", "mine")

    assert ran.stdout.startswith("4 messages embedded.\n")
    assert chosen() == str(project / "mine")


@pytest.mark.usefixtures("pulled")
def test_a_model_of_the_catalogue_is_used_by_its_name(project: Path) -> None:
    ais("config", "set", "embedder.model", "none")
    three_threads(project)

    ran = ais("model", "use", DEFAULT)

    assert ran.stdout.startswith("4 messages embedded.\n")
    assert status()["embedder"]["state"] == "ready"


@pytest.mark.parametrize(
    ("choice", "code", "told"),
    [
        ("gpt-9", 3, "there is no model 'gpt-9'"),
        ("./nowhere", 3, "there is no model folder"),
        ("~nobody-like-that/model", 1, "not accessible"),
        ("http://127.0.0.1:9/v1#gone", 1, "Start the server"),
        ("http://127.0.0.1:9/v1", 1, "which model"),
        (" none", 1, "without blanks"),
    ],
)
def test_what_cannot_be_used_leaves_the_setting_as_it_was(
    choice: str, code: int, told: str
) -> None:
    ran = ais("model", "use", choice)

    assert ran.exit_code == code
    assert told in ran.stderr
    assert chosen() == DEFAULT


def test_a_server_without_sense_leaves_the_setting_as_it_was() -> None:
    nothing = json.dumps({"data": [{"index": 0, "embedding": [0.0, 0.0]}]}).encode()

    with embedding_server(Said(200, nothing)) as server:
        ran = ais("model", "use", server.url)

    assert ran.exit_code == 1
    assert "its vectors have no length" in ran.stderr
    assert chosen() == DEFAULT


def test_what_the_environment_says_wins_and_keeps_its_vectors(project: Path) -> None:
    three_threads(project)

    with embedding_server() as server:
        ais("model", "use", server.url)
        ran = ais("model", "use", another(server), AIS_EMBEDDER_MODEL=server.url)
        kept = status()["vectors"]

    assert ran.exit_code == 0
    assert "AIS_EMBEDDER_MODEL overrides this value" in ran.stderr
    assert kept == {"http:hashes@96": 4, "http:others@96": 4}


class Interrupting(list[int]):
    """What a server was asked; at one request it interrupts who is asking."""

    def __init__(self, at: int) -> None:
        self._at = at
        self.asking: subprocess.Popen[bytes] | None = None

    def append(self, size: int) -> None:
        super().append(size)
        if len(self) == self._at and self.asking:
            self.asking.send_signal(signal.SIGINT)


def test_an_interrupted_switch_changes_nothing_and_goes_on_where_it_stopped(project: Path) -> None:
    captured(project, *(said(f"message {number}", id_=f"m{number}") for number in range(300)))
    source = str(Path(__file__).parents[2] / "src")

    with embedding_server() as server:
        ais("model", "use", server.url)
        before = status()
        server.sizes = asked = Interrupting(at=8)  # after the first batch, within the second
        with subprocess.Popen(
            [sys.executable, "-m", "ai_smartness", "model", "use", another(server)],
            env={**os.environ, "PYTHONPATH": source},
            stderr=subprocess.PIPE,
        ) as asked.asking:
            assert asked.asking.stderr
            said_last = asked.asking.stderr.read()
        interrupted = status()
        again = ais("model", "use", another(server))

    assert asked.asking.returncode == 130
    assert b"Traceback" not in said_last
    assert interrupted["embedder"] == before["embedder"]
    assert interrupted["waiting"] == 0
    assert interrupted["vectors"] == {"http:hashes@96": 300, "http:others@96": 128}
    assert again.stdout.startswith("172 messages embedded.\n")


def test_the_model_in_use_is_removed_only_by_force(tmp_path: Path) -> None:
    folder = junk_on_the_shelf(tmp_path)

    refused = ais("model", "remove", DEFAULT)
    kept = folder.exists()
    forced = ais("model", "remove", DEFAULT, "--force")

    assert refused.exit_code == 1
    assert "it is in use" in refused.stderr
    assert kept
    assert forced.stdout == f"{DEFAULT} is removed.\n"
    assert not folder.exists()


def test_removing_what_is_not_here_says_so() -> None:
    assert (
        ais("model", "remove", "all-minilm-l6-v2").stdout
        == "all-minilm-l6-v2 was not downloaded.\n"
    )
    assert ais("model", "remove", "gpt-9").exit_code == 3
