import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.describe.bridge_finder import MOST_BRIDGES, BridgeFinder, FinderMessage
from ai_smartness.describe.relations import bridge_id, shortened_quote
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.threads.link import faded_bridge_weight, reinforced_bridge
from builders import NOON, a_bridge
from hang import no_hang

MEGABYTE = 1_000_000

SMALL_TALK = [
    "The garden wants water every morning and the roses need pruning.",
    "Our train leaves from platform nine, bring sandwiches.",
    "Draw the map of the island with coloured pencils.",
    "The orchestra rehearses the symphony with two trumpets.",
    "Bake the bread slowly and let the dough rise.",
    "The lighthouse keeper paints the door each spring.",
]


def a_message(
    text: str,
    seq: int = 0,
    *,
    by_agent: bool = False,
    session: str | None = "s1",
    names: Sequence[str] = (),
) -> FinderMessage:
    return FinderMessage(
        text=text,
        by_agent=by_agent,
        session=session,
        at=NOON + timedelta(minutes=seq),
        names=frozenset(names),
    )


def a_finder(*threads: tuple[str, str]) -> BridgeFinder:
    """Return what is known after small talk in other threads, then these, each in a session."""
    finder = BridgeFinder()
    for number, text in enumerate(SMALL_TALK):
        finder.add(f"talk{number}", a_message(text, number, session=f"talk{number}"))
    for number, (thread, text) in enumerate(threads, len(SMALL_TALK)):
        finder.add(thread, a_message(text, number, session=thread))
    return finder


def bridges_between(old: str, new: str) -> tuple[Bridge, ...]:
    return a_finder(("old", old), ("new", new)).bridges_of("new")


CHANGES = [
    (Relation.UPDATES, "The session lifetime is 12 hours.", "The session lifetime is now 30 days."),
    (
        Relation.UPDATES,
        "The upload limit of the gallery is 10 MB.",
        "Raise the upload limit of the gallery from 10 MB to 20 MB.",
    ),
    (
        Relation.UPDATES,
        "La durée de session est de 12 heures.",
        "La durée de session est désormais de 30 jours.",
    ),
    (
        Relation.UPDATES,
        "Die Lebensdauer der Sitzung ist 12 Stunden.",
        "Die Lebensdauer der Sitzung ist jetzt 30 Tage.",
    ),
    (
        Relation.UPDATES,
        "La duración de la sesión es de 12 horas.",
        "La duración de la sesión es ahora de 30 días.",
    ),
    (Relation.UPDATES, "Срок жизни сессии равен 12 часов.", "Срок жизни сессии теперь 30 дней."),
    (Relation.UPDATES, "会话有效期为12小时。", "会话有效期现在是30天。"),
    (
        Relation.REPLACES,
        "Let's use Redis for the session store.",
        "Use Postgres instead of Redis for the session store.",
    ),
    (Relation.REPLACES, "We use Redis for the session store.", "We no longer use Redis."),
    (Relation.REPLACES, "We'll go with npm here.", "We switch from npm to pnpm."),
    (
        Relation.REPLACES,
        "The session lifetime is 12 hours.",
        "The session lifetime should be 30 days instead of 12 hours.",
    ),
    (
        Relation.REPLACES,
        "On utilise Redis pour le stockage des sessions.",
        "Utilise Postgres au lieu de Redis pour le stockage des sessions.",
    ),
    (
        Relation.REPLACES,
        "Wir verwenden Redis als Speicher der Sitzungen.",
        "Wir ersetzen Redis durch Postgres als Speicher der Sitzungen.",
    ),
    (
        Relation.REPLACES,
        "Usamos Redis para guardar sesiones.",
        "Usaremos Postgres en vez de Redis para guardar sesiones.",
    ),
    (
        Relation.REPLACES,
        "Мы используем Redis для хранения сессий.",
        "Возьми Postgres вместо Redis для хранения сессий.",
    ),
    (Relation.REPLACES, "我们使用Redis保存会话。", "把Redis换成Postgres保存会话。"),
    (
        Relation.CONTRADICTS,
        "Always squash the commits before merging.",
        "Never squash the commits before merging.",
    ),
    (
        Relation.CONTRADICTS,
        "We use Redis for the session store.",
        "Do not use Redis for the session store.",
    ),
    (
        Relation.CONTRADICTS,
        "The nightly export keeps backups for 7 days.",
        "The nightly export keeps backups for 30 days.",
    ),
    (
        Relation.DEPENDS,
        "The token refresh gets a queue. The token refresh comes soon.",
        "The login page depends on the token refresh.",
    ),
    (
        Relation.DEPENDS,
        "Обновление токенов. Обновление токенов готово.",
        "Страница входа зависит от обновление токенов.",
    ),
]


