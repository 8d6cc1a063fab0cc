"""Prepare a machine with `ais init`, and have it examined by `ais doctor`."""

import json
import stat
from pathlib import Path

import pytest

from builders import said
from command_line import ais, captured, standing_in_a_project, three_threads
from embedding_server import embedding_server

DEFAULT = "arctic-embed-s"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Prepare the memory."""
    assert ais("init").exit_code == 0
    return tmp_path / "home"


def problems(**env: str) -> dict[str, str]:
    """Examine, and return what is wrong."""
    ran = ais("doctor", "--json", **env)
    found = {each["check"]: each["found"] for each in json.loads(ran.stdout) if not each["ok"]}
    assert ran.exit_code == (1 if found else 0)
    return found


@pytest.mark.usefixtures("home")
def test_a_prepared_memory_has_no_problem(project: Path) -> None:
    three_threads(project)

    with embedding_server() as server:
        ran = ais("doctor", AIS_EMBEDDER_MODEL=server.url)

    assert ran.exit_code == 0
    assert {line.split()[0] for line in ran.stdout.splitlines()[1:]} == {"ok"}
    assert "http:hashes@96" in ran.stdout
    assert "4 messages of this project to be embedded" in ran.stdout


def test_what_is_not_there_yet_is_a_problem_with_its_remedy(tmp_path: Path) -> None:
    found = problems(AIS_EMBEDDER_MODEL=DEFAULT)

    assert set(found) == {"folder", "model", "memory"}
    assert "`ais init`" in found["memory"]
    assert f"`ais model pull {DEFAULT}`" in found["model"]
    assert not (tmp_path / "home").exists()


def test_what_others_can_read_is_a_problem(home: Path) -> None:
    home.chmod(0o755)
    (home / "memory.db").chmod(0o644)

    found = problems()

    assert f"`chmod 700 {home}`" in found["folder"]
    assert f"`chmod 600 {home}/memory.db`" in found["memory"]


def test_a_damaged_file_is_a_problem(home: Path, project: Path) -> None:
    captured(project, *(said(f"message {number} " * 50) for number in range(200)))
    file = home / "memory.db"
    contents = bytearray(file.read_bytes())
    contents[8 * 4096 :] = b"\x55" * (len(contents) - 8 * 4096)
    file.write_bytes(contents)

    assert "damaged" in problems()["memory"]


def test_a_file_that_is_no_memory_is_a_problem(home: Path) -> None:
    (home / "memory.db").write_text("not a database, but long enough to be taken for one" * 100)

    assert "is not a memory" in problems()["memory"]


def test_a_home_that_is_a_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert "is not a folder" in problems(AIS_HOME=str(tmp_path / "file"))["folder"]


def test_broken_settings_are_a_problem_and_the_rest_is_examined_all_the_same(home: Path) -> None:
    (home / "config.toml").write_text("[embedder]\nthreads = 99\nmodle = 1\n")

    found = problems()

    assert set(found) == {"settings"}
    assert "embedder.threads" in found["settings"]
    assert "embedder.modle" in found["settings"]


@pytest.mark.usefixtures("home")
def test_a_model_whose_files_have_changed_is_a_problem(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "models" / "arctic-embed-s@f93ff2253206"
    folder.mkdir(parents=True)
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).write_bytes(b"junk")

    assert "has the sha256" in problems(AIS_EMBEDDER_MODEL=DEFAULT)["model"]


@pytest.mark.usefixtures("home")
def test_a_large_backlog_is_a_problem(project: Path) -> None:
    captured(project, *(said(f"message {number}", id_=f"m{number}") for number in range(201)))

    with embedding_server() as server:
        found = problems(AIS_EMBEDDER_MODEL=server.url)

    assert found == {
        "waiting": "201 messages of this project to be embedded. Run `ais reindex --missing`."
    }


def test_init_makes_a_memory_for_its_owner_alone(tmp_path: Path) -> None:
    ran = ais("init")

    home = tmp_path / "home"
    assert ran.exit_code == 0
    assert f"memory  {home / 'memory.db'}" in ran.stdout
    assert ran.stdout.splitlines()[-4:][0] == "Next:"
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "memory.db").stat().st_mode) == 0o600


def test_init_again_changes_nothing(home: Path, project: Path) -> None:
    three_threads(project)
    before = (home / "memory.db").read_bytes()

    ran = ais("init")

    assert ran.exit_code == 0
    assert (home / "memory.db").read_bytes() == before


def test_without_a_connection_init_says_that_words_are_enough(tmp_path: Path) -> None:
    ran = ais(
        "init",
        AIS_EMBEDDER_MODEL=DEFAULT,
        PIP_NO_INDEX="1",
        PIP_FIND_LINKS=str(tmp_path),
        HF_HUB_OFFLINE="1",
    )

    assert ran.exit_code == 0
    assert "everything works by words alone" in ran.stdout
    assert "the wheel bot-brain==0.8.0: " in ran.stderr
    assert f"`ais model pull {DEFAULT}`" in ran.stderr
