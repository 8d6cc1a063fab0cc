"""`ais help`: which command does what one wants to do, and how one of them is used."""

import click

from ai_smartness.entrypoints.cli.tasks import TASKS

__all__ = ["help_"]


@click.command(name="help", epilog="Example: ais help threads merge")
@click.argument("command", nargs=-1)
@click.pass_context
def help_(ctx: click.Context, command: tuple[str, ...]) -> None:
    """Say which command does what, by what one wants to do; or how COMMAND is used.

    `ais help COMMAND` is `ais COMMAND --help`.
    """
    root = ctx.find_root()
    if command:
        click.echo(_asked(root, command).get_help())
    else:
        click.echo(_by_task(root))


def _asked(root: click.Context, words: tuple[str, ...]) -> click.Context:
    """Follow the words down the tree of commands."""
    place = root
    for word in words:
        group = place.command
        if not isinstance(group, click.Group):
            root.fail(f"`{place.command_path}` has no commands of its own.")
        # As if it had been called: a name that is none is refused as it always is.
        name, found, _ = group.resolve_command(place, [word])
        if found is None:
            root.fail(f"There is no command `{word}`.")
        place = click.Context(found, info_name=name, parent=place)
    return place


def _by_task(root: click.Context) -> str:
    formatter = root.make_formatter()
    formatter.write_text("What do you want to do?")
    for task, commands in TASKS.items():
        with formatter.section(task):
            formatter.write_dl([(f"ais {typed}", does) for typed, does in commands.items()])
    formatter.write_paragraph()
    formatter.write_text("`ais help COMMAND` says how one of them is used.")
    return formatter.getvalue().rstrip("\n")
