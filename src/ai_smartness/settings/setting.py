"""One setting: its key, what it takes, and why its default is what it is.

A value is checked here and nowhere else, whether it comes from a file, the
environment or the command line.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import TypeAlias, TypeGuard

from ai_smartness.model.errors import RefusedError

__all__ = ["DEFAULT_ORIGIN", "Layer", "Setting", "SettingOrigin", "SettingValue", "shown_value"]

SettingValue: TypeAlias = str | float
"""What a setting holds; `float` covers whole numbers and yes or no, as in Python's own typing."""

MAX_SHOWN_CHARACTERS = 60
MAX_SHOWN_BITS = 64
YES_OR_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Layer(StrEnum):
    """Who says what a setting is; the later in this list wins."""

    DEFAULT = "default"
    USER = "user"
    PROJECT = "project"
    ENVIRONMENT = "environment"
    COMMAND = "command line"


@dataclass(frozen=True, slots=True)
class SettingOrigin:
    """Where a value comes from: a file and its line, or a variable of the environment."""

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
    """What is declared about one key."""

    section: str
    name: str
    default: SettingValue
    doc: str
    low: float = -inf
    high: float = inf
    choices: tuple[str, ...] = ()
    user_only: bool = False
    names: Callable[[], Sequence[str]] | None = None

    @property
    def key(self) -> str:
        """Name the setting as a person writes it."""
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        """Name the variable of the environment that sets it."""
        return f"AIS_{self.section}_{self.name}".upper()

    @property
    def allowed_values(self) -> str:
        """Say in words which values it takes."""
        match self.default:
            case bool():
                return "true or false"
            case int():
                return f"a whole number from {self.low} to {self.high}"
            case float():
                return f"a number from {self.low:g} to {self.high:g}"
            case _ if self.names is not None:
                return f"one of {', '.join(self.names())}"
            case _ if self.choices:
                return f"one of {', '.join(self.choices)}"
            case _:
                return "a line of text without blanks around it"

    def accepts_value(self, value: object) -> TypeGuard[SettingValue]:
        """Tell whether the value is of the right type and in range."""
        kinds = (int, float) if isinstance(self.default, float) else (type(self.default),)
        # `type` and not `isinstance`: True is no number of threads.
        if type(value) not in kinds:
            return False
        if isinstance(value, str) and self.names is not None:
            # Asked only where it must be: what there is may have to be loaded.
            return value == self.default or value in self.names()
        if isinstance(value, str):
            return value in self.choices if self.choices else is_single_line(value)
        return isinstance(value, int | float) and self.low <= value <= self.high

    def checked_value(self, value: object, origin: SettingOrigin) -> SettingValue:
        """Return the value in the setting's own type."""
        if not self.accepts_value(value):
            msg = (
                f"{origin}: `{self.key}` cannot be {shown_value(value)}: it takes {self.allowed_values}. "
                f"{self._remedy_hint(origin)}"
            )
            raise RefusedError(msg)
        return float(value) if isinstance(self.default, float) else value

    def parsed_value(self, text: str, origin: SettingOrigin = COMMAND_ORIGIN) -> SettingValue:
        """Read the value from a command line or the environment."""
        return self.checked_value(self._parsed_text(text), origin)

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
            return text  # `checked` knows how to say what is wrong with it
        return text


def is_single_line(text: str) -> bool:
    """Tell whether the text can be shown on one line as it is and found again in a file."""
    return bool(text) and text.isprintable() and text == text.strip()


def shown_value(value: object) -> str:
    """Write any value short and harmless, as it would stand in the file."""
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
        case str() | int() | float():
            text = repr(value)
        case _:
            text = str(value)
    return text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[:MAX_SHOWN_CHARACTERS]}…"
