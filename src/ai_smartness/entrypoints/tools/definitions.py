"""The tools for agents: names, parameters, purposes, and the call and reply values.

A model reads every description before each of its turns, so there are few tools with few
words. Everything that lists, checks or documents a tool uses these definitions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from ai_smartness.model.compaction import CompactionStrategy
from ai_smartness.model.statement import PIN_KINDS, StatementKind
from ai_smartness.model.thread import SplitLock

__all__ = [
    "RESOURCES",
    "TOOLS",
    "Parameter",
    "ParameterType",
    "Profile",
    "Tool",
    "ToolCall",
    "ToolReply",
    "offered_tools",
]

JsonSchema: TypeAlias = "dict[str, object]"

MAX_TEXT_CHARACTERS = 10_000
"""For a query; a longer one is a pasted log, which would take long to search for."""

MAX_CONTENT_CHARACTERS = 1_000_000


class ParameterType(StrEnum):
    """The type of a parameter."""

    TEXT = "string"
    NUMBER = "number"
    COUNT = "integer"
    FLAG = "boolean"
    TEXTS = "strings"
    PARTS = "parts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a tool; `least` and `most` bound a number, `longest` a text."""

    sort: ParameterType = ParameterType.TEXT
    about: str = ""
    required: bool = False
    default: object = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    longest: int = MAX_TEXT_CHARACTERS

    @property
    def json_schema(self) -> JsonSchema:
        """The parameter as JSON Schema."""
        details = {
            "enum": [*self.choices] or None,
            "minimum": self.least,
            "maximum": self.most,
            "default": self.default,
            "description": self.about or None,
        }
        present = {name: value for name, value in details.items() if value is not None}
        return {**_TYPE_SCHEMAS[self.sort], **present}


