"""A day's work on a machine with a fresh HOME: nothing is sent, and nothing is left lying about.

`strace` watches every process, the native code of our dependencies included. Where it cannot be
run, the test that needs it is skipped by name; what lies in HOME is looked at all the same.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import working_day
from ai_smartness.adapters.embedders.model_cache import ModelCache
from ai_smartness.adapters.embedders.model_catalogue import DEFAULT_MODEL, LANGUAGES_MODEL
from ai_smartness.model.errors import StoreError
from ai_smartness.settings.paths import HomePaths
from transcripts import answer, prompt, written

if TYPE_CHECKING:
    from ai_smartness.ports import Embedder

PATIENCE_SECONDS = 900

OUR_FOLDERS = (".local/share/ai_smartness", ".config/ai_smartness", ".cache/ai_smartness")
CLIENT_FILES = ("code/demo/.env", ".claude", ".claude.json", "code/demo/.claude", "code/demo/.git")
"""The client's own files: `ais init` connects us there, and says so."""

LOCAL_LOOKUPS = {"/var/run/nscd/socket", "/run/nscd/socket"}
"""Where the C library asks for the name of a user's home; it is on this machine."""

TRACED = "trace=%network,open,openat,creat,rename,renameat,renameat2"


@dataclass(frozen=True, slots=True)
class Day:
    """The HOME of the day, and what strace saw; nothing if it cannot be run here."""

    home: Path
    trace: Path | None

    @property
    def calls(self) -> Iterator[str]:
        """The system calls that succeeded, or were at least tried."""
        if self.trace is None:
            pytest.skip("strace cannot be run here")
        with self.trace.open(errors="replace") as lines:
            for line in lines:
                call = line.partition(" ")[2].strip()
                if call and not call.startswith(("<...", "+++", "---")):
                    yield call


def can_trace(folder: Path) -> bool:
    strace = shutil.which("strace")
    command = [str(strace), "-f", "-o", str(folder / "probe"), "true"]
    return (
        bool(strace) and subprocess.run(command, check=False, capture_output=True).returncode == 0
    )


@pytest.fixture(scope="module")
def day(
    tmp_path_factory: pytest.TempPathFactory, user_shelf: ModelCache, models_folder: Path
) -> Day:
    try:
        for name in (DEFAULT_MODEL, LANGUAGES_MODEL):
            user_shelf.pull_model(name)
    except StoreError as error:
        pytest.skip(f"the real model is needed and cannot be had: {error}")
    folder = tmp_path_factory.mktemp("day")
    home, temporary = folder / "home", folder / "tmp"
    project = home / "code" / "demo"
    (project / ".git").mkdir(parents=True)
    temporary.mkdir()
    (project / ".env").write_text("AIS_EMBEDDER_MODEL=http://127.0.0.1:9/v1#m\n")
    cache = home / ".cache" / "ai_smartness"
    cache.mkdir(mode=0o700, parents=True)
    (cache / "models").symlink_to(models_folder)
    written(
        home / ".claude" / "projects" / "-demo" / "s.jsonl",
        [prompt("bill in cents", cwd=str(project)), answer("Cents it is.", cwd=str(project))],
    )
    trace = folder / "trace" if can_trace(folder) else None
    watch = ["strace", "-f", "--seccomp-bpf", "-qq", "-s", "300", "-e", TRACED, "-o", str(trace)]
    done = subprocess.run(
        [*(watch if trace else []), sys.executable, str(working_day.__file__), str(project)],
        env={"HOME": str(home), "PATH": os.environ["PATH"], "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Day(home, trace)


def test_after_a_days_work_home_has_our_folders_and_nothing_else(day: Day) -> None:
    ours = [day.home / name for name in (*OUR_FOLDERS, *CLIENT_FILES)]

    strange = [
        path
        for path in day.home.rglob("*")
        if not path.is_dir() and not any(path.is_relative_to(folder) for folder in ours)
    ]

    assert strange == []


def test_no_process_opens_a_socket_but_our_own_unix_socket(day: Day) -> None:
    ours = HomePaths(str(day.home / ".local" / "share" / "ai_smartness")).socket
    calls = list(day.calls)

    opened = {call for call in calls if call.startswith("socket(")}
    families = {re.match(r"socket\((\w+)", call)[1] for call in opened}  # type: ignore[index]
    reached = {
        match[1]
        for call in calls
        if call.startswith(("connect(", "bind("))
        and (match := re.search(r'sun_path=@?"([^"]*)"', call))
    }
    addressed = [call for call in calls if "AF_INET" in call]

    assert families == {"AF_UNIX"}
    # The daemon makes its socket under another name first.
    assert reached - LOCAL_LOOKUPS == {ours, f"{ours}.new"}
    assert addressed == []


def test_nothing_is_written_outside_of_our_folders(day: Day) -> None:
    folders = [day.home / name for name in (*OUR_FOLDERS, *CLIENT_FILES)]
    folders += [day.home.parent / "tmp", Path("/dev"), Path("/proc")]

    strange = {
        path
        for call in day.calls
        for path in _written_paths(call)
        if not any(path.is_relative_to(folder) for folder in folders) and not _is_draft(path, day)
    }

    assert strange == set()


def test_no_file_of_environment_variables_is_read(day: Day) -> None:
    assert [call for call in day.calls if '.env"' in call] == []


def test_in_the_library_alone_no_socket_is_made_and_nothing_is_left(
    tmp_path: Path, real_embedder: "Embedder", models_folder: Path
) -> None:
    assert real_embedder.space
    watching = f"""
import sys
sys.addaudithook(lambda event, _: sys.exit(event) if event.startswith("socket.") else None)
{working_day.LIBRARY}"""
    home, project = tmp_path / "home", tmp_path / "code"
    project.mkdir()
    environ = {"HOME": str(home), "PATH": os.defpath, "AIS_CACHE": str(models_folder.parent)}

    done = subprocess.run(
        [sys.executable, "-c", watching],
        cwd=project,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in home.iterdir()] == [".local"]
    assert [path.name for path in (home / ".local" / "share").iterdir()] == ["ai_smartness"]


def _written_paths(call: str) -> Iterator[Path]:
    """Yield the absolute paths that a call made or opened to write to."""
    makes = call.startswith(("creat", "rename"))
    opens = call.startswith("open") and re.search(r"O_(WRONLY|RDWR|CREAT)", call)
    if (makes or opens) and "= -1" not in call:
        yield from (Path(path) for path in re.findall(r'"(/[^"]*)"', call))


def _is_draft(path: Path, day: Day) -> bool:
    """Recognise what Python compiles, and the copy of a client's file before it is renamed."""
    is_copy = path.parent == day.home and path.name.startswith("..claude.json.")
    return is_copy or path.parent.name == "__pycache__"
