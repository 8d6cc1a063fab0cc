"""Show what holds now, and what it superseded only together with it.

A line with a superseded statement gives its place to the statement that holds, and stands below
that one with the day until which it held. If the two share no word, the supersession is in doubt:
both are shown where the line is among the best, newest first, and the older is not called outdated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.search import RecalledLine
from ai_smartness.model.statement import Statement
from ai_smartness.ports import ThreadStore
from ai_smartness.search.word_rarity import content_words

__all__ = ["current_lines"]

LONGEST_CHAIN = 10  # changes of mind about one thing that are followed
DOUBTFUL_LINES = 3  # the first lines below which a doubtful supersession is not worth its room


def current_lines(
    store: ThreadStore, lines: Sequence[RecalledLine], statements: Mapping[str, Statement]
) -> tuple[RecalledLine, ...]:
    """Return lines, best first, with each outdated one below the line that holds.

    `statements` has the statements that the lines quote, by id.
    """
    current: dict[tuple[int, int | str], RecalledLine] = {}
    outdated = list[tuple[RecalledLine, Statement]]()
    for rank, line in enumerate(lines):
        stale = next(
            (s for id_ in line.statement_ids if (s := statements[id_]).superseded_by), None
        )
        newest = _newest_statement(store, stale) if stale else None
        is_sure = stale and newest and content_words(stale.text) & content_words(newest.text)
        if stale is None or newest is None or not (is_sure or rank < DOUBTFUL_LINES):
            current[line.seq, line.place] = line
        else:
            holding_lines = _holding_parts(line, statements)
            current |= {(one.seq, one.statement_ids[0]): one for one in holding_lines}
            text = stale.text if holding_lines else line.text
            until = stale.superseded_at if is_sure else None
            outdated.append((replace(line, text=text, until=until), newest))
    for line, newest in outdated:
        quoting = (key for key, one in current.items() if newest.id in one.statement_ids)
        key = next(quoting, (newest.seq, newest.id))
        holding = current.get(key) or _statement_line(store, newest)
        current[key] = replace(
            holding,
            superseded=holding.superseded or (line,),  # the best of several: they cost room
            score=max(holding.score, line.score),
        )
    return tuple(sorted(current.values(), key=lambda line: (-line.score, -line.seq)))


def _holding_parts(line: RecalledLine, statements: Mapping[str, Statement]) -> list[RecalledLine]:
    """Return what a line states beside the outdated statement and still holds, each as a line."""
    stated = (statements[id_] for id_ in line.statement_ids)
    return [
        replace(line, text=one.text, statement_ids=(one.id,))
        for one in stated
        if one.superseded_by is None
    ]


def _newest_statement(store: ThreadStore, statement: Statement) -> Statement | None:
    """Follow what superseded a statement to the one that holds now."""
    newest = statement
    for _ in range(LONGEST_CHAIN):
        if newest.superseded_by is None:
            break
        try:
            newest = store.statements.get(newest.project, newest.superseded_by)
        except NotFoundError:
            break
    return None if newest is statement else newest


def _statement_line(store: ThreadStore, statement: Statement) -> RecalledLine:
    return RecalledLine(
        text=statement.text,
        message_id=store.events.by_seq([statement.seq])[statement.seq].id,
        seq=statement.seq,
        place=-1,
        thread_id=statement.thread_id,
        role=statement.speaker.value,
        at=statement.at,
        score=0.0,
        statement_ids=(statement.id,),
    )
