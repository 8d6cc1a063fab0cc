"""The verbs for statements: list them, read one, and confirm, reject or correct it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ai_smartness.memory.base import MemoryBase, VerbCall
from ai_smartness.model.errors import RefusedError
from ai_smartness.redact import redacted_text

if TYPE_CHECKING:
    from ai_smartness.model.journal import Outcome
    from ai_smartness.model.statement import HeldGroup, ReviewState, Statement, StatementKind

__all__ = ["StatementVerbs"]

QUERY_CHARACTERS = 1_000
REASON_CHARACTERS = 2_000
HELD_OF_A_KIND = 40  # on one page
LINE_CHARACTERS = 20_000
SENTENCE_CHARACTERS = 1_000  # a longer text is no sentence; pin it instead


class StatementVerbs(MemoryBase):
    """Statements are listed and reviewed."""

    def statements(
        self,
        kind: StatementKind | str | None = None,
        *,
        query: str | None = None,
        superseded: bool = False,
        rejected: bool = False,
        limit: int | None = None,
    ) -> list[Statement]:
        """Return the statements in force, the newest first; with a query, the best match first.

        `kind` and `query` select among them. `superseded` and `rejected` add those that no
        longer hold, behind the others.
        """
        from ai_smartness.search.match_statements import matching_statements

        wanted, words = checked_kind(kind), _checked_query(query)
        count = _checked_limit(limit)
        self._embed_pending()
        statements = self._store.statements.all(
            self.project, superseded=superseded, rejected=rejected
        )
        statements = [one for one in statements if wanted in (None, one.kind)]
        if words:
            statements = matching_statements(statements, words)
        return sorted(statements, key=lambda statement: not statement.holds)[:count]

    def held_statements(
        self,
        kind: StatementKind | str | None = None,
        *,
        query: str | None = None,
        after: str | None = None,
        limit: int = HELD_OF_A_KIND,
    ) -> list[HeldGroup]:
        """Return what holds by kind, newest first, with what each statement replaced.

        Of each kind at most `limit` statements are read; `after` is the last one of the page
        before. With a query, the best match comes first.
        """
        from ai_smartness.model.statement import KIND_HEADINGS
        from ai_smartness.search import held_statements as held

        wanted, words, count = checked_kind(kind), _checked_query(query), _checked_limit(limit)
        kinds = [wanted] if wanted else list(KIND_HEADINGS)
        self._embed_pending()
        last = self.statement(after).id if after else None
        place = (self._store, self.project, kinds, count or HELD_OF_A_KIND)
        if words:
            return held.matching_held_statements(*place, query=words, after=last)
        return held.held_statements(*place, last)

    def rejected_statements(self, limit: int = HELD_OF_A_KIND) -> list[Statement]:
        """Return the newest statements that were rejected."""
        count = _checked_limit(limit) or HELD_OF_A_KIND
        return self._store.statements.rejected(self.project, count)

    def statement(self, statement_id: str) -> Statement:
        """Return the statement with this id, or this unique start of an id."""
        from ai_smartness.threads.ids import unbracketed_id

        return self._store.statements.get(self.project, unbracketed_id(statement_id))

    def superseded_statements(self, statement_id: str) -> list[Statement]:
        """Return the statements that this one superseded, the newest first."""
        id_ = self.statement(statement_id).id
        return self._store.statements.superseding(self.project, [id_]).get(id_, [])

    def confirm_statement(self, statement_id: str, *, dry_run: bool = False) -> Outcome:
        """Confirm a statement: from now on it is certain."""
        from ai_smartness.model.statement import ReviewState

        id_ = self.statement(statement_id).id
        call = VerbCall("confirm_statement", {"statement": id_}, dry_run)
        return self._review(call, id_, ReviewState.CONFIRMED)

    def reject_statement(
        self, statement_id: str, reason: str = "", *, dry_run: bool = False
    ) -> Outcome:
        """Reject a statement: it is not shown any more, nor is the same sentence said again."""
        from ai_smartness.model.statement import ReviewState
        from ai_smartness.threads.rename import validated_line

        why = ""
        if reason:
            why = redacted_text(validated_line("the reason", reason, REASON_CHARACTERS))
        id_ = self.statement(statement_id).id
        call = VerbCall("reject_statement", {"statement": id_, "reason": why}, dry_run)
        return self._review(call, id_, ReviewState.REJECTED)

    def correct_statement(
        self,
        statement_id: str,
        text: str | None = None,
        kind: StatementKind | str | None = None,
        *,
        dry_run: bool = False,
    ) -> Outcome:
        """Correct the sentence or the kind of a statement, which also confirms it."""
        from ai_smartness.model.statement import ReviewState
        from ai_smartness.threads.rename import validated_line

        wanted = checked_kind(kind)
        if text is None and wanted is None:
            msg = "cannot correct a statement with nothing. Give its text, its kind or both."
            raise RefusedError(msg)
        sentence = ""
        if text is not None:
            sentence = redacted_text(validated_line("a statement", text, SENTENCE_CHARACTERS))
        id_ = self.statement(statement_id).id
        arguments = {
            "statement": id_,
            "text": sentence or None,
            "kind": wanted.value if wanted else None,
        }
        call = VerbCall("correct_statement", arguments, dry_run)
        return self._review(call, id_, ReviewState.CORRECTED, sentence, wanted)

    def hide(self, message_id: str, text: str, *, dry_run: bool = False) -> Outcome:
        """Never show a line of a message again, nor the same sentences where they are said again.

        The message stays, and is found by its other sentences.
        """
        from ai_smartness.model.statement import Speaker
        from ai_smartness.search.passages import without_old_text
        from ai_smartness.search.rejected_sentences import says_any_of, unsaid_text
        from ai_smartness.statements.conversation import event_speaker
        from ai_smartness.statements.sentences import message_sentences
        from ai_smartness.threads.rename import validated_text
        from ai_smartness.threads.review_statement import hide_plan

        line = validated_text("the line to hide", text, LINE_CHARACTERS)
        # What a line superseded stands behind it, and is a line of its own.
        line = without_old_text(line).strip()
        event = self._store.events.get(self.project, message_id)
        speaker = event_speaker(event) or Speaker.USER
        sentences = [one.text for one in message_sentences(line, speaker)]
        if not says_any_of(self._store, event, (*sentences, line)):
            raise RefusedError(unsaid_text(event, line))
        call = VerbCall("hide", {"message": event.id, "text": redacted_text(line)}, dry_run)
        wanted = list(dict.fromkeys((*sentences, line)))
        return self._run_verb(call, partial(hide_plan, self._store, event, wanted, self._clock()))

    def _review(
        self,
        call: VerbCall,
        statement_id: str,
        state: ReviewState,
        text: str = "",
        kind: StatementKind | None = None,
    ) -> Outcome:
        from ai_smartness.threads.review_statement import review_plan

        plan = partial(review_plan, self._store, self.project, statement_id, state)
        return self._run_verb(call, partial(plan, text, kind, self._clock()))


def checked_kind(kind: object) -> StatementKind | None:
    """Return a kind of statement; refuse an unknown one with the list of those there are."""
    from ai_smartness.model.statement import StatementKind

    if kind is None:
        return None
    if isinstance(kind, str) and kind in set(StatementKind):
        return StatementKind(kind)
    msg = f"{str(kind)[:40]!r} is no kind of statement. Give one of {', '.join(StatementKind)}."
    raise RefusedError(msg)


def _checked_query(query: object) -> str:
    from ai_smartness.threads.rename import validated_text

    if query is None:
        return ""
    return validated_text("what statements are about", query, QUERY_CHARACTERS).strip()


def _checked_limit(limit: object) -> int | None:
    if limit is None or (isinstance(limit, int) and not isinstance(limit, bool) and limit > 0):
        return limit
    msg = f"the number of statements must be a whole number above 0, not {limit!r}."
    raise RefusedError(msg)
