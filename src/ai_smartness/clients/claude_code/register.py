"""Our server of tools, as it is registered with a client: for one project, or for all.

The client keeps its servers in a file that it writes by itself all the time. Of that file only
our own entry is touched, and whatever had to be made to hold it.

The permission to call our tools, among the client's settings: one rule of a list.

Without it the client asks its user before each call; with our hooks it does not, but hooks can
be switched off, and this stays.

Register our server of tools with the client, and take it out again.

The client writes the file of its servers by itself, whenever it runs. It is read again just
before it is changed, under the client's own lock, and only our entry changes. Nothing of what
else is in it is kept anywhere: it can hold a key.
"""

import dataclasses
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ai_smartness.clients.claude_code import settings_json as client_record
from ai_smartness.clients.claude_code import settings_json as client_settings
from ai_smartness.clients.claude_code.hooks import (
    Append,
    HookProgram,
    JsonPath,
    Put,
    Remove,
    Step,
    config_folder,
)
from ai_smartness.clients.claude_code.settings_json import (
    ClientSettingsFile,
    InstallRecord,
    edited_json,
)
from ai_smartness.clients.claude_code.settings_json import parsed_json as read_json
from ai_smartness.model.errors import RefusedError

__all__ = [
    "PERMISSION_RULE",
    "SERVER_NAME",
    "ServerEntry",
    "ServerPlace",
    "ServerRegistration",
    "ServerRemoval",
    "created_holders",
    "is_our_server",
    "is_permitted",
    "our_places",
    "permission_removal_steps",
    "permission_steps",
    "planned_registration",
    "planned_removal",
    "refuse_odd_config",
    "refuse_odd_permissions",
    "register_server",
    "registered_entry",
    "registering_steps",
    "server_entry",
    "servers_file",
    "unregister_server",
    "unregistering_steps",
]


SERVER_NAME = "ai_smartness"
"""What the server is called: its tools are `mcp__ai_smartness__…` to the client."""

SERVERS_KEY = "mcpServers"
PROJECTS_KEY = "projects"
OUR_MODULE = "ai_smartness"

ServerPlace: TypeAlias = "str | None"
"""The project that has the server, by its folder; None is all of them."""

ServerEntry: TypeAlias = "dict[str, object]"


def server_entry(program: HookProgram) -> ServerEntry:
    """Return the entry: which Python serves which memory.

    Always loaded: a client that has many tools would otherwise show ours by name alone. Older
    ones pass over that.
    """
    # Neither the project's folder nor its PYTHONPATH may stand in for a module of ours.
    args = ["-E", "-P", "-m", OUR_MODULE, "--home", program.home, "mcp"]
    return {"type": "stdio", "command": program.python, "args": args, "alwaysLoad": True}


def registering_steps(
    config: Mapping[str, Any],
    place: ServerPlace,
    ours: ServerEntry,
) -> list[Step]:
    """Return the steps that register it, in place of an older entry of ours."""
    holder = _holder_path(place)
    held: Any = config
    for depth, name in enumerate(holder):
        if name not in held:
            return [Put(holder[:depth], name, _nested_entry(holder[depth + 1 :], ours))]
        held = held[name]
    old = [Remove((*holder, SERVER_NAME))] if SERVER_NAME in held else []
    return [*old, Put(holder, SERVER_NAME, ours)]


def unregistering_steps(config: Mapping[str, Any], place: ServerPlace, made: int = 0) -> list[Step]:
    """Return the steps that take it out, with as many empty holders as were made for it."""
    if not is_our_server(registered_entry(config, place)):
        return []
    path: JsonPath = (*_holder_path(place), SERVER_NAME)
    for _ in range(made):
        if len(_value_at(config, path[:-1])) > 1:
            break
        path = path[:-1]
    return [Remove(path)]


def created_holders(steps: Sequence[Step], place: ServerPlace) -> int:
    """Count the holders that the steps make for an entry."""
    (put,) = [step for step in steps if isinstance(step, Put)]
    return len(_holder_path(place)) - len(put.path)


def registered_entry(config: object, place: ServerPlace) -> object:
    """Return what is registered under our name; None if nothing is."""
    try:
        return _value_at(config, _holder_path(place)).get(SERVER_NAME)
    except (KeyError, TypeError, AttributeError):
        return None


def our_places(config: object) -> Iterator[ServerPlace]:
    """Name every place where a server of ours is registered."""
    projects = config.get(PROJECTS_KEY) if isinstance(config, dict) else None
    for place in (None, *(projects if isinstance(projects, dict) else ())):
        if is_our_server(registered_entry(config, place)):
            yield place


def is_our_server(entry: object) -> bool:
    """Tell an entry that starts our program from one that only has its name."""
    if not isinstance(entry, dict):
        return False
    args = entry.get("args")
    words = [entry.get("command"), *(args if isinstance(args, list) else [])]
    named = any(isinstance(each, str) and _names_us(each) for each in words)
    return named and "mcp" in words


