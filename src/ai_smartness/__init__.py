"""The memory of a coding agent: local, threaded, undoable.

Everything goes through `Memory`; its methods are what it can do.
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
    "condense": ("Condenser", "Context", "Wrote"),
    "memory": ("Memory",),
    "model.condensation": ("Replacement", "Scope"),
    "model.errors": ("AisError", "NotFoundError", "RefusedError", "StoreError"),
    "model.event": ("Event", "EventType", "Message"),
    "model.search": ("Hit",),
    "model.thread": ("Thread",),
}


def __getattr__(name: str) -> object:
    # Looked up on first use: the hook imports this package and must not pay for all of it.
    for module, names in _EXPORT_MODULES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f"{__name__}.{module}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
