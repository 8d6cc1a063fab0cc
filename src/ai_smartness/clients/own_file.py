"""A file in a client's folder that is ours alone: written whole, and deleted with us."""

from ai_smartness.clients.own_program import HOOK_MARK
from ai_smartness.model.errors import RefusedError

__all__ = ["OwnFile"]


class OwnFile:
    """The whole text of a file, as `OwnEntries` describes it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def text_with_ours(self, text: str) -> str:
        """Return our text; refuse a file of somebody else under the same name."""
        if text.strip() and HOOK_MARK not in text:
            msg = "it is not ours; rename it"
            raise RefusedError(msg)
        return self._text

    def text_without_ours(self, text: str, before: str | None) -> str:
        """Return nothing, if the file is ours."""
        return "" if HOOK_MARK in text else text
