"""Options and groups that several commands share, and how times and spans are typed.

A time is in UTC unless a zone is given; a span is a number with its unit.
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ai_smartness.model.event import as_utc

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = [
    "TEXT",
    "ListByDefaultGroup",
    "ShowByDefaultGroup",
    "WholeHelpGroup",
    "change_options",
    "dry_run_option",
    "json_option",
    "read_point",
    "read_span",
    "read_time",
    "valid_text",
]

SPAN_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
SPAN_PATTERN = re.compile(rf"([0-9]+)([{''.join(SPAN_UNITS)}])")
LONGEST_SPAN = timedelta(days=3660)  # ten years: anything longer was meant to last for ever

MAX_SENTENCE_CHARACTERS = 200  # of a subcommand in the help of its group

MAX_COMPACTIONS = 9_999  # a longer number is a date without its dashes

Command = TypeVar("Command", bound=Callable[..., Any])


class ValidText(click.types.StringParamType):
    """Typed text with invalid bytes replaced, which no store takes."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Replace the invalid bytes."""
        return valid_text(super().convert(value, param, ctx))


def valid_text(typed: str) -> str:
    """Return typed text with invalid bytes replaced."""
    return typed.encode(errors="replace").decode()


TEXT = ValidText()

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Show what would change, and change nothing."
)


def change_options(function: Command) -> Command:
    """Add the options of every command that changes something."""
    return dry_run_option(json_option(function))


class WholeHelpGroup(click.Group):
    """A group whose help has a whole sentence for each subcommand."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands; a long sentence goes on in the next line."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        rows = [
            (name, command.get_short_help_str(MAX_SENTENCE_CHARACTERS))
            for name, command in commands.items()
            if command is not None and not command.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class ListByDefaultGroup(WholeHelpGroup):
    """A group that runs one subcommand, `list`, when none is given, with the options of that."""

    default = "list"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, as those of the default where no subcommand is named."""
        asks_for_help = bool(args) and args[0] in ctx.help_option_names
        # While a shell completes, the next word may still be the name of a subcommand.
        lists = args[0].startswith("-") if args else not ctx.resilient_parsing
        if lists and not asks_for_help:
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that need no subcommand, then the subcommands."""
        listing = self.commands[self.default]
        list_ctx = click.Context(listing, parent=ctx)
        options = [item for item in listing.params if isinstance(item, click.Option)]
        records = [option.get_help_record(list_ctx) for option in options]
        with formatter.section("Options without a subcommand"):
            formatter.write_dl([record for record in records if record is not None])
        super().format_commands(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete a subcommand, or an option of the default."""
        completions = super().shell_complete(ctx, incomplete)
        if not incomplete.startswith("-"):
            return completions
        listing = self.commands[self.default]
        list_ctx = click.Context(listing, parent=ctx)
        return [*completions, *listing.shell_complete(list_ctx, incomplete)]


class ShowByDefaultGroup(ListByDefaultGroup):
    """A group that runs its `show` when no subcommand is given."""

    default = "show"


def read_time(
    _ctx: click.Context, _parameter: click.Parameter, text: str | None
) -> datetime | None:
    """Read an option's time; without a zone it is UTC."""
    if text is None:
        return None
    try:
        return as_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError) as error:
        msg = (
            f"{text!r} is not a time in ISO 8601. Write it like 2026-03-02 or 2026-03-02T12:30; "
            "without a zone it is UTC."
        )
        raise click.BadParameter(msg) from error


def read_span(
    _ctx: click.Context, _parameter: click.Parameter, text: str | None
) -> timedelta | None:
    """Read an option's span of time: minutes, hours, days or weeks."""
    if text is None:
        return None
    match = SPAN_PATTERN.fullmatch(text.strip().lower())
    try:
        span = timedelta(**{SPAN_UNITS[match[2]]: int(match[1])}) if match else timedelta()
    except (OverflowError, ValueError):
        span = timedelta()
    if not timedelta() < span <= LONGEST_SPAN:
        msg = f"{text!r} is not a span of time. Write it like 30m, 2h, 3d or 1w; at most ten years."
        raise click.BadParameter(msg)
    return span


def read_point(
    ctx: click.Context, parameter: click.Parameter, text: str | None
) -> datetime | int | None:
    """Read a time, or a number of compactions."""
    if text is not None and text.isdecimal() and int(text) <= MAX_COMPACTIONS:
        return int(text)
    return read_time(ctx, parameter, text)
