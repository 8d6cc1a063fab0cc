"""The hook loads its modules from one file that an earlier hook wrote, and never old ones."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ai_smartness
from hooking import an_event

PROMPT = an_event("UserPromptSubmit", prompt="which port does the till use?")
COMMAND = an_event(
    "PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response={"stdout": "a.py"}
)


class Installation:
    """A copy of the package, whose hook is run as a client runs it."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "site" / "ai_smartness"
        self._home = folder / "home"
        self._project = folder / "project"
        self._project.mkdir()
        source = Path(ai_smartness.__file__).parent
        shutil.copytree(source, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        self.hooks = self.package / "entrypoints" / "hooks"

    def run(self, event: dict[str, object], *options: str) -> None:
        """Run the hook on an event; no daemon is started."""
        (self._home / "run").mkdir(parents=True, exist_ok=True)
        (self._home / "run" / "starting").touch()
        program = [sys.executable, "-S", "-E", "-I", *options, str(self.hooks / "main.py")]
        event = {**event, "session_id": "s1", "cwd": str(self._project)}
        subprocess.run(
            [*program, "--home", str(self._home)],
            input=json.dumps(event).encode(),
            check=True,
            capture_output=True,
        )

    def log_lines(self, name: str = "hook.log") -> int:
        """Count the runs that came to their end."""
        file = self._home / "logs" / name
        return len(file.read_text().splitlines()) if file.exists() else 0

    @property
    def cache(self) -> Path | None:
        """Return the file with the modules."""
        return next((self.hooks / "__pycache__").glob("hook-*.modules"), None)

    def break_unnoticed(self, source: Path) -> None:
        """Replace a source by nonsense of the same size and time, and remove its compiled code."""
        status = source.stat()
        source.write_bytes(b"(" * status.st_size)
        os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns))
        for compiled in (source.parent / "__pycache__").glob(f"{source.stem}.*.pyc"):
            compiled.unlink()


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path)


def test_the_second_run_reads_the_modules_of_the_first_from_one_file(
    installation: Installation,
) -> None:
    installation.run(COMMAND)
    for name in ("entrypoints/hooks/run.py", "clients/tool_use.py"):
        installation.break_unnoticed(installation.package / name)

    installation.run(COMMAND)

    assert installation.log_lines() == 2


def test_a_module_that_has_changed_is_loaded_as_it_is_now(installation: Installation) -> None:
    installation.run(COMMAND)
    source = installation.hooks / "run.py"
    source.write_text(source.read_text().replace('"hook.log"', '"hook.new"'))

    for _ in range(2):
        installation.run(COMMAND)

    assert installation.log_lines() == 1
    assert installation.log_lines("hook.new") == 2


@pytest.mark.parametrize("contents", [b"", b"\0\0\0\4abcd", b"\xff" * 100, None])
def test_a_damaged_file_does_no_harm_and_is_replaced(
    installation: Installation, contents: bytes | None
) -> None:
    installation.run(COMMAND)
    cache = installation.cache
    assert cache is not None
    whole = cache.read_bytes()
    cache.write_bytes(whole[: len(whole) // 2] if contents is None else contents)

    for _ in range(2):
        installation.run(COMMAND)

    assert installation.log_lines() == 3
    assert len(cache.read_bytes()) == len(whole)


def test_events_of_several_kinds_share_the_file(installation: Installation) -> None:
    for event in (COMMAND, PROMPT):
        installation.run(event)
    cache = installation.cache
    assert cache is not None
    written = cache.stat().st_mtime_ns

    for event in (COMMAND, PROMPT):
        installation.run(event)

    assert cache.stat().st_mtime_ns == written
    assert installation.log_lines() == 4


def test_where_python_writes_no_compiled_code_neither_does_the_hook(
    installation: Installation,
) -> None:
    for _ in range(2):
        installation.run(COMMAND, "-B")

    assert installation.cache is None
    assert installation.log_lines() == 2
