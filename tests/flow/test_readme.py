"""What the README shows is run, word for word."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_library_example_runs_as_it_is_printed(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    environment = {**os.environ, "AIS_HOME": str(tmp_path), "AIS_EMBEDDER_MODEL": "none"}

    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert "Drop JWT" in done.stdout.splitlines()[0]


def test_the_link_makes_the_command_known_in_every_folder(tmp_path: Path) -> None:
    clone, home = tmp_path / "clone", tmp_path / "home"
    (clone / ".venv").mkdir(parents=True)
    (clone / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    home.mkdir()
    (line,) = re.findall(r"^.*ln -s.*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    environment = {"HOME": str(home), "PATH": f"{home}/.local/bin:{os.defpath}"}

    done = subprocess.run(
        ["sh", "-ec", f"{line}; cd /; ais --version"],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ais ")


def test_the_first_commands_show_something_on_a_fresh_machine(tmp_path: Path) -> None:
    examples = re.findall(r"`scripts/run (.+?)`", (ROOT / "README.md").read_text())
    environment = {**os.environ, "AIS_HOME": str(tmp_path), "AIS_EMBEDDER_MODEL": "none"}

    assert examples
    for example in examples:
        done = subprocess.run(
            [sys.executable, "-m", "ai_smartness", *example.split()],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

        assert (done.returncode, done.stderr) == (0, "")
        assert len(done.stdout.splitlines()) > 1, example
