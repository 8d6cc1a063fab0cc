"""Show what holds now, and what it superseded only together with it.

A line with a superseded statement gives its place to the statement that holds, and stands below
that one with the day until which it held. If the two share no word, or a later statement more
likely than not superseded it, the older one stands below the newer and is not called outdated. If
that is less likely, both are lines of their own, the newer first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TypeAlias

from ai_smartness.model.event import event_origin
from ai_smartness.model.search import RecalledLine
from ai_smartness.model.statement import Statement
from ai_smartness.ports import ThreadStore
from ai_smartness.search.later_lines import RAISED_SHARE
from ai_smartness.search.word_rarity import content_words
from ai_smartness.statements.supersede import LIKELY_CHANCE, NESTING_CHANCE

__all__ = ["current_lines"]

LONGEST_CHAIN = 10  # changes of mind about one thing that are followed
DOUBTFUL_LINES = 3  # the first lines below which a doubtful supersession is not worth its room
DOUBTED_LINES = 12  # the first lines, of which some are shown
MOST_OLDER_LINES = 2  # below the line that may have superseded them: they cost room


_LineKey: TypeAlias = tuple[int, int | str]
"""The message of a line, and its place there or the statement that it quotes."""


@dataclass(frozen=True, slots=True)
class _FoundChange:
    """A superseded statement, the one that holds, and until when the first surely held."""

    stale: Statement
    newest: Statement
    until: datetime | None


@dataclass(frozen=True, slots=True)
class _OlderLine:
    """A line, the statement that holds instead of it, and whether that is in doubt."""

    line: RecalledLine
    newest: Statement
    is_doubtful: bool = False


@dataclass(frozen=True, slots=True)
class _DoubtedStatement:
    """A statement, the later one that may have superseded it, and how likely that is."""

    older: Statement
    newer: Statement
    chance: float


def current_lines(
    store: ThreadStore, lines: Sequence[RecalledLine], statements: Mapping[str, Statement]
) -> tuple[RecalledLine, ...]:
    """Return lines, best first, with each outdated one below the line that holds.

    `statements` has the statements that the lines quote, by id.
    """
    current: dict[_LineKey, RecalledLine] = {}
    older = list[_OlderLine]()
    superseded = _superseded_places(store, lines, statements)
    changes = _possible_changes(store, lines, statements, superseded)
    for place, line in enumerate(lines):
        if change := superseded.get(place):
            holding_lines = _holding_parts(line, statements, change.stale)
            current |= {(one.seq, one.statement_ids[0]): one for one in holding_lines}
            text = change.stale.text if holding_lines else line.text
            older.append(_OlderLine(replace(line, text=text, until=change.until), change.newest))
        elif place in changes and changes[place].chance >= NESTING_CHANCE:
            doubted = changes[place]
            holding_lines = _holding_parts(line, statements, doubted.older)
            current |= {(one.seq, one.statement_ids[0]): one for one in holding_lines}
            text = doubted.older.text if holding_lines else line.text
            ids = (doubted.older.id,) if holding_lines else line.statement_ids
            doubted_line = replace(line, text=text, statement_ids=ids)
            older.append(_OlderLine(doubted_line, doubted.newer, is_doubtful=True))
        else:
            current[line.seq, line.place] = line
    _load_events(store, [*(one.newest.seq for one in older), *(one.line.seq for one in older)])
    for one in older:
        _put_below_newer(store, current, one)
    for place, possible in changes.items():
        if possible.chance < NESTING_CHANCE:
            _put_newer_first(store, current, lines[place], possible)
    return tuple(sorted(current.values(), key=lambda line: (-line.score, -line.seq)))


def _load_events(store: ThreadStore, seqs: Sequence[int]) -> None:
    """Read events at once that are looked at one by one, if the store remembers them."""
    if seqs:
        store.events.by_seq(seqs)


def _put_newer_first(
    store: ThreadStore,
    current: dict[_LineKey, RecalledLine],
    older: RecalledLine,
    change: _DoubtedStatement,
) -> None:
    """Give the line of a newer statement at least the score of the older line.

    A likely change is shown even if the search did not find it.
    """
    newer = change.newer
    quoting: list[_LineKey] = [key for key, one in current.items() if newer.id in one.statement_ids]
    if not quoting and change.chance >= LIKELY_CHANCE:
        quoting = [(newer.seq, newer.id)]
        current[newer.seq, newer.id] = _statement_line(store, newer)
    for key in quoting:
        score = max(current[key].score, RAISED_SHARE * older.score)
        current[key] = replace(current[key], score=score)


def _superseded_places(
    store: ThreadStore, lines: Sequence[RecalledLine], statements: Mapping[str, Statement]
) -> dict[int, _FoundChange]:
    """Return the places of lines with a superseded statement, and what holds instead."""
    changes: dict[int, _FoundChange] = {}
    quoted = [statements[id_] for line in lines for id_ in line.statement_ids]
    newest_by_id = _newest_statements(store, quoted)
    for place, line in enumerate(lines):
        stated = (statements[id_] for id_ in line.statement_ids)
        stale = next((one for one in stated if one.superseded_by), None)
        newest = newest_by_id.get(stale.id) if stale else None
        if stale is None or newest is None:
            continue
        is_sure = bool(content_words(stale.text) & content_words(newest.text))
        if is_sure or place < DOUBTFUL_LINES:
            until = stale.superseded_at if is_sure else None
            changes[place] = _FoundChange(stale, newest, until)
    return changes


def _put_below_newer(
    store: ThreadStore, current: dict[_LineKey, RecalledLine], older: _OlderLine
) -> None:
    """Put an older line below the line that holds instead, or may."""
    newest, line = older.newest, older.line
    quoting = (key for key, one in current.items() if newest.id in one.statement_ids)
    key = next(quoting, (newest.seq, newest.id))
    holding = current.get(key) or _statement_line(store, newest)
    below = holding.superseded
    # The best of several; one that may hold is not left out.
    if not below or (older.is_doubtful and len(below) < MOST_OLDER_LINES):
        below = (*below, line)
    elif older.is_doubtful:
        current[line.seq, line.place] = line
    score = max(holding.score, line.score)
    current[key] = replace(holding, superseded=below, score=score)


def _possible_changes(
    store: ThreadStore,
    lines: Sequence[RecalledLine],
    statements: Mapping[str, Statement],
    superseded: Mapping[int, _FoundChange],
) -> dict[int, _DoubtedStatement]:
    """Return for the places of lines what they state and a later statement may have superseded.

    A line that stands above an older one does not stand below another: the likeliest is shown.
    """
    first_lines = lines[:DOUBTED_LINES]
    near = {id_: statements[id_].project for line in first_lines for id_ in line.statement_ids}
    by_project = store.read_together(
        *(
            partial(store.statements.possible_changes, project, near)
            for project in sorted(set(near.values()))
        )
    )
    changes_by_id = {id_: found for changes in by_project for id_, found in changes.items()}
    possible = [
        (_DoubtedStatement(statements[id_], change.newer, change.chance), place)
        for place, line in enumerate(first_lines)
        for id_ in line.statement_ids
        for change in changes_by_id.get(id_, ())
        if place not in superseded and (change.chance >= LIKELY_CHANCE or change.newer.id in near)
    ]
    newest_by_id = _newest_statements(store, [change.newer for change, _ in possible])
    above = {change.newest.id for change in superseded.values()}
    below = {id_ for place in superseded for id_ in lines[place].statement_ids}
    changes: dict[int, _DoubtedStatement] = {}
    for change, place in sorted(possible, key=lambda one: (-one[0].chance, one[1])):
        line = lines[place]
        newer = newest_by_id.get(change.newer.id, change.newer)
        is_free = above.isdisjoint(line.statement_ids) and newer.id not in below
        if place not in changes and is_free and newer.seq > line.seq:
            changes[place] = replace(change, newer=newer)
            above.add(newer.id)
            below |= set(line.statement_ids)
    return changes


def _holding_parts(
    line: RecalledLine, statements: Mapping[str, Statement], outdated: Statement
) -> list[RecalledLine]:
    """Return what a line states beside an outdated statement and still holds, each as a line."""
    stated = (statements[id_] for id_ in line.statement_ids)
    return [
        replace(line, text=one.text, statement_ids=(one.id,))
        for one in stated
        if one.superseded_by is None and one.id != outdated.id
    ]


def _newest_statements(store: ThreadStore, statements: Iterable[Statement]) -> dict[str, Statement]:
    """Follow what superseded statements to those that hold now, by the id of the superseded."""
    newest = {one.id: one for one in statements if one.superseded_by}
    for _ in range(LONGEST_CHAIN):
        wanted: dict[str, set[str]] = {}
        for one in newest.values():
            if one.superseded_by:
                wanted.setdefault(one.project, set()).add(one.superseded_by)
        later = {
            id_: statement
            for project, ids in wanted.items()
            for id_, statement in store.statements.by_id(project, ids).items()
        }
        if not later:
            break
        newest = {id_: later.get(one.superseded_by or "", one) for id_, one in newest.items()}
    return {id_: one for id_, one in newest.items() if one.id != id_}


def _statement_line(store: ThreadStore, statement: Statement) -> RecalledLine:
    event = store.events.by_seq([statement.seq])[statement.seq]
    return RecalledLine(
        text=statement.text,
        message_id=event.id,
        seq=statement.seq,
        place=-1,
        thread_id=statement.thread_id,
        role=statement.speaker.value,
        at=statement.at,
        score=0.0,
        statement_ids=(statement.id,),
        origin=event_origin(event),
    )
