"""Statements as people and agents read them: grouped by kind, what holds first.

A superseded statement says until when it held, and which one holds instead.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from ai_smartness.model.link import StatementsLink
from ai_smartness.model.statement import (
    KIND_HEADINGS,
    SHORT_ID_CHARACTERS,
    ReviewState,
    Speaker,
    Statement,
)
from ai_smartness.text.display import one_line, short_date, shortened_text
from ai_smartness.text.markers import STALE_NOTE, marked_text
from ai_smartness.views.links import read_call, tool_call_text

__all__ = [
    "paths_to_statements",
    "statement_groups",
    "statement_marks",
    "statement_period",
    "statements_page",
    "tools_to_statements",
]

MAX_LISTED_STATEMENTS = 100  # on one page: an agent reads all of it
STATEMENT_CHARACTERS = 300
SPEAKER_MARKS = {Speaker.ASSISTANT: ("agent",), Speaker.TOOL: ("tool",)}
"""Whose words they are, where not the user's."""


def statement_groups(statements: Sequence[Statement]) -> list[tuple[str, list[Statement]]]:
    """Group statements under their headings, in each group what holds first."""
    groups = []
    for kind, heading in KIND_HEADINGS.items():
        group = [statement for statement in statements if statement.kind is kind]
        if group:
            groups.append((heading, sorted(group, key=lambda statement: not statement.holds)))
    return groups


def statement_period(statement: Statement, now: datetime) -> str:
    """Write since when a statement holds, or until when it held."""
    if statement.superseded_by is None:
        return short_date(statement.at, now)
    if statement.superseded_at is None:
        return "superseded"
    return f"until {short_date(statement.superseded_at, now)}"


def statement_marks(statement: Statement, disputers: Sequence[str] = ()) -> str:
    """Write what was decided about a statement, whose it is, and what holds instead.

    `disputers` are the teammates who dispute it where it is one's own and shared.
    """
    marks = [] if statement.review is ReviewState.PROPOSED else [statement.review.value]
    marks += SPEAKER_MARKS.get(statement.speaker, ())
    marks += [one_line(statement.team_mark)] if statement.shared_by else []
    marks += [f"disputed by {one_line(' and '.join(disputers))}"] if disputers else []
    if statement.superseded_by is not None:
        marks.append(f"now {statement.superseded_by[:SHORT_ID_CHARACTERS]}")
    return f"({', '.join(marks)})" if marks else ""


def statements_page(statements: Sequence[Statement], now: datetime, next_step: str) -> str:
    """Return the page of statements that an agent reads."""
    return marked_text("\n".join(_page_lines(statements, now, next_step)))


def paths_to_statements() -> str:
    """Say which paths list other statements."""
    return (
        f"{read_call(StatementsLink('rule'))} lists one kind, "
        f"{read_call(StatementsLink('WORDS'))} the statements with these words."
    )


def tools_to_statements() -> str:
    """Say which tool calls list other statements."""
    return (
        f"{tool_call_text('ai_statements', kind='rule')} lists one kind, "
        f"{tool_call_text('ai_statements', query='WORDS')} the statements with these words."
    )


def _page_lines(statements: Sequence[Statement], now: datetime, next_step: str) -> Iterator[str]:
    yield f"# Statements ({len(statements):,})"
    if not statements:
        yield "Nothing is stated about that, or nothing yet."
        yield f"Next: {next_step}"
        return
    yield STALE_NOTE
    for heading, group in statement_groups(statements[:MAX_LISTED_STATEMENTS]):
        yield ""
        yield f"## {heading}"
        yield from (_statement_line(statement, now) for statement in group)
    yield ""
    if len(statements) > MAX_LISTED_STATEMENTS:
        yield f"… and {len(statements) - MAX_LISTED_STATEMENTS:,} more"
    yield f"Next: {next_step}"


def _statement_line(statement: Statement, now: datetime) -> str:
    text = shortened_text(one_line(statement.text), STATEMENT_CHARACTERS)
    line = f"- {statement_period(statement, now)}: {text} [{statement.short_id}]"
    return f"{line} {marks}" if (marks := statement_marks(statement)) else line
