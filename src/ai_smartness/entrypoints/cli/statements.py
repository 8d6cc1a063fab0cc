"""`ais statements`: list what holds, read one statement, and confirm, reject or correct it."""

import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context, prints_outcome
from ai_smartness.entrypoints.cli.completion import statement_ids
from ai_smartness.entrypoints.cli.options import (
    TEXT,
    ListByDefaultGroup,
    change_options,
    json_option,
)
from ai_smartness.entrypoints.cli.output import (
    formatted_time,
    print_json,
    print_text,
    safe_text,
    screen_width,
    shown_thread_id,
)
from ai_smartness.entrypoints.cli.pager import paged
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.statement import Statement, StatementKind

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.journal import Outcome

__all__ = ["statements"]

DEFAULT_LIMIT = 100
INDENT = "  "

KIND_CHOICE = click.Choice([kind.value for kind in StatementKind])
statement_argument = click.argument(
    "statement_id", metavar="ID", type=TEXT, shell_complete=statement_ids
)
statements_argument = click.argument(
    "statement_ids",
    metavar="ID...",
    nargs=-1,
    required=True,
    type=TEXT,
    shell_complete=statement_ids,
)


@click.group(cls=ListByDefaultGroup, epilog="Example: ais statements --kind rule")
def statements() -> None:
    """A statement is a sentence that holds beyond its turn: a rule, a decision, a command.

    Without a subcommand, list those in force.
    """


@statements.command("list", epilog="Example: ais statements list --query deploy --all")
@click.option("--kind", type=KIND_CHOICE, help="Only those of this kind.")
@click.option("--query", type=TEXT, help="Only those with these words, the best match first.")
@click.option("--all", "everything", is_flag=True, help="Also superseded and rejected ones.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMIT,
    help=f"Maximum number of statements ({DEFAULT_LIMIT}).",
)
@json_option
@pass_context
@paged
def list_all(
    context: CliContext,
    kind: str | None,
    query: str | None,
    limit: int,
    *,
    everything: bool,
    as_json: bool,
) -> None:
    """List the statements by kind, those in force first, then the newest.

    "until 5 Nov" marks one that another statement superseded.
    """
    with context.open_described_memory() as memory:
        listed = memory.statements(
            kind, query=query, superseded=everything, rejected=everything, limit=limit + 1
        )
        disputers = _disputers(context, memory)
    shown = listed[:limit]
    if as_json:
        from ai_smartness.views.json import statement_json

        print_json(
            [{**statement_json(one), **_dispute_json(disputers.get(one.id, ()))} for one in shown]
        )
        return
    if not shown:
        print_text(_nothing_text(context, narrowed=bool(kind or query), everything=everything))
    _print_groups(shown, disputers, datetime.now(UTC))
    if len(listed) > limit:
        click.echo(f"There are more; --limit {limit * 2} shows them.", err=True)


@statements.command(epilog="Example: ais statements show s_1a2b3c4d")
@statement_argument
@json_option
@pass_context
@paged
def show(context: CliContext, statement_id: str, *, as_json: bool) -> None:
    """Show the statement ID, where it comes from and what it superseded."""
    with context.open_described_memory() as memory:
        statement = memory.statement(statement_id)
        older = memory.superseded_statements(statement.id)
        newer = memory.statement(statement.superseded_by) if statement.superseded_by else None
        title = memory.thread(statement.thread_id).title
    if as_json:
        from ai_smartness.views.json import statement_json

        print_json(
            {
                **statement_json(statement),
                "superseded": [statement_json(one) for one in older],
            }
        )
        return
    click.echo(safe_text(statement.text))
    click.echo()
    for label, value in _facts(statement, title, newer, older):
        print_text(f"{label:<12}{value}", hang=12)


@statements.command(epilog="Example: ais statements confirm s_1a2b3c4d s_5e6f7a8b")
@statements_argument
@change_options
@pass_context
def confirm(
    context: CliContext, statement_ids: tuple[str, ...], *, dry_run: bool, as_json: bool
) -> None:
    """Confirm that the statements ID… are right.

    They are certain from then on.
    """
    _review_all(
        context,
        statement_ids,
        lambda memory, id_, **dry: memory.confirm_statement(id_, **dry),
        dry_run=dry_run,
        as_json=as_json,
    )


@statements.command(epilog='Example: ais statements reject s_1a2b3c4d --why "that was a joke"')
@statements_argument
@click.option("--why", type=TEXT, default="", help="The reason; kept in the journal.")
@change_options
@pass_context
def reject(
    context: CliContext, statement_ids: tuple[str, ...], why: str, *, dry_run: bool, as_json: bool
) -> None:
    """Reject the statements ID… for good.

    They are not shown any more, nor is the same sentence where it is said again.
    """
    _review_all(
        context,
        statement_ids,
        lambda memory, id_, **dry: memory.reject_statement(id_, why, **dry),
        dry_run=dry_run,
        as_json=as_json,
    )


