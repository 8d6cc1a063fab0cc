"""An order that names little changes an earlier one: an edit or the talk before it shows which."""

from dataclasses import replace

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.event import Message
from ai_smartness.model.statement import Statement
from ai_smartness.ports import Embedder
from ai_smartness.statements.edited_values import ChangedValue, changed_values, tells_value
from builders import a_memory, said

DAY = 60 * 24


def done(text: str, *, id_: str, session: str = "s1", minute: float = 0) -> Message:
    return replace(said(text, id_=id_, session=session, minute=minute), role="tool")


def two_orders(memory: Memory, first: str, edit: str, second: str, later_edit: str) -> None:
    memory.capture([said(first, id_="m1"), done(edit, id_="m2", minute=1)])
    memory.capture(
        [
            said(second, id_="m3", session="s2", minute=DAY),
            done(later_edit, id_="m4", session="s2", minute=DAY + 1),
        ]
    )
    memory.embed()


def statement_of(memory: Memory, words: str) -> Statement:
    (found,) = [one for one in memory.statements(superseded=True) if words in one.text]
    return found


PUMP = "Edited src/pump.c\n@@ -3,2 +3,3 @@\n #include <pump.h>\n+#define PUMP_REST_S 45"
PUMP_LATER = "Edited src/pump.c\n@@ -4,1 +4,1 @@\n-#define PUMP_REST_S 45\n+#define PUMP_REST_S 20"


