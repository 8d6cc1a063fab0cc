"""Our server of tools, as it is registered with a client: for one project, or for all.

The client keeps its servers in a file that it writes by itself all the time. Of that file only
our own entry is touched, and whatever had to be made to hold it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ai_smartness.entrypoints.installing.entries import Program
from ai_smartness.entrypoints.installing.plan import Path, Put, Remove, Step
from ai_smartness.model.errors import RefusedError

__all__ = [
    "NAME",
    "Place",
    "Server",
    "entry_at",
    "is_ours",
    "made_by",
    "places_of_ours",
    "refuse_odd",
    "server",
    "steps_in",
    "steps_out",
]

NAME = "ai_smartness"
"""What the server is called: its tools are `mcp__ai_smartness__…` to the client."""

SERVERS = "mcpServers"
PROJECTS = "projects"
MODULE = "ai_smartness"

Place: TypeAlias = "str | None"
"""The project that has the server, by its folder; None is all of them."""

Server: TypeAlias = "dict[str, object]"


def server(program: Program) -> Server:
    """Return the entry: which Python serves which memory.

    Always loaded: a client that has many tools would otherwise show ours by name alone. Older
    ones pass over that.
    """
    # Neither the project's folder nor its PYTHONPATH may stand in for a module of ours.
    args = ["-E", "-P", "-m", MODULE, "--home", program.home, "mcp"]
    return {"type": "stdio", "command": program.python, "args": args, "alwaysLoad": True}


def steps_in(config: Mapping[str, Any], place: Place, ours: Server) -> list[Step]:
    """Return the steps that register it, in place of an older entry of ours."""
    holder = _holder(place)
    held: Any = config
    for depth, name in enumerate(holder):
        if name not in held:
            return [Put(holder[:depth], name, _nested(holder[depth + 1 :], ours))]
        held = held[name]
    old = [Remove((*holder, NAME))] if NAME in held else []
    return [*old, Put(holder, NAME, ours)]


def steps_out(config: Mapping[str, Any], place: Place, made: int = 0) -> list[Step]:
    """Return the steps that take it out, with as many empty holders as were made for it."""
    if not is_ours(entry_at(config, place)):
        return []
    path: Path = (*_holder(place), NAME)
    for _ in range(made):
        if len(_at(config, path[:-1])) > 1:
            break
        path = path[:-1]
    return [Remove(path)]


def made_by(steps: Sequence[Step], place: Place) -> int:
    """Count the holders that the steps make for an entry."""
    (put,) = [step for step in steps if isinstance(step, Put)]
    return len(_holder(place)) - len(put.path)


def entry_at(config: object, place: Place) -> object:
    """Return what is registered under our name; None if nothing is."""
    try:
        return _at(config, _holder(place)).get(NAME)
    except (KeyError, TypeError, AttributeError):
        return None


def places_of_ours(config: object) -> Iterator[Place]:
    """Name every place where a server of ours is registered."""
    projects = config.get(PROJECTS) if isinstance(config, dict) else None
    for place in (None, *(projects if isinstance(projects, dict) else ())):
        if is_ours(entry_at(config, place)):
            yield place


def is_ours(entry: object) -> bool:
    """Tell an entry that starts our program from one that only has its name."""
    if not isinstance(entry, dict):
        return False
    args = entry.get("args")
    words = [entry.get("command"), *(args if isinstance(args, list) else [])]
    named = any(isinstance(each, str) and _names_us(each) for each in words)
    return named and "mcp" in words


def refuse_odd(config: object, place: Place) -> None:
    """Refuse a file of another shape than the client's, or a server that is somebody else's."""
    held = config
    for name in (None, *_holder(place)):
        if name is not None:
            held = held.get(name, {}) if isinstance(held, dict) else held
        if not isinstance(held, dict):
            msg = "it holds no object" if name is None else f"its `{name}` is no object"
            raise RefusedError(msg)
    found = entry_at(config, place)
    if found is not None and not is_ours(found):
        msg = f"it has a server `{NAME}` that is not ours; call that one something else"
        raise RefusedError(msg)


def _names_us(word: str) -> bool:
    return word == MODULE or word.rpartition("/")[2] in {"ais", "ai"}


def _holder(place: Place) -> tuple[str, ...]:
    return (SERVERS,) if place is None else (PROJECTS, place, SERVERS)


def _nested(names: tuple[str, ...], ours: Server) -> object:
    held: object = {NAME: ours}
    for name in reversed(names):
        held = {name: held}
    return held


def _at(config: Any, path: Path) -> Any:  # noqa: ANN401 - any JSON
    for step in path:
        config = config[step]
    return config
