"""The page of the commands: every one of `ais`, its options and an example, from the code."""

import inspect
from collections.abc import Iterator

import click

from ai_smartness.entrypoints.cli.tasks import by_task

__all__ = ["cli_page"]

OPENING = """\
# The commands

<!-- Written by `python -m ai_smartness reference docs/reference`; do not edit. -->

`ais help` lists them by what one wants to do, `ais COMMAND --help` says what is below. Where a
command takes the id of a thread, the start of one is enough if only one thread has it.
`ais completion` says how to have the shell complete all of this.

"""


def cli_page(root: click.Context) -> str:
    """Write the page."""
    return OPENING + "\n".join(_written(root)).rstrip() + "\n"


def _written(root: click.Context) -> Iterator[str]:
    yield "## `ais`\n"
    yield from _described(root)
    for task, names in by_task(root.command.list_commands(root)).items():  # type: ignore[attr-defined] # a group
        yield f"## {task}\n"
        for name in names:
            for each in _tree(root, name):
                yield f"{'###' if each.parent is root else '####'} `{each.command_path}`\n"
                yield from _described(each)


def _tree(parent: click.Context, name: str) -> Iterator[click.Context]:
    """Give a command, and after it every command of its own."""
    group = parent.command
    command = group.get_command(parent, name) if isinstance(group, click.Group) else None
    if command is None or command.hidden:
        return
    place = click.Context(command, info_name=name, parent=parent)
    yield place
    for each in command.list_commands(place) if isinstance(command, click.Group) else ():
        yield from _tree(place, each)


def _described(place: click.Context) -> Iterator[str]:
    command = place.command
    usage = " ".join([place.command_path, *command.collect_usage_pieces(place)])
    yield f"```\n{usage}\n```\n"
    yield f"{inspect.cleandoc(command.help or '')}\n"
    options = [each for each in _options(place) if each]
    if options:
        yield "\n".join(["| option | |", "|---|---|", *options]) + "\n"
    if command.epilog:
        does, _, example = command.epilog.partition(": ")
        yield f"{does}: `{example}`\n"


def _options(place: click.Context) -> Iterator[str]:
    for each in place.command.params:
        record = each.get_help_record(place) if isinstance(each, click.Option) else None
        if record is not None:
            names, said = (part.replace("|", "\\|") for part in record)
            yield f"| `{names}` | {said} |"
