"""The verbs that keep one thread small, and the log of an agent of one's own.

`create` and `append` write a log; `condense` says in few words what grew long, and
`restore` shows it again as it was. Nothing that was said is ever lost by it.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

from ai_smartness.compact.condense import Draft, Request, condense, drafted
from ai_smartness.compact.condensers import Condenser, Context
from ai_smartness.compact.export import exported
from ai_smartness.compact.restore import restore
from ai_smartness.compact.view import view_after
from ai_smartness.memory.asking import Asking
from ai_smartness.memory.tidying import Deed
from ai_smartness.model.condensed import CondenseOutcome, Scope
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.journal import Outcome
from ai_smartness.model.thread import Thread
from ai_smartness.ports import LanguageModel
from ai_smartness.redact import redacted
from ai_smartness.threads.create import create

__all__ = ["Condensing"]


class Condensing(Asking):
    """What grew long is said in few words, and can be had back."""

    def create(self, title: str | None = None, *, session: str | None = None) -> str:
        """Begin an empty thread, for a log of your own, and return its id."""
        title = None if title is None else redacted(title)
        deed = Deed(verb="create", arguments={"title": title}, session=session)
        plan = partial(create, self.project, title, self._clock.now(), uuid4().hex)
        return self._do(deed, plan).threads[0].id

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
        chosen = self._parts.condensers.named(condenser or self._rules.condense.default)
        request = Request(
            scope=_scope(scope),
            target=_target(self._rules.condense.target_tokens if target is None else target),
            deadline_seconds=self._rules.condense.deadline_seconds,
            parameters=_parameters(chosen, parameters),
        )
        # Not told first: what threads are called and linked to is nothing to a condenser.
        thread = self._store.threads.get(thread_id)
        with self._model_for(chosen, thread.id) as model:
            # A model has its own time, and what stands in for it needs some after that.
            patience = request.deadline_seconds + (model.seconds if model else 0)
            request = replace(request, deadline_seconds=patience)
            context = self._context(thread, request, model)
            draft = drafted(self._store, thread.id, chosen, request, context)
        id_ = f"comp_{uuid4().hex[:16]}"
        arguments = {
            "thread": thread.id,
            "condenser": chosen.id,
            "scope": request.scope.value,
            **draft.condensed.parameters,
        }
        deed = Deed(verb="condense", arguments=arguments, dry_run=dry_run)
        plan = partial(condense, self._store, draft, id_, self._clock.now(), dry_run=dry_run)
        return _outcome(self._carry_out(deed, plan), draft, id_)

    def restore(self, thread_id: str, *, before: str, dry_run: bool = False) -> Outcome:
        """Show a thread again as it was before one of its compactions was made."""
        arguments = {"thread": thread_id, "before": before}
        deed = Deed(verb="restore", arguments=arguments, dry_run=dry_run)
        return self._do(deed, partial(restore, self._store, thread_id, before))

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
        return exported(self.events(thread_id), shape)

    def _context(self, thread: Thread, request: Request, model: LanguageModel | None) -> Context:
        return Context(
            thread_id=thread.id,
            title=thread.title,
            target=request.target,
            now=self._clock.now(),
            read_file=self._parts.read_file,
            model=model,
        )


def _outcome(done: Outcome, draft: Draft, id_: str) -> CondenseOutcome:
    return CondenseOutcome(
        verb=done.verb,
        said=done.said,
        number=done.number,
        threads=done.threads,
        change=done.change,
        compaction=replace(draft.condensed, id=id_),
    )


def _scope(scope: object) -> Scope:
    known = [each for each in Scope if each == scope]
    if not known:
        msg = f"there is no scope {scope!r}. There are {', '.join(Scope)}."
        raise RefusedError(msg)
    return known[0]


def _target(target: object) -> int:
    if type(target) is not int or target < 1:
        msg = f"a target is a number of tokens from 1 on, not {target!r}."
        raise RefusedError(msg)
    return target


def _parameters(condenser: Condenser, given: Mapping[str, object]) -> dict[str, object]:
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
