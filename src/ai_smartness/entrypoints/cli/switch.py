"""`ais off` and `ais on`: switch the memory off for a while, here or everywhere, and on again."""

from datetime import UTC, datetime, timedelta

import click

from ai_smartness.clients.off_switch import (
    EVERYWHERE,
    OFF_VARIABLE,
    is_off_by_variable,
    read_off_periods,
    save_off_periods,
    switched_off,
    switched_on,
)
from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import json_option, read_span
from ai_smartness.entrypoints.cli.output import formatted_time, print_json
from ai_smartness.settings.paths import make_private_folder

__all__ = ["off", "off_text", "on"]

here_option = click.option("--here", is_flag=True, help="Only in this project, not in all.")


@click.command(epilog="Example: ais off --here --for 2h")
@here_option
@click.option(
    "--for",
    "span",
    metavar="SPAN",
    callback=read_span,
    help="Switch on again automatically, after 30m, 2h or 3d.",
)
@json_option
@pass_context
def off(context: CliContext, *, here: bool, span: timedelta | None, as_json: bool) -> None:
    """The hooks then record nothing and add nothing, until `ais on`.

    Questions from you or an agent are still answered. Sessions of that time are not imported from
    the clients' transcripts later. To switch the memory off in one terminal, set AIS_OFF=1 there.
    """
    home, now = str(context.places.home), datetime.now(UTC)
    until = now + span if span is not None else None
    make_private_folder(home)
    periods = switched_off(
        read_off_periods(home),
        context.project_name if here else EVERYWHERE,
        now.timestamp(),
        until.timestamp() if until else None,
    )
    save_off_periods(home, periods)
    if as_json:
        print_json(_state(context))
        return
    where = "in this project" if here else "in all projects"
    end = f"until {formatted_time(until)}" if until else "until `ais on`"
    click.echo(f"The memory is off {where}, {end}.")


@click.command(epilog="Example: ais on")
@here_option
@json_option
@pass_context
def on(context: CliContext, *, here: bool, as_json: bool) -> None:
    """Without --here, the memory is switched on in every project."""
    home, now = str(context.places.home), datetime.now(UTC).timestamp()
    periods = read_off_periods(home)
    if periods:
        project = context.project_name if here else EVERYWHERE
        save_off_periods(home, switched_on(periods, project, now))
    if as_json:
        print_json(_state(context))
        return
    text = off_text(context)
    click.echo(f"The memory is still off here: {text}." if text else "The memory is on.")


def off_text(context: CliContext) -> str:
    """Say why and until when the memory is off in this project; empty if it is on."""
    if is_off_by_variable(context.environ):
        return f"off, by {OFF_VARIABLE} in this terminal"
    now = datetime.now(UTC).timestamp()
    periods = read_off_periods(str(context.places.home))
    covering = [period for period in periods if period.covers(context.project_name, now)]
    if not covering:
        return ""
    where = "everywhere" if any(item.project == EVERYWHERE for item in covering) else "here"
    ends = [item.until for item in covering]
    last = None if None in ends else max(end for end in ends if end is not None)
    end = f"until {formatted_time(datetime.fromtimestamp(last, UTC))}" if last else "until `ais on`"
    return f"off {where}, {end}"


def _state(context: CliContext) -> dict[str, object]:
    text = off_text(context)
    return {"off": bool(text), "why": text}
