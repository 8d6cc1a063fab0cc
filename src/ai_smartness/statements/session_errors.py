"""The last error of each session, and what cured it.

Events are added in the order of `seq`. What was said before the first of them is read from the
store, with the cures that are stored already.
"""

from itertools import chain

from ai_smartness.model.event import Event
from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.ports import ThreadStore
from ai_smartness.statements.conversation import event_speaker
from ai_smartness.statements.error_cures import NO_ERROR, SeenError, cures_error, event_error

__all__ = ["SessionErrors"]

ERROR_EVENTS = 12  # of a session, between an error and its cure


class SessionErrors:
    """The errors of a project's sessions that a cure may follow."""

    def __init__(self, store: ThreadStore) -> None:
        self._store = store
        self._latest: dict[str | None, SeenError] = {}
        self.cured: dict[str, str] = {}
        """The event that cured an error, by the event of the error."""

    def last_before(self, event: Event) -> SeenError:
        """Return the error that was seen last in the session, a few events ago at most."""
        if event.session not in self._latest:
            self._latest[event.session] = self._stored_before(event)
        error = self._latest[event.session]
        return error if error.age <= ERROR_EVENTS else NO_ERROR

    def add(self, event: Event, speaker: Speaker | None) -> None:
        """Add the error that an event shows, if it shows one."""
        latest = self._latest.get(event.session, NO_ERROR)
        newer = event_error(event, speaker)
        aged = latest._replace(age=latest.age + 1)
        self._latest[event.session] = SeenError(newer, event.id, 1) if newer else aged

    def _stored_before(self, event: Event) -> SeenError:
        """Return the last error in the stored events, unless a stored statement cures it."""
        between: list[int] = []
        previous = self._store.events.previous_in_session(event)
        while previous is not None and len(between) < ERROR_EVENTS:
            if error := event_error(previous, event_speaker(previous)):
                is_cured = self._is_cured(error, between)
                return NO_ERROR if is_cured else SeenError(error, previous.id, len(between) + 1)
            between.append(previous.seq)
            previous = self._store.events.previous_in_session(previous)
        return NO_ERROR

    def _is_cured(self, error: str, seqs: list[int]) -> bool:
        stated = chain.from_iterable(self._store.statements.of_events(seqs).values())
        return any(
            one.kind is StatementKind.ERROR_CURE and cures_error(one.text, error) for one in stated
        )
