"""The wheel that users install: built, put into a fresh environment, and run with an empty home.

This downloads our dependencies, as `pip install ai-smartness` does: about a minute.
"""

import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from ai_smartness.ports import Embedder

ROOT = Path(__file__).parents[2]
NO_NETWORK = "Could not find a version that satisfies"


def run(*command: str | Path, cwd: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    run(*build, cwd=folder, env={**os.environ})
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture
def environment(tmp_path: Path, models_folder: Path) -> dict[str, str]:
    """Make an empty home; of the user's own, only the downloaded models are used."""
    home = tmp_path / "home"
    home.mkdir()
    passed = ("PIP_", "SSL_", "HTTP", "http", "NO_PROXY", "no_proxy", "LANG")
    return {
        **{name: value for name, value in os.environ.items() if name.startswith(passed)},
        "HOME": str(home),
        "PATH": f"{tmp_path / 'venv' / 'bin'}:{os.defpath}",
        "AIS_CACHE": str(models_folder.parent),
        "HF_HUB_OFFLINE": "1",
    }


def test_the_wheel_has_the_package_with_its_data_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"ai_smartness"}
    assert {"ai_smartness/py.typed", "ai_smartness/redact/vendors.txt"} <= set(names)
    packed = {name for name in names if ".dist-info/" not in name}
    source = ROOT / "src"
    assert packed == {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_is_installed_set_up_toured_and_removed(
    wheel: Path, tmp_path: Path, environment: dict[str, str], real_embedder: Embedder
) -> None:
    assert real_embedder.dimension
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    run("git", "init", "-q", ".", cwd=project, env=environment)
    _install(wheel, tmp_path / "venv", environment)

    def ais(*words: str) -> str:
        return run("ais", *words, cwd=project, env=environment)

    assert ais("--version") == f"ais {wheel.name.split('-')[1]}\n"
    ais("init", "--yes")
    assert (home / ".claude.json").exists()
    tour = ais("tour")
    assert "never be sent twice" in tour
    for line in tour.rpartition("\n\n")[2].splitlines()[1:]:
        assert run("sh", "-c", line[: line.index("  ", 2)], cwd=project, env=environment)
    ais("uninstall", "--yes")
    assert not (home / ".claude.json").exists()
    assert not (project / ".claude").exists()


def _install(wheel: Path, folder: Path, environment: dict[str, str]) -> None:
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent, env=environment)
    command: list[str | Path] = [
        folder / "bin" / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        wheel,
    ]
    if problem := _failure(command, environment):
        pytest.skip(f"the dependencies cannot be had here: {problem}")


def _failure(command: Sequence[str | Path], environment: dict[str, str]) -> str:
    """Run pip; return its last line if the package index could not be reached."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    assert NO_NETWORK in done.stderr, done.stderr
    return done.stderr.strip().splitlines()[-1]
