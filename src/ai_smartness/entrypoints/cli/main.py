"""The command `ais`: its options, its subcommands, and the edge where errors become exit codes.

A subcommand is imported when it is called, so that `ais --help` and the
shell's completion answer at once.

`ais help`: which command does what one wants to do, and how one of them is used.
"""

import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext
from ai_smartness.entrypoints.cli.command_table import TASKS, commands_by_task
from ai_smartness.entrypoints.cli.output import safe_text
from ai_smartness.model.errors import AisError, NotFoundError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


__all__ = ["COMMANDS", "ais", "help_", "main"]


EXIT_INTERRUPTED = 130

GLOBAL_OPTIONS = {"--home": "FOLDER", "--project": "NAME_OR_PATH"}
"""The options of `ais` itself that people write behind a subcommand, with what each takes."""


class LazyCommand(NamedTuple):
    """A subcommand that is not imported yet: where it is, and what `--help` says of it."""

    target: str
    help: str
    hidden: bool = False


CLI_PACKAGE = "ai_smartness.entrypoints.cli"
COMMANDS = {
    "init": LazyCommand(
        f"{CLI_PACKAGE}.init:init",
        "Prepare the memory, and connect the coding agent to it.",
    ),
    "tour": LazyCommand(f"{CLI_PACKAGE}.tour:tour", "See it at work, on a throw-away memory."),
    "status": LazyCommand(f"{CLI_PACKAGE}.status:status", "Show what there is."),
    "threads": LazyCommand(
        f"{CLI_PACKAGE}.threads:threads",
        "List the threads of the project, or read one.",
    ),
    "handoff": LazyCommand(f"{CLI_PACKAGE}.recall:handoff", "Say where a session stood."),
    "why": LazyCommand(f"{CLI_PACKAGE}.recall:why", "Say what was shown to an agent, and why."),
    "bridges": LazyCommand(
        f"{CLI_PACKAGE}.bridges:bridges",
        "List, make and follow the links between threads.",
    ),
    "log": LazyCommand(f"{CLI_PACKAGE}.log:log", "Show what was changed."),
    "undo": LazyCommand(f"{CLI_PACKAGE}.log:undo", "Take a change back."),
    "recall": LazyCommand(f"{CLI_PACKAGE}.recall:recall", "Answer a question with threads."),
    "search": LazyCommand(
        f"{CLI_PACKAGE}.search:search",
        "Find the messages that answer a question.",
    ),
    "import": LazyCommand(
        f"{CLI_PACKAGE}.import_:import_",
        "Bring in the sessions and notes of before.",
    ),
    "export": LazyCommand(
        f"{CLI_PACKAGE}.export:export",
        "Take the memory out, as JSON lines or markdown.",
    ),
    "backup": LazyCommand(
        f"{CLI_PACKAGE}.backup:backup",
        "Back the memory up, while it is in use.",
    ),
    "restore": LazyCommand(f"{CLI_PACKAGE}.backup:restore", "Put a backup in the memory's place."),
    "forget": LazyCommand(
        f"{CLI_PACKAGE}.forget:forget",
        "Let go of messages for good, and prove it.",
    ),
    "redact": LazyCommand(f"{CLI_PACKAGE}.redact:redact", "Find secrets that the memory holds."),
    "reindex": LazyCommand(
        f"{CLI_PACKAGE}.model:reindex",
        "Build what follows from the messages anew.",
    ),
    "model": LazyCommand(f"{CLI_PACKAGE}.model:model", "See, get and choose the embedding model."),
    "config": LazyCommand(f"{CLI_PACKAGE}.config:config", "See and change the settings."),
    "plugin": LazyCommand(f"{CLI_PACKAGE}.plugin:plugin", "Write a plugin for Claude Code."),
    "uninstall": LazyCommand(
        f"{CLI_PACKAGE}.uninstall:uninstall",
        "Take out what `init` put into the client.",
    ),
    "mcp": LazyCommand(f"{CLI_PACKAGE}.mcp:mcp", "Serve the memory's tools to an agent."),
    "daemon": LazyCommand(
        f"{CLI_PACKAGE}.daemon:daemon",
        "See, start and end what keeps the memory warm.",
    ),
    "doctor": LazyCommand(
        f"{CLI_PACKAGE}.doctor:doctor",
        "Check that everything is as it should be.",
    ),
    "focus": LazyCommand(f"{CLI_PACKAGE}.focus:focus", "Show threads about a topic first."),
    "unfocus": LazyCommand(
        f"{CLI_PACKAGE}.focus:unfocus",
        "Take a topic out of focus, or everything.",
    ),
    "pin": LazyCommand(f"{CLI_PACKAGE}.pin:pin", "Keep something for good."),
    "rate": LazyCommand(f"{CLI_PACKAGE}.pin:rate", "Say whether a thread was of use."),
    "suggestions": LazyCommand(
        f"{CLI_PACKAGE}.suggestions:suggestions",
        "Say what could be tidied or recalled.",
    ),
    "compact": LazyCommand(
        f"{CLI_PACKAGE}.compact:compact",
        "Merge what is alike, put away what is old.",
    ),
    "completion": LazyCommand(
        f"{CLI_PACKAGE}.completion:completion",
        "Have the shell complete `ais`.",
    ),
    "help": LazyCommand(f"{CLI_PACKAGE}.main:help_", "Say which command does what."),
    "reference": LazyCommand(
        f"{CLI_PACKAGE}.reference:reference",
        "Write docs/reference/.",
        hidden=True,
    ),
}


