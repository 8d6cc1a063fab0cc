"""What is written down about a project's threads as its messages come in.

The words that describe each thread and the statements that link it to others,
in the order the messages were placed. What follows from it depends on that order
alone, so it can be had again by reading the messages through once more.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event, by_agent, is_pin
from ai_smartness.model.note import Named, Note
from ai_smartness.threads.bridges import BridgeRules
from ai_smartness.threads.crossroads import Crossroads, Statement
from ai_smartness.threads.describe import Description, Line, Notebook

__all__ = ["Almanac", "Written"]

USER_CHARACTERS = 2_000
AGENT_CHARACTERS = 240
"""Of a message, what may state a value or a decision: what follows is a paste, or a report."""

_TELLING = frozenset({Named.PATH, Named.IDENTIFIER, Named.URL})


class Written(NamedTuple):
    """An event that is sure of its thread, and whether that is due for a new description."""

    event: Event
    note: Note
    due: bool


class Almanac:
    """The notebook and the crossroads of a project, kept in step."""

    def __init__(self, titles: Mapping[str, str], rules: BridgeRules) -> None:
        self._notebook = Notebook()
        self._crossroads = Crossroads(rules)
        self._held: dict[str | None, list[tuple[Event, Note]]] = {}
        self._titles: dict[str, str] = dict(titles)
        self._taken: Counter[str] = Counter(self._titles.values())

    def take(self, event: Event, note: Note) -> list[Written]:
        """Write an event down; return what is written down now, with what it is due for.

        One that is held is written down when the session's next one is not:
        only then is it sure on which thread it stays. A pin says nothing of that.
        """
        if is_pin(event):
            return [Written(event, note, due=self._written(event, note))]
        held = self._held.setdefault(event.session, [])
        if note.placed.held:
            held.append((event, note))
            return []
        waited, self._held[event.session] = [*held, (event, note)], []
        return [Written(each, its, due=self._written(each, its)) for each, its in waited]

    def held(self, session: str | None) -> list[int]:
        """Return the numbers of a session's events that are held."""
        return [event.seq for event, _ in self._held.get(session, [])]

    def reread(self, session: str | None, events: Mapping[int, Event]) -> None:
        """Take a session's held events as they are now: they may be on another thread."""
        held = self._held.get(session, [])
        self._held[session] = [(events[event.seq], note) for event, note in held]

    def description(self, thread_id: str) -> Description:
        """Describe a thread by what sets it apart, under a title no other has."""
        former = self._titles.get(thread_id, "")
        found = self._notebook.description(thread_id, former, self._taken)
        self._titles[thread_id] = found.title
        self._rename(former, found.title)
        return found

    def _rename(self, former: str, title: str) -> None:
        self._taken[title] += 1
        if former:
            self._taken[former] -= 1
            if not self._taken[former]:
                del self._taken[former]

    def bridges(self, thread_id: str) -> tuple[Bridge, ...]:
        """Return the bridges from a thread to those before it."""
        return self._crossroads.bridges_of(thread_id)

    def _written(self, event: Event, note: Note) -> bool:
        agent = by_agent(event)
        names = frozenset(each.name for each in note.mentions if each.named in _TELLING)
        self._crossroads.add(
            event.thread_id,
            Statement(
                seq=event.seq,
                event_id=event.id,
                text=event.text[: AGENT_CHARACTERS if agent else USER_CHARACTERS],
                by_agent=agent,
                session=event.session,
                at=event.at,
                names=names,
            ),
        )
        return self._notebook.add(event.thread_id, Line(event.role, event.text, by_agent=agent))
