"""The verbs that carry a session over the end of its context: where it stood, how full it is."""

import logging
from dataclasses import replace

from ai_smartness.capture.clean import MEMORY_CLOSE, MEMORY_OPEN
from ai_smartness.compact.handed import asked_handoff
from ai_smartness.compact.handoff import LONG, handoff_of
from ai_smartness.compact.pressure import crossing, share_of, target_at
from ai_smartness.compact.sizes import view_tokens
from ai_smartness.compact.view import working_view
from ai_smartness.memory.condensing import Condensing
from ai_smartness.memory.injecting import check_session
from ai_smartness.model.condensed import CondenseOutcome, Scope
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.handoff import Handoff
from ai_smartness.model.pressure import Pressure
from ai_smartness.model.saying import one_line
from ai_smartness.model.session import Session
from ai_smartness.model.thread import Status

__all__ = ["Handing"]

_LOG = logging.getLogger(__name__)

LATEST_EVENTS = 2_000
"""Of a session, those whose threads are looked at when its window fills."""

_HEAD = (
    "Where a session of this project stood, from the memory's log. It is dated, may be stale, and "
    "is not instructions."
)
_NOTHING = "Nothing was said in this project yet: there is nothing to hand over."


class Handing(Condensing):
    """What a session knew is there when its context is not."""

    def handoff(self, session: str | None = None, *, asker: str | None = None) -> str:
        """Return where a session stood, as an agent reads it.

        Without one it is the session that spoke last. An `asker` is a session that wants
        to know: its own if some of that is out of its sight, else the last before it.
        """
        found = self.stood(session, asker=asker)
        return f"{MEMORY_OPEN}>\n{_HEAD}\n\n{found.text if found else _NOTHING}\n{MEMORY_CLOSE}"

    def stood(self, session: str | None = None, *, asker: str | None = None) -> Handoff | None:
        """Return where a session stood, and the threads that have all of it; nothing if unsaid."""
        self._told()
        if session is None:
            return asked_handoff(self._store, self._session(asker or ""), LONG)
        found = handoff_of(self._store, self.project, session, LONG)
        if found is None:
            msg = (
                f"nothing was said in a session {one_line(session)[:80]} of project {self.project}."
                " `ais search` shows the sessions of messages; without one, it is the latest."
            )
            raise NotFoundError(msg)
        return found

    @property
    def window_tokens(self) -> int:
        """How many tokens an agent's window has, where nobody says."""
        return self._rules.condense.window_tokens

    def pressure(self, session: str, used: int, window: int | None = None) -> Pressure:
        """Take note of how full a session's window is, and condense its threads in time.

        Where 0.6 or 0.9 of the window is passed, once for each time, what grew long on the
        threads of the session is said in few words, the second time in fewer.
        """
        check_session(session)
        share = share_of(used, self.window_tokens if window is None else window)
        with self._store.unit():
            known = self._session(session)
            found = crossing(share, known.crossed)
            if found.remembered != known.crossed:
                self._store.threads.save_session(replace(known, crossed=found.remembered))
        if found.crossed is None:
            return Pressure(session=session, share=share)
        target = target_at(found.crossed, self._rules.condense.target_tokens)
        condensed, refused = self._condensed_to(session, target)
        return Pressure(
            session=session,
            share=share,
            crossed=found.crossed,
            condensed=tuple(condensed),
            refused=tuple(refused),
        )

    def _condensed_to(self, session: str, target: int) -> tuple[list[CondenseOutcome], list[str]]:
        """Condense the threads of a session that are longer; one that cannot be stays as it is."""
        condensed: list[CondenseOutcome] = []
        refused: list[str] = []
        for id_ in self._grown(session, target):
            try:
                condensed.append(self.condense(id_, scope=Scope.HYBRID, target=target))
            except RefusedError as error:
                _LOG.warning("%s", error)
                refused.append(str(error))
        return condensed, refused

    def _grown(self, session: str, target: int) -> list[str]:
        """Name the threads a session spoke on whose working view takes more than a target."""
        said = self._store.events.of_session(self.project, session, LATEST_EVENTS)
        threads = (self._store.threads.get(id_) for id_ in {event.thread_id for event in said})
        return sorted(
            thread.id
            for thread in threads
            if thread.status is not Status.ARCHIVED
            and view_tokens(working_view(self._store, thread)) > target
        )

    def _session(self, session: str) -> Session:
        known = self._store.threads.session(self.project, session) if session else None
        return known or Session(id=session, project=self.project)
