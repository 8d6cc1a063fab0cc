"""The three kinds of error.

Every message says what could not be done, why, and the way out. Each
entrypoint translates errors once, at its edge; nothing in between catches them.
"""

# As `typing.TYPE_CHECKING`, without importing `typing` on the way to `ais --help`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ai_smartness.model.link import Remedy

__all__ = ["AisError", "NotFoundError", "RefusedError", "StoreError"]


class AisError(Exception):
    """Anything ai_smartness refuses or cannot do.

    A `remedy` is kept as a value: the text names its command, and a reader that has
    other means, such as a tool or a path, writes `problem` and the remedy its own way.
    """

    def __init__(self, problem: str = "", remedy: "Remedy | None" = None) -> None:
        super().__init__(f"{problem} {remedy}" if remedy else problem)
        self.problem = problem
        self.remedy = remedy


class NotFoundError(AisError):
    """The thing that was named does not exist."""


class RefusedError(AisError):
    """The request is understood and not carried out; nothing has changed."""


class StoreError(AisError):
    """The database, the disk or a model's files are not as they must be.

    `may_repeat` says that a unit was undone by chance, such as a deadlock with somebody else's:
    nothing of it was stored, and the same call may well succeed.
    """

    may_repeat = False
