"""`ais` on the command line of a test: run in a project of its own, with a home of its own."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ai_smartness import Memory, Message
from ai_smartness.entrypoints.cli.main import ais as command
from builders import said

__all__ = ["ais", "captured", "standing_in_a_project", "three_threads"]


def ais(*args: str, **env: str) -> Result:
    """Run `ais` in the current folder."""
    return CliRunner().invoke(command, args, env=env)


def standing_in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a repository, with an empty home, no model and no client."""
    for variable in [name for name in os.environ if name.startswith("AIS_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("AIS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("AIS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    # Whoever runs the tests may have a client, with settings of its own.
    for program in ("CLAUDE", "CODEX", "COPILOT", "GEMINI", "OPENCODE", "QWEN"):
        monkeypatch.setenv(f"AIS_{program}", "")
    monkeypatch.setenv("AIS_CLIENTS_HOME", str(tmp_path / "clients"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    root = tmp_path / "code" / "demo"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


def captured(project: Path | str, *messages: Message) -> None:
    """Keep messages in the memory that `ais` opens."""
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        memory.capture(messages)


def three_threads(project: Path) -> None:
    """Keep an old thread, one of two days ago and one of now."""
    now = datetime.now(UTC)
    captured(
        project,
        said("rotate the JWT keys every month", id_="m1", session="s1"),
        Message(
            id="m2",
            session="s1",
            role="assistant",
            text="rotateKeys() does it",
            at=said("").at,
        ),
        Message(id="m3", session="s2", text="数据库连接池太小了", at=now - timedelta(days=2)),
        Message(id="m4", session="s3", text="über die Rechnung", at=now),
    )
