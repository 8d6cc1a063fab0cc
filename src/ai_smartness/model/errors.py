"""What can go wrong, in three kinds.

Every message says what could not be done, why, and the way out. Each
entrypoint translates these once, at its edge; in between nobody catches.
"""

__all__ = ["AisError", "NotFoundError", "RefusedError", "StoreError"]


class AisError(Exception):
    """Anything ai_smartness refuses or cannot do."""


class NotFoundError(AisError):
    """The thing that was named does not exist."""


class RefusedError(AisError):
    """The request is understood and not carried out; nothing has changed."""


class StoreError(AisError):
    """The database, the disk or a model's files are not as they must be."""
