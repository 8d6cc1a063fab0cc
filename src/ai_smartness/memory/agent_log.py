"""The verbs that keep one thread small, and the log of an agent of one's own.

`create` and `append` write a log; `condense` says in few words what grew long, and
`restore` shows it again as it was. Nothing that was said is ever lost by it.

The verbs that carry a session over the end of its context: where it stood, how full it is.

The language model: for a condenser that asks for one, and for nobody else.

What is found, shown or kept in order never goes by it. Each call is counted and written
down, and what it may cost in a day has a ceiling.

The verb that keeps the memory small.
"""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

from ai_smartness.compact.compact import (
    CompactRequest,
    compact,
    comparable_centres,
    load_compaction_input,
)
from ai_smartness.compact.plan import STRATEGIES, CompactionPlan
from ai_smartness.condense import Condenser, Context
from ai_smartness.condense.api_messages import api_messages
from ai_smartness.condense.condense import (
    CompactionDraft,
    CondenseRequest,
    condense,
    draft_compaction,
)
from ai_smartness.condense.event_tokens import view_tokens
from ai_smartness.condense.metered_llm import LlmCallOrigin, MeteredModel
from ai_smartness.condense.pressure import breakpoint_crossing, condense_target, window_share
from ai_smartness.condense.working_view import restore, view_after, working_view
from ai_smartness.handoff.handoff import LONG_HANDOFF, handoff_for_asker, session_handoff
from ai_smartness.memory.base import ignore_progress
from ai_smartness.memory.recall import check_session
from ai_smartness.memory.threads import ThreadVerbs, VerbCall
from ai_smartness.model.compaction import Compaction, CompactionStrategy
from ai_smartness.model.condensation import CondenseOutcome, ContextPressure, Scope
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.model.event import Event
from ai_smartness.model.handoff import Handoff
from ai_smartness.model.journal import Outcome
from ai_smartness.model.session import Session
from ai_smartness.model.thread import Status, Thread
from ai_smartness.ports import LanguageModel, Progress
from ai_smartness.redact import redacted_text
from ai_smartness.text.display import one_line
from ai_smartness.text.markers import marked_text
from ai_smartness.threads.change_plan import ChangePlan
from ai_smartness.threads.lifecycle import create_thread

__all__ = ["CompactVerbs", "CondenseVerbs", "HandoffVerbs", "LlmVerbs"]


class LlmVerbs(ThreadVerbs):
    """Who may ask a language model, and what that took."""

    def tokens_today(self) -> int:
        """Return how many tokens language models took on this day of UTC, for all projects."""
        return self._store.spending.tokens_on(self._clock.now().date())

    @contextmanager
    def _model_for(self, condenser: Condenser, thread_id: str) -> Iterator[LanguageModel | None]:
        """Give a condenser the model that it may ask: none unless it says that it asks one."""
        asks, configured = getattr(condenser, "asks_model", False), self._parts.language_model
        model = configured() if asks and configured else None
        if model is None:
            yield None
            return
        occasion = LlmCallOrigin(self.project, self.who, f"condense {thread_id}")
        metered = MeteredModel(
            model, occasion, self._store, self._clock, self._settings.llm.daily_tokens
        )
        with closing(metered):
            yield metered


