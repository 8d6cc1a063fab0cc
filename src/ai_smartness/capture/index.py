"""Make events findable by their words.

Each event is indexed with the little that makes a short line findable: who
said it, when, and the line before.
"""

from collections.abc import Sequence
from datetime import datetime

from ai_smartness.model.event import Event
from ai_smartness.model.found import Words
from ai_smartness.model.subwords import subwords
from ai_smartness.ports import ThreadStore

__all__ = ["index", "spoken_date", "words_of"]

PREVIOUS_CHARACTERS = 200

_MONTHS = "January February March April May June July August September October November December"
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"


def index(store: ThreadStore, events: Sequence[Event]) -> None:
    """Index stored events of one project, in the order of `seq`."""
    if not events:
        return
    before: dict[str | None, str] = {}
    words: list[Words] = []
    for event in events:
        if event.session not in before:
            previous = store.events.previous(event)
            before[event.session] = previous.text if previous else ""
        words.append(words_of(event, before[event.session]))
        before[event.session] = event.text
    store.words.add(events[0].project, words)


def words_of(event: Event, previous: str) -> Words:
    """Return what full text is to know of the event."""
    context = (event.role, spoken_date(event.at), previous[:PREVIOUS_CHARACTERS])
    return Words(event.seq, event.text, subwords(event.text), "\n".join(context))


def spoken_date(at: datetime) -> str:
    """Write a date as people ask for it, whatever the locale."""
    month, day = _MONTHS.split()[at.month - 1], _DAYS.split()[at.weekday()]
    return f"{day} {at.day} {month} {at.year}"
