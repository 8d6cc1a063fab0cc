"""Tell which records that wait in the inbox are meant when something is to be forgotten."""

import json
from collections.abc import Collection
from datetime import datetime

from ai_smartness.model.event import as_utc
from ai_smartness.model.forgetting import Selection
from ai_smartness.watch.project import project_at

__all__ = ["is_meant"]


def is_meant(line: str, selection: Selection, ids: Collection[str]) -> bool:
    """Say whether a line of the inbox holds a message that is to be forgotten."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(record, dict):
        return False
    if record.get("id") in ids:
        return True
    return not (selection.messages or selection.thread) and all(_agreements(record, selection))


def _agreements(record: dict[str, object], selection: Selection) -> list[bool]:
    """Return for each thing that is given whether a record agrees with it."""
    at, cwd = _moment(record), str(record.get("cwd") or "")
    found = list[bool]()
    if selection.project is not None:
        found.append(cwd.startswith("/") and project_at(cwd).name == selection.project)
    if selection.session is not None:
        found.append(record.get("session") == selection.session)
    if selection.since is not None:
        found.append(at is not None and at >= selection.since)
    if selection.until is not None:
        found.append(at is not None and at < selection.until)
    if selection.matching is not None:
        wanted = " ".join(selection.matching.casefold().split())
        told = json.dumps(record, ensure_ascii=False)
        found.append(wanted in " ".join(told.casefold().split()))
    return found


def _moment(record: dict[str, object]) -> datetime | None:
    try:
        return as_utc(datetime.fromisoformat(str(record.get("at"))))
    except (ValueError, OverflowError):
        return None
