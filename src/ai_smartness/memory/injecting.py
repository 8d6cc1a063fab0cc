"""The verbs that put memory in front of a turn, and learn what came of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from ai_smartness.capture.capture import LIVE_MESSAGES, Captured
from ai_smartness.capture.clean import cleaned, harmless
from ai_smartness.capture.draft import LONGEST_ID_CHARACTERS
from ai_smartness.compact.handed import last_handoff
from ai_smartness.compact.handoff import LONG, SHORT, handoff_of
from ai_smartness.inject.choice import is_own
from ai_smartness.inject.greeting import CLEARED, COMPACTED, Beginning, greeting
from ai_smartness.inject.history import with_block
from ai_smartness.inject.inject import Turn, inject
from ai_smartness.inject.prompt import asked_with, asks_back, combined, says_something
from ai_smartness.inject.render import Beat
from ai_smartness.inject.same import in_prompt
from ai_smartness.inject.use import was_used
from ai_smartness.memory.core import quiet
from ai_smartness.memory.recalling import Recalling
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType, Message, by_agent
from ai_smartness.model.found import Hit, Scope
from ai_smartness.model.handoff import Handoff
from ai_smartness.model.injection import Injection
from ai_smartness.model.session import LedgerEntry, LedgerPage, Session
from ai_smartness.ports import Progress
from ai_smartness.threads.rate import of_use, rated

__all__ = ["Injecting", "check_session"]

CANDIDATES = 20
"""Messages found for a prompt: what stands further down is not worth showing unasked."""

LOOKED_THROUGH = 60
"""Messages looked through for those: a session finds itself first, and it knows what it said."""

JUST_SAID = 4
SAID_CHARACTERS = 2_000
"""Messages of the session whose words the agent has in its ear."""

SYSTEM = "system"

DONE_BY_AGENT = frozenset({EventType.AGENT_MESSAGE, EventType.TOOL_CALL})
"""Where use shows. What a tool answers, it would have answered anyway."""

LOOKED_BACK = 50
"""Events of a session in which what was shown may come back."""


class Injecting(Recalling):
    """The right few lines, before a turn."""

    def inject(
        self,
        text: str | Sequence[str],
        *,
        session: str | None = None,
        source: str = "user",
        budget: int | None = None,
        lasting: bool = True,
    ) -> Injection:
        """Return what to put in front of a turn; nothing where silence is best.

        Several messages at once are one prompt. What the system says to itself
        (`source="system"`) is no prompt. With a session, what it has in sight is
        not shown again; with `lasting=False`, for an agent that does not keep in
        its history what it was shown, nothing is in sight.
        """
        started = perf_counter()
        prompt = cleaned(combined(text))
        check_session(session)
        if source == SYSTEM or not prompt.strip():
            return Injection(took=perf_counter() - started)
        now = self._clock.now()
        present = self._session_at_turn(session)
        beat = self._beat(present)
        turn = Turn(
            prompt=prompt,
            projects=Scope(project=self.project).projects,
            session=present,
            now=now,
            beat=beat,
            budget=self._rules.inject.budget_tokens if budget is None else budget,
            half_life_days=self._rules.half_life_days,
            embedder=self._in_reach(),
            worktree=self._parts.worktree,
            lasting=lasting,
        )
        found = inject(self._store, self._found_for(prompt, present), turn, self._rules.inject)
        found = replace(found, took=perf_counter() - started)
        if session:
            self._record(found, replace(present, beat=beat.number), turn)
        return found

    def greeting(self, session: str | None = None, source: str = "startup") -> str:
        """Return what to tell an agent whose session begins: how to ask, and where things stand.

        `source` is how it begins; after `compact` it is told where its own session stood,
        else where the last one did, after `clear` neither. What it is told counts as shown.
        """
        started = perf_counter()
        present = self._session_at_turn(session)
        beat = self._beat(present)
        turn = Turn(
            prompt="",
            projects=Scope(project=self.project).projects,
            session=present,
            now=self._clock.now(),
            beat=beat,
            budget=0,
            half_life_days=self._rules.half_life_days,
        )
        begins = Beginning(source, self._handed_to(present, source))
        found = greeting(self._store, turn, begins, self._rules.inject)
        found = replace(found, took=perf_counter() - started)
        if session:
            self._record(found, replace(present, beat=beat.number), turn)
        return found.text

    def with_memory(
        self, messages: Sequence[Mapping[str, Any]], *, session: str | None = None
    ) -> list[dict[str, Any]]:
        """Return a new list of messages with memory in front of the last prompt.

        For an agent of your own, in the shapes of Anthropic's or OpenAI's messages.
        What is given is never changed, and comes back as it is where there is
        nothing to add.
        """

        def block(prompt: str) -> str:
            # The caller's history has nothing of what was shown before.
            return self.inject(prompt, session=session, lasting=False).text

        return with_block(messages, block)

    def why(self, session: str | None = None, limit: int = 10) -> list[LedgerPage]:
        """Return the latest turns: what was shown, what was left out, and the numbers."""
        return self._store.ledger.pages(self.project, session, limit)

    def capture(
        self, messages: Message | Iterable[Message], *, progress: Progress = quiet
    ) -> Captured:
        """Keep messages, each on its thread; one that is known by its id is left as it is.

        What a session's agent said or did shows whether what it was shown was of use.
        """
        given = list(messages) if isinstance(messages, Iterable) else [messages]
        captured = super().capture(given, progress=progress)
        if captured.stored and len(given) <= LIVE_MESSAGES:
            for session in {each.session for each in given if each.session}:
                self._note_use(session)
        return captured

    def _note_use(self, session: str) -> None:
        """Find out whether what was shown to a session came back in what it did since."""
        shown = [each for each in self._store.ledger.shown(self.project, session) if not each.used]
        shown = [each for each in shown if each.turn == shown[0].turn]
        if not shown:
            return
        latest = self._store.events.of_session(self.project, session, LOOKED_BACK)
        since = [event for event in latest if event.seq > shown[0].through]
        done = [event for event in since if event.type in DONE_BY_AGENT]
        # What the session knew before it was shown anything is not taken from what was shown.
        known = [event for event in latest if event.seq <= shown[0].through or not by_agent(event)]
        prompt, answer = ("\n".join(each.text for each in some) for some in (known, done))
        used = [each for each in shown if was_used(self._texts(each.seqs), prompt, answer)]
        if not used:
            return
        with self._store.unit():
            ids = [each.thread_id for each in used]
            # A split that was taken back since has left its trail in the ledger, not its threads.
            for id_ in filter(self._store.threads.has, ids):
                thread = rated(self._store.threads.get(id_), of_use(self._clock.now()))
                self._store.threads.save(thread)
            self._store.ledger.mark_used(self.project, session, shown[0].turn, ids)

    def _texts(self, seqs: Sequence[int]) -> list[str]:
        return [event.text for event in self._store.events.by_seq(seqs).values()]

    def _handed_to(self, session: Session, source: str) -> Handoff | None:
        """Return what a session that begins is told of itself, or else of the last one."""
        if source == CLEARED:
            return None
        if source == COMPACTED and session.id:
            own = handoff_of(self._store, self.project, session.id, LONG)
            if own is not None:
                return own
        return last_handoff(self._store, session, SHORT)

    def _session_at_turn(self, session: str | None) -> Session:
        """Return the session at its next turn; without one, a turn of its own."""
        if not session:
            return Session(id="", project=self.project, turn=1)
        known = self._store.threads.session(self.project, session)
        begun = known or Session(id=session, project=self.project)
        return replace(begun, turn=begun.turn + 1)

    def _beat(self, session: Session) -> Beat:
        """Tell the beat it is, from the first thing that was ever kept in the project."""
        first = self._store.events.since(self.project, 0, 1)
        if not first:
            return Beat(0, 0)
        minutes = (self._clock.now() - first[0].at).total_seconds() / 60
        number = max(0, int(minutes / self._rules.inject.beat_minutes))
        return Beat(number, max(0, number - session.beat) if session.turn > 1 else 0)

    def _found_for(self, prompt: str, session: Session) -> list[Hit]:
        """Find messages for a prompt, knowing what the session has just said."""
        if not says_something(prompt):
            return []
        latest = self._latest(session, prompt)
        prompts = [event.text for event in latest if not by_agent(event)]
        asked = asked_with(prompt, prompts[: self._rules.inject.turns_before])
        said = "" if asks_back(prompt) else self._in_ear(latest, session)
        wide = LOOKED_THROUGH if latest else CANDIDATES
        hits = self._found(asked, wide, Scope(project=self.project), said=said)
        others = [hit for hit in hits if not is_own(hit, session)][:CANDIDATES]
        own = [hit for hit in hits[:CANDIDATES] if is_own(hit, session)]
        return sorted([*others, *own], key=hits.index)

    def _in_ear(self, latest: Sequence[Event], session: Session) -> str:
        """Return what the session has just said, as far as it is in its sight."""
        in_sight = (event for event in latest[:JUST_SAID] if event.seq > session.epoch_seq)
        return "\n".join(event.text[:SAID_CHARACTERS] for event in in_sight)

    def _latest(self, session: Session, prompt: str) -> list[Event]:
        """Return what a session said before a prompt, which may be kept already, newest first."""
        if not session.id:
            return []
        latest = self._store.events.of_session(self.project, session.id, LOOKED_BACK)
        return [event for event in latest if not in_prompt(event.text, prompt)]

    def _record(self, found: Injection, session: Session, turn: Turn) -> None:
        """Remember what was shown, after the last cut: what was cut was not seen."""
        through = self._store.events.last(self.project)
        shown = tuple(
            LedgerEntry(
                session=session.id,
                epoch=session.epoch,
                turn=session.turn,
                thread_id=entry.thread.id,
                revision=entry.thread.revision,
                tokens=entry.tokens,
                score=entry.priority,
                why=entry.why,
                seqs=tuple(line.seq for line in entry.lines),
                through=through,
            )
            for entry in found.entries
        )
        page = LedgerPage(
            project=self.project,
            session=session.id,
            epoch=session.epoch,
            turn=session.turn,
            at=turn.now,
            took_ms=round(found.took * 1000, 3),
            shown=shown,
            skipped=found.skipped,
        )
        with self._store.unit():
            self._store.threads.save_session(session)
            self._store.ledger.write(page)


def check_session(session: object) -> None:
    """Refuse what capture takes for no session's name: nothing would ever be said in it."""
    if session is None:
        return
    name = session if isinstance(session, str) else None
    if name is None or len(name) > LONGEST_ID_CHARACTERS or name != harmless(name):
        msg = f"{str(session)[:40]!r} cannot be a session's name. Give the one of its messages."
        raise RefusedError(msg)
