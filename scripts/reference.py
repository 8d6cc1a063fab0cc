#!/usr/bin/env python3
"""Write the generated pages of docs/ from the code itself: `scripts/reference.py`.

A test compares the pages with the code, and fails until they are written again.
"""

import inspect
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

import click
from python_reference import async_stub, package_stub, python_page

from ai_smartness.clients.client import CAPABILITIES
from ai_smartness.clients.registry import CLIENTS, load_client
from ai_smartness.entrypoints.cli.command_table import TASKS, CommandEntry
from ai_smartness.entrypoints.cli.main import ais
from ai_smartness.entrypoints.mcp.first_answers import tool_list
from ai_smartness.entrypoints.tools.definitions import Profile
from ai_smartness.settings.background_environment import RECORDED_VARIABLES, SESSION_VARIABLES
from ai_smartness.settings.setting import SECTIONS, SETTINGS, Setting

__all__ = ["TOOL_COMMANDS", "reference_pages"]

LINE_CHARACTERS = 110
DOCS = Path(__file__).parents[1] / "docs"

CLI_OPENING = """\
# The commands

<!-- Written by `scripts/reference.py`; do not edit. -->

`ais help` lists the commands by task, and `ais COMMAND --help` prints the text below. Where a
command takes the id of a thread, the start of one is enough if only one thread has it.
`ais completion` sets up tab completion for your shell.

"""

TOOLS_OPENING = """\
# The tools

<!-- Written by `scripts/reference.py`; do not edit. -->

An agent can call these tools when `ais init` has registered the server `ai_smartness` with its
client, or when any client of the Model Context Protocol starts `ais mcp`. Every tool is also a
command of `ais`: see [cli.md](cli.md). The structured answer of a tool is the `--json` output
of the command. `ai_undo` undoes whatever a tool changes.

"""

LINE_CHARACTERS = 110

CLIENTS_BEGIN = "<!-- clients: written by `scripts/reference.py` -->"
CLIENTS_END = "<!-- end of clients -->"

CLIENTS_OPENING = """\
# The clients

<!-- Written by `scripts/reference.py`; do not edit. -->

`ais init` connects every coding agent that it finds on this machine, `ais init --client NAME` one
of them. All of them share one memory: what is said in one is known in the others.
"""

CLIENTS_CLOSING = (
    "\n"
    + "\n".join(f"- **{name}**: {meaning}." for name, meaning in CAPABILITIES.items())
    + "\n\n`tests/e2e` runs each of these programs, in the version named, against a scripted model."
)

SETTINGS_OPENING = """\
# Settings

<!-- Written by `scripts/reference.py`; do not edit. -->

`ais config` lists every setting with its value and where that comes from.
`ais config set KEY VALUE` writes it to your own file, or with `--project` to the project's
`.ai/config.toml`.
`ais config path` prints the paths of both files.

Each layer overrides the one before it: the default, your file, the project's file, the environment.
`--home` or the variable `AIS_HOME` moves the memory and your file. `AIS_CACHE` moves the cache.

## What a repository may set

A project's file comes with a repository that someone else may have written. A setting that could
send text elsewhere, start a program, name a file or cost you something is *yours alone*: in a
project's file it is ignored, with a warning. These are left, all of them numbers and switches:

{REPOSITORY_KEYS}

## Where the environment counts

A variable such as `AIS_INJECT_FLOOR` counts for the command that you type it before, and for the
library. The daemon and the MCP server serve more than the session that started them, whose
variables its repository may have set. They read your file and the project's, and no setting from
the environment: to change something for them, use `ais config set`.

Of the environment, they get {SESSION_VARIABLES} from whoever starts them. These are taken as
`ais init` or `ais plugin` last found them in your shell, and never from a session:
{RECORDED_VARIABLES}.
Folders inside the current project and proxies with a password are left out. `ais doctor` says if
your settings file is not found that way.
"""

