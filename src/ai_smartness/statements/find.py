"""Find the statements of a project in its events, in the order of `seq`.

Each batch of events is split into sentences, judged and saved in one transaction, so that an
interrupted run continues where it stopped. Another judge begins again from the first event.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ai_smartness.capture.embed import named_passage
from ai_smartness.model.event import Event
from ai_smartness.model.statement import (
    Speaker,
    Statement,
    StatementKind,
    sentence_hash,
)
from ai_smartness.ports import Embedder, Progress, ThreadStore
from ai_smartness.ports.give_way import paced_items
from ai_smartness.statements.agreed_proposals import agreed_proposal
from ai_smartness.statements.conversation import (
    MessageContexts,
    asked_sentence,
    claims_authority,
    event_speaker,
    may_announce_change,
    ordered_sentence,
)
from ai_smartness.statements.edited_values import (
    ChangedOrder,
    changed_orders,
    edited_path,
    names_setting,
    tells_value,
)
from ai_smartness.statements.error_cures import (
    NO_ERROR,
    SeenError,
    SentencePlace,
    joined_cures,
)
from ai_smartness.statements.in_force import StatementChanges, StatementsInForce, Supersession
from ai_smartness.statements.judge import (
    JudgedSentence,
    SentenceJudge,
    SpokenSentence,
)
from ai_smartness.statements.labels import is_done
from ai_smartness.statements.new_statement import new_statement
from ai_smartness.statements.retelling import KnownStatements
from ai_smartness.statements.sentences import (
    Sentence,
    last_line,
    message_sentences,
    short_order,
)
from ai_smartness.statements.session_errors import SessionErrors
from ai_smartness.statements.shared_statement import SharedPages, shared_statement
from ai_smartness.statements.statement_bridges import (
    remove_statement_bridges,
    save_statement_bridges,
)
from ai_smartness.statements.worked_commands import COMMAND_SIGN, command_key, worked_commands
from ai_smartness.text.stretches import stretches_with_vector
from ai_smartness.threads.pin_statement import confirmed_pin, reviewed_kinds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["find_statements", "judge_name", "line_passages"]

BATCH_EVENTS = 64  # an interruption loses seconds
COMMAND_CONFIDENCE = 0.9  # that a command which worked will work again
REPORT_CONFIDENCE = 0.3  # of a sentence that is only kept because it ends an open task
MOST_TOLD = 3  # statements that an edit casts doubt on
EDIT_CHANCE = 0.9  # that a value is outdated which an edit took out of a line of such a name


def find_statements(
    store: ThreadStore, embedder: Embedder | None, project: str, progress: Progress
) -> int:
    """Judge the events that are not judged yet, save their statements, and return how many."""
    judge = SentenceJudge(embedder)
    seq = store.statements.judged_through(project, judge.name)
    total = store.events.count(project) - store.events.count_through(project, seq)
    if not total:
        return 0
    finder = _StatementFinder(store, project, judge, through=seq)
    done = saved = 0
    while events := store.events.after_seq(project, seq, BATCH_EVENTS):
        seq = events[-1].seq
        saved += finder.judge_events(events)
        done += len(events)
        progress(done, max(total, done))
    if judge.space:
        store.statements.refresh_vectors(project, judge.space)
    return saved


def judge_name(embedder: Embedder | None) -> str:
    """Return the name of the judge that finds statements with this model, or with none."""
    return SentenceJudge(embedder).name


def line_passages(event: Event) -> list[str]:
    """Return the lines of an event that have vectors of their own, as they are embedded."""
    lines = stretches_with_vector(event.text, event.role)
    return [named_passage(line, event.role) for line in lines]


_StatementAndVector: TypeAlias = "tuple[Statement, NDArray[np.float32] | None]"


class _Found(NamedTuple):
    """What is found in a batch of events: new statements, and what they change."""

    contexts: MessageContexts
    pairs: list[_StatementAndVector]
    changes: StatementChanges


@dataclass(frozen=True, slots=True)
class _EventSentence:
    event: Event
    spoken: SpokenSentence
    error: SeenError = NO_ERROR


class _StatementFinder:
    """Judges the events of one project, batch by batch."""

    def __init__(
        self, store: ThreadStore, project: str, judge: SentenceJudge, *, through: int
    ) -> None:
        self._store = store
        self._project = project
        self._judge = judge
        self._last_lines: dict[str | None, tuple[Speaker | None, str]] = {}
        known = _statements_through(store, project, through) if through else []
        if not through:
            remove_statement_bridges(store, project)
        in_force = [one for one in known if one.holds]
        self._in_force = StatementsInForce.stored(store, judge, in_force)
        self._errors = SessionErrors(store)
        self._known = KnownStatements(paced_items(known))
        unchanged = (one for one in paced_items(known) if one.superseded_by is None)
        self._hashes = {sentence_hash(one.text) for one in unchanged}
        worked = filter(_is_worked_command, paced_items(known))
        self._command_keys = {command_key(one.text) for one in worked}
        self._shared_pages = SharedPages(store, in_force)
        self._reviewed_kinds = reviewed_kinds(store.statements.reviews(project))

    def judge_events(self, events: Sequence[Event]) -> int:
        """Save the statements of the next events, and return how many are new."""
        line_vectors = self._line_vectors(events)
        sentences = list(self._sentences_of(events))
        verdicts = self._judge.judged_sentences([one.spoken for one in sentences])
        judged = self._with_errors(sentences, verdicts)
        contexts = MessageContexts(self._store, events)
        found = _Found(contexts, [], StatementChanges([], [], []))
        stated = self._new_statements(zip(sentences, judged, strict=True), contexts)
        pinned, worked = self._pinned_statements(events), self._worked_commands(events)
        shared_events = {event.seq: event for event in events if shared_statement(event)}
        deeds = deque(event for event in events if event_speaker(event) is not Speaker.ASSISTANT)
        pairs, changes = found.pairs, found.changes
        for pair in merge(pinned, stated, worked, key=lambda pair: pair[0].seq):
            while deeds and deeds[0].seq < pair[0].seq:
                self._add_done(found, deeds.popleft())
            self._add(found, pair)
            if pair[0].seq in shared_events:
                self._end_shared(changes, shared_events[pair[0].seq], pair[0])
            self._add_changes(changes, pair[0])
            if len(pairs) > 1 and pairs[-2][0].seq == pair[0].seq:
                self._add_changes(changes, pairs[-2][0], pair[0])
        for deed in deeds:
            self._add_done(found, deed)
        with self._store.unit(self._project):
            statements = [statement for statement, _ in pairs]
            self._store.statements.save(self._project, self._judge.name, statements, events[-1].seq)
            self._save_vectors(pairs)
            self._store.statements.save_line_vectors(self._judge.space, line_vectors)
            rows = [change.row for change in changes.superseded]
            self._store.statements.supersede(self._project, rows)
            self._store.statements.save_doubts(self._project, changes.doubted)
            bridged = [*changes.superseded, *changes.changed_in_part]
            save_statement_bridges(self._store, bridged)
        return len(pairs)

    def _line_vectors(self, events: Sequence[Event]) -> "dict[int, list[NDArray[np.float32]]]":
        """Embed what an answer may quote, where heads can rank it; by `seq`."""
        if self._judge.heads is None:
            return {}
        lines = {
            event.seq: line_passages(event) for event in events if event_speaker(event) is not None
        }
        vectors = self._judge.text_vectors([text for texts in lines.values() for text in texts])
        rows = iter(vectors)
        return {seq: list(islice(rows, len(texts))) for seq, texts in lines.items() if texts}

    def _add(self, found: _Found, pair: _StatementAndVector) -> None:
        found.pairs.append(pair)
        self._in_force.add(*pair, context=found.contexts.text_of(pair[0].seq))
        self._known.add(pair[0])

    def _add_done(self, found: _Found, event: Event) -> None:
        """Add what an event decides without saying it: a consent, or an edit."""
        if event_speaker(event) is Speaker.TOOL:
            self._add_edited(found, event)
        elif agreed := agreed_proposal(self._store, self._judge, event):
            id_ = self._added_id(found, agreed.event, agreed.verdict)
            if id_:
                self._add_settled(found.changes, self._in_force.changes_by(id_))

    def _add_edited(self, found: _Found, edit: Event) -> None:
        """Add what an edit shows: the order that it carries out changes what was said before.

        Where the order does not tell the new value, or no edit shows for what the old one was put
        in, both are shown.
        """
        for order in changed_orders(self._store, edit):
            change = order.change
            older = order.older and self._order_with(found, order.older, change.old)
            before = [one.id for one in self._told_before(order, edit) if one.id != older]
            newer = self._order_with(found, order.newer, change.new) if older or before else None
            if older and newer:
                self._add_settled(found.changes, self._in_force.changed_by_edit(older, newer))
            elif older:
                before.append(older)
            newer = newer or (self._stated_edit(found, edit, order) if before else None)
            if newer:
                found.changes.doubted.extend((id_, newer, EDIT_CHANCE) for id_ in before)

    def _told_before(self, order: ChangedOrder, edit: Event) -> list[Statement]:
        """Return what was stated before with an old value and a word of the edited line."""
        values = [value for value in order.change.old if len(value) > 1]
        stems = names_setting(edited_path(edit.text), order.change.removed)
        return [
            one
            for one in self._in_force.with_stems(stems)
            if one.seq < order.newer.seq
            and one.speaker is not Speaker.TOOL
            and one.kind is not StatementKind.OPEN_TASK
            and tells_value(one.text, values)
        ][:MOST_TOLD]

    def _order_with(self, found: _Found, event: Event, values: Sequence[str]) -> str | None:
        """Return the id of what a person stated with a value; if new, the edit makes it hold."""
        for known in self._in_force.stated_at(event.seq):
            if tells_value(known.text, values):
                return known.id
        asked = ordered_sentence(self._judge, event, partial(tells_value, values=values))
        return self._added_id(found, event, asked.verdict) if asked else None

    def _stated_edit(self, found: _Found, edit: Event, order: ChangedOrder) -> str | None:
        """Return the id of a statement that an edit makes: the new line, and what was asked."""
        line = f"{edited_path(edit.text)}: +{order.change.added}"
        asked = short_order(order.newer.text)
        spoken = SpokenSentence(Sentence(line, asked, is_answer=True), Speaker.TOOL)
        stated = self._judge.stated_sentence(spoken, StatementKind.ENVIRONMENT)
        return self._added_id(found, edit, replace(stated, confidence=REPORT_CONFIDENCE))

    def _added_id(self, found: _Found, event: Event, verdict: JudgedSentence) -> str | None:
        found.contexts.add(event)
        for pair in self._unknown_statement(event, verdict):
            if not self._known.has(pair[0].id):
                self._add(found, pair)
                return pair[0].id
        return None

    def _end_shared(self, changes: StatementChanges, event: Event, newer: Statement) -> None:
        """Add what the page of a teammate supersedes of what was imported before."""
        ended = self._shared_pages.add(event, newer)
        for supersession in ended:
            self._in_force.forget(supersession.older.id)
        self._add_superseded(changes, ended)

    def _add_superseded(self, changes: StatementChanges, found: Sequence[Supersession]) -> None:
        self._hashes -= {sentence_hash(one.older.text) for one in found}
        for supersession in found:
            self._known.mark_superseded(supersession.older.id)
            self._shared_pages.remove(supersession.older.id)
        changes.superseded.extend(found)

    def _add_changes(self, changes: StatementChanges, *neighbours: Statement) -> None:
        """Add what new statements supersede, or may; superseded words may be said again."""
        self._add_settled(changes, self._in_force.changes_by(*(one.id for one in neighbours)))

    def _add_settled(self, changes: StatementChanges, found: StatementChanges) -> None:
        self._add_superseded(changes, found.superseded)
        changes.doubted.extend(found.doubted)
        changes.changed_in_part.extend(found.changed_in_part)

    def _sentences_of(self, events: Sequence[Event]) -> Iterator[_EventSentence]:
        for event in events:
            speaker = event_speaker(event)
            if speaker is None or not event.text or self._given_statement(event):
                continue
            before, error = self._line_before(event, speaker), self._errors.last_before(event)
            for sentence in message_sentences(event.text, speaker, before):
                if speaker is not Speaker.TOOL or not sentence.words.startswith(COMMAND_SIGN):
                    yield _EventSentence(event, SpokenSentence(sentence, speaker), error)
            self._errors.add(event, speaker)
            if speaker is not Speaker.TOOL:
                self._last_lines[event.session] = speaker, last_line(event.text)

    def _with_errors(
        self, sentences: Sequence[_EventSentence], judged: Sequence[JudgedSentence | None]
    ) -> Iterator[JudgedSentence | None]:
        """Yield the verdicts with cures joined with their errors, embedded anew where they are."""
        places = [SentencePlace(one.event.id, one.error) for one in sentences]
        stated = [one if one and one.is_statement else None for one in judged]
        joined = joined_cures(stated, places, self._errors.cured)
        for verdict, before, after in zip(judged, stated, joined, strict=True):
            if after is None and before is None:
                yield verdict
            elif after is None or after is before or before is None:
                yield after
            else:
                vector = self._judge.stated_sentence(after.spoken, after.kind).vector
                yield replace(after, vector=vector)

    def _worked_commands(self, events: Sequence[Event]) -> Iterator[_StatementAndVector]:
        """Yield the commands that worked, each the first time."""
        for event in events:
            if event_speaker(event) is not Speaker.TOOL:
                continue
            for command in worked_commands(event):
                key = command_key(command)
                if key not in self._command_keys:
                    self._command_keys.add(key)
                    spoken = SpokenSentence(Sentence(f"{COMMAND_SIGN}{command}"), Speaker.TOOL)
                    stated = self._judge.stated_sentence(spoken, StatementKind.COMMAND)
                    verdict = replace(stated, confidence=COMMAND_CONFIDENCE)
                    yield new_statement(event, verdict), _stored_vector(verdict)

    def _pinned_statements(self, events: Sequence[Event]) -> Iterator[_StatementAndVector]:
        """Yield what was pinned or shared as a statement, whatever the judge would say."""
        for statement in filter(None, map(self._given_statement, events)):
            self._hashes.add(sentence_hash(statement.text))
            spoken = SpokenSentence(Sentence(statement.text), statement.speaker)
            yield statement, _stored_vector(self._judge.stated_sentence(spoken, statement.kind))

    def _given_statement(self, event: Event) -> Statement | None:
        return confirmed_pin(event, self._reviewed_kinds) or self._shared_statement(event)

    def _shared_statement(self, event: Event) -> Statement | None:
        """Return what a teammate shared, unless it is said here already."""
        statement = shared_statement(event)
        is_known = statement is not None and sentence_hash(statement.text) in self._hashes
        return None if is_known else statement

    def _line_before(self, event: Event, speaker: Speaker) -> str:
        """Return what somebody else said last in the session, if nobody else spoke since."""
        if event.session not in self._last_lines:
            self._last_lines[event.session] = self._stored_line_before(event)
        spoken_by, line = self._last_lines[event.session]
        return line if spoken_by is not speaker else ""

    def _stored_line_before(self, event: Event) -> tuple[Speaker | None, str]:
        previous = self._store.events.previous_in_session(event)
        while previous is not None:
            speaker = event_speaker(previous)
            if speaker not in (None, Speaker.TOOL):
                return speaker, last_line(previous.text)
            previous = self._store.events.previous_in_session(previous)
        return None, ""

    def _new_statements(
        self,
        judged: Iterable[tuple[_EventSentence, JudgedSentence | None]],
        contexts: MessageContexts,
    ) -> Iterator[_StatementAndVector]:
        """Yield the statements; of those with the same words, the first."""
        for sentence, found in judged:
            verdict = found
            if found is None or not found.is_statement or self._is_retold(found.spoken):
                verdict = self._report_of_end(sentence, contexts)
            if verdict is None and found is not None and not found.is_statement:
                verdict = self._announced_change(sentence, found, contexts)
            if verdict is None or claims_authority(verdict):
                continue
            if asked := asked_sentence(self._store, self._judge, sentence.event, verdict):
                contexts.add(asked.event)
                yield from self._unknown_statement(asked.event, asked.verdict)
            yield from self._unknown_statement(sentence.event, verdict)

    def _unknown_statement(
        self, event: Event, verdict: JudgedSentence
    ) -> Iterator[_StatementAndVector]:
        """Yield a statement unless its words are known already."""
        words = sentence_hash(verdict.spoken.sentence.text)
        if words not in self._hashes:
            self._hashes.add(words)
            yield new_statement(event, verdict), _stored_vector(verdict)

    def _is_retold(self, spoken: SpokenSentence) -> bool:
        return self._known.is_retold(spoken.sentence.words, spoken.speaker)

    def _report_of_end(
        self, sentence: _EventSentence, contexts: MessageContexts
    ) -> JudgedSentence | None:
        """Return a sentence as a statement if it says that an open task is done."""
        spoken = sentence.spoken
        words = spoken.sentence.words
        if not is_done(words) or spoken.speaker is Speaker.TOOL:
            return None
        context = contexts.text_of(sentence.event.seq)
        if not self._in_force.closes_open_task(words, spoken.speaker, context):
            return None
        stated = self._judge.stated_sentence(spoken, StatementKind.ENVIRONMENT)
        return replace(stated, confidence=REPORT_CONFIDENCE)

    def _announced_change(
        self, sentence: _EventSentence, judged: JudgedSentence, contexts: MessageContexts
    ) -> JudgedSentence | None:
        """Return a sentence as a statement if it changes one, of the same kind as that."""
        if not may_announce_change(judged):
            return None
        vector, context = _stored_vector(judged), contexts.text_of(sentence.event.seq)
        statement = new_statement(sentence.event, judged)
        self._in_force.add(statement, vector, context=context)
        revalued = self._in_force.revalued_by(statement.id)
        self._in_force.forget(statement.id)
        if not revalued:
            return None
        confidence = max(revalued[0].confidence, judged.confidence)
        return replace(judged, kind=revalued[0].kind, confidence=confidence, is_statement=True)

    def _save_vectors(self, pairs: Sequence[_StatementAndVector]) -> None:
        rows = [(one.id, vector) for one, vector in pairs if vector is not None]
        if not rows:
            return
        import numpy as np

        ids = [id_ for id_, _ in rows]
        vectors = np.stack([vector for _, vector in rows])
        self._store.statements.save_vectors(self._project, self._judge.space, ids, vectors)


def _statements_through(store: ThreadStore, project: str, through: int) -> list[Statement]:
    """Return the statements as they stood after an event; those of later events are found again."""
    stored = store.statements.all(project, rejected=True)
    later = {one.id for one in paced_items(stored) if one.seq > through}
    return [
        replace(one, superseded_by=None, superseded_at=None, relation=None)
        if one.superseded_by in later
        else one
        for one in paced_items(stored)
        if one.seq <= through
    ]


def _is_worked_command(statement: Statement) -> bool:
    return statement.kind is StatementKind.COMMAND and statement.text.startswith(COMMAND_SIGN)


def _stored_vector(judged: JudgedSentence) -> "NDArray[np.float32] | None":
    """Return a vector as it is read back, so that a later run decides the same."""
    if judged.vector is None:
        return None
    import numpy as np

    return judged.vector.astype(np.float16).astype(np.float32)
