"""Read the settings from files and the environment, and remember which of them set what.

`load_settings` refuses anything that is wrong. `gather_settings` never does: it lists what is
wrong and leaves it out, for callers that must go on regardless.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from errno import EFBIG
from functools import partial
from pathlib import Path
from typing import Any

from ai_smartness.model.errors import AisError, RefusedError, StoreError
from ai_smartness.settings.paths import MemoryPaths
from ai_smartness.settings.regular_file import UnusableFileError, read_regular_file
from ai_smartness.settings.schema import EMBEDDER_KEY_VARIABLE, Settings
from ai_smartness.settings.setting import (
    DEFAULT_ORIGIN,
    RETIRED_REASON,
    RETIRED_SECTIONS,
    SECTIONS,
    SETTINGS,
    Layer,
    Setting,
    SettingOrigin,
    SettingValue,
    known_setting,
    nearest_key_hint,
    shown_value,
)

__all__ = ["LoadedSettings", "TomlFile", "gather_settings", "load_settings", "read_toml_file"]

MAX_FILE_BYTES = 65_536
"""A project's file is someone else's: a huge one would hold up every command."""

_KEY = r"""[\w-]+|"[^"]*"|'[^']*'"""
_NAMES = rf"\s*(?P<first>{_KEY})\s*(?:\.\s*(?P<second>{_KEY})\s*)?"
_HEADER = re.compile(rf"\s*\[{_NAMES}\]")
_ENTRY = re.compile(rf"{_NAMES}=")


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings in force, their origins, and everything that was left out."""

    settings: Settings
    origins: Mapping[str, SettingOrigin]
    warnings: tuple[str, ...]
    problems: tuple[AisError, ...]

    def value_origin(self, key: str) -> SettingOrigin:
        """Return where the value of this key comes from."""
        return self.origins.get(known_setting(key).key, DEFAULT_ORIGIN)

    def value_of(self, key: str) -> SettingValue:
        """Return the value of this key."""
        setting = known_setting(key)
        value: SettingValue = getattr(getattr(self.settings, setting.section), setting.name)
        return value


def load_settings(paths: MemoryPaths, environ: Mapping[str, str]) -> LoadedSettings:
    """Return the settings in force; refuse when a file or a variable is wrong."""
    loaded = gather_settings(paths, environ)
    for problem in loaded.problems:
        raise problem
    return loaded


def gather_settings(paths: MemoryPaths, environ: Mapping[str, str]) -> LoadedSettings:
    """Return the settings in force, with everything that is wrong listed in `problems`."""
    gathering = _Gathering()
    # A later layer replaces an earlier one under the same key.
    gathering.read_file(Layer.USER, paths.user_file)
    gathering.read_file(Layer.PROJECT, paths.project_file)
    gathering.read_environment(environ)
    return gathering.loaded_settings()


class _Gathering:
    """Collects values layer by layer, and what is ignored or wrong in each."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
        self._origins: dict[str, SettingOrigin] = {}
        self._warnings: list[str] = []
        self._problems: list[AisError] = []

    def loaded_settings(self) -> LoadedSettings:
        defaults = Settings()
        changed = {
            name: replace(getattr(defaults, name), **values)
            for name, values in self._values.items()
        }
        warnings, problems = tuple(self._warnings), tuple(self._problems)
        return LoadedSettings(Settings(**changed), self._origins, warnings, problems)

    def read_file(self, layer: Layer, path: Path | None) -> None:
        if path is None:
            return
        try:
            # A project's file is `.ai/config.toml`, and may not be a link to somebody's secrets.
            within = path.parents[1] if layer is Layer.PROJECT else None
            file = read_toml_file(path, within)
        except AisError as problem:
            self._problems.append(problem)
            return
        lines = file.key_lines
        for section, name, value in _table_entries(file.tables):
            origin = SettingOrigin(layer, str(path), lines.get((section, name)))
            self._add_entry(f"{section}.{name}" if name else section, value, origin)

    def read_environment(self, environ: Mapping[str, str]) -> None:
        for setting in SETTINGS.values():
            # Set to nothing is the usual way to take a variable back for one command.
            if text := environ.get(setting.variable):
                origin = SettingOrigin(Layer.ENVIRONMENT, setting.variable)
                self._add_value(setting, partial(setting.parsed_value, text), origin)
        self._warnings += _mistyped_variables(environ)

    def _add_entry(self, key: str, value: object, origin: SettingOrigin) -> None:
        setting = SETTINGS.get(key)
        if key in RETIRED_SECTIONS:
            self._warnings.append(f"{origin}: `{key}` is ignored: {RETIRED_REASON}")
        elif setting is None:
            msg = f"{origin}: there is no setting {shown_value(key)}. {nearest_key_hint(key)}"
            self._problems.append(RefusedError(msg))
        elif origin.layer is Layer.PROJECT and setting.user_only:
            self._warnings.append(
                f"{origin}: `{key}` is ignored: a project's file comes with its repository and may "
                f"not say this. If you want it, run `ais config set {key} …` without --project."
            )
        else:
            self._add_value(setting, partial(setting.checked_value, value), origin)

    def _add_value(
        self,
        setting: Setting,
        checked: Callable[[SettingOrigin], SettingValue],
        origin: SettingOrigin,
    ) -> None:
        try:
            self._values[setting.section][setting.name] = checked(origin)
        except AisError as problem:
            self._problems.append(problem)
        else:
            self._origins[setting.key] = origin


