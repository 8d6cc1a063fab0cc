"""The command `ais`: its options, its subcommands, and the edge where errors become exit codes.

A subcommand is imported when it is called, so that `ais --help` and the
shell's completion answer at once.
"""

import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from ai_smartness.entrypoints.cli.context import Context
from ai_smartness.entrypoints.cli.output import visible
from ai_smartness.entrypoints.cli.tasks import by_task
from ai_smartness.model.errors import AisError, NotFoundError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["COMMANDS", "ais", "main"]

EXIT_INTERRUPTED = 130

BEFORE_THE_COMMAND = {"--home": "FOLDER", "--project": "NAME_OR_PATH"}
"""The options of `ais` itself that people write behind a subcommand, with what each takes."""


class Lazy(NamedTuple):
    """A subcommand that is not imported yet: where it is, and what `--help` says of it."""

    target: str
    help: str
    hidden: bool = False


CLI = "ai_smartness.entrypoints.cli"
COMMANDS = {
    "init": Lazy(f"{CLI}.init:init", "Prepare the memory, and connect the coding agent to it."),
    "tour": Lazy(f"{CLI}.tour:tour", "See it at work, on a throw-away memory."),
    "status": Lazy(f"{CLI}.status:status", "Show what there is."),
    "threads": Lazy(f"{CLI}.threads:threads", "List the threads of the project, or read one."),
    "handoff": Lazy(f"{CLI}.handoff:handoff", "Say where a session stood."),
    "why": Lazy(f"{CLI}.why:why", "Say what was shown to an agent, and why."),
    "bridges": Lazy(f"{CLI}.bridges:bridges", "List, make and follow the links between threads."),
    "log": Lazy(f"{CLI}.log:log", "Show what was changed."),
    "undo": Lazy(f"{CLI}.undo:undo", "Take a change back."),
    "recall": Lazy(f"{CLI}.recall:recall", "Answer a question with threads."),
    "search": Lazy(f"{CLI}.search:search", "Find the messages that answer a question."),
    "import": Lazy(f"{CLI}.import_:import_", "Bring in the sessions and notes of before."),
    "export": Lazy(f"{CLI}.export:export", "Take the memory out, as JSON lines or markdown."),
    "backup": Lazy(f"{CLI}.backup:backup", "Back the memory up, while it is in use."),
    "restore": Lazy(f"{CLI}.restore:restore", "Put a backup in the memory's place."),
    "forget": Lazy(f"{CLI}.forget:forget", "Let go of messages for good, and prove it."),
    "redact": Lazy(f"{CLI}.redact:redact", "Find secrets that the memory holds."),
    "reindex": Lazy(f"{CLI}.reindex:reindex", "Build what follows from the messages anew."),
    "model": Lazy(f"{CLI}.model:model", "See, get and choose the embedding model."),
    "config": Lazy(f"{CLI}.config:config", "See and change the settings."),
    "plugin": Lazy(f"{CLI}.plugin:plugin", "Write a plugin for Claude Code."),
    "uninstall": Lazy(f"{CLI}.uninstall:uninstall", "Take out what `init` put into the client."),
    "mcp": Lazy(f"{CLI}.mcp:mcp", "Serve the memory's tools to an agent."),
    "daemon": Lazy(f"{CLI}.daemon:daemon", "See, start and end what keeps the memory warm."),
    "doctor": Lazy(f"{CLI}.doctor:doctor", "Check that everything is as it should be."),
    "focus": Lazy(f"{CLI}.focus:focus", "Show threads about a topic first."),
    "unfocus": Lazy(f"{CLI}.focus:unfocus", "Take a topic out of focus, or everything."),
    "pin": Lazy(f"{CLI}.pin:pin", "Keep something for good."),
    "rate": Lazy(f"{CLI}.rate:rate", "Say whether a thread was of use."),
    "suggestions": Lazy(f"{CLI}.suggestions:suggestions", "Say what could be tidied or recalled."),
    "compact": Lazy(f"{CLI}.compact:compact", "Merge what is alike, put away what is old."),
    "completion": Lazy(f"{CLI}.completion:completion", "Have the shell complete `ais`."),
    "help": Lazy(f"{CLI}.help:help_", "Say which command does what."),
    "reference": Lazy(f"{CLI}.reference:reference", "Write docs/reference/.", hidden=True),
}


class Failure(click.ClickException):
    """An error of ours on its way out: a message on stderr and an exit code."""

    exit_code = 1

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message."""
        click.echo(f"error: {visible(self.message)}", file=file, err=True)


class Missing(Failure):
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
            if late.option_name not in BEFORE_THE_COMMAND:
                raise
            raise click.UsageError(_placed_first(ctx, late.option_name, given), late.ctx) from late
        except NotFoundError as error:
            raise Missing(str(error)) from error
        except AisError as error:
            raise Failure(str(error)) from error
        except PermissionError as barred:
            msg = f"may not use {barred.filename}: {barred.strerror}. Change its permissions."
            raise Failure(msg) from barred
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
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand that was called, or say which one may have been meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            _refuse_unknown(ctx, name)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands by what they are for, from the table alone."""
        for task, names in by_task(self.list_commands(ctx)).items():
            with formatter.section(task):
                formatter.write_dl([(name, COMMANDS[name].help) for name in names])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete the name of a subcommand from the table alone, so that none is imported."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only when asked

        named = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=COMMANDS[name].help) for name in named), *options]


def _refuse_unknown(ctx: click.Context, name: str) -> NoReturn:
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistyped command needs it

    close = get_close_matches(name, COMMANDS, n=1)
    hint = f"Did you mean `{close[0]}`?" if close else f"Run `{ctx.command_path} -h` for the list."
    ctx.fail(f"There is no command `{name}`. {hint}")


def _placed_first(ctx: click.Context, option: str, given: Sequence[str]) -> str:
    """Say where an option belongs that `ais` itself takes, and not its subcommand."""
    value = _value_of(option, given) or BEFORE_THE_COMMAND[option]
    command = ctx.invoked_subcommand
    return (
        f"`{command}` does not take {option}: give {option} before the command: "
        f"{ctx.command_path} {option} {visible(value)} {command} …"
    )


def _value_of(option: str, given: Sequence[str]) -> str:
    """Return what was given for an option, as a shell takes it; nothing if it was left out."""
    for place, each in enumerate(given):
        name, joined, value = each.partition("=")
        if name == option:
            return shlex.quote(value) if joined else shlex.join(given[place + 1 : place + 2])
    return ""


def _print_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's signature
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow to import

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
    ctx.obj = Context(home=home, project=project)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Run `ais` with the arguments of this process."""
    for stream in (sys.stdout, sys.stderr):
        # Stored text is in any script; a terminal that lacks it gets escapes in its place.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    ais(prog_name="ais")
