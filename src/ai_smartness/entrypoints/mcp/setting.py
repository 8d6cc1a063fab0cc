"""Where and for whom a server works."""

from typing import NamedTuple

__all__ = ["Setting"]


class Setting(NamedTuple):
    """The memory's home, the folder the agent works in, its session, and which tools it has."""

    home: str
    cwd: str
    session: str | None
    profile: str
