"""Prepare a machine with `ais init`, and have it examined by `ais doctor`."""

import fcntl
import json
import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ai_smartness.settings.paths import HomePaths
from builders import said
from command_line import ais, captured, standing_in_a_project, three_threads
from embedding_server import embedding_server
from fake_client import client_saying
from hooking import HOOK, an_event, hooked

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
    assert "4 messages of this project not embedded yet" in ran.stdout


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
        "waiting": "201 messages of this project not embedded yet. Run `ais reindex --missing`."
    }


@pytest.mark.usefixtures("home")
def test_another_program_that_is_called_ai_is_named_and_is_no_problem(tmp_path: Path) -> None:
    other = tmp_path / "bin" / "ai"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\necho another\n")
    other.chmod(0o755)

    path = f"{other.parent}:{os.environ['PATH']}"
    alone, beside = ais("doctor"), ais("doctor", PATH=path)

    assert (alone.exit_code, beside.exit_code) == (0, 0)
    assert "another program" not in alone.stdout
    assert f"ais; `ai` is another program here, {other}" in beside.stdout


@pytest.mark.usefixtures("home")
def test_without_its_folder_on_the_path_the_command_is_named_by_its_path(tmp_path: Path) -> None:
    ran = ais("doctor", PATH=str(tmp_path))

    own = Path(sys.executable).parent / "ais"
    assert f"{own}; `ais` is not on your PATH" in ran.stdout


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
    assert "search is by keyword" in ran.stdout
    assert "the wheel bot-brain==0.8.0: " in ran.stderr
    assert f"`ais model pull {DEFAULT}`" in ran.stderr


def hook_log(home: Path, *lines: str) -> None:
    """Write what the hook says of its runs."""
    (home / "logs").mkdir(mode=0o700, exist_ok=True)
    file = home / "logs" / "hook.log"
    file.write_text("".join(f"2026-11-16T03:18:0{n}Z {line}\n" for n, line in enumerate(lines)))
    file.chmod(0o600)


def found(check: str, **env: str) -> str:
    """Examine, and return what one check found."""
    checks = json.loads(ais("doctor", "--json", **env).stdout)
    return next(str(each["found"]) for each in checks if each["check"] == check)


