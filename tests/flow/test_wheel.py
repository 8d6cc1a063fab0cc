"""The wheel that users install: built, put into a fresh environment, and run with an empty home.

This downloads our dependencies, as `pip install ai-smartness` does: about a minute. The size of the
installation is that of all files with their bytecode, as pip and pipx leave them, and of both
models; pip itself, which pipx and uv keep elsewhere, does not count.
"""

import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from ai_smartness.adapters.embedders.model_catalogue import (
    CATALOGUE,
    DEFAULT_MODEL,
    LANGUAGES_MODEL,
)
from ai_smartness.ports import Embedder

ROOT = Path(__file__).parents[2]
MOST_BYTES = 250_000_000
MODELS = (DEFAULT_MODEL, LANGUAGES_MODEL)
INSTALLERS = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
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
def environment(tmp_path: Path) -> dict[str, str]:
    """Make an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    passed = ("PIP_", "SSL_", "HTTP", "http", "NO_PROXY", "no_proxy", "LANG")
    return {
        **{name: value for name, value in os.environ.items() if name.startswith(passed)},
        "HOME": str(home),
        "PATH": f"{tmp_path / 'venv' / 'bin'}:{os.defpath}",
        "AIS_CACHE": str(tmp_path / "cache"),
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
    wheel: Path,
    tmp_path: Path,
    environment: dict[str, str],
    models_folder: Path,
    embedder_of_two_models: Embedder,
) -> None:
    assert embedder_of_two_models.other_languages
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    run("git", "init", "-q", ".", cwd=project, env=environment)
    _install(wheel, tmp_path / "venv", environment)

    def ais(*words: str) -> str:
        return run("ais", *words, cwd=project, env=environment)

    assert ais("--version") == f"ais {wheel.name.split('-')[1]}\n"
    for model in MODELS:
        ais("model", "pull", model, "--from", str(models_folder / CATALOGUE[model].space))
    ais("init", "--yes")
    assert (home / ".claude.json").exists()
    tour = ais("tour")
    assert "never be sent twice" in tour
    for line in tour.rpartition("\n\n")[2].splitlines()[1:]:
        assert run("sh", "-c", line[: line.index("  ", 2)], cwd=project, env=environment)
    ais("uninstall", "--yes")
    assert not (home / ".claude.json").exists()
    assert not (project / ".claude").exists()
    size = _bytes_in(tmp_path / "venv") + _bytes_in(tmp_path / "cache")
    assert size < MOST_BYTES


def _bytes_in(folder: Path) -> int:
    """Return the size of all files in a folder, but for the programs that install."""
    return sum(
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file()
        and not path.is_symlink()
        and not any(part.split("-")[0] in INSTALLERS for part in path.parts)
    )


def _install(wheel: Path, folder: Path, environment: dict[str, str]) -> None:
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent, env=environment)
    command: list[str | Path] = [
        folder / "bin" / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
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
