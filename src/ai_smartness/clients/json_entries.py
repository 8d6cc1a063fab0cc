"""Our entries in a client's JSON file: hooks, an MCP server, or both.

Other entries, their order and the layout of the file stay as they are. Containers that we had to
create go again with our entries.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from ai_smartness.clients.client_files import dumped_like, parsed_json
from ai_smartness.clients.hook_groups import (
    HookGroups,
    has_exactly_our_hooks,
    refuse_odd_hooks,
    settings_with_hooks,
    settings_without_hooks,
    with_member,
)
from ai_smartness.clients.own_program import SERVER_NAME, is_our_server
from ai_smartness.model.errors import RefusedError

__all__ = ["HooksPart", "JsonEntries", "JsonPart", "ServerPart"]


class JsonPart(Protocol):
    """One sort of entry in a client's settings."""

    def added_to(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the settings with the entry; the same ones if it is there already.

        Refuse settings of an unexpected shape.
        """
        ...

    def removed_from(self, settings: dict[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings without the entry; `before` is what they were before us."""
        ...


class JsonEntries:
    """All our entries in one file, as `OwnEntries` describes them."""

    def __init__(self, *parts: JsonPart) -> None:
        self._parts = parts

    def text_with_ours(self, text: str) -> str:
        """Return the text with our entries."""
        settings = parsed_json(text)
        if not isinstance(settings, dict):
            msg = "it holds no object"
            raise RefusedError(msg)
        wanted = settings
        for part in self._parts:
            wanted = part.added_to(wanted)
        return text if wanted == settings and text.strip() else dumped_like(wanted, text)

    def text_without_ours(self, text: str, before: str | None) -> str:
        """Return the text without our entries."""
        settings = parsed_json(text)
        if not isinstance(settings, dict):
            return text
        settings_before, left = parsed_json(before or ""), settings
        for part in self._parts:
            left = part.removed_from(left, settings_before)
        if left == settings:
            return text
        return dumped_like(left, text) if left or before is None else ""


class HooksPart:
    """Our hooks, by event."""

    def __init__(self, ours: HookGroups) -> None:
        self._ours = ours

    def added_to(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the settings with our hooks behind everybody else's."""
        refuse_odd_hooks(settings, self._ours)
        if has_exactly_our_hooks(settings, self._ours):
            return settings
        return settings_with_hooks(settings_without_hooks(settings, settings), self._ours)

    def removed_from(self, settings: dict[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings without our hooks."""
        return settings_without_hooks(settings, before)


class ServerPart:
    """Our MCP server, under a key such as `mcpServers`."""

    def __init__(self, key: str, entry: dict[str, object]) -> None:
        self._key = key
        self._entry = entry

    def added_to(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the settings with our server."""
        servers = settings.get(self._key, {})
        if not isinstance(servers, dict):
            msg = f"its `{self._key}` is no object"
            raise RefusedError(msg)
        entry = servers.get(SERVER_NAME)
        if entry is not None and not is_our_server(entry):
            msg = f"it has a server `{SERVER_NAME}` that is not ours; rename that one"
            raise RefusedError(msg)
        return {**settings, self._key: {**servers, SERVER_NAME: self._entry}}

    def removed_from(self, settings: dict[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings without our server."""
        servers = settings.get(self._key)
        if not isinstance(servers, dict) or not is_our_server(servers.get(SERVER_NAME)):
            return settings
        left = {name: entry for name, entry in servers.items() if name != SERVER_NAME}
        return with_member(settings, self._key, left, keep=self._key in before)
