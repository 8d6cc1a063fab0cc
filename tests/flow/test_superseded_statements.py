"""A later statement takes the place of an earlier one, in other words and on another thread."""

from dataclasses import replace

import pytest

from ai_smartness.memory import Memory
from ai_smartness.memory.base import ignore_progress
from ai_smartness.model.bridge import Relation
from ai_smartness.model.event import Message
from ai_smartness.model.statement import Statement
from ai_smartness.ports import Embedder
from ai_smartness.statements.find import find_statements
from ai_smartness.statements.judge import SentenceJudge
from ai_smartness.statements.pair_features import ComparedText, leaves_other_facts
from ai_smartness.testing import HashEmbedder
from builders import NOON, a_memory, a_statement, a_thread, said, stored
from engines import open_store

pytestmark = pytest.mark.every_engine

OLD = "User sessions live in Redis with a time to live of one hour."
NEW = "Move sessions to Postgres. No more Redis"
OTHERS = (
    "Never push to main, always open a pull request.",
    "The search index is rebuilt every night at two.",
    "Prices are stored as integer cents.",
    "Run the linter with `make lint` before every commit.",
    "The staging server is called heron and runs Debian 12.",
)


def a_changed_mind(embedder: Embedder) -> Memory:
    memory = a_memory(embedder=lambda: embedder)
    memory.capture([said(OLD, id_="m1"), said("The invoices are sent on Mondays.", id_="m2")])
    memory.capture(said(NEW, id_="m3", session="s2", minute=60 * 24))
    memory.embed()
    return memory


def by_text(memory: Memory) -> dict[str, Statement]:
    return {one.text: one for one in memory.statements(superseded=True)}


def test_a_change_of_mind_supersedes_and_the_rest_holds(real_embedder: Embedder) -> None:
    with a_changed_mind(real_embedder) as memory:
        statements = by_text(memory)

    old = statements[OLD]
    assert old.superseded_by in {one.id for text, one in statements.items() if text in NEW}
    assert old.superseded_at == NOON.replace(day=NOON.day + 1)
    assert all(one.holds for text, one in statements.items() if text != OLD)


def test_the_threads_get_a_bridge_and_a_conflict_and_a_removed_bridge_stays_away(
    real_embedder: Embedder,
) -> None:
    with a_changed_mind(real_embedder) as memory:
        (bridge,) = [one for one in memory.bridges() if one.made_by == "statements"]
        conflicts = memory.suggestions().conflicts

        memory.unlink(bridge.id)
        memory.reindex()

        assert bridge.relation in (Relation.REPLACES, Relation.UPDATES)
        assert [conflict.newer for conflict in conflicts] == [bridge.source]
        assert [one for one in memory.bridges() if one.made_by == "statements"] == []


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("staging uses Redis for the sessions", "prod uses Postgres for the sessions now"),
        ("sessions live in Redis", "should we move the sessions to Postgres?"),
        ("sessions live in Redis", "tried Postgres for the sessions, too slow, reverted it"),
        ("never deploy on Fridays", "exception for today only: deploy the hotfix now"),
    ],
)
def test_what_is_said_of_another_thing_or_only_considered_changes_nothing(
    real_embedder: Embedder, earlier: str, later: str
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture([said(earlier, id_="m1"), said(later, id_="m2", minute=5)])
        memory.embed()

        assert all(one.holds for one in memory.statements(superseded=True))


def test_a_tool_never_supersedes_a_person(real_embedder: Embedder) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said("prod runs on Python 3.10.4, always", id_="m1"))
        memory.capture(
            Message(id="m2", role="tool", session="s1", text="Python 3.12.1 now", at=NOON)
        )
        memory.embed()

        assert all(one.holds for one in memory.statements(superseded=True))


