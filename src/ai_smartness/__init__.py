"""The memory of a coding agent: local, threaded, undoable.

`Memory` is the one door; see its methods for what it can do.
"""

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ai_smartness.compact.condensers import Condenser, Context, Wrote
    from ai_smartness.memory import Memory
    from ai_smartness.model.condensed import Replacement, Scope
    from ai_smartness.model.errors import AisError, NotFoundError, RefusedError, StoreError
    from ai_smartness.model.event import Event, EventType, Message
    from ai_smartness.model.found import Hit
    from ai_smartness.model.thread import Thread

__all__ = [
    "AisError",
    "Condenser",
    "Context",
    "Event",
    "EventType",
    "Hit",
    "Memory",
    "Message",
    "NotFoundError",
    "RefusedError",
    "Replacement",
    "Scope",
    "StoreError",
    "Thread",
    "Wrote",
]

_HOMES = {
    "AisError": "model.errors",
    "Condenser": "compact.condensers",
    "Context": "compact.condensers",
    "Event": "model.event",
    "EventType": "model.event",
    "Hit": "model.found",
    "Memory": "memory",
    "Message": "model.event",
    "NotFoundError": "model.errors",
    "RefusedError": "model.errors",
    "Replacement": "model.condensed",
    "Scope": "model.condensed",
    "StoreError": "model.errors",
    "Thread": "model.thread",
    "Wrote": "compact.condensers",
}


def __getattr__(name: str) -> object:
    # Looked up when asked for: the hook imports this package and must not pay for all of it.
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module  # noqa: PLC0415 - not for the hook

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