@pytest.mark.parametrize(("relation", "old", "new"), CHANGES)
def test_what_a_later_thread_does_to_an_earlier_one_is_said(
    relation: Relation, old: str, new: str
) -> None:
    bridges = {bridge.target: bridge for bridge in bridges_between(old, new)}

    assert bridges["old"].relation is relation
    assert bridges["old"].source == "new"


TYPED = {Relation.UPDATES, Relation.REPLACES, Relation.CONTRADICTS, Relation.DEPENDS}

NO_CHANGES = [
    ("The session lifetime is 12 hours.", "The session lifetime is 12 hours."),
    ("The session lifetime is 60 minutes.", "The session lifetime is now 1 hour."),
    ("The session lifetime is 12 hours.", "Now test the session lifetime again."),
    ("The session lifetime is 12 hours.", "Is the session lifetime now 30 days?"),
    ("The session lifetime is 12 hours.", "The train to Berlin now takes 4 hours."),
    ("The session lifetime is 12 hours.", "The session store now takes 20 MB."),
    ("We use Redis for the session store.", "We use Redis for the session store again."),
    ("We use Redis for the session store.", "We now use Vite for the gallery."),
    ("We use Redis for the session store.", "Use Postgres instead of Mongo for invoices."),
    ("Always squash the commits.", "Never feed the penguins."),
    ("Always squash the commits.", "Always squash the commits."),
    ("See step 3 of the session plan.", "See step 4 of the session plan now."),
    ("The session meeting is on April 5.", "The session meeting is now on April 9."),
    ("The garden is green.", "Everything depends on the weather."),
]


@pytest.mark.parametrize(("old", "new"), NO_CHANGES)
def test_the_same_words_without_a_change_are_no_change(old: str, new: str) -> None:
    assert not [each for each in bridges_between(old, new) if each.relation in TYPED]


def test_a_long_value_is_quoted_up_to_the_end_of_a_word() -> None:
    long = "The office complains that the CSV arrives every 10 minutes but they want it every 5 now"

    assert shortened_quote(long) == (
        "The office complains that the CSV arrives every 10 minutes but they want it …"
    )
    assert len(shortened_quote("x" * 300)) == len(shortened_quote("y " + "x" * 300)) == 80
    assert shortened_quote("30  days") == "30 days"


def test_the_reason_quotes_both_values_and_names_the_thing() -> None:
    finder = a_finder()
    path = "src/auth/Session.py"
    old, new = "The lifetime in {} is 12 hours.", "The lifetime in {} is now 30 days."
    finder.add("old", a_message(old.format(path), 10, session="a", names=[path]))
    finder.add("new", a_message(new.format(path), 11, session="b", names=[path]))

    (bridge,) = finder.bridges_of("new")

    assert bridge.relation is Relation.UPDATES
    assert bridge.reason == f'"12 hours" became "30 days" (lifetime, {path})'
    assert bridge.id == bridge_id("new", "old", Relation.UPDATES)
    assert bridge.made_by == "similarity"
    assert bridge.last_used == NOON + timedelta(minutes=11)


