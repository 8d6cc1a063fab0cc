"""A client of a given version, as far as the installer asks: a program that says which it is."""

import json
from pathlib import Path
from typing import Any

__all__ = ["FOREIGN", "client_saying", "said_in"]

FOREIGN = """{
    "permissions": {"allow": ["Bash(ls:*)"]},
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "notify-send done"}]}
        ],
        "Notification": []
    },
    "model": "ööpus"
}"""
"""Settings with hooks of somebody else, laid out as nobody's program would."""


def client_saying(folder: Path, version: str) -> str:
    """Write the program, and return how it is called."""
    program = folder / "bin" / "claude"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\necho '{version}'\n")
    program.chmod(0o755)
    return str(program)


def said_in(path: Path) -> Any:  # noqa: ANN401 - any JSON
    """Read a file of settings."""
    return json.loads(path.read_bytes())