def test_what_was_superseded_can_be_said_again() -> None:
    store = open_store()
    lines = (
        "We decided that the refresh token lives 15 minutes.",
        "From now on the refresh token lives 30 minutes, no longer 15.",
        "We decided that the refresh token lives 15 minutes.",
    )
    stored(store, *lines, thread=a_thread())

    find_statements(store, None, "demo", ignore_progress)

    newest, second, first = store.statements.all("demo")
    assert (first.superseded_by, newest.text) == (second.id, first.text)
    assert newest.id != first.id


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("carts live in Redis", "put the carts into postgres instead"),
        ("carts live in Redis", "carts live in Postgres now"),
        ("carts live in Redis", "actually let's keep the carts in Postgres"),
        ("The watchdog is to time out after 50 ms.", "the watchdog is at 30 ms now, says Ingrid"),
        ("invoices are due after thirty days", "let's make the invoices due after 15 days instead"),
        ("alerts go to my telegram for now", "alerts go through ntfy on our own box now"),
    ],
)
def test_a_change_in_everyday_words_supersedes_without_naming_the_old_value(
    real_embedder: Embedder, earlier: str, later: str
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said(earlier, id_="m1"))
        memory.capture([said(text, id_=f"n{n}", minute=n + 1) for n, text in enumerate(OTHERS)])
        memory.capture(said(later, id_="m2", session="s2", minute=60 * 24))
        memory.embed()
        statements = by_text(memory)

    assert statements[earlier].superseded_by == statements[later].id
    assert all(one.holds for text, one in statements.items() if text != earlier)


def test_what_an_agent_reported_of_a_superseded_decision_falls_with_it(
    real_embedder: Embedder,
) -> None:
    asked = "tickets are valid for 2 hours"
    report = "Ticket validity is `TICKET_HOURS = 2` in `app/tickets.py`."
    other = "`make dev` starts it on port 5050."
    later = "the town wants ticket validity of 3 hours now, not 2"
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said(asked, id_="m1"))
        answer = said(f"{report} {other}", id_="m2", minute=1)
        memory.capture(replace(answer, role="assistant"))
        memory.capture([said(text, id_=f"n{n}", minute=n + 2) for n, text in enumerate(OTHERS)])
        memory.capture(said(later, id_="m3", session="s2", minute=60 * 24))
        memory.embed()
        statements = by_text(memory)

    assert statements[asked].superseded_by == statements[later].id
    assert statements[report].superseded_by == statements[later].id
    assert statements[other].holds


SEVERAL_FACTS = (
    "The bench board hangs on /dev/ttyACM1, the controller in bay 3 is greenhouse-b3.local with "
    "OTA port 3232, and the MQTT broker is at 10.20.0.5:1883."
)
ONE_CHANGE = "The MQTT broker moved, it is at 10.20.0.9:8883 with TLS now."


def test_a_change_of_one_fact_leaves_the_others_of_its_sentence_in_force(
    real_embedder: Embedder,
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said(SEVERAL_FACTS, session="a"))
        memory.capture(said(text, session="b", minute=60) for text in ("Good morning.", ONE_CHANGE))
        memory.embed()

        holding = [one.text for one in memory.statements()]
        page = memory.recall("where does the MQTT broker run?").text

    assert SEVERAL_FACTS in holding
    assert page.index("10.20.0.9:8883") < page.index("10.20.0.5:1883")
    assert "until" not in page


@pytest.mark.parametrize(
    ("earlier", "later", "is_more"),
    [
        (SEVERAL_FACTS, ONE_CHANGE, True),
        ("Valves get 8 seconds every 10 minutes from 10 to 17.", "5 seconds instead of 8", True),
        ("Keep 3 plots for free, more needs the unlock, £4.99 once.", "Free is unlimited", True),
        ("We go with Kafka, the platform team has a cluster.", "Events go over NATS now.", False),
        ("Sessions live in Redis.", "Move the sessions to Postgres, no more Redis.", False),
        ("Retry 8 times and give up after 8 tries.", "15 attempts over three days.", False),
        ("The token lives fifteen minutes, for compliance.", "It lives thirty minutes now.", False),
        ("I like type hints and pytest.", "forget the type hints, keep pytest", True),
        ("We use eslint and prettier.", "drop eslint, prettier stays", True),
        ("Wir nehmen eslint und prettier.", "eslint fliegt raus, prettier bleibt", True),
        ("Alerts go to the pager and by mail.", "no more mail, keep the pager", True),
        ("Carts live in Redis.", "actually let's keep the carts in Postgres", False),
        ("A shop for a bakery, Django, SQLite, two people.", "the shop is at web1, port 22", True),
        ("App for a port: Rails, one developer, English.", "login as port on db1.example", True),
    ],
)
def test_a_sentence_of_several_facts_says_more_than_a_change_of_one(
    earlier: str, later: str, *, is_more: bool
) -> None:
    assert leaves_other_facts(ComparedText(earlier), ComparedText(later)) is is_more


