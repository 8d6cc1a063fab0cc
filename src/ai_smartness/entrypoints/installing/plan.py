"""What has to be changed in a client's settings for our hooks to be in them, or out of them.

Everybody else's entries are left alone: ours stand in groups of their own, behind theirs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

from ai_smartness.entrypoints.installing.entries import Groups, is_ours
from ai_smartness.model.errors import RefusedError

__all__ = [
    "Append",
    "Put",
    "Remove",
    "Step",
    "applied",
    "are_in",
    "has_ours",
    "refuse_odd",
    "steps_in",
    "steps_out",
]

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Remove:
    """Take out what is at a path."""

    path: Path


@dataclass(frozen=True, slots=True)
class Put:
    """Give the object at a path a member that it lacks."""

    path: Path
    name: str
    value: object


@dataclass(frozen=True, slots=True)
class Append:
    """Add to the end of the list at a path."""

    path: Path
    value: object


Step: TypeAlias = Remove | Put | Append


def steps_in(settings: Mapping[str, Any], ours: Groups) -> list[Step]:
    """Return the steps that put our hooks into settings which have none of them."""
    if "hooks" not in settings:
        return [Put((), "hooks", ours)]
    steps: list[Step] = []
    for event, groups in ours.items():
        if event in settings["hooks"]:
            steps += [Append(("hooks", event), group) for group in groups]
        else:
            steps.append(Put(("hooks",), event, groups))
    return steps


def steps_out(settings: Mapping[str, Any], before: Mapping[str, Any]) -> list[Step]:
    """Return the steps that take every hook of ours out, each to be taken after the one before.

    What is empty then goes too, unless it was so before we came.
    """
    events = _events(settings)
    kept = _events(before)
    steps: list[Step] = []
    emptied = set()
    for event, groups in events.items():
        removed = list(_removed(event, groups))
        whole = sum(len(path) == len(("hooks", event, 0)) for path in removed)
        if removed and whole == len(groups) and event not in kept:
            emptied.add(event)
            removed = [("hooks", event)]
        steps += [Remove(path) for path in removed]
    if emptied and emptied == set(events) and "hooks" not in before:
        return [Remove(("hooks",))]
    return steps


def are_in(settings: Mapping[str, Any], ours: Groups) -> bool:
    """Say whether our hooks are there, all of them and no others of ours."""
    found = {
        event: [group for group in groups if any(is_ours(hook) for hook in _hooks(group))]
        for event, groups in _events(settings).items()
    }
    return {event: groups for event, groups in found.items() if groups} == ours


def has_ours(settings: Mapping[str, Any]) -> bool:
    """Say whether any hook of ours is there."""
    groups = [group for groups in _events(settings).values() for group in groups]
    return any(is_ours(hook) for group in groups for hook in _hooks(group))


def applied(settings: Any, steps: Sequence[Step]) -> Any:  # noqa: ANN401 - any JSON
    """Return the settings as they are after the steps."""
    for step in steps:
        match step:
            case Remove(path):
                settings = _changed(
                    settings, path[:-1], lambda held, at=path[-1]: _without(held, at)
                )
            case Put(path, name, value):
                settings = _changed(
                    settings, path, lambda held, name=name, value=value: {**held, name: value}
                )
            case Append(path, value):
                settings = _changed(settings, path, lambda held, value=value: [*held, value])
            case _:
                assert_never(step)
    return settings


def refuse_odd(settings: object, ours: Groups) -> None:
    """Refuse settings of another shape than the client's, which we could only break further."""
    if not isinstance(settings, dict):
        msg = "it holds no object"
        raise RefusedError(msg)
    events = settings.get("hooks", {})
    if not isinstance(events, dict):
        msg = "its `hooks` is no object"
        raise RefusedError(msg)
    for event in ours:
        if not isinstance(events.get(event, []), list):
            msg = f"its `hooks.{event}` is no list"
            raise RefusedError(msg)


def _removed(event: str, groups: Sequence[object]) -> Iterator[Path]:
    """Name what is ours, the last first, so that no removal moves what is still to be removed."""
    for place in reversed(range(len(groups))):
        ours = [number for number, hook in enumerate(_hooks(groups[place])) if is_ours(hook)]
        if ours and len(ours) == len(_hooks(groups[place])):
            yield "hooks", event, place
        else:
            yield from (("hooks", event, place, "hooks", number) for number in reversed(ours))


def _events(settings: Mapping[str, Any]) -> dict[str, list[Any]]:
    events = settings.get("hooks")
    if not isinstance(events, dict):
        return {}
    return {event: groups for event, groups in events.items() if isinstance(groups, list)}


def _hooks(group: object) -> list[Any]:
    found = group.get("hooks") if isinstance(group, dict) else None
    return found if isinstance(found, list) else []


def _changed(value: Any, path: Path, change: Any) -> Any:  # noqa: ANN401 - any JSON
    if not path:
        return change(value)
    at, *rest = path
    inner = _changed(value[at], tuple(rest), change)
    if isinstance(value, dict):
        return {**value, at: inner}
    return [inner if place == at else each for place, each in enumerate(value)]


def _without(held: Any, at: str | int) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(held, dict):
        return {name: each for name, each in held.items() if name != at}
    return [each for place, each in enumerate(held) if place != at]