@pytest.mark.parametrize(
    ("orders", "edits", "old", "new"),
    [
        (
            (
                "The pump must rest 45 s between two doses.",
                "gardeners get impatient. bring it down to 20",
            ),
            (PUMP, PUMP_LATER),
            "45 s",
            "down to 20",
        ),
        (
            ("sign people out after 30 minutes", "the auditor was here. ten minutes it is"),
            (
                "Edited web/session.py\n+IDLE_SECONDS = 1800",
                "Edited web/session.py\n-IDLE_SECONDS = 1800\n+IDLE_SECONDS = 600",
            ),
            "30 minutes",
            "ten minutes",
        ),
        (
            ("the dead band is 0.4 K", "people feel that, make it 0.2"),
            (
                "Created fw/band.h\n+#pragma once\n+#define BAND_MK 400",
                "Edited fw/band.h\n-#define BAND_MK 400\n+#define BAND_MK 200",
            ),
            "0.4 K",
            "make it 0.2",
        ),
        (
            ("Set the log in Garamond.", "the printer lacks that, take Literata"),
            (
                'Edited book/style.yaml\n+font: "Garamond"',
                'Edited book/style.yaml\n-font: "Garamond"\n+font: "Literata"',
            ),
            "Garamond",
            "Literata",
        ),
    ],
)
def test_the_edit_of_a_value_tells_which_order_changes_which(
    real_embedder: Embedder, orders: tuple[str, str], edits: tuple[str, str], old: str, new: str
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        two_orders(memory, orders[0], edits[0], orders[1], edits[1])

        older, newer = statement_of(memory, old), statement_of(memory, new)

        assert older.superseded_by == newer.id
        assert newer.holds


@pytest.mark.parametrize(
    ("second", "later_edit"),
    [
        # Only for today.
        ("set it to 20 just for today, the tank is low", PUMP_LATER),
        # Another file, whose line nobody ordered.
        ("the spare valve should close after 20", PUMP_LATER.replace("pump.c", "valve.c")),
        # A name, and no value.
        (
            "rename it to dose_20",
            PUMP_LATER.replace("+#define PUMP_REST_S 20", "+#define DOSE_20_REST_S 45"),
        ),
    ],
)
def test_an_edit_that_carries_out_no_other_value_changes_no_order(
    real_embedder: Embedder, second: str, later_edit: str
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        two_orders(memory, "The pump must rest 45 s between two doses.", PUMP, second, later_edit)

        assert statement_of(memory, "45 s").holds


def test_where_the_order_does_not_tell_the_value_the_edit_is_shown_above_the_old_one(
    real_embedder: Embedder,
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        two_orders(
            memory,
            "The pump must rest 45 s between two doses.",
            PUMP,
            "gardeners get impatient, less than half of that will do",
            PUMP_LATER,
        )

        assert statement_of(memory, "45 s").holds
        told = memory.recall("how long does the pump rest between doses?").text
        assert told.index("PUMP_REST_S 20") < told.index("before, on 2 Mar, user: The pump")


@pytest.mark.parametrize(
    ("first", "later_edit", "asked", "told"),
    [
        (
            "60 calls a minute per key, then a 429.",
            "Edited api/limit.go\n-const perMinute = 60\n+const perMinute = 20",
            "how many calls may a key make in a minute?",
            "perMinute = 20",
        ),
        (
            "The big choir rehearses on Tuesdays at 19:30.",
            "Edited choir.py\n-REHEARSAL_START = time(19, 30)\n+REHEARSAL_START = time(19, 0)",
            "when does the big choir rehearse?",
            "time(19, 0)",
        ),
    ],
)
def test_a_line_with_the_old_value_and_a_word_of_it_is_doubt_enough(
    real_embedder: Embedder, first: str, later_edit: str, asked: str, told: str
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        two_orders(memory, first, "$ ls\napi", "a third of the trouble is ours, go on", later_edit)

        page = memory.recall(asked).text
        assert statement_of(memory, first).holds
        assert page.index(told) < page.index(f"before, on 2 Mar, user: {first[:20]}")


def test_an_edit_casts_no_doubt_on_the_same_value_of_something_else(
    real_embedder: Embedder,
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        two_orders(
            memory,
            "Labels are 60 mm wide.",
            "$ ls\napi",
            "too much traffic",
            "Edited api/limit.go\n-const perMinute = 60\n+const perMinute = 20",
        )

        assert "before, on" not in memory.recall("how wide are labels?").text


def test_without_a_model_the_edit_tells_it_too() -> None:
    with a_memory() as memory:
        two_orders(
            memory,
            "Decision: the pump must always rest 45 s between two doses.",
            PUMP,
            "Decision: we always bring it down to 20.",
            PUMP_LATER,
        )

        assert not statement_of(memory, "45 s").holds


def test_a_rejected_order_does_not_come_back(real_embedder: Embedder) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        two_orders(
            memory,
            "The pump must rest 45 s between two doses.",
            PUMP,
            "gardeners get impatient. bring it down to 20",
            PUMP_LATER,
        )
        memory.reject_statement(statement_of(memory, "down to 20").id)
        memory.reindex()

        assert not [one for one in memory.statements() if "down to 20" in one.text]


@pytest.mark.parametrize(
    ("removed", "added", "old", "new"),
    [
        ("LIMIT = 5", "LIMIT = 8", ("5",), ("8",)),
        ("START = time(19, 30)", "START = time(19, 0)", ("30", "1930"), ("0", "190")),
        ("  retry: 3  # as agreed", "  retry: 7  # as agreed", ("3",), ("7",)),
        ('const PAPER = "a5";', 'const PAPER = "a4";', ("a5",), ("a4",)),
        ("OnCalendar=*-*-* 01:30:00", "OnCalendar=*-*-* 03:10:00", ("01:30:00",), ("03:10:00",)),
    ],
)
def test_a_line_with_another_value_is_found(
    removed: str, added: str, old: tuple[str, ...], new: tuple[str, ...]
) -> None:
    edit = f"Edited a/b.conf\n@@ -1,2 +1,2 @@\n before\n-{removed}\n+{added}\n after"

    assert list(changed_values(edit)) == [ChangedValue(removed.strip(), added.strip(), old, new)]


@pytest.mark.parametrize(
    "edit",
    [
        "$ sed -i s/5/8/ a.conf\n-LIMIT = 5\n+LIMIT = 8",
        "Edited a.conf\n-LIMIT = 5",
        "Edited a.conf\n+LIMIT = 8",
        "Edited a.py\n-def serve(port):\n+def run(port):",
        "Edited a.py\n-5\n+8",
        "Edited a.txt\n-one\n+2\n",
    ],
)
def test_a_line_that_is_no_other_value_is_none(edit: str) -> None:
    assert list(changed_values(edit)) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("close after 2 hours", "7200"),
        ("rest 45 s", "45"),
        ("start at 01:30", "01:30:00"),
        ("0.5 K", "500"),
        ("keep them 24h", "86400"),
        ("use Literata please", "literata"),
    ],
)
def test_a_value_is_told_in_other_units(text: str, value: str) -> None:
    assert tells_value(text, [value])
    assert not tells_value("nothing of the kind, 1234 times", [value])


@pytest.mark.parametrize(
    ("first", "asked", "proposed", "ordered"),
    [
        (
            "Let's test germination with 8 seeds per accession.",
            "is 8 seeds per test enough?",
            "For small seeds I would take 12.",
            "make it 12 then",
        ),
        (
            "The cache of the map tiles keeps 30 days.",
            "people see old roads, why?",
            "The map tiles are cached for 30 days.",
            "ok, 5 then",
        ),
    ],
)
def test_a_bare_value_replaces_the_one_that_was_just_spoken_of(
    real_embedder: Embedder, first: str, asked: str, proposed: str, ordered: str
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said(first, id_="m1"))
        memory.capture(
            [
                said(asked, id_="m2", session="s2", minute=60 * 24),
                replace(
                    said(proposed, id_="m3", session="s2", minute=60 * 24 + 1), role="assistant"
                ),
                said(ordered, id_="m4", session="s2", minute=60 * 24 + 2),
                replace(
                    said("Done.", id_="m5", session="s2", minute=60 * 24 + 3), role="assistant"
                ),
            ]
        )
        memory.embed()
        old = statement_of(memory, first)

        assert old.superseded_by is not None
        assert memory.statement(old.superseded_by).text == f"{ordered} (about: {proposed})"


@pytest.mark.parametrize("ordered", ["make it 12 then", "set the port to 12"])
def test_a_bare_value_of_something_else_changes_nothing(
    real_embedder: Embedder, ordered: str
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said("Let's test germination with 8 seeds per accession.", id_="m1"))
        memory.capture(
            [
                said("how wide is the label?", id_="m2", session="s2", minute=60 * 24),
                replace(
                    said("It is 8 cm wide.", id_="m3", session="s2", minute=60 * 24 + 1),
                    role="assistant",
                ),
                said(ordered, id_="m4", session="s2", minute=60 * 24 + 2),
            ]
        )
        memory.embed()

        assert statement_of(memory, "8 seeds").holds