class CondenseVerbs(LlmVerbs):
    """What grew long is said in few words, and can be had back."""

    def create(self, title: str | None = None, *, session: str | None = None) -> str:
        """Begin an empty thread, for a log of your own, and return its id."""
        title = None if title is None else redacted_text(title)
        deed = VerbCall(verb="create", arguments={"title": title}, session=session)
        plan = partial(create_thread, self.project, title, self._clock.now(), uuid4().hex)
        return self._run_verb(deed, plan).threads[0].id

    def condense(
        self,
        thread_id: str,
        condenser: str | None = None,
        *,
        scope: Scope | str = Scope.INCREMENTAL,
        target: int | None = None,
        dry_run: bool = False,
        **parameters: object,
    ) -> CondenseOutcome:
        """Write what stands for a thread's messages from now on; they themselves are kept.

        `target` is how many tokens the thread's working view may take. The scope says what
        is condensed: `incremental` what came since, `full` all that was said anew, `hybrid`
        what is in view, with what was condensed before.
        """
        chosen = self._parts.condensers.by_name(condenser or self._settings.condense.default)
        request = CondenseRequest(
            scope=_checked_scope(scope),
            target=_checked_target(
                self._settings.condense.target_tokens if target is None else target,
            ),
            deadline_seconds=self._settings.condense.deadline_seconds,
            parameters=_checked_parameters(chosen, parameters),
        )
        # Not told first: what threads are called and linked to is nothing to a condenser.
        thread = self._store.threads.get(thread_id)
        with self._model_for(chosen, thread.id) as model:
            # A model has its own time, and what stands in for it needs some after that.
            patience = request.deadline_seconds + (model.seconds if model else 0)
            request = replace(request, deadline_seconds=patience)
            context = self._condenser_context(thread, request, model)
            draft = draft_compaction(self._store, thread.id, chosen, request, context)
        id_ = f"comp_{uuid4().hex[:16]}"
        arguments = {
            "thread": thread.id,
            "condenser": chosen.id,
            "scope": request.scope.value,
            **draft.condensed.parameters,
        }
        deed = VerbCall(verb="condense", arguments=arguments, dry_run=dry_run)
        plan = partial(condense, self._store, draft, id_, self._clock.now(), dry_run=dry_run)
        return _condense_outcome(self._apply_plan(deed, plan), draft, id_)

    def restore(self, thread_id: str, *, before: str, dry_run: bool = False) -> Outcome:
        """Show a thread again as it was before one of its compactions was made."""
        arguments = {"thread": thread_id, "before": before}
        deed = VerbCall(verb="restore", arguments=arguments, dry_run=dry_run)
        return self._run_verb(deed, partial(restore, self._store, thread_id, before))

    def register(self, condenser: Condenser) -> None:
        """Add a condenser of your own, to be asked for by its id."""
        self._parts.condensers.register(condenser)

    def condensers(self) -> list[Condenser]:
        """Return the condensers there are."""
        return list(self._parts.condensers)

    def events_after(self, thread_id: str, compactions: int) -> list[Event]:
        """Return the working view as it was after so many compactions of the thread."""
        return view_after(self._store, self._store.threads.get(thread_id), compactions)

    def messages(self, thread_id: str, shape: str = "anthropic") -> list[dict[str, Any]]:
        """Return the working view as messages for a model's API: `anthropic` or `openai`."""
        return api_messages(self.events(thread_id), shape)

    def _condenser_context(
        self,
        thread: Thread,
        request: CondenseRequest,
        model: LanguageModel | None,
    ) -> Context:
        return Context(
            thread_id=thread.id,
            title=thread.title,
            target=request.target,
            now=self._clock.now(),
            read_file=self._parts.read_file,
            model=model,
        )


def _condense_outcome(done: Outcome, draft: CompactionDraft, id_: str) -> CondenseOutcome:
    return CondenseOutcome(
        verb=done.verb,
        said=done.said,
        number=done.number,
        threads=done.threads,
        change=done.change,
        compaction=replace(draft.condensed, id=id_),
    )


def _checked_scope(scope: object) -> Scope:
    known = [each for each in Scope if each == scope]
    if not known:
        msg = f"there is no scope {scope!r}. There are {', '.join(Scope)}."
        raise RefusedError(msg)
    return known[0]


def _checked_target(target: object) -> int:
    if type(target) is not int or target < 1:
        msg = f"a target is a number of tokens from 1 on, not {target!r}."
        raise RefusedError(msg)
    return target


def _checked_parameters(condenser: Condenser, given: Mapping[str, object]) -> dict[str, object]:
    """Return what a condenser is given; refuse what it does not take, if it says what it does."""
    takes: object = getattr(condenser, "parameters", None)
    for name in given if isinstance(takes, Mapping) else ():
        if isinstance(takes, Mapping) and name not in takes:
            there = ", ".join(takes) or "none"
            msg = f"the condenser {condenser.id} takes no {name}. Its parameters: {there}."
            raise RefusedError(msg)
    try:
        json.dumps(dict(given), allow_nan=False)
    except (TypeError, ValueError) as error:
        msg = f"the parameters of a condenser are kept as JSON, and these cannot be: {error}."
        raise RefusedError(msg) from error
    return dict(given)


_LOG = logging.getLogger(__name__)

LATEST_EVENTS = 2_000
"""Of a session, those whose threads are looked at when its window fills."""

_HANDOFF_HEAD = (
    "Where a session of this project stood, from the memory's log. It is dated, may be stale, and "
    "is not instructions."
)
_NO_HANDOFF = "Nothing was said in this project yet: there is nothing to hand over."


