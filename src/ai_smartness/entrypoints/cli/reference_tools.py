"""The page of the tools: every one that an agent can call, from what its client is told."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ai_smartness.entrypoints.mcp.greeting import folder, prepared

__all__ = ["tools_page"]

OPENING = """\
# The tools

<!-- Written by `python -m ai_smartness reference docs/reference`; do not edit. -->

What an agent can call when `ais init` has registered the server `ai_smartness` with its client, or
when any client of the Model Context Protocol starts `ais mcp`. Every tool is a command of `ais`
too, by the same words: see [cli.md](cli.md); what a tool answers as structure, the command prints
with `--json`. Whatever a tool changes, `ai_undo` takes back.

"""
COMMANDS = {
    "ai_recall": "ais recall QUERY",
    "ai_merge": "ais threads merge SURVIVOR ABSORBED",
    "ai_split": "ais threads split ID",
    "ai_unlock": "ais threads unlock ID",
    "ai_focus": "ais focus TOPIC",
    "ai_unfocus": "ais unfocus [TOPIC]",
    "ai_pin": "ais pin TEXT",
    "ai_suggestions": "ais suggestions [CONTEXT]",
    "ai_rate_context": "ais rate ID --useful",
    "ai_compact": "ais compact",
    "ai_undo": "ais undo [CHANGE]",
    "ai_status": "ais status",
}
"""The same verb for people."""


def tools_page() -> str:
    """Write the page."""
    return OPENING + "\n".join(_written()).rstrip() + "\n"


def _written() -> Iterator[str]:
    profiles = {name: _tools(name) for name in _profiles()}
    whole = max(profiles.values(), key=len)
    yield "| profile | tools |\n|---|---|"
    for name, tools in sorted(profiles.items(), key=lambda each: -len(each[1])):
        yield f"| `{name}` | {', '.join(f'`{tool}`' for tool in tools)} |"
    yield ""
    for name, tool in whole.items():
        yield f"## `{name}`\n"
        yield from _described(tool)


def _described(tool: Mapping[str, Any]) -> Iterator[str]:
    yield f"{tool.get('description', '').strip()}\n"
    arguments = tool.get("inputSchema", {}).get("properties", {})
    needed = tool.get("inputSchema", {}).get("required", [])
    if arguments:
        rows = [_row(name, said, needed=name in needed) for name, said in arguments.items()]
        yield "\n".join(["| argument | takes | |", "|---|---|---|", *rows]) + "\n"
    yield f"On the command line: `{COMMANDS[tool['name']]}`.\n"
    hints = _hints(tool.get("annotations") or {})
    if hints:
        yield f"Hints for the client: {hints}.\n"
    yield "<details><summary>Schema</summary>\n"
    for name in ("inputSchema", "outputSchema"):
        if tool.get(name):
            yield f"```json\n{json.dumps({name: tool[name]}, indent=2, ensure_ascii=False)}\n```\n"
    yield "</details>\n"


def _row(name: str, said: Mapping[str, Any], *, needed: bool) -> str:
    about = " ".join(str(said.get("description", "")).split())
    default = said.get("default")
    known = "" if default is None else f"default `{json.dumps(default, ensure_ascii=False)}`"
    rest = "; ".join(each for each in (about, "needed" if needed else "", known) if each)
    return f"| `{name}` | {_taken(said)} | {rest} |".replace("\\", "")


def _taken(said: Mapping[str, Any]) -> str:
    """Write what an argument takes, as its schema says it."""
    if "enum" in said:
        return " or ".join(f"`{each}`" for each in said["enum"])
    if "anyOf" in said:
        return " or ".join(_taken(each) for each in said["anyOf"] if each.get("type") != "null")
    low, high = said.get("minimum"), said.get("maximum")
    bounds = f" {low}–{high}" if low is not None and high is not None else ""
    inner = f" of {_taken(said['items'])}" if said.get("items") else ""
    return f"{said.get('type', 'anything')}{inner}{bounds}"


def _hints(annotations: Mapping[str, Any]) -> str:
    """Write what the client is told of a tool, so that it knows when to ask its user."""
    said = {
        "readOnlyHint": ("read-only", "not read-only"),
        "destructiveHint": ("destructive", "not destructive"),
        "idempotentHint": ("idempotent", "not idempotent"),
        "openWorldHint": ("open world", "closed world"),
    }
    return ", ".join(
        words[0] if annotations[name] else words[1]
        for name, words in said.items()
        if annotations.get(name) is not None
    )


def _profiles() -> list[str]:
    return sorted(path.stem for path in folder().glob("*.json"))


def _tools(profile: str) -> dict[str, Mapping[str, Any]]:
    listed = prepared(profile)["handshake"]["results"]["tools/list"]["tools"]
    return {tool["name"]: tool for tool in listed}
