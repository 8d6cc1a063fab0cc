"""Commands that are run inside a hostile repository run none of its programs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EVIL = "import pathlib; pathlib.Path({mark!r}).touch()\n"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Make a repository with modules in it that are named as those we start."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    evil = EVIL.format(mark=str(tmp_path / "ran"))
    for name in ("pip", "json", "ai_smartness", "sitecustomize"):
        (folder / f"{name}.py").write_text(evil)
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "init", "-q"], check=True)
    hook = folder / "monitor"
    hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    hook.chmod(0o755)
    subprocess.run([*git, "config", "core.fsmonitor", str(hook)], check=True)
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ["model", "pull", "arctic-embed-s"],
        ["init", "--yes", "--no-import"],
        ["status"],
        ["doctor"],
    ],
    ids=" ".join,
)
def test_no_module_and_no_program_of_the_repository_is_run(
    hostile: Path, tmp_path: Path, command: list[str]
) -> None:
    ais = Path(sys.executable).with_name("ais")
    home = tmp_path / "home"
    home.mkdir()
    environ = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "AIS_CLAUDE": "",
        "HF_HUB_OFFLINE": "1",
        "PIP_NO_INDEX": "1",
        "PIP_CONFIG_FILE": os.devnull,
    }

    subprocess.run([ais, *command], cwd=hostile, env=environ, check=False, capture_output=True)

    assert not (tmp_path / "ran").exists()