TOOL_COMMANDS = {
    "ai_recall": "ais recall QUERY",
    "ai_merge": "ais threads merge SURVIVOR ABSORBED",
    "ai_split": "ais threads split ID",
    "ai_unlock": "ais threads unlock ID",
    "ai_focus": "ais focus TOPIC",
    "ai_unfocus": "ais unfocus [TOPIC]",
    "ai_pin": "ais pin TEXT",
    "ai_statements": "ais statements",
    "ai_suggestions": "ais suggestions [CONTEXT]",
    "ai_rate_context": "ais rate ID --useful",
    "ai_compact": "ais compact",
    "ai_undo": "ais undo [CHANGE]",
    "ai_status": "ais status",
}
"""The command with the same effect as a tool."""

HINTS = {
    "readOnlyHint": ("read-only", "not read-only"),
    "destructiveHint": ("destructive", "not destructive"),
    "idempotentHint": ("idempotent", "not idempotent"),
    "openWorldHint": ("open world", "closed world"),
}


def reference_pages() -> dict[str, str]:
    """Return every generated page, by its path below docs/."""
    return {
        "reference/cli.md": CLI_OPENING + "\n".join(_cli_sections()).rstrip() + "\n",
        "reference/tools.md": TOOLS_OPENING + "\n".join(_tool_sections()).rstrip() + "\n",
        "reference/python.md": python_page(),
        "../src/ai_smartness/__init__.pyi": package_stub(),
        "../src/ai_smartness/memory/async_memory.pyi": async_stub(),
        "../README.md": _readme_text(),
        "clients/README.md": "\n".join([CLIENTS_OPENING, *_client_rows(), CLIENTS_CLOSING]),
        "settings.md": "\n".join([_settings_opening(), *map(_settings_section, SECTIONS)]),
    }


def _settings_opening() -> str:
    keys = [f"`{key}`" for key, setting in SETTINGS.items() if not setting.user_only]
    lists = {
        "REPOSITORY_KEYS": f"{', '.join(keys)}.",
        "SESSION_VARIABLES": ", ".join(f"`{name}`" for name in SESSION_VARIABLES),
        "RECORDED_VARIABLES": ", ".join(f"`{name}`" for name in RECORDED_VARIABLES),
    }
    opening = SETTINGS_OPENING
    for name, names in lists.items():
        opening = opening.replace(f"{{{name}}}", names)
    return "\n".join(fill(line, LINE_CHARACTERS) for line in opening.split("\n"))


def _readme_text() -> str:
    """Return the README with the table of clients as the registry has it."""
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    before, _, rest = text.partition(CLIENTS_BEGIN)
    after = rest.partition(CLIENTS_END)[2]
    table = "\n".join(_client_rows("docs/clients/"))
    return f"{before}{CLIENTS_BEGIN}\n{table}\n{CLIENTS_END}{after}"


def _client_rows(folder: str = "") -> Iterator[str]:
    """Yield a table of the clients and what each can do with a memory."""
    yield f"| client | {' | '.join(CAPABILITIES)} | tested with |"
    yield f"|---|{'---|' * (len(CAPABILITIES) + 1)}"
    for name in CLIENTS:
        client = load_client(name)
        marks = " | ".join("yes" if item in client.capabilities else "" for item in CAPABILITIES)
        tested = client.tested_version or "not run"
        yield f"| [{client.title}]({folder}{name}.md) | {marks} | {tested} |"
    marks = " | ".join("yes" if item == "tools" else "" for item in CAPABILITIES)
    yield f"| [any other MCP client]({folder}mcp.md) | {marks} | not run |"


def _cli_sections() -> Iterator[str]:
    # With the settings of `ais`: click remembers the names of the help option for each command.
    root = click.Context(ais, info_name="ais", **ais.context_settings)
    yield "## `ais`\n"
    yield from _described_command(root)
    for task, usages in TASKS.items():
        names = [typed.split()[0] for typed, use in usages.items() if isinstance(use, CommandEntry)]
        yield f"## {task}\n"
        for name in names:
            for place in _command_tree(root, name):
                yield f"{'###' if place.parent is root else '####'} `{place.command_path}`\n"
                yield from _described_command(place)


def _command_tree(parent: click.Context, name: str) -> Iterator[click.Context]:
    """Yield a command, and after it its subcommands."""
    group = parent.command
    command = group.get_command(parent, name) if isinstance(group, click.Group) else None
    if command is None or command.hidden:
        return
    place = click.Context(command, info_name=name, parent=parent)
    yield place
    for subcommand in command.list_commands(place) if isinstance(command, click.Group) else ():
        yield from _command_tree(place, subcommand)


