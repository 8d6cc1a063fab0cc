"""The hook as a process: its answer to each event, without a daemon and with one."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from daemons import environment, running
from hooking import an_event, hooked, kept_in
from recorded import Recording
from snapshot_surfaces import World

BEAT = re.compile(r"beat: [0-9]+, since_last: [0-9]+")
AGO = re.compile(r"[0-9]+ (?:day|week|month|year)s? ago")
ASKED_AT = re.compile(r"executed at: [0-9: -]+UTC")
WEIGHT = re.compile(r"[Ww]eight:? [0-9.]+")
CALL_FILE = re.compile(r"\b(toolu_\w+)-[0-9a-f]{32}\b")
YEAR = re.compile(r"\b([0-9]{1,2} Mar) 2026\b")
MEASURED = (
    (BEAT, "<beat>"),
    (AGO, "<ago>"),
    (ASKED_AT, "<now>"),
    (WEIGHT, "<weight>"),
    (YEAR, r"\1"),
    (CALL_FILE, r"\1-<place>"),
)
"""What depends on the moment or the folder: the hook and the daemon have the real clock."""


PATHS = (
    ".ai/help",
    ".ai/status",
    ".ai/recall/connection pool size",
    ".ai/recall/database is locked",
    ".ai/recall/@s2-01",
    ".ai/handoff/s3",
    ".ai/suggestions",
    ".ai/split/@s3-16",
    ".ai/nothing",
    "src/auth/token.py",
)
PROMPTS = (
    "rotate the JWT signing keys in config/jwt_keys.yaml",
    "which port does Postgres listen on, 5432 or 5433?",
    "Rechnungsnummern ohne Lücken in InvoiceCounter",
    "Do the orders stay in SQLite?",
    "yes",
    "kubernetes ingress certificates",
)

Given = tuple[str, dict[str, object]]


def looks(world: World) -> Iterator[Given]:
    """Return the events that change nothing: sessions begin, paths are read."""
    about: dict[str, object] = {"cwd": str(world.project), "session_id": "h1"}
    for source in ("startup", "compact", "clear"):
        yield f"begins by {source}", an_event("SessionStart", source=source, **about)
    for number, path in enumerate(PATHS):
        given = {"file_path": f"{world.project}/{world.spelled(path)}"}
        use = {**about, "tool_name": "Read", "tool_use_id": f"toolu_{number}"}
        yield f"read: {path}", an_event("PreToolUse", tool_input=given, **use)
    bash = {**about, "tool_name": "Bash", "tool_use_id": "toolu_b"}
    yield "bash", an_event("PreToolUse", tool_input={"command": "cat .ai/status"}, **bash)


def prompts(world: World) -> Iterator[Given]:
    """Return the prompts."""
    for number, prompt in enumerate(PROMPTS):
        about = {"cwd": str(world.project), "session_id": "h1", "prompt_id": f"p{number}"}
        yield f"prompt: {prompt}", an_event("UserPromptSubmit", prompt=prompt, **about)


def deeds(world: World) -> Iterator[Given]:
    """Return the events that are kept and not answered."""
    about: dict[str, object] = {"cwd": str(world.project), "session_id": "h1"}
    bash = {**about, "tool_name": "Bash", "tool_use_id": "toolu_b"}
    done = {"stdout": "34 passed in 1.90s", "stderr": "", "interrupted": False}
    yield (
        "bash done",
        an_event("PostToolUse", tool_input={"command": "pytest"}, tool_response=done, **bash),
    )
    yield "stop", an_event("Stop", last_assistant_message="All tests pass.", **about)
    yield "compacts", an_event("PreCompact", trigger="auto", **about)
    yield "ends", an_event("SessionEnd", reason="exit", **about)


@pytest.mark.parametrize("with_daemon", [False, True], ids=["alone", "with_daemon"])
def test_hook_answers(shop: World, recording: Recording, *, with_daemon: bool) -> None:
    # A daemon stores the first prompt while the second is asked, or before.
    asked = list(prompts(shop))[: 1 if with_daemon else None]
    given = [*looks(shop), *asked, *deeds(shop)]
    if with_daemon:
        # The daemon has no model and would judge all statements anew while the hook asks.
        find_statements_again(shop)
    with running(shop.home) if with_daemon else nullcontext():
        for title, event in given:
            ran = hooked(shop.home, event, environ={"TZ": "UTC", "AIS_HOOK_DEADLINE_MS": "30000"})
            said = ran.printed.decode()
            if said:
                said = json.dumps(json.loads(said), ensure_ascii=False, indent=1)
                said = said.replace("\\n", "\n")
            told = f"[exit {ran.code}]\n{said}\n{ran.complained.decode()}{page(said)}"
            for pattern, name in MEASURED:
                told = pattern.sub(name, told)
            recording.add(title, told)
        if not with_daemon:
            recorded = [{**each, "at": "<now>"} for each in kept_in(shop.home)]
            recording.add_data("inbox", recorded)


def find_statements_again(world: World) -> None:
    subprocess.run(
        [sys.executable, "-m", "ai_smartness", "threads"],
        env={**environment(), "AIS_HOME": str(world.home)},
        cwd=world.project,
        check=True,
        capture_output=True,
    )


def page(said: str) -> str:
    """Return the page that the hook has the agent read, if it does."""
    found = re.search(r'"file_path": "([^"]+)"', said)
    if found is None or not Path(found[1]).is_file():
        return ""
    return f"\n[page]\n{Path(found[1]).read_text()}"
