"""Sessions of Claude Code as somebody works: tasks, rules, tools and all that those print.

In the line format of the client itself. What is read is this project's own source; what
is run prints as pytest, grep and a build do, most of it of no interest.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

__all__ = ["ROOT", "session_lines"]

ROOT = Path(__file__).parents[2]
START = datetime(2026, 2, 2, 9, 0, tzinfo=UTC)
TURNS = (8, 16)
TOOLS = (3, 8)
READ_CHARACTERS = 8_000

Line = dict[str, object]

_AREAS = ("invoice", "login", "export", "search", "upload", "billing", "report", "calendar")
_VERBS = ("parse", "render", "load", "merge", "validate", "round", "schedule", "refresh")
_THINGS = ("Total", "Token", "Header", "Page", "Row", "Cache", "Queue", "Address")
_ERRORS = (
    "KeyError: '{thing}_id'",
    "ValueError: could not convert string to float: '{number},5'",
    "TypeError: {name}() missing 1 required positional argument: '{thing}'",
    "AssertionError: assert {number} == {other}",
    "ConnectionRefusedError: [Errno 111] Connection refused",
)
_TASKS = (
    "The {area} page shows {number} rows instead of {other}. Find out why and fix it in {path}.",
    "{name} is slow: {number} ms for one {area}. Make it faster, it is in {path}.",
    "Please add a test for {name} in {path}, see {url}.",
    "After the last deploy {area} fails for customer {number}. Have a look at {path}.",
)
_STATED = (
    "You must never write to the {area} table directly.",
    "Always run the linter before you commit.",
    "Do not touch {path}, it is generated.",
    "We decided to use SQLite {version} for the {area} cache.",
    "From now on, every amount must be an integer of cents.",
    "Never log the {thing} of a customer.",
    "",
    "",
    "",
)
_ANSWERS = (
    "I found it: `{name}` in {path} raised {error} because the {thing} was read twice.",
    "`{name}` went through all {number} rows for each {thing}. It takes {other} ms now.",
    "The test is in tests/test_{area}.py. `{command}` ends well. Next I would look at `{thing}`.",
)


def session_lines(seed: int) -> Iterator[Line]:
    """Yield the lines of one session's transcript."""
    chance, at = Random(seed), START + timedelta(days=seed)
    files = sorted(ROOT.glob("src/ai_smartness/*/*.py"))
    about: Line = {
        "cwd": "/home/ann/code/shop",
        "sessionId": f"made-up-{seed}",
        "version": "2.1.325",
        "isSidechain": False,
    }
    number = 0
    for turn in range(chance.randint(*TURNS)):
        for line in _turn(chance, files, f"{seed}-{turn}"):
            number += 1
            at += timedelta(seconds=chance.randint(2, 60))
            when = at.isoformat().replace("+00:00", "Z")
            yield {**line, **about, "uuid": f"{seed}-{number}", "timestamp": when}


def _turn(chance: Random, files: Sequence[Path], turn: str) -> Iterator[Line]:
    words = _words(chance, files)
    asked = " ".join(
        chance.choice(each).format(**words) for each in (_TASKS, _STATED) if each
    ).strip()
    yield _said("user", asked, promptId=turn)
    for number in range(chance.randint(*TOOLS)):
        yield from _tool(chance, words, files, f"toolu_{turn}_{number}")
    yield _said("assistant", [{"type": "text", "text": chance.choice(_ANSWERS).format(**words)}])


def _tool(
    chance: Random,
    words: dict[str, object],
    files: Sequence[Path],
    call: str,
) -> Iterator[Line]:
    path = chance.choice(files)
    shown = str(path.relative_to(ROOT))
    content = path.read_text()
    match chance.choice(("read", "run", "run", "grep", "edit")):
        case "read":
            yield from _used(call, "Read", {"file_path": shown}, content[:READ_CHARACTERS])
        case "run":
            failed = chance.random() < 0.4  # noqa: PLR2004 - more than half go well
            command = str(words["command"])
            printed = _tests(chance, words, failed=failed)
            yield from _used(call, "Bash", {"command": command}, printed, failed=failed)
        case "grep":
            lines = [line for line in content.splitlines() if "def " in line or "import" in line]
            found = "\n".join(f"{shown}:{number}:{line}" for number, line in enumerate(lines, 1))
            yield from _used(call, "Bash", {"command": f"grep -rn import {shown}"}, found)
        case _:
            lines = content.splitlines()
            place = chance.randrange(max(1, len(lines) - 3))
            old = "\n".join(lines[place : place + 2])
            given: Line = {"file_path": shown, "old_string": old, "new_string": f"{old}\n# mended"}
            yield from _used(call, "Edit", given, f"The file {shown} has been updated.")


def _tests(chance: Random, words: dict[str, object], *, failed: bool) -> str:
    area = words["area"]
    passed = [
        f"tests/test_{chance.choice(_AREAS)}.py::test_{chance.choice(_VERBS)}_{n} PASSED [{n:3d}%]"
        for n in range(chance.randint(20, 150))
    ]
    wrong = [
        "=================================== FAILURES ===================================",
        f"tests/test_{area}.py:{words['number']}: in test_{area}",
        f"    {words['name']}({words['other']})",
        f"E   {words['error']}",
    ]
    end = f"{int(failed)} failed, {len(passed)} passed in {chance.uniform(1, 60):.2f}s"
    return "\n".join([*passed, *(wrong if failed else []), f"===== {end} ====="])


def _used(
    call: str,
    name: str,
    given: Line,
    printed: str,
    *,
    failed: bool = False,
) -> Iterator[Line]:
    use = {"type": "tool_use", "id": call, "name": name, "input": given}
    yield _said("assistant", [use], stop_reason="tool_use")
    text = f"Exit code 1\n{printed}" if failed else printed
    came = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}
    response = {"Bash": {"stdout": printed, "stderr": ""}}.get(name, {"content": printed})
    yield {**_said("user", [came]), "toolUseResult": text if failed else response}


def _words(chance: Random, files: Sequence[Path]) -> dict[str, object]:
    area, thing = chance.choice(_AREAS), chance.choice(_THINGS)
    words: dict[str, object] = {
        "area": area,
        "thing": thing,
        "name": f"{chance.choice(_VERBS)}{thing}{chance.choice(_AREAS).title()}",
        "path": str(chance.choice(files).relative_to(ROOT)),
        "number": chance.randrange(11, 2_000),
        "other": chance.randrange(11, 2_000),
        "version": f"3.{chance.randrange(20, 50)}",
        "url": f"https://tracker.example.org/{area}/issues/{chance.randrange(1, 900)}",
        "command": f"pytest tests/test_{area}.py -k {thing.lower()} -x",
    }
    return {**words, "error": chance.choice(_ERRORS).format(**words)}


def _said(role: str, content: object, **about: object) -> Line:
    reason = about.pop("stop_reason", "end_turn" if role == "assistant" else None)
    message = {"role": role, "content": content, "stop_reason": reason}
    return {"type": role, "message": message, **about}
