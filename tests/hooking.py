"""Start the hook as a client does, and read what came of it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ai_smartness.entrypoints.daemon import inbox
from ai_smartness.entrypoints.hooks import main

__all__ = ["HOOK", "Ran", "an_event", "hooked", "keep_alone", "kept_in", "log_of", "took_ms"]

HOOK = [sys.executable, "-S", "-E", "-I", str(main.__file__)]
PATIENCE_SECONDS = 60

Fields = Mapping[str, object]


@dataclass(frozen=True)
class Ran:
    """What one run of the hook did."""

    code: int
    printed: bytes
    complained: bytes

    @property
    def answer(self) -> dict[str, object]:
        """Return the JSON it printed; nothing but that may be there."""
        found = json.loads(self.printed)
        assert isinstance(found, dict)
        return found

    @property
    def output(self) -> dict[str, object]:
        """Return the part of the answer that is the event's own."""
        found = self.answer["hookSpecificOutput"]
        assert isinstance(found, dict)
        return found

    @property
    def is_harmless(self) -> bool:
        """Say whether the agent's turn goes on: nothing printed, or one JSON object."""
        return self.code == 0 and not self.complained and (not self.printed or bool(self.answer))


def an_event(event: str, **fields: object) -> dict[str, object]:
    """Make an event as the client hands it on."""
    about: dict[str, object] = {"session_id": "s1", "cwd": "/", "prompt_id": "p1"}
    return {**about, "hook_event_name": event, **fields}


def hooked(
    home: Path,
    given: Fields | bytes,
    *,
    environ: Mapping[str, str] | None = None,
    command: list[str] | None = None,
    alone: bool = True,
) -> Ran:
    """Run the hook on an event; no daemon is started unless it may be."""
    if alone:
        keep_alone(home)
    whole = given if isinstance(given, bytes) else json.dumps(given).encode()
    ran = subprocess.run(
        [*(command or HOOK), "--home", str(home)],
        input=whole,
        capture_output=True,
        check=False,
        env={"PATH": os.defpath, "AIS_HOOK_DEADLINE_MS": "5000", **(environ or {})},
        timeout=PATIENCE_SECONDS,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def keep_alone(home: Path) -> None:
    """Make it look as if a daemon was started just now, so that none is."""
    try:
        (home / "run").mkdir(mode=0o700, parents=True, exist_ok=True)
        (home / "run" / "starting").touch()
    except NotADirectoryError:
        pass


def kept_in(home: Path) -> list[dict[str, object]]:
    """Return what waits in the inbox, taking nothing away that a second look would miss."""
    if not inbox.has_records(str(home / "inbox")):
        return []
    return [each for _, records, _ in inbox.taken_files(str(home / "inbox")) for each in records]


def log_of(home: Path) -> list[dict[str, str]]:
    """Return the lines of the hook's log, word by word."""
    lines = (home / "logs" / "hook.log").read_text().splitlines()
    return [dict(word.partition("=")[::2] for word in line.split()[1:]) for line in lines]


def took_ms(home: Path) -> float:
    """Return how long the last run took, by its own account."""
    return float(log_of(home)[-1]["took_ms"])
