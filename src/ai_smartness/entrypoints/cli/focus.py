"""`ais focus` and `ais unfocus`: choose the topics that are shown first."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.options import TEXT, json_option, read_span
from ai_smartness.entrypoints.cli.output import formatted_time, print_json, print_table

if TYPE_CHECKING:
    from ai_smartness.model.focus import Focus

__all__ = ["focus", "unfocus"]

DEFAULT_WEIGHT = 0.8

session_option = click.option(
    "--session", metavar="ID", type=TEXT, help="Only in this agent session, not in all."
)


@click.command(epilog="Example: ais focus authentication --for 2h")
@click.argument("topic", nargs=-1, type=TEXT, shell_complete=thread_ids)
@click.option(
    "--weight",
    type=click.FloatRange(0, 1),
    default=DEFAULT_WEIGHT,
    help=f"Strength, 0–1 ({DEFAULT_WEIGHT}).",
)
@click.option(
    "--for",
    "span",
    metavar="SPAN",
    callback=read_span,
    help="End automatically, after 30m, 2h or 3d.",
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
    """TOPIC is a word or the id of a thread; the focus lasts until `ais unfocus`.

    Without a topic, list the topics in focus.
    """
    words = " ".join(topic).strip()
    if not words:
        if weight != DEFAULT_WEIGHT or span is not None:
            msg = "Say what to focus on: ais focus TOPIC."
            raise click.UsageError(msg)
        _list_foci(context, session, as_json=as_json)
        return
    until = None if span is None else datetime.now(UTC) + span
    with context.open_described_memory() as memory:
        session = None if session is None else memory.session_id(session)
        outcome = memory.focus(words, weight, session=session, until=until)
    context.print_outcome(outcome, as_json=as_json)
    if not as_json:
        click.echo(f"end it with: {_unfocus_command(context, words, session)}")


@click.command(epilog="Example: ais unfocus authentication")
@click.argument("topic", nargs=-1, type=TEXT, shell_complete=thread_ids)
@session_option
@json_option
@pass_context
def unfocus(
    context: CliContext, topic: tuple[str, ...], session: str | None, *, as_json: bool
) -> None:
    """Threads about TOPIC are then ranked by relevance again; without a TOPIC, all threads are."""
    words = " ".join(topic).strip() or None
    with context.open_memory() as memory:
        whole = None if session is None else memory.session_id(session)
        outcome = memory.unfocus(words, session=whole)
    context.print_outcome(outcome, as_json=as_json)


def _list_foci(context: CliContext, session: str | None, *, as_json: bool) -> None:
    with context.open_memory() as memory:
        foci = memory.foci(None if session is None else memory.session_id(session))
    if as_json:
        print_json({"active_focus": foci})
    elif foci:
        print_table(("in focus", "weight", "session", "until"), [_focus_row(item) for item in foci])
        click.echo(f"end one with: {_unfocus_command(context, foci[0].topic, foci[0].session)}")
    else:
        example = context.command_line("focus", "TOPIC")
        click.echo(f"Nothing is in focus. `{example}` shows threads about TOPIC first.")


def _focus_row(item: "Focus") -> tuple[str, str, str, str]:
    until = formatted_time(item.until) if item.until else ""
    return (item.topic, f"{item.weight:.2f}", item.session or "", until)


def _unfocus_command(context: CliContext, topic: str, session: str | None) -> str:
    return context.command_line("unfocus", topic, *(["--session", session] if session else []))
