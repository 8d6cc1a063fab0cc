"""A secret that is kept although none should be: where it is, never what it is."""

from dataclasses import dataclass

__all__ = ["KeptSecret", "kept_secret"]

SHOWN_CHARACTERS = 3
"""Enough to tell a key of one service from another's, too few to be of use to anybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSecret:
    """One secret in the store or in a file beside it.

    `where` is what holds it: a message's text, a thread's title, a line of a file; `id` names
    that message, thread, change or file.
    """

    kind: str
    where: str
    id: str
    begins: str
    length: int
    project: str = ""


def kept_secret(kind: str, secret: str, *, where: str, id_: str, project: str = "") -> KeptSecret:
    """Tell of a secret without telling it."""
    begins = secret[:SHOWN_CHARACTERS] if len(secret) > 4 * SHOWN_CHARACTERS else ""
    return KeptSecret(
        kind=kind, where=where, id=id_, begins=begins, length=len(secret), project=project
    )