def refuse_odd_config(config: object, place: ServerPlace) -> None:
    """Refuse a file of another shape than the client's, or a server that is somebody else's."""
    held = config
    for name in (None, *_holder_path(place)):
        if name is not None:
            held = held.get(name, {}) if isinstance(held, dict) else held
        if not isinstance(held, dict):
            msg = "it holds no object" if name is None else f"its `{name}` is no object"
            raise RefusedError(msg)
    found = registered_entry(config, place)
    if found is not None and not is_our_server(found):
        msg = f"it has a server `{SERVER_NAME}` that is not ours; call that one something else"
        raise RefusedError(msg)


def _names_us(word: str) -> bool:
    return word == OUR_MODULE or word.rpartition("/")[2] in {"ais", "ai"}


def _holder_path(place: ServerPlace) -> tuple[str, ...]:
    return (SERVERS_KEY,) if place is None else (PROJECTS_KEY, place, SERVERS_KEY)


def _nested_entry(names: tuple[str, ...], ours: ServerEntry) -> object:
    held: object = {SERVER_NAME: ours}
    for name in reversed(names):
        held = {name: held}
    return held


def _value_at(config: Any, path: JsonPath) -> Any:  # noqa: ANN401 - any JSON
    for step in path:
        config = config[step]
    return config


PERMISSION_RULE = f"mcp__{SERVER_NAME}"
"""Every tool of our server."""


def permission_steps(settings: Mapping[str, Any]) -> list[Step]:
    """Return the steps that put the rule into settings which lack it."""
    if is_permitted(settings):
        return []
    if "permissions" not in settings:
        return [Put((), "permissions", {"allow": [PERMISSION_RULE]})]
    if "allow" not in settings["permissions"]:
        return [Put(("permissions",), "allow", [PERMISSION_RULE])]
    return [Append(("permissions", "allow"), PERMISSION_RULE)]


def permission_removal_steps(settings: Mapping[str, Any], before: Mapping[str, Any]) -> list[Step]:
    """Return the steps that take the rule out, unless it was there before we came.

    What is empty then goes too, unless it was so before.
    """
    if not is_permitted(settings) or is_permitted(before):
        return []
    permissions, allowed = settings["permissions"], settings["permissions"]["allow"]
    if any(each != PERMISSION_RULE for each in allowed) or "allow" in _permission_section(before):
        places = [place for place, each in enumerate(allowed) if each == PERMISSION_RULE]
        return [Remove(("permissions", "allow", place)) for place in reversed(places)]
    if len(permissions) > 1 or "permissions" in before:
        return [Remove(("permissions", "allow"))]
    return [Remove(("permissions",))]


def is_permitted(settings: Mapping[str, Any]) -> bool:
    """Say whether the rule is there."""
    allowed = _permission_section(settings).get("allow")
    return isinstance(allowed, list) and PERMISSION_RULE in allowed


def refuse_odd_permissions(settings: Mapping[str, Any]) -> None:
    """Refuse permissions of another shape than the client's."""
    permissions = settings.get("permissions", {})
    if not isinstance(permissions, dict):
        msg = "its `permissions` is no object"
        raise RefusedError(msg)
    if not isinstance(permissions.get("allow", []), list):
        msg = "its `permissions.allow` is no list"
        raise RefusedError(msg)


def _permission_section(settings: Mapping[str, Any]) -> dict[str, Any]:
    found = settings.get("permissions")
    return found if isinstance(found, dict) else {}


LEGACY_SERVERS_FILE = ".config.json"
"""Where the client keeps its servers if it finds such a file: very old ones made it."""
ALL_PROJECTS_KEY = ""
"""The place of all projects, as the record has it."""

CLIENT_LOCK_SECONDS = 2.0
LOCK_RETRY_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class ServerRegistration:
    """An entry that is to be made in the client's file."""

    path: Path
    place: ServerPlace
    ours: ServerEntry

    @property
    def diff_lines(self) -> Iterator[str]:
        """What is added, line by line."""
        yield f"+++ {self.path}: {_entry_path(self.place)}"
        yield from (f"+{line}" for line in json.dumps(self.ours, indent=2).splitlines())


@dataclass(frozen=True, slots=True)
class ServerRemoval:
    """The entries that are to be taken out of the client's file."""

    path: Path
    places: tuple[ServerPlace, ...]

    @property
    def diff_lines(self) -> Iterator[str]:
        """What is taken out, line by line."""
        return (f"--- {self.path}: {_entry_path(place)}" for place in self.places)


def servers_file(environ: Mapping[str, str]) -> Path:
    """Name the file in which the client keeps its servers."""
    folder = config_folder(environ)
    legacy = folder / LEGACY_SERVERS_FILE
    with suppress(OSError):
        if legacy.is_file() and legacy.stat().st_size:
            return legacy
    # Without a folder of its own for its settings, it is beside that folder.
    return (folder if environ.get("CLAUDE_CONFIG_DIR") else folder.parent) / ".claude.json"


def planned_registration(
    path: Path,
    place: ServerPlace,
    ours: ServerEntry,
) -> ServerRegistration | None:
    """Work out whether there is anything to register; refuse a file that we could only break."""
    file = client_settings.read_settings_file(path)
    config = _checked_config(file, place)
    if registered_entry(config, place) == ours:
        return None
    client_settings.refuse_read_only(file)
    return ServerRegistration(path, place, ours)


