import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.describe.stated_values import CHOICE, RULE, stated_needs, stated_values
from hang import no_hang

MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("text", "measure", "value", "key"),
    [
        ("The session lifetime is 12 hours.", "duration", "12 hours", "43200"),
        ("Die Sitzung dauert 30 Tage.", "duration", "30 Tage", "2.592e+06"),
        ("La session dure 12 heures.", "duration", "12 heures", "43200"),
        ("La sesión dura 30 días.", "duration", "30 días", "2.592e+06"),
        ("Сессия длится 12 часов.", "duration", "12 часов", "43200"),
        ("会话有效期为12小时。", "duration", "12小时", "43200"),
        ("The retry waits 250ms.", "duration", "250ms", "0.25"),
        ("Coverage is at 78%.", "share", "78%", "78"),
        ("The plan costs $1,200 a year.", "money $", "$1,200", "1200"),
        ("Uploads stop at 20 MB.", "size", "20 MB", "2e+07"),
        ("The server listens on port 8080.", "count port", "8080", "8080"),
        ("The limit is 100.", "count limit", "100", "100"),
        ("The pool has 10 connections.", "count connection", "10 connections", "10"),
        ("We run Django 4.2.1 there.", "version django", "4.2.1", "4.2.1"),
        ("The backup starts at 03:30.", "time", "03:30", "03:30"),
        ("Let's use Redis for the cache.", CHOICE, "Redis", "redis"),
        ("On utilise Redis pour le cache.", CHOICE, "Redis", "redis"),
        ("Wir verwenden Redis im Cache.", CHOICE, "Redis", "redis"),
        ("Usamos Redis para la caché.", CHOICE, "Redis", "redis"),
        ("Мы используем Redis для кэша.", CHOICE, "Redis", "redis"),
        ("我们使用Redis。", CHOICE, "Redis", "redis"),
    ],
)
def test_a_value_is_read_with_what_it_measures(
    text: str, measure: str, value: str, key: str
) -> None:
    (found,) = stated_values(text)

    assert (found.measure, found.value, found.key) == (measure, value, key)
    assert not found.changed
    assert found.positive


@pytest.mark.parametrize(
    "text",
    [
        "See issue 12 and PR 757 on line 42.",
        "It broke 3 days ago.",
        "The meeting is on April 5.",
        "Since 2019 nobody asked.",
        "Is the timeout 30 seconds?",
        "```\ntimeout = 30 seconds\n```",
        "> we use Redis for the cache",
        "commit 0a1b2c3d of #7340",
        "just use it for that",
        "",
    ],
)
def test_labels_dates_questions_and_code_state_no_value(text: str) -> None:
    assert stated_values(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Sessions now last 30 days.",
        "The session lifetime was changed to 30 days.",
        "La session dure désormais 30 jours.",
        "Die Session dauert jetzt 30 Tage.",
        "La sesión dura ahora 30 días.",
        "Сессия теперь длится 30 дней.",
        "会话有效期现在是30天。",
    ],
)
def test_a_word_of_change_beside_a_value_is_noticed(text: str) -> None:
    (found,) = stated_values(text)

    assert found.changed
    assert found.gives_up == ""


@pytest.mark.parametrize(
    ("text", "new", "old"),
    [
        ("Use Postgres instead of Redis for the store.", "postgres", "redis"),
        ("Replace `Redis` with `Postgres`.", "postgres", "redis"),
        ("We are switching from Core Kit to Postgres.", "postgres", "core kit"),
        ("Sessions last 30 days instead of 12 hours.", "2.592e+06", "43200"),
        ("Utilise Postgres au lieu de Redis.", "postgres", "redis"),
        ("Wir ersetzen Redis durch Postgres.", "postgres", "redis"),
        ("Postgres statt Redis für den Speicher.", "postgres", "redis"),
        ("Usa Postgres en vez de Redis.", "postgres", "redis"),
        ("Возьми Postgres вместо Redis.", "postgres", "redis"),
        ("用Postgres代替Redis。", "postgres", "redis"),
        ("把Redis换成Postgres。", "postgres", "redis"),
    ],
)
def test_what_takes_the_place_of_something_names_it(text: str, new: str, old: str) -> None:
    found = stated_values(text)[0]

    assert (found.key, found.gives_up, found.explicit) == (new, old, True)


@pytest.mark.parametrize(
    "text",
    [
        "We no longer use Redis.",
        "let's drop Redis",
        "We don't use Redis any more.",
        "On n'utilise plus Redis.",
        "Wir verwenden Redis nicht mehr.",
        "Ya no usamos Redis.",
        "Мы больше не используем Redis.",
        "我们不再使用Redis。",
    ],
)
def test_what_is_given_up_is_named(text: str) -> None:
    found = stated_values(text)[0]

    assert (found.measure, found.gives_up, found.positive) == (CHOICE, "redis", False)


def test_a_measure_that_went_from_one_value_to_another_updates_without_giving_up() -> None:
    (found,) = stated_values("Raise the upload limit from 10 MB to 20 MB.")

    assert (found.key, found.gives_up, found.explicit) == ("2e+07", "1e+07", False)


@pytest.mark.parametrize(
    ("text", "positive"),
    [("Always squash the commits.", True), ("Never squash the commits.", False)],
)
def test_a_rule_is_for_or_against(text: str, positive: bool) -> None:  # noqa: FBT001
    (found,) = stated_values(text)

    assert (found.measure, found.positive) == (RULE, positive)
    assert found.about == {"squash", "commit"}


def test_the_terms_around_a_value_say_of_what_it_is() -> None:
    (found,) = stated_values(
        "The lifetime of a session in src/auth.py is 12 hours.", ["src/auth.py"]
    )

    assert {"lifetime", "session", "src/auth.py"} <= found.about


@pytest.mark.parametrize(
    "text",
    [
        "This depends on the token refresh.",
        "Blocked by the token refresh.",
        "It needs the token refresh first.",
        "Cela dépend de token refresh.",
        "Das hängt von token refresh ab.",
        "Esto depende de token refresh.",
        "Это зависит от token refresh.",
        "这依赖 token refresh。",
    ],
)
def test_what_must_come_first_is_read(text: str) -> None:
    ((_, terms),) = stated_needs(text)

    assert {"token", "refresh"} <= terms


@given(st.text() | st.text(alphabet="0123456789.,:$% abcuseinstdof\n"))
def test_any_text_is_read_without_a_crash(text: str) -> None:
    stated_values(text, [text[:20]])
    stated_needs(text)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "1",
        "1.",
        "1,",
        "instead of ",
        "a instead of ",
        "from a to ",
        "use a for ",
        "never ",
        "`",
        '"',
        "```",
        "\n",
        "> ",
        "我们用",
        "needs ",
        "change a ",
        "ne ",
    ],
)
def test_a_megabyte_of_anything_is_read_without_hanging(piece: str) -> None:
    hostile = piece * (MEGABYTE // len(piece))

    with no_hang():
        stated_values(hostile)
        stated_needs(hostile)