def test_an_interrupted_reindex_loses_no_statement_and_the_next_embed_completes_it() -> None:
    with a_long_memory() as memory:
        before, bridges = stored_statements(memory), memory.bridges()
        steps = 0
        while interrupted(memory, after=steps):
            assert stored_statements(memory) == before
            memory.embed()
            assert stored_statements(memory) == before
            assert memory.bridges() == bridges
            steps += 1

        assert steps >= len(("words", "titles", "vectors", "statements", "more statements"))


def test_a_statement_that_is_not_found_again_goes_with_its_events_turn() -> None:
    with a_long_memory() as memory:
        before, event = stored_statements(memory), memory.message("m1")
        wrong = replace(a_statement(event), text="Nobody said this.", id="s_wrong")
        judge = SentenceJudge(memory.embedder).name
        store = memory._store.statements  # noqa: SLF001 - no verb saves a statement that was found
        store.save(memory.project, judge, [wrong], 0)
        store.supersede(memory.project, [(before[1].id, "s_wrong", Relation.REPLACES, NOON)])

        memory.reindex()

        assert stored_statements(memory) == before


def a_long_memory() -> Memory:
    """Return a memory whose messages are judged in two batches, the second superseding a first."""
    memory = a_memory(embedder=HashEmbedder)
    small_talk = [said(f"step {n} is done", id_=f"x{n}", minute=n + 2) for n in range(70)]
    memory.capture(
        [
            said("We decided to use Redis for the sessions.", id_="m0"),
            said("Never push to main.", id_="m1", minute=1),
            *small_talk,
            said(
                "We decided to use Postgres for the sessions instead of Redis.", id_="m2", minute=90
            ),
        ]
    )
    memory.embed()
    return memory


def stored_statements(memory: Memory) -> list[Statement]:
    """Return what is stored, where `memory.statements` would judge what is missing."""
    return memory._store.statements.all(memory.project)  # noqa: SLF001 - past the door


def interrupted(memory: Memory, after: int) -> bool:
    """Reindex until some steps are reported, and say whether there were as many."""
    steps = iter(range(after))

    def stop(_done: int, _total: int) -> None:
        if next(steps, None) is None:
            raise KeyboardInterrupt

    try:
        memory.reindex(progress=stop)
    except KeyboardInterrupt:
        return True
    return False


@pytest.mark.parametrize(
    ("both", "one"),
    [
        ("I want type hints everywhere and pytest", "forget the type hints, keep pytest"),
        ("we use eslint and prettier in the frontend", "drop eslint, prettier stays"),
        ("alerts go to the pager and to the ops channel", "no more pager, keep the ops channel"),
    ],
)
def test_a_change_that_says_what_is_kept_does_not_end_the_whole_statement(
    real_embedder: Embedder, both: str, one: str
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said(both, id_="m1"))
        memory.capture([said(text, id_=f"n{n}", minute=n + 1) for n, text in enumerate(OTHERS)])
        memory.capture(said(one, id_="m2", session="s2", minute=60 * 24))
        memory.embed()

        assert both in {statement.text for statement in memory.statements()}


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (
            "new project: parking app for the town of Lindau, flask + sqlite, one developer",
            "host db.lindau.internal, user parking",
        ),
        (
            "we build a shop for a bakery in Graz, django, mysql, two people",
            "server is web1.graz.example, login as bakery",
        ),
    ],
)
def test_one_detail_does_not_end_what_was_said_of_the_whole_project(
    real_embedder: Embedder, first: str, later: str
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said(first, id_="m1"))
        memory.capture([said(text, id_=f"n{n}", minute=n + 1) for n, text in enumerate(OTHERS)])
        memory.capture(
            said(f"move the database to postgres. {later}", id_="m2", session="s2", minute=60 * 24)
        )
        memory.embed()

        assert all(statement.holds for statement in memory.statements(superseded=True))


@pytest.mark.parametrize(
    ("asked", "report", "later"),
    [
        (
            "tickets are valid for 2 hours",
            "Ticket validity is `TICKET_HOURS = 2` in `app/tickets.py`.",
            "the town wants ticket validity of 3 hours now, not 2",
        ),
        (
            "the session timeout is 30 minutes",
            "The session timeout is set to 30 min in `auth.py`.",
            "from now on the session timeout is 2 hours",
        ),
    ],
)
def test_what_an_agent_told_again_in_another_session_falls_with_the_decision(
    real_embedder: Embedder, asked: str, report: str, later: str
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said(asked, id_="m1"))
        memory.capture([said(text, id_=f"n{n}", minute=n + 1) for n, text in enumerate(OTHERS)])
        memory.capture(replace(said(report, id_="m2", session="s2", minute=500), role="assistant"))
        memory.capture(said(later, id_="m3", session="s3", minute=60 * 24))
        memory.embed()
        holding = {statement.text for statement in memory.statements()}

    assert later in holding
    assert not {asked, report} & holding


