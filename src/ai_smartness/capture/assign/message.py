"""A message as the assignment rules see it."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ai_smartness.model.event import ANSWERING_ROLES, Event
from ai_smartness.text.keywords import message_terms, word_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["IncomingMessage", "Vector", "incoming_message"]

Vector: TypeAlias = "NDArray[np.float32]"
"""Of unit length; all vectors of one state come from one model."""

ASKING_ROLES = frozenset({"user"})

ADDRESS_CHARACTERS = 300  # a message addresses people early; a name further on is only mentioned
UNCOMMON_NAME_CHARACTERS = 5
"""A name this long is hardly an ordinary word as well, as `will` and `art` are."""

_NAME = re.compile(r"[^\s:,;!?()<>]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingMessage:
    """The properties of a message that its assignment depends on."""

    terms: tuple[str, ...]
    words: int
    minute: float
    session: str | None = None
    by_agent: bool = False  # whether an agent or a tool wrote it: it answers, it does not ask
    speaker: str | None = None  # the person's name, folded; none for the plain roles
    addressed: tuple[str, ...] = ()  # the names of the addressed speakers, folded
    vector: "Vector | None" = None
    thread: str | None = None  # the thread that was named, or is in focus
    is_rule: bool = False  # whether it only states a rule, which may hold for any subject


def incoming_message(
    event: Event,
    vector: "Vector | None" = None,
    known_names: Collection[str] = (),
    thread: str | None = None,
) -> IncomingMessage:
    """Return the message for an event; `known_names` are the session's speakers."""
    role = event.role.casefold()
    speaker = None if role in ASKING_ROLES or role in ANSWERING_ROLES else role
    return IncomingMessage(
        terms=message_terms(event.text),
        words=word_count(event.text),
        minute=event.at.timestamp() / 60,
        session=event.session,
        by_agent=role in ANSWERING_ROLES,
        speaker=speaker,
        addressed=() if speaker is None else addressed_speakers(event.text, known_names, speaker),
        vector=vector,
        thread=thread,
    )


def addressed_speakers(text: str, known_names: Collection[str], speaker: str) -> tuple[str, ...]:
    """Return the speakers that a text addresses: first word, `@name`, or an uncommon name."""
    names: dict[str, None] = {}
    for place, word in enumerate(_NAME.findall(text[:ADDRESS_CHARACTERS])):
        name = word.casefold().removeprefix("@")
        plainly = place == 0 or word.startswith("@") or len(name) >= UNCOMMON_NAME_CHARACTERS
        if plainly and name in known_names and name != speaker:
            names[name] = None
    return tuple(names)
