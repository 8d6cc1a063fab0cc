"""Explain an error of PostgreSQL to the user."""

import psycopg
from psycopg import errors

from ai_smartness.model.errors import StoreError

__all__ = ["lost_project_error", "store_error"]

_LOST = (
    "the memory {name} does not answer: {error}. Nothing was changed. Check that the server runs "
    "and can be reached; what is captured meanwhile waits in the inbox."
)
_NOT_LET_IN = (
    "the memory {name} does not let you in: {error}. Nothing was changed. Put the password into "
    "~/.pgpass, as a line HOST:PORT:DATABASE:ROLE:PASSWORD, and make that file readable by you "
    "alone. What is captured meanwhile waits in the inbox."
)
_LOST_COMMIT = (
    "the connection to the memory {name} was lost at the last moment ({error}): the change may "
    "have been stored or not. Repeat it: a message is stored only once, by its id."
)
_BUSY = (
    "the memory {name} is busy: another process has been writing to this project all this time. "
    "Nothing was changed; try again, or raise `store.busy_timeout_ms`."
)
_REFUSED = (
    "the memory {name} cannot be written: {error}. Nothing was changed; ask the administrator of "
    "the server for the right to write, or, in a team, to run `ais team add` for your role."
)
_GONE = (
    "somebody has just deleted a project of the memory {name}. Nothing was changed; try again to "
    "start it anew."
)
_FULL = (
    "the memory {name} cannot be written: the disk of the server is full. "
    "Nothing was changed; make room and try again."
)
_OTHER = "the memory {name} did not carry out a statement: {error}."

_MESSAGES: tuple[tuple[type[psycopg.Error], str], ...] = (
    (errors.DeadlockDetected, _BUSY),
    (errors.SerializationFailure, _BUSY),
    (errors.LockNotAvailable, _BUSY),
    (errors.InsufficientPrivilege, _REFUSED),
    (errors.ReadOnlySqlTransaction, _REFUSED),
    (errors.DiskFull, _FULL),
)


def store_error(error: psycopg.Error, name: str, during: str = "") -> StoreError:
    """Return the error in plain words; `during` is "commit" if it is not known what happened."""
    for kind, message in _MESSAGES:
        if isinstance(error, kind):
            return StoreError(message.format(name=name, error=_reason(error)))
    if not isinstance(error, psycopg.OperationalError):
        message = _OTHER
    elif during == "commit":
        message = _LOST_COMMIT
    else:
        # The server says so before there is a session, so without a code.
        message = _NOT_LET_IN if "password" in _reason(error) else _LOST
    return StoreError(message.format(name=name, error=_reason(error)))


def lost_project_error(name: str) -> StoreError:
    """Return the error of a unit whose project was deleted while it began."""
    return StoreError(_GONE.format(name=name))


def _reason(error: psycopg.Error) -> str:
    """Return the first line of the error, which names no value of a row."""
    text = error.diag.message_primary or str(error)
    first = (text.strip().splitlines() or ["no reason was given"])[0]
    return first.removeprefix("connection is bad: ").rstrip(".")
