"""Change one value in a settings file and nothing else.

Comments and order stay. The file is replaced in one step, so that a reader finds the old one or
the new one. Only the user can read the user's file.
"""

import os
import tempfile
import tomllib
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import tomlkit
from tomlkit.exceptions import TOMLKitError

from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.settings.load import TomlFile, read_toml_file
from ai_smartness.settings.paths import MemoryPaths
from ai_smartness.settings.setting import SECTIONS, Layer, SettingValue, known_setting

__all__ = ["remove_value", "write_value"]

PRIVATE_MODES = (0o700, 0o600)
SHARED_MODES = (0o755, 0o644)  # a project's file goes into the repository, for all to read


def write_value(paths: MemoryPaths, layer: Layer, key: str, text: str) -> Path:
    """Write a value into the layer's file, and return the file."""
    setting = known_setting(key)
    path = _layer_path(paths, layer)
    if layer is Layer.PROJECT and setting.user_only:
        msg = (
            f"cannot set `{key}` for a project: its file comes with the repository and may not "
            f"say this. Run `ais config set {key} …` without --project."
        )
        raise RefusedError(msg)
    if key == "store.url" and (urlsplit(text).password or "password" in text.casefold()):
        msg = (
            "cannot set `store.url` with a password in it: everybody who reads the file could use "
            "it. Leave it out, and put it into ~/.pgpass."
        )
        raise RefusedError(msg)
    value = setting.parsed_value(text)
    _save_file(layer, path, _changed_text(read_toml_file(path), key, value))
    return path


def remove_value(paths: MemoryPaths, layer: Layer, key: str) -> Path:
    """Remove a key from the layer's file, known or not, and return the file."""
    path = _layer_path(paths, layer)
    file = read_toml_file(path)
    section, _, name = key.partition(".")
    if section not in file.tables or (name and name not in _section_table(file, key)):
        msg = f"`{key}` is not set in {path}; there is nothing to take out."
        raise NotFoundError(msg)
    if not name and section in SECTIONS:
        msg = f"`{key}` is a section: name one of its keys, as in `{key}.…`."
        raise RefusedError(msg)
    _save_file(layer, path, _changed_text(file, key, None))
    return path


def _layer_path(paths: MemoryPaths, layer: Layer) -> Path:
    path = paths.project_file if layer is Layer.PROJECT else paths.user_file
    if path is None:
        msg = "there is no project here to set anything for. Go to its folder, or leave --project."
        raise NotFoundError(msg)
    return path


def _changed_text(file: TomlFile, key: str, value: SettingValue | None) -> str:
    _section_table(file, key)
    wanted = deepcopy(dict(file.tables))
    _change_key(wanted, key, value)
    try:
        document = tomlkit.parse(file.text)
        _change_key(document, key, value)
        text = tomlkit.dumps(document)
        meant = tomllib.loads(text)
    except (TOMLKitError, ValueError, RecursionError) as wrong:
        raise _edit_by_hand_error(file, key) from wrong
    # TOML has many ways to write one thing. Rather than trust that the editor
    # knows them all, check that the new text means what was wanted.
    if meant != wanted:
        raise _edit_by_hand_error(file, key)
    return text


def _section_table(file: TomlFile, key: str) -> Mapping[str, Any]:
    section, dot, _ = key.partition(".")
    table: Mapping[str, Any] = file.tables.get(section, {})
    if dot and not isinstance(table, dict):
        raise _edit_by_hand_error(file, key)
    return table


def _change_key(tables: MutableMapping[str, Any], key: str, value: SettingValue | None) -> None:
    section, _, name = key.partition(".")
    if not name:
        del tables[section]
    elif value is None:
        del tables[section][name]
    else:
        tables.setdefault(section, {})[name] = value


def _edit_by_hand_error(file: TomlFile, key: str) -> RefusedError:
    return RefusedError(f"cannot change `{key}` in {file.path} as it is written. Edit it by hand.")


def _save_file(layer: Layer, path: Path, text: str) -> None:
    # The user may keep the file elsewhere and link to it. A link in a project
    # came with the repository, and is replaced rather than followed.
    target = path if layer is Layer.PROJECT else path.resolve()
    folder_mode, file_mode = SHARED_MODES if layer is Layer.PROJECT else PRIVATE_MODES
    try:
        target.parent.mkdir(mode=folder_mode, parents=True, exist_ok=True)
        _replace_file(target, text.encode(), file_mode)
    except OSError as refused:
        msg = f"cannot write the settings in {path}: {refused.strerror}. Nothing has changed."
        raise StoreError(msg) from refused


def _replace_file(target: Path, contents: bytes, mode: int) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(contents)
            file.flush()
            os.fchmod(handle, mode)
            os.fsync(handle)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
