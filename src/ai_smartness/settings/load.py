"""Read the settings from where they may stand, and remember which said what.

`load` refuses anything that is not right. `gathered` never does: what is
wrong is listed and left out, for those who must go on regardless.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeAlias

from ai_smartness.model.errors import AisError, RefusedError
from ai_smartness.settings.declared import SECTIONS, SETTINGS, Settings, known, nearest
from ai_smartness.settings.file import read
from ai_smartness.settings.places import Places
from ai_smartness.settings.setting import DEFAULT, Layer, Origin, Setting, Value, shown

__all__ = ["Loaded", "gathered", "load"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force, who said them, and what was passed over."""

    settings: Settings
    origins: Mapping[str, Origin]
    warnings: tuple[str, ...]
    problems: tuple[AisError, ...]

    def origin(self, key: str) -> Origin:
        """Tell where the value of this key comes from."""
        return self.origins.get(known(key).key, DEFAULT)

    def value(self, key: str) -> Value:
        """Return the value of this key."""
        setting = known(key)
        value: Value = getattr(getattr(self.settings, setting.section), setting.name)
        return value


@dataclass(frozen=True, slots=True)
class Given:
    """A value that can be used."""

    setting: Setting
    value: Value
    origin: Origin


@dataclass(frozen=True, slots=True)
class Ignored:
    """Something passed over on purpose."""

    why: str


@dataclass(frozen=True, slots=True)
class Broken:
    """Something that cannot be used."""

    problem: AisError


Finding: TypeAlias = Given | Ignored | Broken


def load(places: Places, environ: Mapping[str, str]) -> Loaded:
    """Return the settings in force; refuse when a file or a variable is not right."""
    loaded = gathered(places, environ)
    for problem in loaded.problems:
        raise problem
    return loaded


def gathered(places: Places, environ: Mapping[str, str]) -> Loaded:
    """Return the settings in force without what is wrong, which is listed in `problems`."""
    findings = [
        *_in_file(Layer.USER, places.user_file),
        *_in_file(Layer.PROJECT, places.project_file),
        *_in_environment(environ),
    ]
    # A later layer replaces an earlier one under the same key.
    given = {finding.setting.key: finding for finding in findings if isinstance(finding, Given)}
    return Loaded(
        settings=_settings_with(given.values()),
        origins={key: finding.origin for key, finding in given.items()},
        warnings=tuple(finding.why for finding in findings if isinstance(finding, Ignored)),
        problems=tuple(finding.problem for finding in findings if isinstance(finding, Broken)),
    )


def _settings_with(given: Iterable[Given]) -> Settings:
    values: dict[str, dict[str, Any]] = {section.name: {} for section in fields(Settings)}
    for each in given:
        values[each.setting.section][each.setting.name] = each.value
    defaults = Settings()
    return Settings(
        **{name: replace(getattr(defaults, name), **said) for name, said in values.items()}
    )


def _in_file(layer: Layer, path: Path | None) -> Iterator[Finding]:
    if path is None:
        return
    try:
        file = read(path)
    except AisError as problem:
        yield Broken(problem)
        return
    lines = file.lines
    for section, name, value in _entries(file.tables):
        origin = Origin(layer, str(path), lines.get((section, name)))
        yield _finding(f"{section}.{name}" if name else section, value, origin)


def _entries(tables: Mapping[str, Any]) -> Iterator[tuple[str, str, object]]:
    for section, content in tables.items():
        if section in SECTIONS and isinstance(content, dict):
            yield from ((section, name, value) for name, value in content.items())
        else:
            yield section, "", content


def _finding(key: str, value: object, origin: Origin) -> Finding:
    if key not in SETTINGS:
        msg = f"{origin}: there is no setting {shown(key)}. {nearest(key)}"
        return Broken(RefusedError(msg))
    setting = SETTINGS[key]
    if origin.layer is Layer.PROJECT and setting.user_only:
        return Ignored(
            f"{origin}: `{key}` is ignored: a project's file comes with its repository and may "
            f"not say this. If you want it, run `ais config set {key} …` without --project."
        )
    try:
        return Given(setting, setting.checked(value, origin), origin)
    except AisError as problem:
        return Broken(problem)


def _in_environment(environ: Mapping[str, str]) -> Iterator[Finding]:
    for setting in SETTINGS.values():
        # Set to nothing is the usual way to take a variable back for one command.
        if text := environ.get(setting.variable):
            origin = Origin(Layer.ENVIRONMENT, setting.variable)
            try:
                yield Given(setting, setting.parsed(text, origin), origin)
            except AisError as problem:
                yield Broken(problem)
    yield from _mistyped(environ)


def _mistyped(environ: Mapping[str, str]) -> Iterator[Ignored]:
    ours = {setting.variable for setting in SETTINGS.values()}
    for section in SECTIONS:
        start = f"AIS_{section.upper()}_"
        for variable in sorted(environ):
            if variable.startswith(start) and variable not in ours:
                key = f"{section}.{variable.removeprefix(start).lower()}"
                yield Ignored(f"{variable} is ignored: there is no such setting. {nearest(key)}")
