#!/usr/bin/env python3
"""Draw docs/images/turn.svg, the picture of the README: `scripts/picture.py`.

The text in it is real: the tour's messages are captured into a temporary memory, and our hook
is run with a prompt, as Claude Code runs it. The picture shows what the hook answers.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from ai_smartness import Memory
from ai_smartness.entrypoints.cli.tour import SCRIPT
from ai_smartness.entrypoints.hooks import main as hook

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "turn.svg"
PROMPT = "Add a page where users can end their sessions. Why did we drop JWT again?"
COLUMNS = 112
PATIENCE_MS = 20_000


def injected_text(prompt: str) -> str:
    """Return what our hook adds to a prompt, after the tour's three sessions."""
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder) / "home", Path(folder) / "shop"
        (project / ".git").mkdir(parents=True)
        with Memory.open(project=project, home=home) as memory:
            memory.capture(SCRIPT)
            memory.embed()
        command = [sys.executable, "-m", "ai_smartness", "--home", str(home), "daemon"]
        subprocess.run([*command, "start"], check=True, capture_output=True)  # noqa: S603 - ours
        try:
            return _hook_answer(home, project, prompt)
        finally:
            subprocess.run([*command, "stop"], check=True, capture_output=True)  # noqa: S603 - ours


def _hook_answer(home: Path, project: Path, prompt: str) -> str:
    event = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "new",
        "prompt_id": "1",
        "cwd": str(project),
        "prompt": prompt,
    }
    done = subprocess.run(  # noqa: S603 - our own hook
        [sys.executable, str(hook.__file__), "--home", str(home)],
        input=json.dumps(event),
        env={**os.environ, "AIS_HOOK_DEADLINE_MS": str(PATIENCE_MS)},
        capture_output=True,
        text=True,
        check=True,
    )
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"])


def drawn_picture(prompt: str, added: str) -> str:
    """Draw a terminal with the prompt, and what the agent reads with it."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        screen = Console(record=True, width=COLUMNS, file=nowhere, highlight=False, markup=False)
        screen.print(Text("~/shop $ ", "bold green").append("claude", "default"))
        screen.print()
        screen.print(Text("> ", "bold").append(prompt))
        screen.print()
        screen.print(Text("ai_smartness adds, before the agent reads the prompt:", "dim"))
        for line in added.splitlines():
            screen.print(Text(line, _line_style(line)))
        drawn = screen.export_svg(title="a new session in the shop", unique_id="turn")
    # The fonts of the template would be fetched from a server.
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)


def _line_style(line: str) -> str:
    if line.startswith("["):
        return "bold cyan"
    return "yellow" if line.startswith("  ") else "dim"


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(drawn_picture(PROMPT, injected_text(PROMPT)), encoding="utf-8")
    print(PICTURE)