def test_going_on_with_a_file_in_another_session_extends() -> None:
    finder = a_finder()
    path = "src/auth/session.py"
    finder.add("old", a_message(f"Look at {path}.", 10, session="a", names=[path]))
    finder.add("new", a_message(f"Tidy {path} up.", 11, session="b", names=[path]))
    finder.add("same", a_message(f"Format {path}.", 12, session="b", names=[path]))

    assert [each.relation for each in finder.bridges_of("new")] == [Relation.EXTENDS]
    assert {each.target: each.relation for each in finder.bridges_of("same")} == {
        "old": Relation.EXTENDS,
        "new": Relation.SIBLING,
    }


def test_threads_with_rare_words_in_common_are_siblings() -> None:
    (bridge,) = bridges_between(
        "Sketch the zeppelin with a copper propeller.",
        "The copper propeller of the zeppelin is too heavy.",
    )

    assert bridge.relation is Relation.SIBLING
    assert bridge.reason == "both speak of zeppelin, propeller, copper"


def test_a_reason_names_each_word_once() -> None:
    finder = a_finder()
    name = "revokeAllSessions"
    finder.add("old", a_message(f"{name}(userId) ends all; JWT tokens go.", 10, names=[name]))
    finder.add("new", a_message(f"JWT tokens stay, {name}() can do that.", 11, names=[name]))

    (bridge,) = finder.bridges_of("new")

    words = bridge.reason.removeprefix("both speak of ").split(", ")
    assert len(words) == len({word.casefold() for word in words})
    assert "revokeAllSessions" in words


def test_an_agents_report_of_another_value_changes_nothing() -> None:
    finder = a_finder(("old", "The session lifetime is 12 hours."))
    new = a_message("The session lifetime is now 30 days.", 20, by_agent=True, session="new")

    finder.add("new", new)

    assert not [each for each in finder.bridges_of("new") if each.relation in TYPED]


def test_an_agent_that_names_what_was_given_up_is_believed_less() -> None:
    old, new = "We use Redis for the session store.", "Use Postgres instead of Redis for the store."
    (by_user,) = bridges_between(old, new)
    finder = a_finder(("old", old))
    finder.add("new", a_message(new, 20, by_agent=True, session="new"))

    (by_agent,) = finder.bridges_of("new")

    assert by_agent.relation is by_user.relation is Relation.REPLACES
    assert by_agent.confidence < by_user.confidence


def test_a_thread_has_only_so_many_bridges_and_the_strongest_come_first() -> None:
    finder = BridgeFinder()
    words = (
        "zeppelin copper lantern harbour velvet cactus meadow trumpet glacier saffron walnut orchid"
    )
    pairs = list(zip(words.split()[::2], words.split()[1::2], strict=True))
    for number, pair in enumerate(pairs):
        finder.add(f"t{number}", a_message(f"{' '.join(pair)} " * (number + 5), number))
    for number, text in enumerate(SMALL_TALK * 4):
        finder.add(f"talk{number}", a_message(text, 20 + number))
    finder.add("all", a_message(words, 99))

    bridges = finder.bridges_of("all")

    assert len(bridges) == MOST_BRIDGES
    assert [each.weight for each in bridges] == sorted((b.weight for b in bridges), reverse=True)


def test_a_thread_nobody_knows_has_no_bridges() -> None:
    assert BridgeFinder().bridges_of("nowhere") == ()


def test_a_bridge_gets_heavier_by_use_and_lighter_without() -> None:
    bridge = a_bridge("x", "a", "b", weight=0.5)
    later = NOON + timedelta(days=10)

    used = reinforced_bridge(bridge, later)

    assert 0.5 < used.weight <= 1
    assert used.last_used == later
    assert faded_bridge_weight(bridge, later, half_life_days=10) == pytest.approx(0.25)
    assert faded_bridge_weight(bridge, NOON - timedelta(days=1), half_life_days=10) == 0.5


