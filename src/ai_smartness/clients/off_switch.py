"""Switch the memory off, everywhere or in one project, for good or for a while.

While it is off, hooks neither capture nor add anything; what is asked for is still answered. The
times are recorded, so that a transcript that is imported later brings nothing of them. The hook
reads this for every event: standard library only.
"""

import os

from ai_smartness.clients.fast_json import dumps, loads
from ai_smartness.clients.hook_event import Fields, text_field

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "EVERYWHERE",
    "OFF_VARIABLE",
    "OffPeriod",
    "is_off",
    "is_off_by_variable",
    "read_off_periods",
    "save_off_periods",
    "switched_off",
    "switched_on",
]

OFF_FILE = "off.json"
OFF_VARIABLE = "AIS_OFF"
EVERYWHERE = "*"


class OffPeriod:
    """A time in which the memory is off, in seconds since 1970; without an end it goes on."""

    __slots__ = ("project", "start", "until")

    def __init__(self, project: str, start: float, until: float | None) -> None:
        self.project = project
        self.start = start
        self.until = until

    def covers(self, project: str, at: float) -> bool:
        """Say whether the memory is off for a project at a time."""
        is_meant = self.project in (EVERYWHERE, project)
        return is_meant and self.start <= at and (self.until is None or at < self.until)


def is_off(home: str, cwd: str, at: float, environ: "Mapping[str, str]") -> bool:
    """Say whether the memory is off in a folder at a time, by the variable or by the switch."""
    if is_off_by_variable(environ):
        return True
    periods = read_off_periods(home)
    if not periods:
        return False
    from ai_smartness.clients.project import project_at

    project = project_at(cwd, home).name
    return any(period.covers(project, at) for period in periods)


def is_off_by_variable(environ: "Mapping[str, str]") -> bool:
    """Say whether the variable switches the memory off for this process."""
    return environ.get(OFF_VARIABLE, "") not in ("", "0")


def read_off_periods(home: str) -> "list[OffPeriod]":
    """Read the times in which the memory was or is off; a damaged file says none."""
    try:
        with open(f"{home}/{OFF_FILE}", encoding="utf-8") as file:
            fields = loads(file.read())
    except (OSError, ValueError):
        return []
    listed = fields.get("periods") if isinstance(fields, dict) else None
    entries = listed if isinstance(listed, list) else []
    return [_parsed_period(entry) for entry in entries if isinstance(entry, dict)]


def save_off_periods(home: str, periods: "list[OffPeriod]") -> None:
    """Write the times, readable only by their owner."""
    entries = [
        {"project": item.project, "from": item.start, "until": item.until} for item in periods
    ]
    path = f"{home}/{OFF_FILE}"
    draft = f"{path}.{os.getpid()}"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(handle, dumps({"periods": entries}).encode())
    finally:
        os.close(handle)
    os.replace(draft, path)


def switched_off(
    periods: "list[OffPeriod]", project: str, now: float, until: float | None
) -> "list[OffPeriod]":
    """Return the times with one more, which begins now."""
    return [*_ended_periods(periods, project, now), OffPeriod(project, now, until)]


def switched_on(periods: "list[OffPeriod]", project: str, now: float) -> "list[OffPeriod]":
    """Return the times with those of a project ended now; `EVERYWHERE` ends all of them."""
    return _ended_periods(periods, project, now)


def _ended_periods(periods: "list[OffPeriod]", project: str, now: float) -> "list[OffPeriod]":
    ended = []
    for period in periods:
        is_meant = project in (EVERYWHERE, period.project)
        is_open = period.until is None or period.until > now
        until = now if is_meant and is_open else period.until
        ended.append(OffPeriod(period.project, period.start, until))
    return ended


def _parsed_period(entry: Fields) -> OffPeriod:
    start, until = entry.get("from"), entry.get("until")
    return OffPeriod(
        text_field(entry, "project"),
        float(start) if isinstance(start, int | float) else 0.0,
        float(until) if isinstance(until, int | float) else None,
    )
