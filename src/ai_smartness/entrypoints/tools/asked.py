"""A call of a tool on its way to the memory, and the reply on its way back."""

from collections.abc import Mapping
from typing import NamedTuple

from ai_smartness.entrypoints.tools.shapes import Shape

__all__ = ["Call", "Reply"]


class Call(NamedTuple):
    """A call of a tool, by whom, and whether it may only read."""

    name: str
    arguments: Mapping[str, object]
    client: str
    session: str | None = None
    reads: bool = False


class Reply(NamedTuple):
    """What the caller is told."""

    text: str
    structure: Shape | None = None
    is_error: bool = False