@statements.command(epilog='Example: ais statements correct s_1a2b3c4d --text "Deploy on Tuesdays"')
@statement_argument
@click.option("--text", type=TEXT, help="The sentence as it should be.")
@click.option("--kind", type=KIND_CHOICE, help="The kind that it is.")
@prints_outcome
def correct(
    memory: "Memory", statement_id: str, text: str | None, kind: str | None, *, dry_run: bool
) -> "Outcome":
    """Correct the text or the kind of the statement ID.

    The message itself stays unchanged.
    """
    if text is None and kind is None:
        msg = "Say what to correct: --text, --kind or both."
        raise click.UsageError(msg)
    return memory.correct_statement(statement_id, text, kind, dry_run=dry_run)


def _review_all(
    context: CliContext,
    statement_ids: Sequence[str],
    review: "Callable[..., Outcome]",
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Review several statements; none of them if one is refused."""
    with context.open_described_memory() as memory:
        ids = dict.fromkeys(memory.statement(id_).id for id_ in statement_ids)
        outcomes = [review(memory, id_, dry_run=True) for id_ in ids]
        if not dry_run:
            outcomes = [review(memory, id_, dry_run=False) for id_ in ids]
    if as_json:
        from ai_smartness.views.json import outcome_json

        print_json([outcome_json(outcome, dry_run=dry_run) for outcome in outcomes])
        return
    for outcome in outcomes:
        context.print_outcome(outcome, dry_run=dry_run)


def _nothing_text(context: CliContext, *, narrowed: bool, everything: bool) -> str:
    if narrowed and everything:
        return "No statement fits that. `ais statements --all` without more lists all of them."
    if narrowed:
        return "No statement in force fits that. `ais statements --all` lists all of them."
    where = safe_text(f"the project {context.project_name}")
    return (
        f"There are no statements in {where} yet. They are found in what is said; "
        '`ais pin "We deploy on Tuesdays" --kind rule` makes one.'
    )


def _disputers(context: CliContext, memory: "Memory") -> Mapping[str, Sequence[str]]:
    """Return which teammates dispute what you share, by the id of the statement."""
    from ai_smartness.wiring import is_on_server

    if not is_on_server(context.settings):
        return {}
    try:
        return {item.id: item.disputed_by for item in memory.shared_items() if item.is_own}
    except RefusedError:
        return {}  # a server without a team


def _dispute_json(disputers: Sequence[str]) -> dict[str, str]:
    return {"disputed_by": " and ".join(disputers)} if disputers else {}


def _print_groups(
    listed: Sequence[Statement], disputers: Mapping[str, Sequence[str]], now: datetime
) -> None:
    from ai_smartness.views.statements import statement_groups, statement_marks, statement_period

    widest = max((len(statement_period(statement, now)) for statement in listed), default=0)
    for number, (heading, group) in enumerate(statement_groups(listed)):
        if number:
            click.echo()
        click.echo(click.style(heading, bold=True))
        for statement in group:
            lead = f"{INDENT}{statement.short_id}  {statement_period(statement, now):<{widest}}"
            marks = statement_marks(statement, disputers.get(statement.id, ()))
            text = f"{statement.text} {marks}" if marks else statement.text
            for line in _wrapped_lines(lead + INDENT, text):
                click.echo(line)


def _wrapped_lines(lead: str, text: str) -> list[str]:
    return textwrap.wrap(
        safe_text(" ".join(text.split())),
        screen_width() - 1,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=sys.stdout.isatty(),  # a path, which would leave its column
        break_on_hyphens=False,
    )


def _facts(
    statement: Statement, title: str, newer: Statement | None, older: Sequence[Statement]
) -> Iterator[tuple[str, str]]:
    yield "id", statement.id
    yield "kind", statement.kind.value
    yield "review", statement.review.value
    speaker = statement.shared_by or statement.speaker.value
    yield "said by", f"{speaker}, {formatted_time(statement.at)}"
    yield "thread", f"{title} [{shown_thread_id(statement.thread_id)}]"
    if statement.session:
        yield "session", statement.session
    yield "confidence", f"{statement.confidence:.2f}"
    if newer is not None:
        since = statement.superseded_at or newer.at
        yield "held until", f"{formatted_time(since)}; now {newer.id}: {newer.text}"
    for one in older:
        yield "superseded", f"{one.id}: {one.text}"