_TYPE_SCHEMAS: Mapping[ParameterType, JsonSchema] = {
    ParameterType.TEXT: {"type": "string"},
    ParameterType.NUMBER: {"type": "number"},
    ParameterType.COUNT: {"type": "integer"},
    ParameterType.FLAG: {"type": "boolean"},
    ParameterType.TEXTS: {"type": "array", "items": {"type": "string"}},
    ParameterType.PARTS: {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "title": {"type": "string"},
                "messages": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["title", "messages"],
        },
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool.

    `reads`: it changes nothing. `drastic`: it does more than add. `repeatable`: repeating
    a call has no further effect.
    """

    about: str
    takes: Mapping[str, Parameter]
    reads: bool = False
    drastic: bool = False
    repeatable: bool = True

    @property
    def json_schema(self) -> JsonSchema:
        """The parameters as JSON Schema."""
        properties = {name: parameter.json_schema for name, parameter in self.takes.items()}
        required = [name for name, parameter in self.takes.items() if parameter.required]
        schema: JsonSchema = {"type": "object", "properties": properties}
        return {**schema, "required": required} if required else schema

    @property
    def mcp_hints(self) -> dict[str, bool]:
        """The annotations from which a client decides whether to ask its user."""
        return {
            "readOnlyHint": self.reads,
            "destructiveHint": self.drastic,
            "idempotentHint": self.repeatable,
            "openWorldHint": False,
        }


class Profile(StrEnum):
    """A selection of the tools."""

    ALL = "all"
    CORE = "core"
    READONLY = "readonly"


_THREAD = Parameter(required=True, about="Thread id")

TOOLS: Mapping[str, Tool] = {
    "ai_recall": Tool(
        about="Search what was said, done and decided in earlier sessions.",
        takes={
            "query": Parameter(
                required=True, about="Words, identifier, path, error, or a thread id"
            ),
            "limit": Parameter(sort=ParameterType.COUNT, default=12, least=1, most=50),
        },
    ),
    "ai_merge": Tool(
        about="Move all messages of one thread to another on the same subject.",
        takes={
            "survivor": Parameter(required=True, about="Thread id that stays"),
            "absorbed": Parameter(required=True, about="Thread id that is archived"),
        },
        drastic=True,
    ),
    "ai_split": Tool(
        about="Split a thread that drifted. Without `parts`: lists its messages and proposes "
        "parts, changes nothing. With `parts`: makes each a new thread; other messages stay.",
        takes={
            "thread": _THREAD,
            "parts": Parameter(sort=ParameterType.PARTS, about="Titles with message ids"),
            "lock": Parameter(
                choices=tuple(SplitLock),
                default=SplitLock.COMPACTION.value,
                about="Until when the new threads cannot be merged",
            ),
        },
        drastic=True,
        repeatable=False,
    ),
    "ai_unlock": Tool(
        about="Let a split thread be merged again.",
        takes={
            "thread": _THREAD,
            "force": Parameter(sort=ParameterType.FLAG, about="Needed for lock=force"),
        },
    ),
    "ai_focus": Tool(
        about="Prefer a topic in the memories added to prompts.",
        takes={
            "topic": Parameter(required=True, about="Topic or thread id"),
            "weight": Parameter(sort=ParameterType.NUMBER, default=0.8, least=0, most=1),
            "minutes": Parameter(sort=ParameterType.NUMBER, least=1, about="Ends after"),
            "lasting": Parameter(sort=ParameterType.FLAG, about="Beyond this session"),
        },
    ),
    "ai_unfocus": Tool(
        about="End the focus on a topic, or every focus.", takes={"topic": Parameter()}
    ),
    "ai_pin": Tool(
        about="Store something important for good: a rule, a decision, a preference, a fact.",
        takes={
            "content": Parameter(required=True, longest=MAX_CONTENT_CHARACTERS),
            "title": Parameter(),
            "topics": Parameter(sort=ParameterType.TEXTS),
            "weight_boost": Parameter(sort=ParameterType.NUMBER, default=0.3, least=0, most=0.5),
            "kind": Parameter(choices=PIN_KINDS),
        },
    ),
    "ai_statements": Tool(
        about="List what holds now: rules, decisions, preferences, environment, commands, cures, "
        "open tasks.",
        takes={"kind": Parameter(choices=tuple(StatementKind)), "query": Parameter()},
        reads=True,
    ),
    "ai_suggestions": Tool(
        about="What to merge, split or recall, contradictions, and how full the memory is. "
        "Changes nothing.",
        takes={"context": Parameter(about="What you work on")},
        reads=True,
    ),
    "ai_rate_context": Tool(
        about="Say whether a thread you were shown helped; it is shown more or less after.",
        takes={
            "thread_id": Parameter(required=True),
            "useful": Parameter(sort=ParameterType.FLAG, required=True),
            "reason": Parameter(),
        },
        repeatable=False,
    ),
    "ai_compact": Tool(
        about="Tidy the memory: merge like threads, archive old ones, lower weights.",
        takes={
            "strategy": Parameter(
                choices=tuple(CompactionStrategy), default=CompactionStrategy.NORMAL.value
            ),
            "dry_run": Parameter(sort=ParameterType.FLAG, about="Only report"),
        },
        drastic=True,
        repeatable=False,
    ),
    "ai_undo": Tool(
        about="Take back a change of the memory: by its number, else the latest.",
        takes={"change": Parameter(sort=ParameterType.COUNT, least=1)},
        drastic=True,
        repeatable=False,
    ),
    "ai_status": Tool(about="What the memory holds.", takes={}, reads=True),
}

RESOURCES: Mapping[str, Tool] = {
    "threads": Tool(about="The threads of the project.", takes={}, reads=True),
    "thread": Tool(about="One thread.", takes={"thread": _THREAD}, reads=True),
    "handoff": Tool(about="Where the session before stood.", takes={}, reads=True),
}
"""Called like tools, and offered as resources and prompts."""

_OFFERED = {
    Profile.ALL: tuple(TOOLS),
    Profile.CORE: ("ai_recall", "ai_pin", "ai_rate_context", "ai_status"),
    Profile.READONLY: ("ai_recall", "ai_statements", "ai_suggestions", "ai_status"),
}


def offered_tools(profile: Profile) -> tuple[str, ...]:
    """Name the tools of a profile."""
    return _OFFERED[profile]


class ToolCall(NamedTuple):
    """A tool call: its client and session, and whether it may only read."""

    name: str
    arguments: Mapping[str, object]
    client: str
    session: str | None = None
    reads: bool = False


class ToolReply(NamedTuple):
    """The answer to a tool call: text, and structured data where it has some."""

    text: str
    structure: dict[str, object] | None = None
    is_error: bool = False
