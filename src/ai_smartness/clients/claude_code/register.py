"""Register our MCP server with Claude Code, for one project or for all, and remove it again.

The client writes the file of its servers by itself, whenever it runs. We read it again just before
we change it, under the client's own lock, and change only our entry. We keep no copy of the
rest: it can hold a key.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from ai_smartness.clients.client_files import (
    ClientFile,
    InstallRecord,
    config_folder,
    delete_file,
    dumped_like,
    locked_records,
    parsed_json,
    read_file,
    refuse_read_only,
    remove_empty_folders,
    replace_file,
    save_records,
)
from ai_smartness.clients.own_program import (
    SERVER_NAME,
    OwnProgram,
    is_our_server,
    our_program,
)
from ai_smartness.model.errors import RefusedError

__all__ = [
    "ServerEntry",
    "ServerPlace",
    "ServerRegistration",
    "ServerRemoval",
    "config_with_server",
    "config_without_server",
    "missing_containers",
    "our_places",
    "our_server",
    "planned_registration",
    "planned_removal",
    "refuse_odd_config",
    "register_server",
    "registered_entry",
    "server_entry",
    "servers_file",
    "unregister_server",
]

SERVERS_KEY = "mcpServers"
PROJECTS_KEY = "projects"

LEGACY_SERVERS_FILE = ".config.json"
"""Very old clients made this file, and a client that finds it keeps its servers there."""
ALL_PROJECTS_KEY = ""  # the place of all projects in the install record

CLIENT_LOCK_SECONDS = 2.0
LOCK_RETRY_SECONDS = 0.02

ServerPlace: TypeAlias = "str | None"
"""The folder of the project that has the server; None is all projects."""

ServerEntry: TypeAlias = "dict[str, object]"


@dataclass(frozen=True, slots=True)
class ServerRegistration:
    """An entry to be added to the client's file."""

    path: Path
    place: ServerPlace
    entry: ServerEntry

    @property
    def diff_lines(self) -> Iterator[str]:
        """The added lines."""
        yield f"+++ {self.path}: {_entry_path(self.place)}"
        yield from (f"+{line}" for line in json.dumps(self.entry, indent=2).splitlines())


@dataclass(frozen=True, slots=True)
class ServerRemoval:
    """The entries to be removed from the client's file."""

    path: Path
    places: tuple[ServerPlace, ...]

    @property
    def diff_lines(self) -> Iterator[str]:
        """The removed entries, a line for each."""
        return (f"--- {self.path}: {_entry_path(place)}" for place in self.places)


def servers_file(environ: Mapping[str, str]) -> Path:
    """Name the file in which the client keeps its servers."""
    folder = config_folder(environ)
    legacy = folder / LEGACY_SERVERS_FILE
    with suppress(OSError):
        if legacy.is_file() and legacy.stat().st_size:
            return legacy
    # Without a configuration folder of its own, the file is beside the default one.
    return (folder if environ.get("CLAUDE_CONFIG_DIR") else folder.parent) / ".claude.json"


def our_server(home: Path) -> ServerEntry:
    """Return the entry of this installation for a memory."""
    return server_entry(our_program(home))


def server_entry(program: OwnProgram) -> ServerEntry:
    """Return the entry that starts the server.

    `alwaysLoad`: a client with many tools would otherwise show ours by name alone. Older clients
    ignore it.
    """
    python, *args = program.server_command
    return {"type": "stdio", "command": python, "args": args, "alwaysLoad": True}


def planned_registration(
    path: Path, place: ServerPlace, entry: ServerEntry
) -> ServerRegistration | None:
    """Work out whether the entry must be added; refuse a file that we could only break."""
    file = read_file(path)
    if registered_entry(_checked_config(file, place), place) == entry:
        return None
    refuse_read_only(file)
    return ServerRegistration(path, place, entry)


def register_server(home: Path, wanted: ServerRegistration) -> None:
    """Add the entry, and record the containers created for it."""
    key, place_key = str(wanted.path), wanted.place or ALL_PROJECTS_KEY
    with locked_records(home) as records, _client_lock(wanted.path):
        file = read_file(wanted.path)
        config = _checked_config(file, wanted.place)
        known = records.get(key) or InstallRecord(_empty_text(file), "", places={})
        places = {place_key: missing_containers(config, wanted.place), **(known.places or {})}
        record = replace(known, places=places)
        save_records(home, {**records, key: record})
        changed = config_with_server(config, wanted.place, wanted.entry)
        folders = replace_file(file, dumped_like(changed, file.text or ""))
        records[key] = replace(record, made=(*known.made, *map(str, folders)))


def planned_removal(path: Path, places: Sequence[ServerPlace]) -> ServerRemoval | None:
    """Work out which of the places have an entry of ours."""
    config = read_file(path).json_value
    ours = tuple(place for place in our_places(config) if place in places)
    return ServerRemoval(path, ours) if ours else None