def _described_command(place: click.Context) -> Iterator[str]:
    command = place.command
    usage = " ".join([place.command_path, *command.collect_usage_pieces(place)])
    yield f"```\n{usage}\n```\n"
    yield f"{_wrapped_prose(inspect.cleandoc(command.help or ''))}\n"
    options = list(_option_rows(place))
    if options:
        yield "\n".join(["| option | |", "|---|---|", *options]) + "\n"
    if command.epilog:
        label, _, example = command.epilog.partition(": ")
        yield f"{label}: `{example}`\n"


def _wrapped_prose(text: str) -> str:
    """Break every paragraph at the width of our pages."""
    paragraphs = [
        fill(part, LINE_CHARACTERS, break_long_words=False, break_on_hyphens=False)
        for part in text.split("\n\n")
    ]
    return "\n\n".join(paragraphs)


def _option_rows(place: click.Context) -> Iterator[str]:
    for parameter in place.command.params:
        record = parameter.get_help_record(place) if isinstance(parameter, click.Option) else None
        if record is not None:
            names, text = (part.replace("|", "\\|") for part in record)
            yield f"| `{names}` | {text} |"


def _tool_sections() -> Iterator[str]:
    profiles = {
        profile.value: {str(tool["name"]): tool for tool in tool_list(profile)}
        for profile in Profile
    }
    yield "| profile | tools |\n|---|---|"
    for name, tools in sorted(profiles.items(), key=lambda item: (-len(item[1]), item[0])):
        yield f"| `{name}` | {', '.join(f'`{tool}`' for tool in tools)} |"
    yield ""
    for name, tool in max(profiles.values(), key=len).items():
        yield f"## `{name}`\n"
        yield from _described_tool(tool)


def _described_tool(tool: Mapping[str, Any]) -> Iterator[str]:
    yield f"{_wrapped_prose(tool.get('description', '').strip())}\n"
    arguments = tool.get("inputSchema", {}).get("properties", {})
    needed = tool.get("inputSchema", {}).get("required", [])
    if arguments:
        rows = [_argument_row(name, arguments[name], needed=name in needed) for name in arguments]
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


def _argument_row(name: str, schema: Mapping[str, Any], *, needed: bool) -> str:
    description = " ".join(str(schema.get("description", "")).split())
    value = schema.get("default")
    default = "" if value is None else f"default `{json.dumps(value, ensure_ascii=False)}`"
    parts = (description, "needed" if needed else "", default)
    notes = "; ".join(part for part in parts if part)
    return f"| `{name}` | {_accepted_type(schema)} | {notes} |".replace("\\", "")


def _accepted_type(schema: Mapping[str, Any]) -> str:
    """Return the values that an argument takes."""
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        choices = [choice for choice in schema["anyOf"] if choice.get("type") != "null"]
        return " or ".join(_accepted_type(choice) for choice in choices)
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = f" {low}–{high}" if low is not None and high is not None else ""
    items = f" of {_accepted_type(schema['items'])}" if schema.get("items") else ""
    return f"{schema.get('type', 'anything')}{items}{bounds}"


def _hint_text(annotations: Mapping[str, Any]) -> str:
    """Return the hints that help a client to decide when to ask its user."""
    return ", ".join(
        words[0] if annotations[name] else words[1]
        for name, words in HINTS.items()
        if annotations.get(name) is not None
    )


def _settings_section(section: str) -> str:
    settings = (setting for setting in SETTINGS.values() if setting.section == section)
    return "\n".join([f"## {section}", "", SECTIONS[section], "", *map(_setting_entry, settings)])


def _setting_entry(setting: Setting) -> str:
    yours = "- yours alone: ignored in a project's file\n" if setting.user_only else ""
    doc = fill(setting.doc, LINE_CHARACTERS, break_long_words=False, break_on_hyphens=False)
    return (
        f"### `{setting.key}`\n\n{doc}\n\n"
        f"- default: `{setting.default}`\n"
        f"- takes: {setting.allowed_values}\n"
        f"- environment: `{setting.variable}`\n{yours}"
    )


if __name__ == "__main__":
    for name, text in reference_pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
        print(DOCS / name)
