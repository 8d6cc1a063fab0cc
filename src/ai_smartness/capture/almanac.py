"""What is written down about a project's threads as its messages come in.

The words that describe each thread and the statements that link it to others,
in the order the messages were placed. What follows from it depends on that order
alone, so it can be had again by reading the messages through once more.
"""

from collections import Counter
from collections.abc import Mapping

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event
from ai_smartness.model.note import Named, Note
from ai_smartness.threads.crossroads import Crossroads, Statement
from ai_smartness.threads.describe import Description, Line, Notebook

__all__ = ["ANSWERING_ROLES", "Almanac"]

ANSWERING_ROLES = frozenset({"assistant", "agent", "model", "tool", "system", "note"})
USER_CHARACTERS = 2_000
AGENT_CHARACTERS = 240
"""Of a message, what may state a value or a decision: what follows is a paste, or a report."""

_TELLING = frozenset({Named.PATH, Named.IDENTIFIER, Named.URL})


class Almanac:
    """The notebook and the crossroads of a project, kept in step."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self._notebook = Notebook()
        self._crossroads = Crossroads()
        self._held: dict[str | None, list[tuple[Event, Note]]] = {}
        self._titles: dict[str, str] = dict(titles)
        self._taken: Counter[str] = Counter(self._titles.values())

    def take(self, event: Event, note: Note) -> list[str]:
        """Write an event down and name the threads that are due for a new description.

        One that is held is written down when the session's next one is not:
        only then is it sure on which thread it stays.
        """
        held = self._held.setdefault(event.session, [])
        if note.placed.held:
            held.append((event, note))
            return []
        waited, self._held[event.session] = [*held, (event, note)], []
        due = [each.thread_id for each, its in waited if self._written(each, its)]
        return list(dict.fromkeys(due))

    def held(self, session: str | None) -> list[Event]:
        """Return the events of a session that are held."""
        return [event for event, _ in self._held.get(session, [])]

    def move_held(self, session: str | None, moved: list[Event]) -> None:
        """Take note that a session's held events are on another thread now."""
        notes = [note for _, note in self._held.get(session, [])]
        self._held[session] = list(zip(moved, notes, strict=True))

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

    def next_block(self) -> "Almanac":
        """Return an empty almanac that knows the titles there are."""
        return Almanac(self._titles)

    def bridges(self, thread_id: str) -> tuple[Bridge, ...]:
        """Return the bridges from a thread to those before it."""
        return self._crossroads.bridges_of(thread_id)

    def _written(self, event: Event, note: Note) -> bool:
        by_agent = event.role.casefold() in ANSWERING_ROLES
        names = frozenset(each.name for each in note.mentions if each.named in _TELLING)
        self._crossroads.add(
            event.thread_id,
            Statement(
                seq=event.seq,
                event_id=event.id,
                text=event.text[: AGENT_CHARACTERS if by_agent else USER_CHARACTERS],
                by_agent=by_agent,
                session=event.session,
                at=event.at,
                names=names,
            ),
        )
        return self._notebook.add(event.thread_id, Line(event.role, event.text, by_agent=by_agent))