def test_a_new_value_ends_the_old_one_and_the_setting_that_carried_it_out(
    real_embedder: Embedder,
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said("orders close at 18:00 the day before", id_="m1"))
        memory.capture(
            replace(said("`CUTOFF_HOUR = 18` in `app/orders.py`.", id_="m2"), role="assistant")
        )
        memory.capture(
            said(
                "the bakers want the cutoff at 16:00 now, 18 was too late",
                id_="m3",
                session="s2",
                minute=60 * 24,
            )
        )
        memory.capture(
            replace(
                said("`CUTOFF_HOUR` is 16 now.", id_="m4", session="s2", minute=60 * 24 + 1),
                role="assistant",
            )
        )
        memory.embed()
        held = {text for text, one in by_text(memory).items() if one.holds}

    assert not any("18:00" in text or "= 18" in text for text in held)
    assert any("16:00 now" in text for text in held)


def test_what_is_said_of_one_thing_ends_nothing_about_another_with_a_common_word(
    real_embedder: Embedder,
) -> None:
    earlier = [
        "hi, this is ferrydesk, a kiosk that sells tickets for our two little ferries.",
        "rust, slint ui, sqlite on the kiosk. printer is an epson tm-t20",
        "the kiosk has no internet on the pier, so nothing may need a network at runtime.",
        "build for the kiosk is cargo build --release, then scp to kiosk1. ask Henrike for the key",
    ]
    key = "Henrike left, the key for kiosk1 is with Tomasz from now on"
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture([said(text, id_=f"m{n}", minute=n) for n, text in enumerate(earlier)])
        memory.capture(said(key, id_="later", session="s2", minute=60 * 24))
        memory.embed()
        ended = {text for text, one in by_text(memory).items() if not one.holds}

    assert earlier[0] not in ended


def test_a_setting_in_another_unit_ends_the_old_one_and_what_had_been_asked_for(
    real_embedder: Embedder,
) -> None:
    after = "lib/cutoff.ts has `CUTOFF_MINUTES = 1050` now."
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said("orders close at 16:00 the day before", id_="m1"))
        before = said("`CUTOFF_HOUR = 16` in lib/cutoff.ts.", id_="m2", minute=1)
        late = said(after, id_="m3", session="s2", minute=60 * 24)
        memory.capture([replace(before, role="assistant"), replace(late, role="assistant")])
        memory.embed()
        held = {text for text, one in by_text(memory).items() if one.holds}

    assert held == {after}


def test_a_change_in_another_language_ends_the_english_statement(
    embedder_of_two_models: Embedder,
) -> None:
    with a_memory(embedder=lambda: embedder_of_two_models) as memory:
        memory.capture(said("We use Mapbox for the map tiles of the app.", id_="m1"))
        memory.capture([said(text, id_=f"o{n}", minute=n) for n, text in enumerate(OTHERS)])
        memory.capture(
            said(
                "Mapbox ist zu teuer, ab sofort nehmen wir die Kacheln von OpenFreeMap",
                id_="m2",
                session="s2",
                minute=60 * 24,
            )
        )
        memory.embed()
        statements = by_text(memory)

    assert not statements["We use Mapbox for the map tiles of the app."].holds
    assert all(one.holds for text, one in statements.items() if text in OTHERS)


def test_an_unrelated_change_in_another_language_ends_nothing(
    embedder_of_two_models: Embedder,
) -> None:
    earlier = [
        "we go with postgres after all, sqlite can't do the reports",
        "never show the members' street addresses on a public page",
        "the club wants inspections every 10 days instead of weekly",
    ]
    with a_memory(embedder=lambda: embedder_of_two_models) as memory:
        memory.capture([said(text, id_=f"m{n}", minute=n) for n, text in enumerate(earlier)])
        memory.capture(
            said(
                "Frau Hagen ist ab jetzt für die Völkerliste zuständig, nicht mehr Herr Lund",
                id_="later",
                session="s2",
                minute=60 * 24,
            )
        )
        memory.embed()
        statements = by_text(memory)

    assert [text for text in earlier if not statements[text].holds] == []
