"""The permission to call our tools, among the client's settings: one rule of a list.

Without it the client asks its user before each call; with our hooks it does not, but hooks can
be switched off, and this stays.
"""

from collections.abc import Mapping
from typing import Any

from ai_smartness.entrypoints.installing.plan import Append, Put, Remove, Step
from ai_smartness.entrypoints.installing.server import NAME
from ai_smartness.model.errors import RefusedError

__all__ = ["RULE", "is_in", "refuse_odd", "steps_in", "steps_out"]

RULE = f"mcp__{NAME}"
"""Every tool of our server."""


def steps_in(settings: Mapping[str, Any]) -> list[Step]:
    """Return the steps that put the rule into settings which lack it."""
    if is_in(settings):
        return []
    if "permissions" not in settings:
        return [Put((), "permissions", {"allow": [RULE]})]
    if "allow" not in settings["permissions"]:
        return [Put(("permissions",), "allow", [RULE])]
    return [Append(("permissions", "allow"), RULE)]


def steps_out(settings: Mapping[str, Any], before: Mapping[str, Any]) -> list[Step]:
    """Return the steps that take the rule out, unless it was there before we came.

    What is empty then goes too, unless it was so before.
    """
    if not is_in(settings) or is_in(before):
        return []
    permissions, allowed = settings["permissions"], settings["permissions"]["allow"]
    if any(each != RULE for each in allowed) or "allow" in _permissions(before):
        places = [place for place, each in enumerate(allowed) if each == RULE]
        return [Remove(("permissions", "allow", place)) for place in reversed(places)]
    if len(permissions) > 1 or "permissions" in before:
        return [Remove(("permissions", "allow"))]
    return [Remove(("permissions",))]


def is_in(settings: Mapping[str, Any]) -> bool:
    """Say whether the rule is there."""
    allowed = _permissions(settings).get("allow")
    return isinstance(allowed, list) and RULE in allowed


def refuse_odd(settings: Mapping[str, Any]) -> None:
    """Refuse permissions of another shape than the client's."""
    permissions = settings.get("permissions", {})
    if not isinstance(permissions, dict):
        msg = "its `permissions` is no object"
        raise RefusedError(msg)
    if not isinstance(permissions.get("allow", []), list):
        msg = "its `permissions.allow` is no list"
        raise RefusedError(msg)


def _permissions(settings: Mapping[str, Any]) -> dict[str, Any]:
    found = settings.get("permissions")
    return found if isinstance(found, dict) else {}
