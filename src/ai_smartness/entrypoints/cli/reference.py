"""`python -m ai_smartness reference`: write the pages of docs/reference/ from the code itself.

A test regenerates them and compares: what they say is what there is.

The page of the commands: every one of `ais`, its options and an example, from the code.

The page of the tools: every one that an agent can call, from what its client is told.
"""

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from ai_smartness.entrypoints.cli.command_table import commands_by_task
from ai_smartness.entrypoints.mcp.first_answers import tool_list
from ai_smartness.entrypoints.tools.definitions import Profile
from ai_smartness.model.errors import StoreError

__all__ = ["cli_page", "reference", "reference_pages", "tools_page"]


CLI_OPENING = """\
# The commands

<!-- Written by `python -m ai_smartness reference docs/reference`; do not edit. -->

`ais help` lists them by what one wants to do, `ais COMMAND --help` says what is below. Where a
command takes the id of a thread, the start of one is enough if only one thread has it.
`ais completion` says how to have the shell complete all of this.

"""


def cli_page(root: click.Context) -> str:
    """Write the page."""
    return CLI_OPENING + "\n".join(_cli_sections(root)).rstrip() + "\n"


def _cli_sections(root: click.Context) -> Iterator[str]:
    yield "## `ais`\n"
    yield from _described_command(root)
    for task, names in commands_by_task(root.command.list_commands(root)).items():  # type: ignore[attr-defined] # a group
        yield f"## {task}\n"
        for name in names:
            for each in _command_tree(root, name):
                yield f"{'###' if each.parent is root else '####'} `{each.command_path}`\n"
                yield from _described_command(each)


def _command_tree(parent: click.Context, name: str) -> Iterator[click.Context]:
    """Give a command, and after it every command of its own."""
    group = parent.command
    command = group.get_command(parent, name) if isinstance(group, click.Group) else None
    if command is None or command.hidden:
        return
    place = click.Context(command, info_name=name, parent=parent)
    yield place
    for each in command.list_commands(place) if isinstance(command, click.Group) else ():
        yield from _command_tree(place, each)


def _described_command(place: click.Context) -> Iterator[str]:
    command = place.command
    usage = " ".join([place.command_path, *command.collect_usage_pieces(place)])
    yield f"```\n{usage}\n```\n"
    yield f"{inspect.cleandoc(command.help or '')}\n"
    options = [each for each in _option_rows(place) if each]
    if options:
        yield "\n".join(["| option | |", "|---|---|", *options]) + "\n"
    if command.epilog:
        does, _, example = command.epilog.partition(": ")
        yield f"{does}: `{example}`\n"


def _option_rows(place: click.Context) -> Iterator[str]:
    for each in place.command.params:
        record = each.get_help_record(place) if isinstance(each, click.Option) else None
        if record is not None:
            names, said = (part.replace("|", "\\|") for part in record)
            yield f"| `{names}` | {said} |"


TOOLS_OPENING = """\
# The tools

<!-- Written by `python -m ai_smartness reference docs/reference`; do not edit. -->

What an agent can call when `ais init` has registered the server `ai_smartness` with its client, or
when any client of the Model Context Protocol starts `ais mcp`. Every tool is a command of `ais`
too, by the same words: see [cli.md](cli.md); what a tool answers as structure, the command prints
with `--json`. Whatever a tool changes, `ai_undo` takes back.

"""
TOOL_COMMANDS = {
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
    return TOOLS_OPENING + "\n".join(_tool_sections()).rstrip() + "\n"


def _tool_sections() -> Iterator[str]:
    profiles = {name: _profile_tools(name) for name in _profile_names()}
    whole = max(profiles.values(), key=len)
    yield "| profile | tools |\n|---|---|"
    for name, tools in sorted(profiles.items(), key=lambda each: -len(each[1])):
        yield f"| `{name}` | {', '.join(f'`{tool}`' for tool in tools)} |"
    yield ""
    for name, tool in whole.items():
        yield f"## `{name}`\n"
        yield from _described_tool(tool)


def _described_tool(tool: Mapping[str, Any]) -> Iterator[str]:
    yield f"{tool.get('description', '').strip()}\n"
    arguments = tool.get("inputSchema", {}).get("properties", {})
    needed = tool.get("inputSchema", {}).get("required", [])
    if arguments:
        rows = [
            _argument_row(name, said, needed=name in needed) for name, said in arguments.items()
        ]
        yield "\n".join(["| argument | takes | |", "|---|---|---|", *rows]) + "\n"
    yield f"On the command line: `{TOOL_COMMANDS[tool['name']]}`.\n"
    hints = _hint_text(tool.get("annotations") or {})
    if hints:
        yield f"Hints for the client: {hints}.\n"
    yield "<details><summary>Schema</summary>\n"
    for name in ("inputSchema", "outputSchema"):
        if tool.get(name):
            yield f"```json\n{json.dumps({name: tool[name]}, indent=2, ensure_ascii=False)}\n```\n"
    yield "</details>\n"


def _argument_row(name: str, said: Mapping[str, Any], *, needed: bool) -> str:
    about = " ".join(str(said.get("description", "")).split())
    default = said.get("default")
    known = "" if default is None else f"default `{json.dumps(default, ensure_ascii=False)}`"
    rest = "; ".join(each for each in (about, "needed" if needed else "", known) if each)
    return f"| `{name}` | {_accepted_type(said)} | {rest} |".replace("\\", "")


def _accepted_type(said: Mapping[str, Any]) -> str:
    """Write what an argument takes, as its schema says it."""
    if "enum" in said:
        return " or ".join(f"`{each}`" for each in said["enum"])
    if "anyOf" in said:
        return " or ".join(
            _accepted_type(each) for each in said["anyOf"] if each.get("type") != "null"
        )
    low, high = said.get("minimum"), said.get("maximum")
    bounds = f" {low}–{high}" if low is not None and high is not None else ""
    inner = f" of {_accepted_type(said['items'])}" if said.get("items") else ""
    return f"{said.get('type', 'anything')}{inner}{bounds}"


def _hint_text(annotations: Mapping[str, Any]) -> str:
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


def _profile_names() -> list[str]:
    return sorted(Profile)


def _profile_tools(profile: str) -> dict[str, Mapping[str, Any]]:
    return {str(tool["name"]): tool for tool in tool_list(Profile(profile))}


PAGES: dict[str, Callable[[click.Context], str]] = {
    "cli.md": cli_page,
    "tools.md": lambda _root: tools_page(),
}


@click.command(epilog="Example: python -m ai_smartness reference docs/reference")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER")
@click.pass_context
def reference(ctx: click.Context, folder: Path) -> None:
    """Write the pages of the reference into FOLDER."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in reference_pages(ctx.find_root().command):
            (folder / name).write_text(text, encoding="utf-8")
            click.echo(folder / name)
    except OSError as barred:
        msg = f"cannot write {folder}: {barred.strerror}. Name another folder."
        raise StoreError(msg) from barred


def reference_pages(command: click.Command) -> Iterator[tuple[str, str]]:
    """Write every page, by its name."""
    # Not the context that was called: how wide its terminal is must not be seen.
    root = click.Context(command, info_name="ais")
    for name, page in PAGES.items():
        yield name, page(root)
