"""Check what a condenser wrote before it stands for anything."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from ai_smartness.capture.clean import harmless
from ai_smartness.compact.calls import Spoken, call_id, paired, tool_name
from ai_smartness.compact.condensers import Wrote
from ai_smartness.compact.sizes import view_tokens
from ai_smartness.model.condensed import Replacement
from ai_smartness.model.event import Event, EventType, as_utc
from ai_smartness.redact import redacted

__all__ = ["checked"]

LONGEST_ROLE_CHARACTERS = 64

_TOOLS = (EventType.TOOL_CALL, EventType.TOOL_RESULT)


def checked(wrote: object, given: Sequence[Event]) -> Wrote | str:
    """Return what a condenser wrote for the given events, or say what is wrong with it."""
    made, remark = wrote if isinstance(wrote, Wrote) else (wrote, "")
    if wrong := _unusable(made):
        return wrong
    known = {event.text for event in given}
    clean = [_harmless(each, known) for each in cast("Sequence[Replacement]", made)]
    return _parted(clean, given) or _larger(clean, given) or Wrote(clean, str(remark))


def _unusable(made: object) -> str:
    if not isinstance(made, Sequence) or isinstance(made, str | bytes):
        return f"it gave {type(made).__name__} and not a list of replacements"
    if not made:
        return "it gave nothing to stand for them"
    return next(filter(None, map(_wrong, made)), "")


def _larger(made: Sequence[Spoken], given: Sequence[Spoken]) -> str:
    before, after = view_tokens(given), view_tokens(made)
    if after == before:
        return "it found nothing to make smaller"
    if after > before:
        return (
            f"what it gave takes about {after:,} tokens, more than the {before:,} it would stand "
            "for"
        )
    return ""


def _wrong(each: Any) -> str:  # noqa: ANN401 - whatever a condenser gave
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
    return _unkept(each.payload)


def _unkept(payload: object) -> str:
    if not isinstance(payload, Mapping):
        return f"the payload of a replacement must be a mapping, not {type(payload).__name__}"
    try:
        json.dumps(dict(payload), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return f"the payload of a replacement is no plain JSON: {error}"
    return ""


def _harmless(each: Replacement, known: Collection[str]) -> Replacement:
    """Return a replacement that can be stored: without what no text may hold, or a secret."""
    payload = json.loads(json.dumps(dict(each.payload), ensure_ascii=False))
    text = each.text if each.text in known else redacted(harmless(each.text))
    return replace(
        each,
        text=text,
        role=harmless(each.role),
        at=as_utc(each.at),
        payload=payload,
    )


def _parted(made: Sequence[Spoken], given: Sequence[Spoken]) -> str:
    """Say which call it parted from its result, if it did."""
    alone = _alone(made) - _alone(given)
    for type_, name, id_ in alone:
        what = "result" if type_ is EventType.TOOL_RESULT else "call"
        other = "call" if type_ is EventType.TOOL_RESULT else "result"
        shown = " ".join(filter(None, (name, id_))) or "of a tool"
        return f"it parted the {what} {shown} from its {other}"
    return ""


def _alone(events: Sequence[Spoken]) -> Counter[tuple[EventType, str, str]]:
    """Count the calls and results that stand alone."""
    pairs = paired(events)
    together = {*pairs, *pairs.values()}
    return Counter(
        (event.type, tool_name(event), call_id(event))
        for place, event in enumerate(events)
        if event.type in _TOOLS and place not in together
    )
