"""Write pages from templates: every stored text is escaped, and nothing of it is markup.

Values reach a page as text alone. Invisible and direction-changing characters are shown as
escapes, so that stored text cannot pass for something else.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ai_smartness.text.display import (
    counted_noun,
    short_date,
    shortened_text,
    size_text,
    time_ago,
    visible_text,
)

__all__ = ["STATIC_FOLDER", "rendered_page"]

FOLDER = Path(__file__).parent
STATIC_FOLDER = FOLDER / "static"

MAX_SHOWN_CHARACTERS = 20_000  # of one text: a log of a megabyte would hold up the browser


def rendered_page(template: str, values: Mapping[str, object]) -> str:
    """Return the page of a template."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Every value passes here, whatever the template forgets.
        finalize=_shown_value,
    )
    environment.filters.update(_FILTERS)
    return environment


def _shown_value(value: object) -> object:
    # Markup made by our own macros is text that is escaped already.
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible_text(shortened_text(value, MAX_SHOWN_CHARACTERS))
    return value


def _ago(at: datetime) -> str:
    return time_ago(at, datetime.now(UTC))


def _day(at: datetime) -> str:
    return short_date(at, datetime.now(UTC))


def _full_time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _minute(at: datetime) -> str:
    return f"{at.astimezone(UTC):%-d %b %Y, %H:%M}"


def _stamp(text: str) -> str:
    """Return a time of a log as people write it; another text stays as it is."""
    try:
        return f"{_minute(datetime.fromisoformat(text))} UTC"
    except ValueError:
        return text


def _coded(text: str) -> Markup:
    """Return a text whose parts between backticks, commands mostly, are marked as code."""
    parts = str(_shown_value(text)).split("`")
    if len(parts) % 2 == 0:  # one mark is alone
        return escape("`".join(parts))
    pieces = (
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )
    return Markup("").join(pieces)


_FILTERS: dict[str, Callable[..., object]] = {
    "ago": _ago,
    "coded": _coded,
    "day": _day,
    "full_time": _full_time,
    "minute": _minute,
    "counted": counted_noun,
    "size": size_text,
    "stamp": _stamp,
}
