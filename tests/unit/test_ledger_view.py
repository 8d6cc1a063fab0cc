"""A turn as people read it in `ais why`."""

from ai_smartness.model.session import LedgerEntry, LedgerPage
from ai_smartness.views.ledger import ledger_page_lines
from builders import NOON


def a_page(*shown: LedgerEntry) -> LedgerPage:
    return LedgerPage(
        project="demo",
        session="s1",
        epoch=0,
        turn=1,
        at=NOON,
        took_ms=4.0,
        shown=shown,
        skipped=(),
    )


def an_entry(*seqs: int) -> LedgerEntry:
    return LedgerEntry(
        session="s1",
        epoch=0,
        turn=1,
        thread_id="t1",
        revision=1,
        tokens=16,
        score=1.0,
        why="recent: shown when the session began",
        seqs=seqs,
    )


def test_messages_whose_text_is_gone_are_counted_and_no_messages_are_not() -> None:
    with_messages = list(ledger_page_lines(a_page(an_entry(1, 2)), {"t1": "Redis"}))
    without = list(ledger_page_lines(a_page(an_entry()), {"t1": "Redis"}))

    assert with_messages[-1] == "    2 messages; the text is no longer kept beside the turn"
    assert without[-1] == "  shown: Redis [t1], 16 tokens; recent: shown when the session began"