def register_server(home: Path, wanted: ServerRegistration) -> None:
    """Put the entry in, and remember what had to be made for it."""
    key, at = str(wanted.path), wanted.place or ALL_PROJECTS_KEY
    with client_record.locked_records(home) as installed, _client_lock(wanted.path):
        file = client_settings.read_settings_file(wanted.path)
        config = _checked_config(file, wanted.place)
        steps = registering_steps(config, wanted.place, wanted.ours)
        known = installed.get(key) or InstallRecord(_blank_text(file), "", places={})
        made = {at: created_holders(steps, wanted.place), **(known.places or {})}
        entry = dataclasses.replace(known, places=made)
        client_record.save_records(home, {**installed, key: entry})
        folders = client_settings.replace_settings_file(file, edited_json(file.text or "", steps))
        installed[key] = dataclasses.replace(entry, made=(*known.made, *map(str, folders)))


def planned_removal(path: Path, wanted: Sequence[ServerPlace]) -> ServerRemoval | None:
    """Work out which of the places have an entry of ours."""
    config = client_settings.read_settings_file(path).json_value
    found = tuple(each for each in our_places(config) if each in wanted)
    return ServerRemoval(path, found) if found else None


def unregister_server(home: Path, wanted: ServerRemoval) -> bool:
    """Take the entries out, and say whether the file, which was not there before, has gone too."""
    key = str(wanted.path)
    with client_record.locked_records(home) as installed, _client_lock(wanted.path):
        file = client_settings.read_settings_file(wanted.path)
        known = installed.get(key) or InstallRecord("{}", "", places={})
        text = _text_without_servers(file, wanted.places, known.places or {})
        # The last of ours: what is then empty goes back to what was there before us.
        is_empty = not read_json(text) and not (known.before or "").strip()
        left = known.before if is_empty else text
        if left is None:
            client_settings.delete_settings_file(file, [])
        else:
            client_settings.replace_settings_file(file, left)
        _drop_places(installed, key, wanted.places)
    # Only now: the lock was in the folder, too.
    client_settings.remove_empty_folders(
        [Path(each) for each in known.made] if left is None else [],
    )
    return left is None


def _text_without_servers(
    file: ClientSettingsFile,
    places: Sequence[ServerPlace],
    made: Mapping[str, int],
) -> str:
    """Return the text without our entries; what was made last is taken out first."""
    order = [each or None for each in reversed([*made])]
    text = file.text or ""
    for place in sorted(places, key=lambda each: order.index(each) if each in order else 0):
        text = edited_json(
            text,
            unregistering_steps(read_json(text), place, made.get(place or ALL_PROJECTS_KEY, 0)),
        )
    return text


def _drop_places(
    installed: dict[str, InstallRecord],
    key: str,
    places: Sequence[ServerPlace],
) -> None:
    known = installed.get(key)
    if known is None:
        return
    gone = {each or ALL_PROJECTS_KEY for each in places}
    left = {at: made for at, made in (known.places or {}).items() if at not in gone}
    if left:
        installed[key] = dataclasses.replace(known, places=left)
    else:
        del installed[key]


def _checked_config(file: ClientSettingsFile, place: ServerPlace) -> Any:  # noqa: ANN401 - any JSON
    config = file.json_value
    _refuse_nameless(place)
    try:
        refuse_odd_config(config, place)
    except RefusedError as odd:
        raise file.refusal_error(str(odd)) from odd
    return config


def _refuse_nameless(place: ServerPlace) -> None:
    """Refuse a folder that no JSON can name: the client itself could not find it there."""
    try:
        (place or "").encode()
    except UnicodeEncodeError as nameless:
        msg = (
            f"cannot register the tools for the project {place!r}: its name is no text. "
            "Connect all projects with `ais init --user`, or none with --no-hooks."
        )
        raise RefusedError(msg) from nameless


def _blank_text(file: ClientSettingsFile) -> str | None:
    """Return what a file without any content said; of one with content nothing is kept."""
    if file.text is None or not file.text.strip("\ufeff \t\r\n"):
        return file.text
    return "{}"


@contextmanager
def _client_lock(path: Path) -> Iterator[None]:
    """Hold the lock by which the client keeps its own sessions from writing at once."""
    lock = path.with_name(f"{path.name}.lock")
    is_ours = _take_client_lock(lock)
    try:
        yield
    finally:
        if is_ours:
            with suppress(OSError):
                lock.rmdir()


def _take_client_lock(lock: Path) -> bool:
    """Take the lock; one that stays taken was left behind, or is none of ours to wait for."""
    until = time.monotonic() + CLIENT_LOCK_SECONDS
    while time.monotonic() < until:
        try:
            os.mkdir(lock)
        except FileExistsError:
            time.sleep(LOCK_RETRY_SECONDS)
        except OSError:
            return False
        else:
            return True
    return False


def _entry_path(place: ServerPlace) -> str:
    where = "" if place is None else f"projects[{json.dumps(place, ensure_ascii=False)}]."
    return f"{where}mcpServers.{SERVER_NAME}"