def unregister_server(home: Path, wanted: ServerRemoval) -> bool:
    """Remove the entries; say whether the file, which we had created, was deleted too."""
    key = str(wanted.path)
    with locked_records(home) as records, _client_lock(wanted.path):
        file = read_file(wanted.path)
        known = records.get(key) or InstallRecord("{}", "", places={})
        config = _config_without(file.json_value, wanted.places, known.places or {})
        # The last of ours: an empty file goes back to what was there before us.
        text = dumped_like(config, file.text or "") if config else known.before
        if text is None:
            delete_file(file)
        else:
            replace_file(file, text)
        _drop_places(records, key, wanted.places)
    if text is None:
        # Only now: the client's lock was in the folder, too.
        remove_empty_folders(Path(name) for name in known.made)
    return text is None


def config_with_server(
    config: Mapping[str, Any], place: ServerPlace, entry: ServerEntry
) -> dict[str, Any]:
    """Return the client's configuration with the entry, in place of an older one."""
    return _with_value(config, (*_container_path(place), SERVER_NAME), entry)


def config_without_server(
    config: Mapping[str, Any], place: ServerPlace, created: int = 0
) -> dict[str, Any]:
    """Return the configuration without our entry, and without empty containers that we created."""
    if not is_our_server(registered_entry(config, place)):
        return dict(config)
    return _without_value(config, (*_container_path(place), SERVER_NAME), created)


def missing_containers(config: Mapping[str, Any], place: ServerPlace) -> int:
    """Count the containers that an entry still needs."""
    path = _container_path(place)
    for depth, name in enumerate(path):
        if name not in config:
            return len(path) - depth
        config = config[name]
    return 0


def registered_entry(config: object, place: ServerPlace) -> object:
    """Return the entry under our name; None if there is none."""
    for name in (*_container_path(place), SERVER_NAME):
        config = config.get(name) if isinstance(config, dict) else None
    return config


def our_places(config: object) -> Iterator[ServerPlace]:
    """Name every place where a server of ours is registered."""
    projects = config.get(PROJECTS_KEY) if isinstance(config, dict) else None
    for place in (None, *(projects if isinstance(projects, dict) else ())):
        if is_our_server(registered_entry(config, place)):
            yield place


def refuse_odd_config(config: object, place: ServerPlace) -> None:
    """Refuse a file of an unexpected shape, or a server under our name that is not ours."""
    if not isinstance(config, dict):
        msg = "it holds no object"
        raise RefusedError(msg)
    container = config
    for name in _container_path(place):
        container = container.get(name, {})
        if not isinstance(container, dict):
            msg = f"its `{name}` is no object"
            raise RefusedError(msg)
    entry = container.get(SERVER_NAME)
    if entry is not None and not is_our_server(entry):
        msg = f"it has a server `{SERVER_NAME}` that is not ours; rename that one"
        raise RefusedError(msg)


def _container_path(place: ServerPlace) -> tuple[str, ...]:
    return (SERVERS_KEY,) if place is None else (PROJECTS_KEY, place, SERVERS_KEY)


def _with_value(config: Mapping[str, Any], path: Sequence[str], value: object) -> dict[str, Any]:
    name, *rest = path
    return {**config, name: _with_value(config.get(name, {}), rest, value) if rest else value}


def _without_value(config: Mapping[str, Any], path: Sequence[str], created: int) -> dict[str, Any]:
    name, *rest = path
    inner = _without_value(config[name], rest, created) if rest else {}
    if inner or len(rest) > created:
        return {**config, name: inner}
    return {member: value for member, value in config.items() if member != name}


def _config_without(
    config: dict[str, Any], places: Sequence[ServerPlace], created: Mapping[str, int]
) -> dict[str, Any]:
    """Return the configuration without our entries; the latest registration goes first."""
    order = [key or None for key in reversed([*created])]
    for place in sorted(places, key=lambda place: order.index(place) if place in order else 0):
        config = config_without_server(config, place, created.get(place or ALL_PROJECTS_KEY, 0))
    return config


def _drop_places(
    records: dict[str, InstallRecord], key: str, places: Sequence[ServerPlace]
) -> None:
    known = records.get(key)
    if known is None:
        return
    gone = {place or ALL_PROJECTS_KEY for place in places}
    left = {place: count for place, count in (known.places or {}).items() if place not in gone}
    if left:
        records[key] = replace(known, places=left)
    else:
        del records[key]


def _checked_config(file: ClientFile, place: ServerPlace) -> Any:  # noqa: ANN401 - any JSON
    config = file.json_value
    try:
        refuse_odd_config(config, place)
    except RefusedError as error:
        raise file.refusal_error(str(error)) from error
    return config


def _empty_text(file: ClientFile) -> str | None:
    """Return the text of a file without content; of any other file we keep nothing."""
    return "{}" if parsed_json(file.text or "") else file.text


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
    """Take the lock; one that stays taken was left behind, so we go on without it."""
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
    return f"{where}{SERVERS_KEY}.{SERVER_NAME}"
