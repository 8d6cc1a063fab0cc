"""`ais focus` and `ais unfocus`: say what is to be shown first, and stop saying it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import (
    CliContext,
    open_described_memory,
    pass_context,
    valid_text,
)
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.options import formatted_time, json_option, read_span
from ai_smartness.entrypoints.cli.output import command_line, print_json, print_outcome, print_table

if TYPE_CHECKING:
    from ai_smartness.model.focus import Focus

__all__ = ["focus", "unfocus"]

DEFAULT_WEIGHT = 0.8

session_option = click.option(
    "--session",
    metavar="ID",
    help="Only in this session of an agent, not in all.",
)


@click.command(epilog="Example: ais focus authentication --for 2h")
@click.argument("topic", nargs=-1, shell_complete=thread_ids)
@click.option(
    "--weight",
    type=click.FloatRange(0, 1),
    default=DEFAULT_WEIGHT,
    help=f"How much, 0–1 ({DEFAULT_WEIGHT}).",
)
@click.option(
    "--for",
    "span",
    metavar="SPAN",
    callback=read_span,
    help="End by itself after 30m, 2h or 3d.",
)
@session_option
@json_option
@pass_context
def focus(
    context: CliContext,
    topic: tuple[str, ...],
    weight: float,
    span: timedelta | None,
    session: str | None,
    *,
    as_json: bool,
) -> None:
    """Show threads about TOPIC first, a word or the id of a thread, until `ais unfocus`.

    Without a topic, list what is in focus.
    """
    asked = valid_text(" ".join(topic)).strip()
    of_session = None if session is None else valid_text(session)
    if not asked:
        _refuse_topicless(weight, span)
        _list_foci(context, of_session, as_json=as_json)
        return
    until = None if span is None else datetime.now(UTC) + span
    with open_described_memory(context) as memory:
        outcome = memory.focus(asked, weight, session=of_session, until=until)
    print_outcome(context, outcome, dry_run=False, as_json=as_json)
    if not as_json:
        click.echo(
            f"end it with: {command_line(context, 'unfocus', asked, *_session_words(of_session))}",
        )


@click.command(epilog="Example: ais unfocus authentication")
@click.argument("topic", nargs=-1, shell_complete=thread_ids)
@session_option
@json_option
@pass_context
def unfocus(
    context: CliContext,
    topic: tuple[str, ...],
    session: str | None,
    *,
    as_json: bool,
) -> None:
    """Take TOPIC out of focus, or everything: threads are shown by how well they fit again."""
    asked = valid_text(" ".join(topic)).strip() or None
    of_session = None if session is None else valid_text(session)
    with context.open_memory() as memory:
        outcome = memory.unfocus(asked, session=of_session)
    print_outcome(context, outcome, dry_run=False, as_json=as_json)


def _refuse_topicless(weight: float, span: timedelta | None) -> None:
    if weight != DEFAULT_WEIGHT or span is not None:
        msg = "Say what to focus on: ais focus TOPIC."
        raise click.UsageError(msg)


def _list_foci(context: CliContext, session: str | None, *, as_json: bool) -> None:
    with context.open_memory() as memory:
        foci = memory.foci(session)
    if as_json:
        print_json({"active_focus": foci})
    elif foci:
        print_table(("in focus", "weight", "session", "until"), [_focus_row(each) for each in foci])
        click.echo(
            f"end one with: {command_line(context, 'unfocus', foci[0].topic, *_first_session(foci))}",
        )
    else:
        example = command_line(context, "focus", "TOPIC")
        click.echo(f"Nothing is in focus. {example} shows threads about TOPIC first.")


def _focus_row(each: "Focus") -> tuple[str, str, str, str]:
    until = formatted_time(each.until) if each.until else ""
    return (each.topic, f"{each.weight:.2f}", each.session or "", until)


def _first_session(foci: "Sequence[Focus]") -> list[str]:
    return _session_words(foci[0].session)


def _session_words(session: str | None) -> list[str]:
    return [] if session is None else ["--session", session]
