"""Threads to put in order on the command line, and all there is of them to compare."""

import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ai_smartness import Memory, Message
from command_line import ais

__all__ = [
    "BACKUPS",
    "a_thread_that_changed_its_subject",
    "everything",
    "ids",
    "messages_of",
    "plain",
    "the_child",
    "two_threads",
    "without_new_ids",
]

FADING = frozenset({"weight", "drift"})
"""What is another number a moment later."""


BACKUPS = "Backups=backup-1,backup-2"
"""A part of the thread of invoices, as it is typed."""

TOLD = {
    "invoice-1": "The invoice PDF breaks when a name has an umlaut",
    "invoice-2": "renderInvoice() embeds DejaVu Sans in the invoice PDF now",
    "backup-1": "The nightly backup of the warehouse to the bucket fails",
    "backup-2": "backup.sh had an expired bucket key, the nightly backup runs again",
    "login-1": "Users are logged out at random by src/auth/session.py",
}


def two_threads(project: Path) -> tuple[str, str]:
    """Keep one thread of invoices and backups, and one of logging in; return their ids."""
    start = datetime.now(UTC) - timedelta(minutes=30)
    messages = [
        Message(
            id=id_,
            session=id_.partition("-")[0],
            role="assistant" if id_.endswith("2") else "user",
            text=text,
            at=start + timedelta(minutes=minute),
        )
        for minute, (id_, text) in enumerate(TOLD.items())
    ]
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        memory.capture([messages[0], messages[-1]])
        invoice, login = (memory.message(id_).thread_id for id_ in ("invoice-1", "login-1"))
        for message in messages[1:-1]:
            memory.append(invoice, message)
    return invoice, login


CHANGED = (
    "The login page rejects every password since the session cookie changed.",
    "The session cookie is set for the wrong domain, so the login forgets the password.",
    "Set the cookie for the login domain and keep the session an hour.",
    "Done: the login sets the session cookie for its own domain.",
    "Does the login test cover a session whose cookie is too old?",
    "It does now: an old session cookie sends one back to the login page.",
    "Draw the sales chart with bars for each month.",
    "The sales chart has bars now, one for each month of the year.",
    "Colour the bars of the chart by region and sort the months.",
    "The months are sorted and the bars take the colour of their region.",
)


def a_thread_that_changed_its_subject(project: Path) -> str:
    """Keep a thread of six messages on logging in and four on charts, m0 to m9."""
    start = datetime.now(UTC) - timedelta(minutes=30)
    first, *others = (
        Message(id=f"m{n}", session="s1", text=text, at=start + timedelta(minutes=n))
        for n, text in enumerate(CHANGED)
    )
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        memory.capture(first)
        thread = memory.message("m0").thread_id
        for message in others:
            memory.append(thread, message)
    return thread


def plain(*args: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Run a command for programs, and return what it told them."""
    ran = ais(*args, "--json")
    assert ran.exit_code == 0, ran.stderr
    return json.loads(ran.stdout)


def messages_of(thread: str) -> list[str]:
    """Name the messages of a thread, in order."""
    return [each["id"] for each in plain("threads", "show", thread)["messages"]]


def the_child(of: str) -> str:
    """Name the one thread that was split off another."""
    (child,) = plain("threads", "show", of)["thread"]["child_ids"]
    return str(child)


def without_new_ids(text: str) -> str:
    """Leave out what names a thread that is only made by the run."""
    return re.sub(r"thread_[0-9]{8}_[0-9]{6}_[0-9a-f]{6}", "thread_…", text)


def ids() -> list[str]:
    """Name every thread of the project."""
    return sorted(str(each["id"]) for each in plain("threads"))


def everything() -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return every thread with its messages, every bridge and every change."""
    return _steady(
        {
            "threads": {each: plain("threads", "show", each) for each in ids()},
            "listed": plain("threads"),
            "bridges": plain("bridges"),
            "log": plain("log"),
        },
    )


def _steady(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    match value:
        case Mapping():
            return {name: _steady(each) for name, each in value.items() if name not in FADING}
        case list():
            return [_steady(each) for each in value]
    return value
