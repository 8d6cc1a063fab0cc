"""A program `claude` that notes down how it was called, and answers as a test says."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Claude", "fake_claude"]

PROGRAM = """#!{python}
import json, os, subprocess, sys
from pathlib import Path
prompt = sys.stdin.read()
called = dict(args=sys.argv[1:], env=dict(os.environ), cwd=os.getcwd(), prompt=prompt,
    found=os.listdir())
Path({note!r}).write_text(json.dumps(called))
{does}
"""

RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "The goal: rotate the keys.",
    "usage": {
        "input_tokens": 7,
        "cache_creation_input_tokens": 900,
        "cache_read_input_tokens": 100,
        "output_tokens": 40,
    },
}


@dataclass(frozen=True, slots=True)
class Claude:
    """The program, and what it noted down."""

    program: Path
    note: Path

    @property
    def called(self) -> dict[str, Any]:
        """How it was called last."""
        found: dict[str, Any] = json.loads(self.note.read_text())
        return found

    @property
    def environ(self) -> dict[str, str]:
        """What makes it the one that is found."""
        return {"PATH": str(self.program.parent)}


def fake_claude(folder: Path, does: str = "", **result: object) -> Claude:
    """Write the program; what it does, or else the result it prints."""
    program, note = folder / "fake" / "claude", folder / "called.json"
    program.parent.mkdir(exist_ok=True)
    does = does or f"print(json.dumps({ {**RESULT, **result}!r}))"
    program.write_text(PROGRAM.format(python=sys.executable, note=str(note), does=does))
    program.chmod(0o755)
    return Claude(program, note)
