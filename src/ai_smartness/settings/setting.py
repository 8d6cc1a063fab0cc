"""One setting: its key, the values it takes, and where its value comes from.

A value is checked here and nowhere else, whether it comes from a file, the environment or the
command line.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from math import inf
from typing import TypeAlias, TypeGuard

from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.settings.schema import Settings

__all__ = [
    "DEFAULT_ORIGIN",
    "RETIRED_REASON",
    "RETIRED_SECTIONS",
    "SECTIONS",
    "SETTINGS",
    "Layer",
    "Setting",
    "SettingOrigin",
    "SettingValue",
    "known_setting",
    "nearest_key_hint",
    "shown_value",
]

SettingValue: TypeAlias = str | float
"""As in Python's own typing, `float` covers whole numbers and booleans."""

RETIRED_SECTIONS = ("place", "bridges")
RETIRED_REASON = "its weights are no longer settings. Remove it; the defaults are used."
"""The weights were fitted together, so changing one alone never helped."""

MAX_SHOWN_CHARACTERS = 60
MAX_SHOWN_BITS = 64
YES_OR_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Layer(StrEnum):
    """Who sets a value; a later layer wins."""

    DEFAULT = "default"
    USER = "user"
    PROJECT = "project"
    ENVIRONMENT = "environment"
    COMMAND = "command line"


@dataclass(frozen=True, slots=True)
class SettingOrigin:
    """Where a value comes from: a file and its line, or an environment variable."""

    layer: Layer
    where: str = ""
    line: int | None = None

    def __str__(self) -> str:
        where = self.where or str(self.layer)
        return where if self.line is None else f"{where}:{self.line}"


DEFAULT_ORIGIN = SettingOrigin(Layer.DEFAULT)
COMMAND_ORIGIN = SettingOrigin(Layer.COMMAND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The declaration of one key."""

    section: str
    name: str
    default: SettingValue
    doc: str
    low: float = -inf
    high: float = inf
    choices: tuple[str, ...] = ()
    user_only: bool = False
    plugins: str = ""

    @property
    def key(self) -> str:
        """The setting's name as a person writes it."""
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"AIS_{self.section}_{self.name}".upper()

    @property
    def allowed_values(self) -> str:
        """The values it takes, in words."""
        match self.default:
            case bool():
                return "true or false"
            case int():
                return f"a whole number from {self.low} to {self.high}"
            case float():
                return f"a number from {self.low:g} to {self.high:g}"
        if self.choices:
            return f"one of {', '.join([*self.choices, *self._plugin_names()])}"
        return "a line of text without blanks around it"

    def accepts_value(self, value: object) -> TypeGuard[SettingValue]:
        """Say whether the value has the right type and is in range."""
        kinds = (int, float) if isinstance(self.default, float) else (type(self.default),)
        # `type` and not `isinstance`: True is no number of threads.
        if type(value) not in kinds:
            return False
        if isinstance(value, str):
            known = value in self.choices or value in self._plugin_names()
            return known if self.choices else is_single_line(value)
        return isinstance(value, int | float) and self.low <= value <= self.high

    def checked_value(self, value: object, origin: SettingOrigin) -> SettingValue:
        """Return the value in the setting's own type, or refuse it."""
        if not self.accepts_value(value):
            msg = (
                f"{origin}: `{self.key}` cannot be {shown_value(value)}: it takes "
                f"{self.allowed_values}. {self._remedy_hint(origin)}"
            )
            raise RefusedError(msg)
        return float(value) if isinstance(self.default, float) else value

    def parsed_value(self, text: str, origin: SettingOrigin = COMMAND_ORIGIN) -> SettingValue:
        """Read the value from a command line or the environment."""
        return self.checked_value(self._parsed_text(text), origin)

    def _plugin_names(self) -> list[str]:
        if not self.plugins:
            return []
        from importlib.metadata import entry_points

        return [entry.name for entry in entry_points(group=self.plugins)]

    def _remedy_hint(self, origin: SettingOrigin) -> str:
        match origin.layer:
            case Layer.ENVIRONMENT:
                return f"Correct or unset {self.variable}."
            case Layer.USER:
                return f"Correct it, or run `ais config unset {self.key}`."
            case Layer.PROJECT:
                return f"Correct it, or run `ais config unset {self.key} --project`."
            case Layer.COMMAND | Layer.DEFAULT:
                return f"The default is {shown_value(self.default)}."

    def _parsed_text(self, text: str) -> object:
        try:
            match self.default:
                case bool():
                    return YES_OR_NO.get(text.lower(), text)
                case int():
                    return int(text)
                case float():
                    return float(text)
        except ValueError:
            return text  # `checked_value` says what is wrong with it
        return text


def _section_settings(section: str) -> Iterator[Setting]:
    defaults = getattr(Settings(), section)
    for key in fields(defaults):
        default = getattr(defaults, key.name)
        yield Setting(section=section, name=key.name, default=default, **key.metadata)


SECTIONS: dict[str, str] = {
    section.name: getattr(Settings(), section.name).__doc__ for section in fields(Settings)
}
"""The description of each section."""

SETTINGS: dict[str, Setting] = {
    setting.key: setting for section in SECTIONS for setting in _section_settings(section)
}
"""Every setting by its key."""


def known_setting(key: str) -> Setting:
    """Return the setting with this key."""
    if key not in SETTINGS:
        msg = f"there is no setting `{key}`. {nearest_key_hint(key)}"
        raise NotFoundError(msg)
    return SETTINGS[key]


def nearest_key_hint(key: str) -> str:
    """Suggest the key that a mistyped one probably means."""
    from difflib import get_close_matches

    section, _, name = key.rpartition(".")
    if section in RETIRED_SECTIONS:
        return f"The weights of `{section}` are constants now and can no longer be set."
    siblings = [setting.name for setting in SETTINGS.values() if setting.section == section]
    close = [
        *(f"{section}.{similar}" for similar in get_close_matches(name, siblings, n=1)),
        *(setting.key for setting in SETTINGS.values() if setting.name == name),
        *([] if siblings else get_close_matches(key, [*SETTINGS, *SECTIONS], n=1)),
    ]
    if close:
        return f"Did you mean `{close[0]}`?"
    if siblings:
        return f"`{section}` has {', '.join(siblings)}."
    return f"The sections are {', '.join(SECTIONS)}."


def is_single_line(text: str) -> bool:
    """Say whether the text can be shown on one line as it is and found again in a file."""
    return bool(text) and text.isprintable() and text == text.strip()


def shown_value(value: object) -> str:
    """Write any value in a short and harmless form, as it would stand in the file."""
    match value:
        case bool():
            return str(value).lower()
        case dict():
            return "a table"
        case list():
            return "a list"
        case int() if value.bit_length() > MAX_SHOWN_BITS:
            # Python itself refuses to write out a number of thousands of digits.
            return f"a number of {value.bit_length()} bits"
    text = repr(value) if isinstance(value, str | int | float) else str(value)
    return text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[:MAX_SHOWN_CHARACTERS]}…"
