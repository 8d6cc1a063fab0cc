"""The memory of a coding agent: local, threaded, undoable.

`Memory` is the one door; see its methods for what it can do.
"""

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ai_smartness.condense import Condenser, Context, Wrote
    from ai_smartness.memory import Memory
    from ai_smartness.model.condensation import Replacement, Scope
    from ai_smartness.model.errors import AisError, NotFoundError, RefusedError, StoreError
    from ai_smartness.model.event import Event, EventType, Message
    from ai_smartness.model.search import Hit
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

_EXPORT_MODULES = {
    "AisError": "model.errors",
    "Condenser": "condense",
    "Context": "condense",
    "Event": "model.event",
    "EventType": "model.event",
    "Hit": "model.search",
    "Memory": "memory",
    "Message": "model.event",
    "NotFoundError": "model.errors",
    "RefusedError": "model.errors",
    "Replacement": "model.condensation",
    "Scope": "model.condensation",
    "StoreError": "model.errors",
    "Thread": "model.thread",
    "Wrote": "condense",
}


def __getattr__(name: str) -> object:
    # Looked up when asked for: the hook imports this package and must not pay for all of it.
    if name not in _EXPORT_MODULES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_EXPORT_MODULES[name]}"), name)
