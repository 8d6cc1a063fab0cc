"""Made-up sessions of Claude Code, written as the client itself writes them (2.1.325).

Most of a transcript is what tools printed and what the client notes for itself; the proportions
are those of real ones: about 100 lines that are kept in two megabytes.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from uuid import UUID

from kit.made_up import messages

__all__ = ["write_history"]

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
PROJECTS = 12
TEXTS = 3_000
TOOLS_A_TURN = 8
FILE_CHARACTERS = 7_000
NOTED_CHARACTERS = 6_000
"""Of what the client writes down for itself beside each request."""

Line = dict[str, object]


def write_history(folder: Path, size: int, sessions: int, seed: int = 1) -> int:
    """Write sessions of about this size together, and return how many bytes they are."""
    chance = Random(seed)
    texts = [message.text for message in islice(messages(TEXTS, seed), TEXTS)]
    written = 0
    for number in range(sessions):
        project = f"/home/ann/code/project-{number % PROJECTS}"
        path = folder / project.replace("/", "-") / f"{UUID(int=chance.getrandbits(128))}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w") as file:
            for line in _session(chance, texts, path.stem, project, size // sessions):
                written += file.write(json.dumps(line, separators=(",", ":")) + "\n")
    return written


def _session(
    chance: Random,
    texts: list[str],
    session: str,
    project: str,
    size: int,
) -> Iterator[Line]:
    at = START + timedelta(minutes=chance.randrange(250_000))
    left, turn = size, 0
    while left > 0:
        turn += 1
        for line in _turn(chance, texts, f"{session}-p{turn}"):
            at += timedelta(seconds=chance.randrange(1, 40))
            about: Line = {
                "uuid": str(UUID(int=chance.getrandbits(128))),
                "timestamp": at.isoformat().replace("+00:00", "Z"),
                "cwd": project,
                "sessionId": session,
                "version": "2.1.325",
            }
            left -= 400 + sum(len(str(each)) for each in line.values())
            yield {**line, **about}


def _turn(chance: Random, texts: list[str], turn: str) -> Iterator[Line]:
    yield {"type": "queue-operation", "operation": "enqueue", "content": chance.choice(texts)}
    yield _said("user", chance.choice(texts), promptId=turn)
    for number in range(chance.randrange(1, 2 * TOOLS_A_TURN)):
        yield {
            "parentUuid": None,
            "isSidechain": False,
            "attachment": {
                "type": "prompt_snapshot",
                "text": _long(chance, texts, NOTED_CHARACTERS),
            },
            "type": "attachment",
        }
        yield {"type": "api-request", "shape": _long(chance, texts, NOTED_CHARACTERS // 4)}
        yield from _used(chance, texts, turn, f"toolu_{turn}_{number}")
    parts = [{"type": "text", "text": chance.choice(texts)}]
    yield _said("assistant", parts, stop_reason="end_turn")


def _used(chance: Random, texts: list[str], turn: str, call: str) -> Iterator[Line]:
    file = f"src/module_{chance.randrange(200)}.py"
    printed = _long(chance, texts, int(chance.lognormvariate(7.5, 1.0)))
    content = _long(chance, texts, FILE_CHARACTERS)
    name, given, response = chance.choice(
        [
            ("Bash", {"command": f"pytest {file}"}, {"stdout": printed, "stderr": ""}),
            ("Read", {"file_path": file}, {"type": "text", "file": {"content": content}}),
            ("Grep", {"pattern": "x"}, {"mode": "content", "content": printed}),
            (
                "Edit",
                {"file_path": file, "old_string": content[:300], "new_string": content[300:700]},
                {"filePath": file, "originalFile": content, "structuredPatch": []},
            ),
        ],
    )
    use = {"type": "tool_use", "id": call, "name": name, "input": given}
    yield _said("assistant", [use], stop_reason="tool_use")
    shown = printed if name in ("Bash", "Grep") else content
    came = {"type": "tool_result", "tool_use_id": call, "content": shown}
    yield {**_said("user", [came], promptId=turn), "toolUseResult": response}


def _said(role: str, content: object, **about: object) -> Line:
    message = {"role": role, "content": content, "stop_reason": about.pop("stop_reason", None)}
    return {"parentUuid": None, "isSidechain": False, "type": role, "message": message, **about}


def _long(chance: Random, texts: list[str], characters: int) -> str:
    found, length = list[str](), 0
    while length < characters:
        found.append(chance.choice(texts))
        length += len(found[-1]) + 1
    return "\n".join(found)
