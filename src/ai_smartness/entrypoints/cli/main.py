"""The command `ais`: its options, its subcommands, and the edge where errors become exit codes.

A subcommand is imported when it is called, so that `ais --help` and the shell's completion
answer at once.
"""

import inspect
import os
import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext
from ai_smartness.entrypoints.cli.command_table import COMMANDS, TASKS, CommandEntry, Usage
from ai_smartness.entrypoints.cli.interruption import interruption_text
from ai_smartness.entrypoints.cli.output import print_text, safe_text
from ai_smartness.model.errors import AisError, NotFoundError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["ais", "help_", "main"]

EXIT_INTERRUPTED = 130

GLOBAL_OPTIONS = {"--home": "FOLDER", "--project": "NAME_OR_PATH"}
"""Options of `ais` itself that people write behind a subcommand, with their placeholders."""


class CommandFailure(click.ClickException):
    """An error of ours on its way out: a message on stderr and an exit code."""

    exit_code = 1

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message."""
        del file
        print_text(f"error: {self.message}", style="red", err=True)


class NotFoundFailure(CommandFailure):
    """The named thing does not exist."""

    exit_code = 3


class UsageFailure(click.UsageError):
    """A mistake on the command line, told like click does, but wrapped between words."""

    @classmethod
    def of_error(cls, error: click.UsageError) -> "UsageFailure":
        """Tell the same mistake."""
        return cls(error.format_message(), error.ctx)

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the usage, the way to the help, and the message."""
        del file
        if self.ctx is not None:
            click.echo(self.ctx.get_usage(), err=True)
            option = self.ctx.help_option_names[-1]
            click.echo(f"Try '{self.ctx.command_path} {option}' for help.\n", err=True)
        print_text(f"Error: {self.message}", err=True)


class LazyGroup(click.Group):
    """A group that knows its subcommands from the table and imports the one that is called."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand; here, and only here, errors are translated."""
        args = list(ctx.args)
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            if error.option_name not in GLOBAL_OPTIONS:
                raise UsageFailure.of_error(error) from error
            hint = _option_order_hint(ctx, error.option_name, args)
            raise UsageFailure(hint, error.ctx) from error
        except click.UsageError as error:
            raise UsageFailure.of_error(error) from error
        except NotFoundError as error:
            raise NotFoundFailure(str(error)) from error
        except AisError as error:
            raise CommandFailure(str(error)) from error
        except PermissionError as error:
            msg = f"cannot use {error.filename}: {error.strerror}. Change its permissions."
            raise CommandFailure(msg) from error
        except KeyboardInterrupt as error:
            print_text(f"\n{interruption_text(ctx.invoked_subcommand, error)}", err=True)
            ctx.exit(EXIT_INTERRUPTED)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Name every subcommand."""
        return [*COMMANDS]

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the subcommand; its help is the table's sentence and its own docstring."""
        if cmd_name not in COMMANDS:
            return None
        entry = COMMANDS[cmd_name]
        module, function = entry.target.split(":")
        command: click.Command = getattr(import_module(f"{__package__}.{module}"), function)
        details = inspect.cleandoc((command.callback and command.callback.__doc__) or "")
        command.help = f"{entry.help}\n\n{details}".strip()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand, or suggest one with a similar name."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            _refuse_unknown_command(ctx, name)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands by task, from the table alone."""
        del ctx
        for task, usages in TASKS.items():
            rows = [
                (typed.split()[0], usage.help)
                for typed, usage in usages.items()
                if isinstance(usage, CommandEntry)
            ]
            with formatter.section(task):
                formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete the name of a subcommand from the table alone, so that none is imported."""
        from click.shell_completion import CompletionItem

        commands = [
            CompletionItem(name, help=entry.help)
            for name, entry in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]


def _refuse_unknown_command(ctx: click.Context, name: str) -> NoReturn:
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, n=1)
    hint = f"Did you mean `{close[0]}`?" if close else f"Run `{ctx.command_path} -h` for the list."
    ctx.fail(f"There is no command `{name}`. {hint}")


def _option_order_hint(ctx: click.Context, option: str, args: Sequence[str]) -> str:
    """Say where to write an option that belongs to `ais` and not to its subcommand."""
    value = _typed_value(option, args) or GLOBAL_OPTIONS[option]
    command = ctx.invoked_subcommand
    return (
        f"`{command}` does not take {option}: give {option} before the command: "
        f"{ctx.command_path} {option} {safe_text(value)} {command} …"
    )


def _typed_value(option: str, args: Sequence[str]) -> str:
    """Return the value of an option, quoted for a shell; empty if it was left out."""
    for place, word in enumerate(args):
        name, joined, value = word.partition("=")
        if name == option:
            return shlex.quote(value) if joined else shlex.join(args[place + 1 : place + 2])
    return ""


def _print_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's signature
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        click.echo(f"ais {version('ai-smartness')}")
    except PackageNotFoundError:
        click.echo("ais, run from its source without being installed")
    ctx.exit()


@click.group(
    name="ais",
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the memory and its settings, instead of AIS_HOME.",
)
@click.option(
    "--project",
    metavar="NAME_OR_PATH",
    help="Project to work on, instead of the one that contains the current folder.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.pass_context
def ais(ctx: click.Context, home: Path | None, project: str | None) -> None:
    """Keep the memory of a coding agent: local, threaded, undoable."""
    context = ctx.obj = CliContext(home=home, project=project)
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    if ctx.invoked_subcommand is None:
        _print_overview(context)


def _print_overview(context: CliContext) -> None:
    from ai_smartness.entrypoints.cli.overview import print_overview

    print_overview(context)


def main() -> None:
    """Run `ais` with the arguments of this process."""
    for stream in (sys.stdout, sys.stderr):
        # Stored text is in any script; a terminal that lacks it gets escapes instead.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    ais(prog_name="ais")


@click.command(name="help", epilog="Example: ais help threads merge")
@click.argument("command", nargs=-1)
@click.pass_context
def help_(ctx: click.Context, command: tuple[str, ...]) -> None:
    """`ais help COMMAND` is the same as `ais COMMAND --help`."""
    root = ctx.find_root()
    click.echo(_command_context(root, command).get_help() if command else _tasks_page(root))


def _command_context(root: click.Context, words: Sequence[str]) -> click.Context:
    """Follow the words down the tree of commands."""
    place = root
    for word in words:
        group = place.command
        if not isinstance(group, click.Group):
            root.fail(f"`{place.command_path}` has no subcommands.")
        # As if it had been called: an unknown name is refused in the usual way.
        name, command, _ = group.resolve_command(place, [word])
        if command is None:
            root.fail(f"There is no command `{word}`.")
        place = click.Context(command, info_name=name, parent=place)
    return place


def _tasks_page(root: click.Context) -> str:
    formatter = root.make_formatter()
    formatter.write_text("What do you want to do?")
    for task, usages in TASKS.items():
        rows = [(f"ais {typed}", _usage_help(root, typed, usages[typed])) for typed in usages]
        with formatter.section(task):
            formatter.write_dl(rows)
    formatter.write_paragraph()
    formatter.write_text("`ais help COMMAND` explains one of them.")
    return formatter.getvalue().rstrip("\n")


def _usage_help(root: click.Context, typed: str, usage: Usage) -> str:
    if isinstance(usage, CommandEntry):
        return usage.help
    words = [word for word in typed.split() if word.islower()]
    return usage or _command_context(root, words).command.get_short_help_str(limit=200)
