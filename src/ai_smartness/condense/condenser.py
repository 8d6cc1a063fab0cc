"""The contract of a condenser: what it is, what it gets, and what its output must satisfy."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

from ai_smartness.capture.clean import sanitized_text
from ai_smartness.capture.mentions import extract_mentions
from ai_smartness.condense.tool_calls import (
    EventLike,
    call_id,
    paired_calls,
    tool_name,
    view_tokens,
)
from ai_smartness.describe.kinds import kind_proposals
from ai_smartness.model.annotation import Annotation, KindProposal, Mention, MentionKind
from ai_smartness.model.condensation import Replacement
from ai_smartness.model.event import Event, EventType, as_utc, is_by_agent
from ai_smartness.ports import LanguageModel
from ai_smartness.redact import redacted_text
from ai_smartness.text.token_count import estimate_tokens

__all__ = [
    "Condenser",
    "Context",
    "EventNotes",
    "Wrote",
    "checked_output",
    "mentions_in",
    "proposals_in",
]

LONGEST_ROLE_CHARACTERS = 64

_TOOL_TYPES = (EventType.TOOL_CALL, EventType.TOOL_RESULT)


class EventNotes:
    """What events name and state: from their annotations, or read from their text."""

    def __init__(self, annotations: Mapping[int, Annotation]) -> None:
        self._annotations = annotations

    def mentions_of(self, event: Event) -> Sequence[Mention]:
        """Return what an event names."""
        annotation = self._annotations.get(event.seq)
        return mentions_in(event) if annotation is None else annotation.mentions

    def proposals_of(self, event: Event) -> Sequence[KindProposal]:
        """Return what an event's speaker plainly states; an agent states nothing."""
        annotation = self._annotations.get(event.seq)
        return proposals_in(event) if annotation is None else annotation.proposals


def mentions_in(event: Event) -> Sequence[Mention]:
    """Read from its text what an event names."""
    mentions = extract_mentions(event.text)
    by_kind = {
        MentionKind.PATH: mentions.files,
        MentionKind.IDENTIFIER: mentions.identifiers,
        MentionKind.COMMAND: mentions.commands,
        MentionKind.URL: mentions.urls,
        MentionKind.ERROR: mentions.errors,
    }
    return [Mention(kind, name) for kind, names in by_kind.items() for name in names]


def proposals_in(event: Event) -> Sequence[KindProposal]:
    """Read from its text what an event's speaker plainly states."""
    return () if is_by_agent(event) else kind_proposals(event.text)


class Wrote(NamedTuple):
    """A condenser's output, with an optional remark for the user."""

    replacements: Sequence[Replacement]
    remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a condenser may use besides the events.

    `target` is the number of tokens for its output, as `tokens` counts them. `named` and
    `stated` return what an event names and what its speaker plainly states. `read_file`
    returns a file of the project as it is now, and `model` is a language model; both may
    be missing.
    """

    thread_id: str
    title: str
    target: int
    now: datetime
    tokens: Callable[[str], int] = estimate_tokens
    named: Callable[[Event], Sequence[Mention]] = mentions_in
    stated: Callable[[Event], Sequence[KindProposal]] = proposals_in
    parameters: Mapping[str, object] = field(default_factory=dict)
    read_file: Callable[[str], str | None] | None = None
    model: LanguageModel | None = None


@runtime_checkable
class Condenser(Protocol):
    """A way to shorten a long thread.

    It is pure: it writes nothing, and if it raises, the thread stays as it was. It may
    have `parameters`, a mapping of names to defaults. One that sets `asks_model` gets a
    language model, if one is configured.
    """

    @property
    def id(self) -> str:
        """The name by which it is chosen."""
        ...

    @property
    def version(self) -> str:
        """The version of its method, stored with its output."""
        ...

    def condense(self, events: Sequence[Event], context: Context) -> Sequence[Replacement] | Wrote:
        """Return the replacements of these events, in order; keep a call with its result."""
        ...


def checked_output(output: object, events: Sequence[Event]) -> Wrote | str:
    """Return a condenser's output for these events, cleaned, or say what is wrong with it."""
    replacements, remark = output if isinstance(output, Wrote) else (output, "")
    if problem := _output_problem(replacements):
        return problem
    texts = {event.text for event in events}
    cleaned = [
        _cleaned_replacement(replacement, texts)
        for replacement in cast("Sequence[Replacement]", replacements)
    ]
    problem = _pairing_problem(cleaned, events) or _size_problem(cleaned, events)
    return problem or Wrote(cleaned, str(remark))


def _output_problem(output: object) -> str:
    if not isinstance(output, Sequence) or isinstance(output, str | bytes):
        return f"it gave {type(output).__name__} and not a list of replacements"
    if not output:
        return "it gave nothing to stand for them"
    return next(filter(None, map(_replacement_problem, output)), "")


def _replacement_problem(value: object) -> str:
    if not isinstance(value, Replacement):
        return f"it gave a {type(value).__name__} and not a Replacement"
    # The authors of condensers need not check types, so the fields may be anything.
    type_, text, at, role = cast("tuple[Any, ...]", (value.type, value.text, value.at, value.role))
    if not isinstance(type_, EventType) or type_ is EventType.COMPACTION:
        return f"a replacement cannot be of the type {type_!r}"
    if not isinstance(text, str) or not isinstance(at, datetime):
        return "a replacement needs a text and a moment"
    if not isinstance(role, str) or not 0 < len(role) <= LONGEST_ROLE_CHARACTERS:
        return f"a replacement cannot have the role {role!r}"
    return _payload_problem(value.payload)


def _payload_problem(payload: object) -> str:
    if not isinstance(payload, Mapping):
        return f"the payload of a replacement must be a mapping, not {type(payload).__name__}"
    try:
        json.dumps(dict(payload), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return f"the payload of a replacement is no plain JSON: {error}"
    return ""


def _cleaned_replacement(replacement: Replacement, known_texts: Collection[str]) -> Replacement:
    """Return a replacement that can be stored: sanitized, redacted, and with plain JSON."""
    text = replacement.text
    return replace(
        replacement,
        text=text if text in known_texts else redacted_text(sanitized_text(text)),
        role=sanitized_text(replacement.role),
        at=as_utc(replacement.at),
        payload=json.loads(json.dumps(dict(replacement.payload), ensure_ascii=False)),
    )


def _size_problem(replacements: Sequence[EventLike], events: Sequence[EventLike]) -> str:
    before, after = view_tokens(events), view_tokens(replacements)
    if after == before:
        return "it found nothing to make smaller"
    if after > before:
        return (
            f"what it gave takes about {after:,} tokens, more than the {before:,} it would stand "
            "for"
        )
    return ""


def _pairing_problem(replacements: Sequence[EventLike], events: Sequence[EventLike]) -> str:
    """Name a call that was separated from its result, if any."""
    for type_, name, id_ in _unpaired_calls(replacements) - _unpaired_calls(events):
        part, other = "call", "result"
        if type_ is EventType.TOOL_RESULT:
            part, other = other, part
        tool = " ".join(filter(None, (name, id_))) or "of a tool"
        return f"it parted the {part} {tool} from its {other}"
    return ""


def _unpaired_calls(events: Sequence[EventLike]) -> Counter[tuple[EventType, str, str]]:
    """Count the calls without a result and the results without a call."""
    pairs = paired_calls(events)
    paired = {*pairs, *pairs.values()}
    return Counter(
        (event.type, tool_name(event), call_id(event))
        for place, event in enumerate(events)
        if event.type in _TOOL_TYPES and place not in paired
    )
