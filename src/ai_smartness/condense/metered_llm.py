"""Meter a language model: count the tokens of each call and record it in the journal.

Each call reserves the most it may take before it starts, so that several programs keep to
one daily limit together; afterwards the real number counts. Failed calls are recorded too.
The journal entries hold no change, so there is nothing to undo.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime
from threading import Lock

from ai_smartness.model.errors import AisError, RefusedError
from ai_smartness.model.journal import Actor, JournalEntry
from ai_smartness.ports import Clock, Completion, LanguageModel, ThreadStore
from ai_smartness.text.token_count import estimate_tokens

__all__ = ["LlmCallOrigin", "MeteredModel"]

LLM_VERB = "llm"

BROKE_OFF = "it broke off."


@dataclass(frozen=True, slots=True)
class LlmCallOrigin:
    """Who calls a model, in which project, and what for."""

    project: str
    who: Actor
    purpose: str


@dataclass(frozen=True, slots=True)
class _Call:
    """One call: its start, the tokens reserved for it, and how it ended."""

    began: datetime
    reserved_tokens: int
    tokens_in: int
    tokens_out: int
    estimated: bool = True
    failed: str = ""

    @property
    def total_tokens(self) -> int:
        return self.tokens_in + self.tokens_out


class MeteredModel:
    """Implements the port `LanguageModel` with another model, within the daily limit."""

    def __init__(
        self,
        model: LanguageModel,
        origin: LlmCallOrigin,
        store: ThreadStore,
        clock: Clock,
        daily_tokens: int,
    ) -> None:
        self._model = model
        self._origin = origin
        self._store = store
        self._clock = clock
        self._daily_tokens = daily_tokens
        self._lock = Lock()
        self._running_call: _Call | None = None
        self._is_closed = False
        self.provider = model.provider
        self.name = model.name
        self.window_tokens = model.window_tokens
        self.seconds = model.seconds

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        """Return the model's answer; refuse a call that could exceed the daily limit."""
        tokens_in = estimate_tokens(prompt)
        # Counted in full unless the model reports less: a broken call may have spent it all.
        call = _Call(self._clock(), tokens_in + max_tokens, tokens_in, max_tokens, failed=BROKE_OFF)
        self._begin_call(call)
        try:
            answer = self._model.complete(prompt, max_tokens)
            call = _counted_call(call, answer)
        except RefusedError as error:
            call = replace(call, tokens_in=0, tokens_out=0, estimated=False, failed=str(error))
            raise
        except AisError as error:
            call = replace(call, failed=str(error))
            raise
        finally:
            self._end_call(call)
        return answer

    def close(self) -> None:
        """Refuse further calls, and record one that is still running."""
        with self._lock:
            self._is_closed, call = True, self._running_call
        if call is not None:
            self._end_call(replace(call, failed="nobody waited for its end."))

    def _begin_call(self, call: _Call) -> None:
        self._reserve_tokens(call.began.date(), call.reserved_tokens)
        with self._lock:
            self._running_call = None if self._is_closed else call
        if self._running_call is None:
            self._store.spending.add(call.began.date(), -call.reserved_tokens)
            msg = f"cannot ask {self.name}: nobody waits for it any longer. Ask anew."
            raise RefusedError(msg)

    def _end_call(self, call: _Call) -> None:
        """Record a call, once."""
        with self._lock:
            ended, self._running_call = self._running_call, None
        if ended is not None:
            self._record_call(call)

    def _reserve_tokens(self, day: date, needed: int) -> None:
        with self._store.unit():
            used = self._store.spending.tokens_on(day)
            if used + needed > self._daily_tokens:
                msg = (
                    f"cannot ask {self.name}: of the {self._daily_tokens:,} tokens of today "
                    f"{used:,} are used, and this may take {needed:,}. Ask again after midnight "
                    "UTC, or raise `llm.daily_tokens`."
                )
                raise RefusedError(msg)
            self._store.spending.add(day, needed)

    def _record_call(self, call: _Call) -> None:
        now, purpose = self._clock(), self._origin.purpose
        seconds = max(0.0, (now - call.began).total_seconds())
        about = "about " if call.estimated else ""
        usage = f"{about}{call.tokens_in:,} tokens in, {call.tokens_out:,} out, {seconds:.1f} s"
        end = f" It failed: {call.failed}" if call.failed else ""
        entry = JournalEntry(
            project=self._origin.project,
            at=now,
            who=self._origin.who,
            verb=LLM_VERB,
            arguments={
                "provider": self.provider,
                "model": self.name,
                "purpose": purpose,
                "tokens_in": call.tokens_in,
                "tokens_out": call.tokens_out,
                "estimated": call.estimated,
                "seconds": round(seconds, 3),
                "failed": call.failed,
            },
            said=f"Asked {self.name} ({self.provider}) to {purpose}: {usage}.{end}",
        )
        with self._store.unit(self._origin.project):
            self._store.spending.add(call.began.date(), call.total_tokens - call.reserved_tokens)
            self._store.journal.write(entry)


def _counted_call(call: _Call, answer: Completion) -> _Call:
    """Count a call by what the model reports, or else by our own estimate."""
    reported = answer.tokens_in is not None and answer.tokens_out is not None
    return replace(
        call,
        tokens_in=call.tokens_in if answer.tokens_in is None else answer.tokens_in,
        tokens_out=estimate_tokens(answer.text) if answer.tokens_out is None else answer.tokens_out,
        estimated=not reported,
        failed="",
    )