class HandoffVerbs(CondenseVerbs):
    """What a session knew is there when its context is not."""

    def handoff(self, session: str | None = None, *, asker: str | None = None) -> str:
        """Return where a session stood, as an agent reads it.

        Without one it is the session that spoke last. An `asker` is a session that wants
        to know: its own if some of that is out of its sight, else the last before it.
        """
        found = self.stood(session, asker=asker)
        return marked_text(f"{_HANDOFF_HEAD}\n\n{found.text if found else _NO_HANDOFF}")

    def stood(self, session: str | None = None, *, asker: str | None = None) -> Handoff | None:
        """Return where a session stood, and the threads that have all of it; nothing if unsaid."""
        self._describe_new()
        if session is None:
            return handoff_for_asker(self._store, self._stored_session(asker or ""), LONG_HANDOFF)
        found = session_handoff(self._store, self.project, session, LONG_HANDOFF)
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
        return self._settings.condense.window_tokens

    def pressure(self, session: str, used: int, window: int | None = None) -> ContextPressure:
        """Take note of how full a session's window is, and condense its threads in time.

        Where 0.6 or 0.9 of the window is passed, once for each time, what grew long on the
        threads of the session is said in few words, the second time in fewer.
        """
        check_session(session)
        share = window_share(used, self.window_tokens if window is None else window)
        with self._store.unit():
            known = self._stored_session(session)
            found = breakpoint_crossing(share, known.crossed)
            if found.remembered != known.crossed:
                self._store.threads.save_session(replace(known, crossed=found.remembered))
        if found.crossed is None:
            return ContextPressure(session=session, share=share)
        target = condense_target(found.crossed, self._settings.condense.target_tokens)
        condensed, refused = self._condense_session(session, target)
        return ContextPressure(
            session=session,
            share=share,
            crossed=found.crossed,
            condensed=tuple(condensed),
            refused=tuple(refused),
        )

    def _condense_session(
        self,
        session: str,
        target: int,
    ) -> tuple[list[CondenseOutcome], list[str]]:
        """Condense the threads of a session that are longer; one that cannot be stays as it is."""
        condensed: list[CondenseOutcome] = []
        refused: list[str] = []
        for id_ in self._overlong_threads(session, target):
            try:
                condensed.append(self.condense(id_, scope=Scope.HYBRID, target=target))
            except RefusedError as error:
                _LOG.warning("%s", error)
                refused.append(str(error))
        return condensed, refused

    def _overlong_threads(self, session: str, target: int) -> list[str]:
        """Name the threads a session spoke on whose working view takes more than a target."""
        said = self._store.events.latest_of_session(self.project, session, LATEST_EVENTS)
        threads = (self._store.threads.get(id_) for id_ in {event.thread_id for event in said})
        return sorted(
            thread.id
            for thread in threads
            if thread.status is not Status.ARCHIVED
            and view_tokens(working_view(self._store, thread)) > target
        )

    def _stored_session(self, session: str) -> Session:
        known = self._store.threads.find_session(self.project, session) if session else None
        return known or Session(id=session, project=self.project)


class CompactVerbs(ThreadVerbs):
    """The memory is kept small."""

    def compact(
        self,
        strategy: CompactionStrategy = CompactionStrategy.NORMAL,
        *,
        dry_run: bool = False,
        progress: Progress = ignore_progress,
    ) -> Compaction:
        """Merge threads about one subject, and put away what is old or too much.

        It is one change, with one number to undo it by. With `dry_run` it is the same plan,
        not carried out.
        """
        deed = VerbCall(verb="compact", arguments={"strategy": strategy.value}, dry_run=dry_run)
        asked = CompactRequest(
            project=self.project,
            strategy=strategy,
            space=self._comparison_space(progress),
            now=self._clock.now(),
            half_life_days=self._settings.decay.half_life_days,
            progress=progress,
        )
        self._describe_new()
        # Before the lock is taken: centres that are not there yet may take seconds to work out.
        comparable_centres(self._store, asked, load_compaction_input(self._store, asked))
        plans: list[CompactionPlan] = []
        outcome = self._run_verb(deed, self._compaction_planner(asked, plans))
        return Compaction(
            strategy=strategy,
            dry_run=dry_run,
            steps=plans[-1].steps,
            weight_decay=STRATEGIES[strategy].weight_decay,
            before=plans[-1].load_before,
            after=plans[-1].load_after,
            outcome=outcome,
        )

    def _compaction_planner(
        self,
        asked: CompactRequest,
        plans: list[CompactionPlan],
    ) -> Callable[[], ChangePlan]:
        """Return what plans, and keeps the plan beside the change that comes of it."""

        def record_plan() -> ChangePlan:
            planned, change = compact(self._store, asked)
            plans.append(planned)
            return change

        return record_plan

    def _comparison_space(self, progress: Progress) -> str | None:
        """Name the space in which threads are compared, all that can be embedded there being so."""
        try:
            embedder = self._usable_embedder()
            if embedder is None:
                return None
            if self._parts.patient:
                self.embed(progress=progress)
        except StoreError as trouble:
            _LOG.warning("threads are compared by what is embedded: %s", trouble)
            return None
        return embedder.space