class CommandFailure(click.ClickException):
    """An error of ours on its way out: a message on stderr and an exit code."""

    exit_code = 1

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message."""
        click.echo(f"error: {safe_text(self.message)}", file=file, err=True)


class NotFoundFailure(CommandFailure):
    """What was named does not exist."""

    exit_code = 3


class LazyGroup(click.Group):
    """A group that knows its subcommands by name and imports the one that is called."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand; here, and only here, errors are translated."""
        given = list(ctx.args)
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as late:
            if late.option_name not in GLOBAL_OPTIONS:
                raise
            raise click.UsageError(
                _option_order_hint(ctx, late.option_name, given),
                late.ctx,
            ) from late
        except NotFoundError as error:
            raise NotFoundFailure(str(error)) from error
        except AisError as error:
            raise CommandFailure(str(error)) from error
        except PermissionError as barred:
            msg = f"may not use {barred.filename}: {barred.strerror}. Change its permissions."
            raise CommandFailure(msg) from barred
        except KeyboardInterrupt:
            ctx.exit(EXIT_INTERRUPTED)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Name every subcommand that is for everybody."""
        return [name for name, command in COMMANDS.items() if not command.hidden]

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the subcommand."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name].target.split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self,
        ctx: click.Context,
        args: list[str],
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand that was called, or say which one may have been meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            _refuse_unknown_command(ctx, name)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands by what they are for, from the table alone."""
        for task, names in commands_by_task(self.list_commands(ctx)).items():
            with formatter.section(task):
                formatter.write_dl([(name, COMMANDS[name].help) for name in names])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete the name of a subcommand from the table alone, so that none is imported."""
        from click.shell_completion import CompletionItem

        named = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=COMMANDS[name].help) for name in named), *options]


def _refuse_unknown_command(ctx: click.Context, name: str) -> NoReturn:
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, n=1)
    hint = f"Did you mean `{close[0]}`?" if close else f"Run `{ctx.command_path} -h` for the list."
    ctx.fail(f"There is no command `{name}`. {hint}")


def _option_order_hint(ctx: click.Context, option: str, given: Sequence[str]) -> str:
    """Say where an option belongs that `ais` itself takes, and not its subcommand."""
    value = _typed_value(option, given) or GLOBAL_OPTIONS[option]
    command = ctx.invoked_subcommand
    return (
        f"`{command}` does not take {option}: give {option} before the command: "
        f"{ctx.command_path} {option} {safe_text(value)} {command} …"
    )


def _typed_value(option: str, given: Sequence[str]) -> str:
    """Return what was given for an option, as a shell takes it; nothing if it was left out."""
    for place, each in enumerate(given):
        name, joined, value = each.partition("=")
        if name == option:
            return shlex.quote(value) if joined else shlex.join(given[place + 1 : place + 2])
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
    help="Folder of the memory and its settings, in place of AIS_HOME.",
)
@click.option(
    "--project",
    metavar="NAME_OR_PATH",
    help="Project to work on, in place of the one around the current folder.",
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
    ctx.obj = CliContext(home=home, project=project)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Run `ais` with the arguments of this process."""
    for stream in (sys.stdout, sys.stderr):
        # Stored text is in any script; a terminal that lacks it gets escapes in its place.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    ais(prog_name="ais")


@click.command(name="help", epilog="Example: ais help threads merge")
@click.argument("command", nargs=-1)
@click.pass_context
def help_(ctx: click.Context, command: tuple[str, ...]) -> None:
    """Say which command does what, by what one wants to do; or how COMMAND is used.

    `ais help COMMAND` is `ais COMMAND --help`.
    """
    root = ctx.find_root()
    if command:
        click.echo(_command_context(root, command).get_help())
    else:
        click.echo(_tasks_page(root))


def _command_context(root: click.Context, words: tuple[str, ...]) -> click.Context:
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


def _tasks_page(root: click.Context) -> str:
    formatter = root.make_formatter()
    formatter.write_text("What do you want to do?")
    for task, commands in TASKS.items():
        with formatter.section(task):
            formatter.write_dl([(f"ais {typed}", does) for typed, does in commands.items()])
    formatter.write_paragraph()
    formatter.write_text("`ais help COMMAND` says how one of them is used.")
    return formatter.getvalue().rstrip("\n")
