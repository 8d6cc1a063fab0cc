"""What a condenser is, and what it is given.

What events name and state: as it was noted when they were captured, else read from them.

Check what a condenser wrote before it stands for anything.

The numbers condensing goes by.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

from ai_smartness.capture.mentions import extract_mentions
from ai_smartness.condense.event_tokens import view_tokens
from ai_smartness.condense.tool_calls import EventLike, call_id, paired_calls, tool_name
from ai_smartness.describe.kinds import kind_proposals
from ai_smartness.model.annotation import Annotation, KindProposal, Mention, MentionKind
from ai_smartness.model.condensation import Replacement
from ai_smartness.model.event import Event, EventType, as_utc, is_by_agent
from ai_smartness.ports import LanguageModel
from ai_smartness.redact import redacted_text
from ai_smartness.text.sanitize import sanitized_text
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


class EventNotes:
    """Notes of events, by their numbers."""

    def __init__(self, notes: Mapping[int, Annotation]) -> None:
        self._notes = notes

    def mentions_of(self, event: Event) -> Sequence[Mention]:
        """Return what an event names."""
        note = self._notes.get(event.seq)
        return mentions_in(event) if note is None else note.mentions

    def proposals_of(self, event: Event) -> Sequence[KindProposal]:
        """Return what an event's speaker plainly states; an agent states nothing."""
        note = self._notes.get(event.seq)
        return proposals_in(event) if note is None else note.proposals


def mentions_in(event: Event) -> Sequence[Mention]:
    """Read from an event what it names."""
    found = extract_mentions(event.text)
    named = {
        MentionKind.PATH: found.files,
        MentionKind.IDENTIFIER: found.identifiers,
        MentionKind.COMMAND: found.commands,
        MentionKind.URL: found.urls,
        MentionKind.ERROR: found.errors,
    }
    return [Mention(kind, name) for kind, names in named.items() for name in names]


def proposals_in(event: Event) -> Sequence[KindProposal]:
    """Read from an event what its speaker plainly states."""
    return () if is_by_agent(event) else kind_proposals(event.text)


class Wrote(NamedTuple):
    """What a condenser wrote, and what there is to say about it."""

    replacements: Sequence[Replacement]
    remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What surrounds a condensing.

    `target` is how many tokens what is written may take, as `tokens` counts them.
    `named` and `stated` tell what an event names and what its speaker plainly
    states. `read_file` gives a file of the project as it is now, `model` writes;
    both may be missing.
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
    """A way to say a long thread in few words.

    It is pure: it writes nothing, and what it raises leaves the thread as it was. It
    may have `parameters`: what it takes, each with its default. One that sets `asks_model`
    is given a language model, where one is configured.
    """

    @property
    def id(self) -> str:
        """Name it, as it is asked for."""
        ...

    @property
    def version(self) -> str:
        """Number the way it works: what it wrote says by which it was written."""
        ...

    def condense(self, events: Sequence[Event], context: Context) -> Sequence[Replacement] | Wrote:
        """Return what stands for these events, in order; a call comes with its result."""
        ...


LONGEST_ROLE_CHARACTERS = 64

_TOOL_TYPES = (EventType.TOOL_CALL, EventType.TOOL_RESULT)


def checked_output(wrote: object, given: Sequence[Event]) -> Wrote | str:
    """Return what a condenser wrote for the given events, or say what is wrong with it."""
    made, remark = wrote if isinstance(wrote, Wrote) else (wrote, "")
    if wrong := _output_problem(made):
        return wrong
    known = {event.text for event in given}
    clean = [_cleaned_replacement(each, known) for each in cast("Sequence[Replacement]", made)]
    return (
        _pairing_problem(clean, given) or _size_problem(clean, given) or Wrote(clean, str(remark))
    )


def _output_problem(made: object) -> str:
    if not isinstance(made, Sequence) or isinstance(made, str | bytes):
        return f"it gave {type(made).__name__} and not a list of replacements"
    if not made:
        return "it gave nothing to stand for them"
    return next(filter(None, map(_replacement_problem, made)), "")


def _size_problem(made: Sequence[EventLike], given: Sequence[EventLike]) -> str:
    before, after = view_tokens(given), view_tokens(made)
    if after == before:
        return "it found nothing to make smaller"
    if after > before:
        return (
            f"what it gave takes about {after:,} tokens, more than the {before:,} it would stand "
            "for"
        )
    return ""


def _replacement_problem(each: Any) -> str:  # noqa: ANN401 - whatever a condenser gave
    if not isinstance(each, Replacement):
        return f"it gave a {type(each).__name__} and not a Replacement"
    # Annotated, and still anything: who writes a condenser need not check types.
    type_, text, at, role = cast("tuple[Any, ...]", (each.type, each.text, each.at, each.role))
    if not isinstance(type_, EventType) or type_ is EventType.COMPACTION:
        return f"a replacement cannot be of the type {type_!r}"
    if not isinstance(text, str) or not isinstance(at, datetime):
        return "a replacement needs a text and a moment"
    if not isinstance(role, str) or not 0 < len(role) <= LONGEST_ROLE_CHARACTERS:
        return f"a replacement cannot have the role {role!r}"
    return _payload_problem(each.payload)


def _payload_problem(payload: object) -> str:
    if not isinstance(payload, Mapping):
        return f"the payload of a replacement must be a mapping, not {type(payload).__name__}"
    try:
        json.dumps(dict(payload), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return f"the payload of a replacement is no plain JSON: {error}"
    return ""


def _cleaned_replacement(each: Replacement, known: Collection[str]) -> Replacement:
    """Return a replacement that can be stored: without what no text may hold, or a secret."""
    payload = json.loads(json.dumps(dict(each.payload), ensure_ascii=False))
    text = each.text if each.text in known else redacted_text(sanitized_text(each.text))
    return replace(
        each, text=text, role=sanitized_text(each.role), at=as_utc(each.at), payload=payload
    )


def _pairing_problem(made: Sequence[EventLike], given: Sequence[EventLike]) -> str:
    """Say which call it parted from its result, if it did."""
    alone = _unpaired_calls(made) - _unpaired_calls(given)
    for type_, name, id_ in alone:
        what = "result" if type_ is EventType.TOOL_RESULT else "call"
        other = "call" if type_ is EventType.TOOL_RESULT else "result"
        shown = " ".join(filter(None, (name, id_))) or "of a tool"
        return f"it parted the {what} {shown} from its {other}"
    return ""


def _unpaired_calls(events: Sequence[EventLike]) -> Counter[tuple[EventType, str, str]]:
    """Count the calls and results that stand alone."""
    pairs = paired_calls(events)
    together = {*pairs, *pairs.values()}
    return Counter(
        (event.type, tool_name(event), call_id(event))
        for place, event in enumerate(events)
        if event.type in _TOOL_TYPES and place not in together
    )
