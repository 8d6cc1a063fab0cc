"""Our hooks among other people's in a client's settings, in the shape that Claude Code introduced.

`{"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", …}]}]}}`: Codex, Gemini CLI and
Qwen Code read the same. Our hooks are appended as separate groups; existing entries keep their
order. We recognise our own by the path in the command.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ai_smartness.clients.own_program import is_our_command
from ai_smartness.model.errors import RefusedError

__all__ = [
    "HookGroups",
    "has_exactly_our_hooks",
    "has_our_hooks",
    "hook_group",
    "is_our_hook",
    "refuse_odd_hooks",
    "settings_with_hooks",
    "settings_without_hooks",
    "with_member",
]

HookGroups = dict[str, list[dict[str, object]]]
"""The groups of hooks by event, as the client's settings have them."""


def hook_group(hook: dict[str, object], matcher: str | None = None) -> dict[str, object]:
    """Return a group with one hook, for the tools or sources that the matcher names."""
    return {"hooks": [hook]} if matcher is None else {"matcher": matcher, "hooks": [hook]}


def is_our_hook(hook: object) -> bool:
    """Tell a hook that we registered from everybody else's."""
    if not isinstance(hook, dict):
        return False
    return is_our_command(hook.get("command")) or is_our_command(hook.get("args"))


def has_our_hooks(settings: Mapping[str, Any]) -> bool:
    """Say whether the settings contain any hook of ours."""
    return bool(_our_groups(settings))


def has_exactly_our_hooks(settings: Mapping[str, Any], ours: HookGroups) -> bool:
    """Say whether the settings contain all of these hooks and no others of ours."""
    return _our_groups(settings) == ours


def settings_with_hooks(settings: Mapping[str, Any], ours: HookGroups) -> dict[str, Any]:
    """Return the settings with our hooks behind everybody else's."""
    events = settings.get("hooks", {})
    added = {event: [*events.get(event, []), *groups] for event, groups in ours.items()}
    return {**settings, "hooks": {**events, **added}}


def settings_without_hooks(
    settings: Mapping[str, Any], before: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings without our hooks.

    Containers that are then empty go too, unless the settings before us had them.
    """
    events, events_before = settings.get("hooks"), before.get("hooks")
    if not isinstance(events, dict):
        return dict(settings)
    old_events = events_before if isinstance(events_before, dict) else {}
    left = {event: list(_foreign_groups(groups)) for event, groups in _listed(events).items()}
    remaining = {
        event: left.get(event, groups)
        for event, groups in events.items()
        if left.get(event, True) or not groups or event in old_events
    }
    return with_member(settings, "hooks", remaining, keep=not events or "hooks" in before)


def refuse_odd_hooks(settings: object, ours: HookGroups) -> None:
    """Refuse settings whose hooks have an unexpected shape, which we could only break further."""
    if not isinstance(settings, dict):
        msg = "it holds no object"
        raise RefusedError(msg)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        msg = "its `hooks` is no object"
        raise RefusedError(msg)
    for event in ours:
        if not isinstance(hooks.get(event, []), list):
            msg = f"its `hooks.{event}` is no list"
            raise RefusedError(msg)


def with_member(
    outer: Mapping[str, Any], name: str, value: object, *, keep: bool
) -> dict[str, Any]:
    """Return an object with a new value for a member, or without it if empty and not kept."""
    if value or keep:
        return {**outer, name: value}
    return {member: inner for member, inner in outer.items() if member != name}


def _our_groups(settings: Mapping[str, Any]) -> HookGroups:
    """Return the groups with a hook of ours, by event."""
    groups = {
        event: [group for group in groups if any(map(is_our_hook, _hooks_of(group)))]
        for event, groups in _listed(settings.get("hooks")).items()
    }
    return {event: ours for event, ours in groups.items() if ours}


def _foreign_groups(groups: list[Any]) -> Iterator[Any]:
    """Yield the groups without our hooks; a group of ours alone is left out."""
    for group in groups:
        hooks = _hooks_of(group)
        foreign = [hook for hook in hooks if not is_our_hook(hook)]
        if len(foreign) == len(hooks):
            yield group
        elif foreign:
            yield {**group, "hooks": foreign}


def _listed(events: object) -> dict[str, list[Any]]:
    """Return the events whose groups are a list, as they should be."""
    members = events.items() if isinstance(events, dict) else ()
    return {event: groups for event, groups in members if isinstance(groups, list)}


def _hooks_of(group: object) -> list[Any]:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else []
