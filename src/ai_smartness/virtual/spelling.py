"""Write the path by which something is asked for; read as a path, it asks for just that."""

from collections.abc import Iterable

from ai_smartness.virtual.encoding import encoded
from ai_smartness.virtual.request import (
    Complete,
    Handoff,
    Look,
    Merge,
    Recall,
    SplitConfirm,
    SplitList,
    Status,
    Suggestions,
    Unlock,
)

__all__ = ["path_of", "read"]


def path_of(request: Complete) -> str:
    """Write the path by which this is asked for."""
    match request:
        case Recall() | Suggestions() | Handoff() | Status():
            return _look(request)
        case Merge(survivor, absorbed):
            return f".ai/merge/{encoded(survivor)}/{encoded(absorbed)}"
        case SplitList(thread):
            return f".ai/split/{encoded(thread)}"
        case Unlock(thread):
            return f".ai/unlock/{encoded(thread)}"
        case SplitConfirm(thread, parts, lock):
            groups = (
                f"msgs_{number}={_listed(part.messages)}" for number, part in enumerate(parts)
            )
            titles = f"titles={_listed(part.title for part in parts)}"
            parameters = "&".join((titles, *groups, f"lock={lock}"))
            return f".ai/split/{encoded(thread)}/confirm?{parameters}"


def read(request: Complete) -> str:
    """Write the call by which an agent asks for this."""
    return f'Read("{path_of(request)}")'


def _look(request: Look) -> str:
    match request:
        case Recall(query, limit):
            return f".ai/recall/{encoded(query)}" + (f"?limit={limit}" if limit else "")
        case Suggestions(named):
            return f".ai/suggestions/{encoded(named)}" if named else ".ai/suggestions"
        case Handoff(named):
            return f".ai/handoff/{encoded(named)}" if named else ".ai/handoff"
        case Status():
            return ".ai/status"


def _listed(several: Iterable[str]) -> str:
    return ",".join(encoded(each) for each in several)
