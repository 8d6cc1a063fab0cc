"""Where the agent works, and what of it is not to be remembered."""

import os

from ai_smartness.watch.project import project_at, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ai_smartness.watch.ignored import Ignored

__all__ = ["Place"]


class Place:
    """A folder of a project."""

    __slots__ = ("cwd", "ignored", "root")

    def __init__(self, cwd: str) -> None:
        self.cwd = cwd
        self.root = project_at(cwd).root
        self.ignored: Ignored | None = _ignored_in(self.root)

    def path(self, path: str) -> str:
        """Return a path as seen from the project's root; empty if it is not to be remembered."""
        seen = within(self.root, self.cwd, path)
        return "" if self.ignored and self.ignored.matches(seen) else seen


def _ignored_in(root: str) -> "Ignored | None":
    if not os.path.lexists(os.path.join(root, ".aiignore")):  # noqa: PTH118 - pathlib costs ten milliseconds
        return None
    from ai_smartness.watch.ignored import ignored_in  # noqa: PLC0415 - few have one

    return ignored_in(root)
