"""`ais statements`: list what holds, and read one statement."""

import textwrap
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.completion import statement_ids
from ai_smartness.entrypoints.cli.options import TEXT, ListByDefaultGroup, json_option
from ai_smartness.entrypoints.cli.output import (
    formatted_time,
    print_json,
    rich_console,
    safe_text,
)
from ai_smartness.model.statement import Statement, StatementKind

__all__ = ["statements"]

DEFAULT_LIMIT = 100
INDENT = "  "
PERIOD_COLUMNS = len("until 31 Dec 2026")

KIND_CHOICE = click.Choice([kind.value for kind in StatementKind])
statement_argument = click.argument(
    "statement_id", metavar="ID", type=TEXT, shell_complete=statement_ids
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
    shown = listed[:limit]
    if as_json:
        from ai_smartness.views.json import statement_json

        print_json([statement_json(statement) for statement in shown])
        return
    if not shown:
        click.echo(_nothing_text(context, narrowed=bool(kind or query), everything=everything))
    _print_groups(shown, datetime.now(UTC))
    if len(listed) > limit:
        click.echo(f"There are more; --limit {limit * 2} shows them.", err=True)


@statements.command(epilog="Example: ais statements show s_1a2b3c4d")
@statement_argument
@json_option
@pass_context
def show(context: CliContext, statement_id: str, *, as_json: bool) -> None:
    """Show the statement ID: who said it, when, where, and what it superseded."""
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
        click.echo(f"{label:<12}{safe_text(value)}")


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


def _print_groups(listed: Sequence[Statement], now: datetime) -> None:
    from ai_smartness.views.statements import statement_groups, statement_marks, statement_period

    for number, (heading, group) in enumerate(statement_groups(listed)):
        if number:
            click.echo()
        click.echo(heading)
        for statement in group:
            lead = f"{INDENT}{statement.id}  {statement_period(statement, now):<{PERIOD_COLUMNS}}"
            marks = statement_marks(statement)
            text = f"{statement.text} {marks}" if marks else statement.text
            for line in _wrapped_lines(lead + INDENT, text):
                click.echo(line)


def _wrapped_lines(lead: str, text: str) -> list[str]:
    return textwrap.wrap(
        safe_text(" ".join(text.split())),
        rich_console().width - 1,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _facts(
    statement: Statement, title: str, newer: Statement | None, older: Sequence[Statement]
) -> Iterator[tuple[str, str]]:
    yield "id", statement.id
    yield "kind", statement.kind.value
    yield "review", statement.review.value
    yield "said by", f"{statement.speaker.value}, {formatted_time(statement.at)}"
    yield "thread", f"{statement.thread_id}  {title}"
    if statement.session:
        yield "session", statement.session
    if statement.subject:
        yield "about", ", ".join(statement.subject)
    yield "confidence", f"{statement.confidence:.2f}"
    if newer is not None:
        since = statement.superseded_at or newer.at
        yield "held until", f"{formatted_time(since)}; now {newer.id}: {newer.text}"
    for one in older:
        yield "superseded", f"{one.id}: {one.text}"
