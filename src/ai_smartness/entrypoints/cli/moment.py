"""Moments as they are typed and shown on the command line: in UTC unless a zone is given."""

from datetime import datetime

import click

from ai_smartness.model.event import as_utc

__all__ = ["read_moment", "written"]


def read_moment(
    _ctx: click.Context, _parameter: click.Parameter, text: str | None
) -> datetime | None:
    """Read the moment that an option is given; without a zone it is UTC."""
    if text is None:
        return None
    try:
        return as_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError) as wrong:
        msg = (
            f"{text!r} is not a time in ISO 8601. Write it like 2026-03-02 or 2026-03-02T12:30; "
            "without a zone it is UTC."
        )
        raise click.BadParameter(msg) from wrong


def written(at: datetime) -> str:
    """Write a moment to the minute."""
    return f"{at:%Y-%m-%d %H:%M} UTC"