def _table_entries(tables: Mapping[str, Any]) -> Iterator[tuple[str, str, object]]:
    for section, content in tables.items():
        if section in SECTIONS and isinstance(content, dict):
            yield from ((section, name, value) for name, value in content.items())
        else:
            yield section, "", content


def _mistyped_variables(environ: Mapping[str, str]) -> Iterator[str]:
    known = {EMBEDDER_KEY_VARIABLE, *(setting.variable for setting in SETTINGS.values())}
    for section in (*SECTIONS, *RETIRED_SECTIONS):
        prefix = f"AIS_{section.upper()}_"
        for variable in sorted(environ):
            if not variable.startswith(prefix) or variable in known:
                continue
            reason = RETIRED_REASON
            if section in SECTIONS:
                hint = nearest_key_hint(f"{section}.{variable.removeprefix(prefix).lower()}")
                reason = f"there is no such setting. {hint}"
            yield f"{variable} is ignored: {reason}"


@dataclass(frozen=True, slots=True)
class TomlFile:
    """The tables of a settings file and its text; a missing file has none."""

    path: Path
    text: str
    tables: Mapping[str, Any]

    @property
    def key_lines(self) -> dict[tuple[str, str], int]:
        """The line of each section and key, as far as a glance at each line can tell."""
        lines: dict[tuple[str, str], int] = {}
        section = ""
        for number, line in enumerate(self.text.split("\n"), start=1):
            if header := _HEADER.match(line):
                section = _unquoted_key(header["first"])
                lines.setdefault((section, _unquoted_key(header["second"])), number)
            elif entry := _ENTRY.match(line):
                first, second = _unquoted_key(entry["first"]), _unquoted_key(entry["second"])
                lines.setdefault((section, first) if section else (first, second), number)
        return lines


def read_toml_file(path: Path, within: Path | None = None) -> TomlFile:
    """Read a settings file; whatever is wrong with it is an error that names the file.

    With `within`, a link that leads out of that folder is not followed.
    """
    text = _decoded_text(path, _file_bytes(path, within))
    try:
        return TomlFile(path, text, tomllib.loads(text))
    # Besides its own errors the parser lets through those of Python: a number
    # with too many digits, brackets nested too deep.
    except (ValueError, RecursionError) as wrong:
        msg = (
            f"{path} is not a TOML file: {wrong}. Correct it, or move it away to use the defaults."
        )
        raise RefusedError(msg) from wrong


def _file_bytes(path: Path, within: Path | None) -> bytes:
    try:
        return read_regular_file(str(path), MAX_FILE_BYTES, within=str(within or ""))
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except UnusableFileError as refused:
        msg = f"cannot read the settings in {path}: {refused.strerror}. Move it away."
        kind = RefusedError if refused.errno == EFBIG else StoreError
        raise kind(msg) from refused
    except OSError as refused:
        msg = f"cannot read the settings in {path}: {refused.strerror}. Make it readable."
        raise StoreError(msg) from refused


def _decoded_text(path: Path, contents: bytes) -> str:
    try:
        return contents.decode()
    except UnicodeDecodeError as wrong:
        line = contents.count(b"\n", 0, wrong.start) + 1
        msg = (
            f"{path}:{line} is not UTF-8 text: byte {contents[wrong.start]:#04x}. Save it as UTF-8."
        )
        raise RefusedError(msg) from wrong


def _unquoted_key(key: str | None) -> str:
    return (key or "").strip("\"'")
