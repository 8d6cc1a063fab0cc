"""Moments and spans as they are typed and shown on the command line.

A moment is in UTC unless a zone is given; a span is a number with its unit.
"""

import re
from datetime import datetime, timedelta

import click

from ai_smartness.model.event import as_utc

__all__ = ["formatted_time", "json_option", "read_moment", "read_span"]

json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON for a program to read.",
)

SPAN_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
SPAN_PATTERN = re.compile(rf"([0-9]+)([{''.join(SPAN_UNITS)}])")
LONGEST_SPAN = timedelta(days=3660)
"""Ten years: whatever is longer was meant to last."""


def read_moment(
    _ctx: click.Context,
    _parameter: click.Parameter,
    text: str | None,
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


def read_span(
    _ctx: click.Context,
    _parameter: click.Parameter,
    text: str | None,
) -> timedelta | None:
    """Read the span that an option is given: minutes, hours, days or weeks."""
    if text is None:
        return None
    found = SPAN_PATTERN.fullmatch(text.strip().lower())
    try:
        span = timedelta(**{SPAN_UNITS[found[2]]: int(found[1])}) if found else timedelta()
    except (OverflowError, ValueError):
        span = timedelta()
    if not timedelta() < span <= LONGEST_SPAN:
        msg = f"{text!r} is no span of time. Write it like 30m, 2h, 3d or 1w; at most ten years."
        raise click.BadParameter(msg)
    return span


def formatted_time(at: datetime) -> str:
    """Write a moment to the minute."""
    return f"{at:%Y-%m-%d %H:%M} UTC"
