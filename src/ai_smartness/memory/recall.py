"""The verb that answers with threads.

The verbs that put memory in front of a turn, and learn what came of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

from ai_smartness.capture.capture import LIVE_MESSAGES, Captured
from ai_smartness.capture.clean import cleaned_text
from ai_smartness.capture.validate import LONGEST_ID_CHARACTERS
from ai_smartness.handoff.handoff import LONG_HANDOFF, SHORT_HANDOFF, last_handoff, session_handoff
from ai_smartness.inject.block import Beat, messages_with_block
from ai_smartness.inject.dedupe import is_in_prompt
from ai_smartness.inject.inject import PromptTurn, inject
from ai_smartness.inject.prompt import (
    combined_prompt,
    has_telling_words,
    is_follow_up_question,
    query_with_context,
)
from ai_smartness.inject.select import is_own_message
from ai_smartness.inject.session_start import CLEARED, COMPACTED, SessionStart, session_greeting
from ai_smartness.inject.usage import was_used
from ai_smartness.memory.base import ignore_progress
from ai_smartness.memory.threads import ThreadVerbs, VerbCall
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType, Message, is_by_agent
from ai_smartness.model.handoff import Handoff
from ai_smartness.model.injection import Injection
from ai_smartness.model.search import Hit, RecalledThread, RecallResult, SearchScope
from ai_smartness.model.session import LedgerEntry, LedgerPage, Session
from ai_smartness.model.thread import Status
from ai_smartness.ports import Progress
from ai_smartness.redact import redacted_text
from ai_smartness.search.recall import (
    RecallRules,
    is_thread_id_start,
    recalled_by_id,
    recalled_by_words,
)
from ai_smartness.text.sanitize import sanitized_text
from ai_smartness.threads.lifecycle import reactivate_all
from ai_smartness.threads.rate import rated_thread, usage_rating
from ai_smartness.views.recall import recall_log_line, recall_page

__all__ = ["InjectVerbs", "RecallVerbs", "check_session"]


RECALL_CANDIDATES = 60
"""Messages found for a recall: enough for the threads that are shown."""

REACTIVATED_ABOVE = 0.5
"""A suspended thread that answers better than this is in use again."""

LONGEST_QUERY_CHARACTERS = 20_000
"""A pasted log of some pages; each of its words is looked up, and megabytes would take minutes."""


class RecallVerbs(ThreadVerbs):
    """A question is answered with threads."""

    def recall(self, query: str, limit: int = 5, *, bring_back: bool = True) -> RecallResult:
        """Return the threads that answer, with their messages and bridges, the best first.

        The id of a thread, or the start of one, gives that thread. A suspended
        thread that answers well is active again, unless it is not to be brought
        back; it is shown as it was found.
        """
        _check_recall(query, limit)
        query = redacted_text(query)
        self._describe_new()
        found = self._recalled_threads(query, limit)
        if bring_back:
            back = [each.thread for each in found.threads if _is_to_reactivate(each)]
            done = set[str]()
            for project in dict.fromkeys(thread.project for thread in back):
                ids = [thread.id for thread in back if thread.project == project]
                done |= self._reactivate_threads(query, project, ids)
            found = replace(
                found,
                threads=tuple(_with_reactivation(each, done) for each in found.threads),
            )
        found = replace(found, text=recall_page(found))
        if self._parts.recall_log is not None:
            self._parts.recall_log(recall_log_line(found))
        return found

    def _recalled_threads(self, query: str, limit: int) -> RecallResult:
        rules = RecallRules(
            floor=self._settings.recall.floor,
            now=self._clock.now(),
            half_life_days=self._settings.decay.half_life_days,
        )
        worktree = self._parts.worktree
        if is_thread_id_start(query):
            return recalled_by_id(self._store, query, rules, worktree)
        hits = self.search(query, max(RECALL_CANDIDATES, limit))
        return recalled_by_words(self._store, self.project, (query, hits), limit, rules, worktree)

    def _reactivate_threads(self, query: str, project: str, ids: list[str]) -> set[str]:
        now, days = self._clock.now(), self._settings.decay.half_life_days
        deed = VerbCall(verb="recall", arguments={"query": query})
        done = self._run_verb(deed, partial(reactivate_all, self._store, project, ids, now, days))
        return {edit.id for edit in done.change.threads}


def _with_reactivation(found: RecalledThread, brought_back: set[str]) -> RecalledThread:
    return replace(found, reactivated=found.thread.id in brought_back)


def _check_recall(query: object, limit: object) -> None:
    if not isinstance(query, str):
        msg = f"what is recalled must be text, not {type(query).__name__}."
        raise RefusedError(msg)
    if len(query) > LONGEST_QUERY_CHARACTERS:
        msg = (
            f"cannot recall with {len(query):,} characters: a question has "
            f"{LONGEST_QUERY_CHARACTERS:,} at most. Ask with the words that matter."
        )
        raise RefusedError(msg)
    if not isinstance(limit, int) or limit < 1:
        msg = f"cannot recall {limit!r} threads: the limit must be a whole number from 1 on."
        raise RefusedError(msg)


def _is_to_reactivate(found: RecalledThread) -> bool:
    return found.thread.status is Status.SUSPENDED and found.relevance > REACTIVATED_ABOVE


INJECT_CANDIDATES = 20
"""Messages found for a prompt: what stands further down is not worth showing unasked."""

SEARCHED_MESSAGES = 60
"""Messages looked through for those: a session finds itself first, and it knows what it said."""

RECENT_MESSAGES = 4
RECENT_CHARACTERS = 2_000
"""Messages of the session whose words the agent has in its ear."""

SYSTEM_SOURCE = "system"

AGENT_ACTIONS = frozenset({EventType.AGENT_MESSAGE, EventType.TOOL_CALL})
"""Where use shows. What a tool answers, it would have answered anyway."""

RECENT_EVENTS = 50
"""Events of a session in which what was shown may come back."""


class InjectVerbs(RecallVerbs):
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
        prompt = cleaned_text(combined_prompt(text))
        check_session(session)
        if source == SYSTEM_SOURCE or not prompt.strip():
            return Injection(took=perf_counter() - started)
        now = self._clock.now()
        present = self._session_at_turn(session)
        beat = self._current_beat(present)
        turn = PromptTurn(
            prompt=prompt,
            projects=SearchScope(project=self.project).projects,
            session=present,
            now=now,
            beat=beat,
            budget=self._settings.inject.budget_tokens if budget is None else budget,
            half_life_days=self._settings.decay.half_life_days,
            embedder=self._reachable_embedder(),
            worktree=self._parts.worktree,
            lasting=lasting,
        )
        found = inject(
            self._store,
            self._search_for_prompt(prompt, present),
            turn,
            self._settings.inject,
        )
        found = replace(found, took=perf_counter() - started)
        if session:
            self._record_injection(found, replace(present, beat=beat.number), turn)
        return found

    def greeting(self, session: str | None = None, source: str = "startup") -> str:
        """Return what to tell an agent whose session begins: how to ask, and where things stand.

        `source` is how it begins; after `compact` it is told where its own session stood,
        else where the last one did, after `clear` neither. What it is told counts as shown.
        """
        started = perf_counter()
        present = self._session_at_turn(session)
        beat = self._current_beat(present)
        turn = PromptTurn(
            prompt="",
            projects=SearchScope(project=self.project).projects,
            session=present,
            now=self._clock.now(),
            beat=beat,
            budget=0,
            half_life_days=self._settings.decay.half_life_days,
        )
        begins = SessionStart(source, self._handoff_for_start(present, source))
        found = session_greeting(self._store, turn, begins, self._settings.inject)
        found = replace(found, took=perf_counter() - started)
        if session:
            self._record_injection(found, replace(present, beat=beat.number), turn)
        return found.text

    def with_memory(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        session: str | None = None,
    ) -> list[dict[str, Any]]:
        """Return a new list of messages with memory in front of the last prompt.

        For an agent of your own, in the shapes of Anthropic's or OpenAI's messages.
        What is given is never changed, and comes back as it is where there is
        nothing to add.
        """

        def injected_block(prompt: str) -> str:
            # The caller's history has nothing of what was shown before.
            return self.inject(prompt, session=session, lasting=False).text

        return messages_with_block(messages, injected_block)

    def why(self, session: str | None = None, limit: int = 10) -> list[LedgerPage]:
        """Return the latest turns: what was shown, what was left out, and the numbers."""
        return self._store.ledger.latest_pages(self.project, session, limit)

    def capture(
        self,
        messages: Message | Iterable[Message],
        *,
        progress: Progress = ignore_progress,
    ) -> Captured:
        """Keep messages, each on its thread; one that is known by its id is left as it is.

        What a session's agent said or did shows whether what it was shown was of use.
        """
        given = list(messages) if isinstance(messages, Iterable) else [messages]
        captured = super().capture(given, progress=progress)
        if captured.stored and len(given) <= LIVE_MESSAGES:
            for session in {each.session for each in given if each.session}:
                self._record_usage(session)
        return captured

    def _record_usage(self, session: str) -> None:
        """Find out whether what was shown to a session came back in what it did since."""
        shown = [
            each
            for each in self._store.ledger.shown_entries(self.project, session)
            if not each.used
        ]
        shown = [each for each in shown if each.turn == shown[0].turn]
        if not shown:
            return
        latest = self._store.events.latest_of_session(self.project, session, RECENT_EVENTS)
        since = [event for event in latest if event.seq > shown[0].through]
        done = [event for event in since if event.type in AGENT_ACTIONS]
        # What the session knew before it was shown anything is not taken from what was shown.
        known = [
            event for event in latest if event.seq <= shown[0].through or not is_by_agent(event)
        ]
        prompt, answer = ("\n".join(each.text for each in some) for some in (known, done))
        used = [each for each in shown if was_used(self._event_texts(each.seqs), prompt, answer)]
        if not used:
            return
        with self._store.unit():
            ids = [each.thread_id for each in used]
            # A split that was taken back since has left its trail in the ledger, not its threads.
            for id_ in filter(self._store.threads.has, ids):
                thread = rated_thread(self._store.threads.get(id_), usage_rating(self._clock.now()))
                self._store.threads.save(thread)
            self._store.ledger.mark_used(self.project, session, shown[0].turn, ids)

    def _event_texts(self, seqs: Sequence[int]) -> list[str]:
        return [event.text for event in self._store.events.by_seq(seqs).values()]

    def _handoff_for_start(self, session: Session, source: str) -> Handoff | None:
        """Return what a session that begins is told of itself, or else of the last one."""
        if source == CLEARED:
            return None
        if source == COMPACTED and session.id:
            own = session_handoff(self._store, self.project, session.id, LONG_HANDOFF)
            if own is not None:
                return own
        return last_handoff(self._store, session, SHORT_HANDOFF)

    def _session_at_turn(self, session: str | None) -> Session:
        """Return the session at its next turn; without one, a turn of its own."""
        if not session:
            return Session(id="", project=self.project, turn=1)
        known = self._store.threads.find_session(self.project, session)
        begun = known or Session(id=session, project=self.project)
        return replace(begun, turn=begun.turn + 1)

    def _current_beat(self, session: Session) -> Beat:
        """Tell the beat it is, from the first thing that was ever kept in the project."""
        first = self._store.events.after_seq(self.project, 0, 1)
        if not first:
            return Beat(0, 0)
        minutes = (self._clock.now() - first[0].at).total_seconds() / 60
        number = max(0, int(minutes / self._settings.inject.beat_minutes))
        return Beat(number, max(0, number - session.beat) if session.turn > 1 else 0)

    def _search_for_prompt(self, prompt: str, session: Session) -> list[Hit]:
        """Find messages for a prompt, knowing what the session has just said."""
        if not has_telling_words(prompt):
            return []
        latest = self._earlier_events(session, prompt)
        prompts = [event.text for event in latest if not is_by_agent(event)]
        asked = query_with_context(prompt, prompts[: self._settings.inject.turns_before])
        said = "" if is_follow_up_question(prompt) else self._recent_text(latest, session)
        wide = SEARCHED_MESSAGES if latest else INJECT_CANDIDATES
        hits = self._search_messages(asked, wide, SearchScope(project=self.project), said=said)
        others = [hit for hit in hits if not is_own_message(hit, session)][:INJECT_CANDIDATES]
        own = [hit for hit in hits[:INJECT_CANDIDATES] if is_own_message(hit, session)]
        return sorted([*others, *own], key=hits.index)

    def _recent_text(self, latest: Sequence[Event], session: Session) -> str:
        """Return what the session has just said, as far as it is in its sight."""
        in_sight = (event for event in latest[:RECENT_MESSAGES] if event.seq > session.epoch_seq)
        return "\n".join(event.text[:RECENT_CHARACTERS] for event in in_sight)

    def _earlier_events(self, session: Session, prompt: str) -> list[Event]:
        """Return what a session said before a prompt, which may be kept already, newest first."""
        if not session.id:
            return []
        latest = self._store.events.latest_of_session(self.project, session.id, RECENT_EVENTS)
        return [event for event in latest if not is_in_prompt(event.text, prompt)]

    def _record_injection(self, found: Injection, session: Session, turn: PromptTurn) -> None:
        """Remember what was shown, after the last cut: what was cut was not seen."""
        through = self._store.events.last_seq(self.project)
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
    if name is None or len(name) > LONGEST_ID_CHARACTERS or name != sanitized_text(name):
        msg = f"{str(session)[:40]!r} cannot be a session's name. Give the one of its messages."
        raise RefusedError(msg)