@pytest.fixture
def connected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Connect a new client, and return its settings."""
    monkeypatch.setenv("AIS_CLAUDE", client_saying(tmp_path, "2.1.325 (Claude Code)"))
    assert ais("init", "--yes").exit_code == 0
    return tmp_path / "code" / "demo" / ".claude" / "settings.local.json"


@pytest.mark.usefixtures("home")
def test_a_client_that_is_not_connected_is_a_problem(tmp_path: Path) -> None:
    said = problems(AIS_CLAUDE=client_saying(tmp_path, "2.1.325 (Claude Code)"))

    assert set(said) == {"hooks", "tools"}
    assert all("`ais init`" in each for each in said.values())


def test_a_connected_client_is_none(connected: Path) -> None:
    assert problems() == {}
    assert found("hooks") == f"in {connected}"
    assert found("client").startswith("Claude Code 2.1.325, ")
    assert found("daemon") == "not running; a hook starts it"


def test_a_client_updated_since_is_a_problem(tmp_path: Path, connected: Path) -> None:
    said = problems(AIS_CLAUDE=client_saying(tmp_path, "2.1.100 (Claude Code)"))

    assert str(connected) in said["hooks"]
    assert "Run `ais init` again" in said["hooks"]


@pytest.mark.usefixtures("connected")
def test_a_client_that_is_too_old_is_a_problem(tmp_path: Path) -> None:
    said = problems(AIS_CLAUDE=client_saying(tmp_path, "2.1.40 (Claude Code)"))

    assert "2.1.41 is needed" in said["client"]


@pytest.mark.usefixtures("home")
def test_a_client_that_does_not_start_is_a_problem() -> None:
    assert "did not start" in problems(AIS_CLAUDE="/no/such/claude")["client"]


def test_hooks_that_are_switched_off_are_a_problem(tmp_path: Path, connected: Path) -> None:
    assert connected.exists()
    user = tmp_path / "claude" / "settings.json"
    user.write_text('{"disableAllHooks": true}')

    assert f"{user} switches all hooks off" in problems()["hooks"]


def test_settings_that_the_client_cannot_read_are_a_problem(connected: Path) -> None:
    connected.write_text("{")

    assert "is not JSON" in problems()["hooks"]


def test_runs_of_the_hook_are_counted_and_timed(home: Path) -> None:
    hook_log(home, *(f"event=Stop took_ms={ms}.0 by=daemon" for ms in (20, 30, 40)))

    assert found("hook runs") == "3 runs in the log, the last for Stop at 2026-11-16T03:18:02Z"
    assert found("hook time") == "p50 30 ms, p95 40 ms, of 3 runs"
    assert found("errors") == "none"


def test_late_and_silent_prompts_are_counted_with_their_reasons(home: Path) -> None:
    prompt = "event=UserPromptSubmit took_ms=20.0"
    hook_log(home, f"{prompt} answered=9 by=daemon", f"{prompt} answered=9 by=words:late")

    text = (
        "2 in the log: 1 answered by the daemon, 1 by keywords (the daemon was late: 1), 0 silent"
    )
    assert found("prompts") == text
    assert f"prompts    {text}\n" in ais("status").stdout
    counts = json.loads(ais("status", "--json").stdout)["prompts"]
    assert (counts["total"], counts["daemon"], counts["keywords"]["late"]) == (2, 1, 1)


def test_a_hook_that_really_runs_is_seen(connected: Path, project: Path) -> None:
    hook = json.loads(connected.read_text())["hooks"]["SessionEnd"][0]["hooks"][0]
    event = {"hook_event_name": "SessionEnd", "session_id": "s", "cwd": str(project)}
    home = hook["args"][-1]

    subprocess.run(
        [hook["command"], *hook["args"]], input=json.dumps(event).encode(), env={}, check=True
    )

    assert found("hook runs").startswith("1 run in the log, the last for SessionEnd at ")
    assert problems() == {}
    assert Path(home, "inbox").is_dir()


def test_a_run_of_the_hook_in_another_project_is_not_shown_in_this_one(
    connected: Path, tmp_path: Path
) -> None:
    hook = json.loads(connected.read_text())["hooks"]["SessionEnd"][0]["hooks"][0]
    (tmp_path / "other" / ".git").mkdir(parents=True)
    event = {"hook_event_name": "SessionEnd", "session_id": "s", "cwd": str(tmp_path / "other")}

    subprocess.run(
        [hook["command"], *hook["args"]], input=json.dumps(event).encode(), env={}, check=True
    )

    assert found("hook runs") == "none yet: start the client in a connected project"


def test_a_slow_hook_is_a_problem(home: Path) -> None:
    hook_log(home, "event=Stop took_ms=900.0")

    assert "too slow" in problems()["hook time"]


def test_the_last_error_is_a_problem_until_a_run_goes_well(home: Path) -> None:
    bad = "event=Stop took_ms=9.0 trouble_keep=OSError:_disk_full"
    hook_log(home, bad)
    assert "OSError:_disk_full" in problems()["errors"]

    hook_log(home, bad, "event=Stop took_ms=9.0")

    assert problems() == {}
    assert found("errors").endswith("1 run succeeded since")


def test_a_log_that_others_can_read_is_a_problem(home: Path) -> None:
    hook_log(home, "event=Stop took_ms=9.0")
    (home / "logs" / "hook.log").chmod(0o644)

    assert f"`chmod 600 {home}/logs/hook.log`" in problems()["permissions"]


def test_a_daemon_that_holds_the_memory_and_is_mute_is_a_problem(home: Path) -> None:
    (home / "run").mkdir(mode=0o700)
    lock = os.open(home / "run" / "daemon.lock", os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)

    said = problems()

    os.close(lock)
    assert "`ais daemon stop`" in said["daemon"]


@pytest.mark.usefixtures("home")
def test_a_running_daemon_is_said_to_run() -> None:
    # In a process of its own: the daemon would be this one's child, and never be let go.
    subprocess.run([sys.executable, "-m", "ai_smartness", "daemon", "start"], check=True)

    said = found("daemon")
    wrong = problems()
    ais("daemon", "stop")

    assert re.fullmatch(r"running, version \S+, since \d{4}-\d\d-\d\d \d\d:\d\d UTC", said)
    assert wrong == {}


@pytest.mark.usefixtures("connected")
def test_tools_that_are_registered_answer() -> None:
    assert found("server").startswith("answers as ai_smartness")


@pytest.mark.usefixtures("connected")
def test_tools_of_another_memory_are_a_problem(tmp_path: Path) -> None:
    ais("--home", str(tmp_path / "second"), "init", "--no-hooks")

    said = problems(AIS_HOME=str(tmp_path / "second"))

    assert "of another installation or memory. Run `ais init` again." in said["tools"]


@pytest.mark.usefixtures("connected")
def test_tools_that_were_switched_off_are_a_problem(tmp_path: Path, project: Path) -> None:
    servers = tmp_path / "claude" / ".claude.json"
    config = json.loads(servers.read_text())
    config["projects"][str(project)]["disabledMcpServers"] = ["ai_smartness"]
    servers.write_text(json.dumps(config))

    assert "/mcp" in problems()["tools"]


def test_without_the_permission_the_client_is_said_to_ask(connected: Path) -> None:
    connected.write_text(connected.read_text().replace("mcp__ai_smartness", "mcp__other"))

    assert found("tools").endswith("; the client asks before each call")


@pytest.mark.usefixtures("connected")
def test_hooks_of_somebody_else_in_the_committed_settings_are_a_problem(project: Path) -> None:
    shared = project / ".claude" / "settings.json"
    (project / ".claude" / "settings.local.json").rename(shared)
    shared.write_text(shared.read_text().replace(str(project.parents[1]), "/home/somebody"))

    assert "by hand" in problems()["hooks"]


def test_status_says_the_same_on_one_screen(tmp_path: Path, connected: Path) -> None:
    plain = ais("status").stdout
    told = json.loads(ais("status", "--json").stdout)["connection"]

    assert f"hooks      in {connected}" in plain
    assert f"tools      in {tmp_path}/claude/.claude.json, for this project\n" in plain
    assert "daemon     not running; a hook starts it" in plain
    assert {each["check"]: each["ok"] for each in told}["client"] is True


def test_a_daemon_that_listens_and_does_not_answer_is_a_problem(home: Path) -> None:
    (home / "run").mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(HomePaths(str(home)).socket)
        Path(HomePaths(str(home)).socket).chmod(0o600)
        mute.listen()

        said = problems()

    assert "gives no answer" in said["daemon"]
    assert "`ais daemon stop`" in said["daemon"]


def test_prove_says_when_each_hook_of_each_client_last_ran(project: Path) -> None:
    home = Path(os.environ["AIS_HOME"])
    ais("init", "--yes", "--client", "codex")
    before = ais("doctor", "--prove").stdout
    event = an_event("Stop", cwd=str(project), last_assistant_message="done", session_id="s")

    hooked(home, event, command=[*HOOK, "--client", "codex"])
    after = ais("doctor", "--prove").stdout

    assert "Codex CLI has our hooks, and none has run here yet" in before
    assert "last: Stop at 20" in after