@given(st.floats(0, 1), st.integers(1, 50))
def test_no_use_lifts_a_bridge_over_one(weight: float, uses: int) -> None:
    bridge = a_bridge("x", "a", "b", weight=weight)
    for _ in range(uses):
        bridge = reinforced_bridge(bridge, NOON)

    assert weight <= bridge.weight <= 1


words = st.sampled_from(
    [
        "the session lifetime is 12 hours",
        "the session lifetime is now 30 days",
        "use Redis for the session store",
        "use Postgres instead of Redis for the store",
        "never squash the commits",
        "always squash the commits",
        "it depends on the token refresh",
        "the token refresh is ready",
        "会话有效期现在是30天",
        "ok",
    ]
)
texts = st.lists(words | st.text(max_size=20), max_size=3).map(". ".join)
said = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        texts,
        st.booleans(),
        st.sampled_from(["s1", "s2", None]),
        st.frozensets(st.sampled_from(["src/a.py", "getUser", "Redis"]), max_size=2),
    ),
    max_size=14,
)
Said = list[tuple[str, str, bool, str | None, frozenset[str]]]


def fed(messages: Said) -> BridgeFinder:
    finder = BridgeFinder()
    for number, (thread, text, by_agent, session, names) in enumerate(messages):
        statement = a_message(text, number, by_agent=by_agent, session=session, names=sorted(names))
        finder.add(thread, statement)
    return finder


@given(said)
def test_bridges_lead_to_earlier_threads_within_bounds_and_come_out_the_same(
    messages: Said,
) -> None:
    order = list(dict.fromkeys(thread for thread, *_ in messages))
    finder, again = fed(messages), fed(messages)

    for number, thread in enumerate(order):
        bridges = finder.bridges_of(thread)

        assert bridges == finder.bridges_of(thread) == again.bridges_of(thread)
        assert {each.source for each in bridges} <= {thread}
        assert {each.target for each in bridges} <= set(order[:number])
        assert len({each.target for each in bridges}) == len(bridges) <= MOST_BRIDGES
        assert all(0 <= each.weight <= 1 and 0 <= each.confidence <= 1 for each in bridges)
        assert all(each.reason and "\n" not in each.reason for each in bridges)


PROGRAM = """
from test_bridge_finder import CHANGES, bridges_between
print([bridges_between(old, new) for _, old, new in CHANGES])
"""


def test_nothing_depends_on_the_seed_of_hashes() -> None:
    path = ":".join([str(Path(__file__).parent), *sys.path])
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(outputs) == 1


@pytest.mark.parametrize("piece", ["a", "a ", "Ab", "1 day ", "use a instead of b. ", "用", "\n"])
def test_a_megabyte_of_anything_is_taken_in_without_hanging(piece: str) -> None:
    hostile = piece * (MEGABYTE // len(piece))
    finder = a_finder()

    with no_hang():
        for number in range(3):
            finder.add(f"t{number}", a_message(hostile, number, names=[piece * 1000]))
            finder.bridges_of(f"t{number}")


def test_the_reason_has_words_as_they_were_written() -> None:
    old = "The Redis timeouts of the checkout come from Kubernetes probes."
    new = "Kubernetes probes again: Redis timeouts in the checkout, as before."

    (bridge,) = bridges_between(old, new)

    words = bridge.reason.replace(",", " ").split()
    assert {"Redis", "timeouts"} <= set(words)
    assert {"redi", "kubernete"}.isdisjoint(words)


def test_the_reason_names_a_file_without_its_parts() -> None:
    name = "settings.toml"
    old = "The propeller reads its pitch from settings.toml of the zeppelin."
    new = "The zeppelin has a second propeller, in settings.toml too."
    finder = a_finder()
    finder.add("old", a_message(old, 10, session="a", names=[name]))
    finder.add("new", a_message(new, 11, session="a", names=[name]))

    (bridge,) = finder.bridges_of("new")

    words = bridge.reason.removeprefix("both speak of ").split(", ")
    assert name in words
    assert {"settings", "toml"}.isdisjoint(words)
