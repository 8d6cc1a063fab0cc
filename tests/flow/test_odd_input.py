"""Whatever a program hands in, it is kept, or refused by the name of what is wrong with it."""

import math
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from ai_smartness import Message
from ai_smartness.capture.embed import embed
from ai_smartness.capture.validate import LONGEST_TEXT_CHARACTERS
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.search import SearchScope
from ai_smartness.search.search import SearchContext, search
from ai_smartness.settings.schema import SearchSettings
from ai_smartness.testing import HashEmbedder
from builders import NOON, a_memory, said, stored
from engines import open_store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HALF = "half \ud800 a character"
EAST, WEST = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))


def nested(levels: int) -> dict[str, object]:
    inner: dict[str, object] = {}
    for _ in range(levels - 1):
        inner = {"in": inner}
    return inner


def circle() -> dict[str, object]:
    round_: dict[str, object] = {}
    round_["again"] = round_
    return round_


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("at", datetime.min.replace(tzinfo=EAST), "a message's at: in UTC"),
        ("origin", "import", "a message's origin must be an Origin"),
        ("at", datetime.max.replace(tzinfo=WEST), "a message's at: in UTC"),
        ("at", "2026-03-02T12:00", "a message's at must be a datetime, not str"),
        ("at", 1_772_452_800, "a message's at must be a datetime, not int"),
        ("at", date(2026, 3, 2), "a message's at must be a datetime, not date"),
        ("type", "NOTE", "a message's type must be an EventType, not str: .*USER_MESSAGE"),
        ("type", "", "a message's type must be an EventType, not str"),
        ("type", 5, "a message's type must be an EventType, not int"),
        ("text", None, "a message's text must be text, not NoneType"),
        ("id", HALF, "cannot be a message's id"),
        ("id", 7, "a message's id must be text, not int"),
        ("session", HALF, "cannot be a message's session"),
        ("session", 7, "a message's session must be text, not int"),
        ("role", HALF, "cannot be a message's role"),
        ("role", None, "a message's role must be text, not NoneType"),
        ("source", HALF, "cannot be a message's source"),
        ("source", 7, "a message's source must be text, not int"),
        ("source", "s" * 513, "cannot be a message's source"),
        ("thread", 5, "a message's thread must be text, not int"),
        ("thread", HALF, "cannot be a message's thread"),
        ("thread", "", "cannot be a message's thread"),
        ("payload", {"x": HALF}, "payload of message 'odd' .*plain JSON"),
        ("payload", {HALF: 1}, "payload of message 'odd' .*plain JSON"),
        ("payload", {"x": math.nan}, "payload of message 'odd' .*plain JSON"),
        ("payload", {"x": [math.inf]}, "payload of message 'odd' .*plain JSON"),
        ("payload", {"x": {1, 2}}, "payload of message 'odd' .*plain JSON"),
        ("payload", {("a", "b"): 1}, "payload of message 'odd' .*plain JSON"),
        ("payload", "text", "payload of message 'odd' .*not str"),
        ("payload", None, "payload of message 'odd' .*not NoneType"),
        ("payload", [("a", 1)], "payload of message 'odd' .*not list"),
        ("payload", nested(101), "payload of message 'odd' .*100 levels"),
        ("payload", nested(100_000), "payload of message 'odd' .*100 levels"),
        ("payload", circle(), "payload of message 'odd' "),
    ],
)
def test_a_field_that_cannot_be_kept_is_named_and_nothing_of_the_call_is_stored(
    field: str,
    value: object,
    complaint: str,
) -> None:
    given: dict[str, Any] = {"id": "odd", "text": "odd", field: value}
    with a_memory() as memory:
        with pytest.raises(RefusedError, match=complaint) as refused:
            memory.capture([said("good", id_="good"), Message(**given)])

        assert "Nothing was stored" in str(refused.value)
        assert memory.status().events == 0


@pytest.mark.parametrize("given", ["a text", ["a text"], [7], 5, None, [None]])
def test_what_is_no_message_is_refused(given: Any) -> None:  # noqa: ANN401 - the point of it
    with a_memory() as memory:
        with pytest.raises(RefusedError, match=r"takes messages, .*Message\(text="):
            memory.capture(given)

        assert memory.status().events == 0


@pytest.mark.parametrize(
    "at",
    [
        datetime.min,  # noqa: DTZ901 - a time without a zone is UTC
        datetime.min.replace(tzinfo=WEST),
        datetime.max.replace(tzinfo=UTC),
        datetime.max.replace(tzinfo=EAST),
    ],
)
def test_the_first_and_the_last_moment_there_are_can_be_kept(at: datetime) -> None:
    with a_memory() as memory:
        memory.capture([said("now", id_="now"), Message(id="far", text="far away", at=at)])

        assert memory.message("far").at == (at if at.tzinfo else at.replace(tzinfo=UTC))
        assert memory.search("far away")[0].id == "far"
        assert memory.threads()


def test_a_message_without_a_source_is_from_who_said_it() -> None:
    with a_memory() as memory:
        memory.capture([Message(id="m1", text="x"), Message(id="m2", text="y", source="")])

        assert memory.message("m1").source == memory.message("m2").source == "user"


def test_a_payload_of_any_json_reads_back_as_it_was_given() -> None:
    payload = {"n": None, "x": [1, 2.5, True, {"y": "über \x00 数据库"}], "deep": nested(99)}
    with a_memory() as memory:
        memory.capture(Message(id="m1", text="x", payload=payload))

        assert memory.message("m1").payload == payload


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"query": None}, "query must be text, not NoneType"),
        ({"query": b"alpha"}, "query must be text, not bytes"),
        ({"limit": 0}, "cannot search for 0 messages"),
        ({"limit": -3}, "cannot search for -3 messages"),
        ({"limit": 1.5}, "cannot search for 1.5 messages"),
        ({"limit": "10"}, "cannot search for '10' messages"),
        ({"limit": None}, "cannot search for None messages"),
        ({"limit": 2**63}, "cannot search for 9223372036854775808 messages"),
        ({"session": 5}, "session must be text, not int"),
        ({"session": HALF}, "cannot search in the session"),
        ({"before": "2026-03-02"}, "before must be a datetime, not str"),
        ({"before": datetime.min.replace(tzinfo=EAST)}, "before .*in UTC"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_by_name(
    asked: dict[str, Any],
    complaint: str,
) -> None:
    with a_memory() as memory:
        memory.capture(said("alpha"))

        with pytest.raises(RefusedError, match=complaint):
            memory.search(**{"query": "alpha", **asked})


@pytest.mark.parametrize(
    ("before", "complaint"),
    [
        ("2026-03-02", "before must be a datetime, not str"),
        (date(2026, 3, 2), "before must be a datetime, not date"),
        (datetime.min.replace(tzinfo=EAST), "before .*in UTC"),
        (datetime.max.replace(tzinfo=WEST), "before .*in UTC"),
    ],
)
def test_a_moment_that_is_none_is_refused_by_name(before: Any, complaint: str) -> None:  # noqa: ANN401 - the point of it
    store = open_store()
    scope = SearchScope(project="demo", before=before)

    with pytest.raises(RefusedError, match=complaint):
        search(store, None, "alpha", scope, 10, SearchContext(SearchSettings(), NOON))

    store.close()


def test_a_moment_of_any_zone_limits_a_search() -> None:
    store = open_store()
    first, *_ = stored(store, "alpha", "alpha")
    east = (NOON + timedelta(seconds=30)).astimezone(EAST)

    for before in (east, east.astimezone(UTC).replace(tzinfo=None)):
        scope = SearchScope(project="demo", before=before)
        found = search(store, None, "alpha", scope, 10, SearchContext(SearchSettings(), NOON))
        assert [hit.id for hit in found] == [first.id]

    store.close()


@pytest.mark.parametrize("query", ["a\ud800b", "src/\udcff.py alpha", "\ud83d\ude42 alpha", "\x00"])
def test_a_question_with_half_a_character_is_asked_without_it(query: str) -> None:
    with a_memory() as memory:
        memory.capture(said("alpha and b\ud800c", id_="m1"))

        memory.search(query)

        assert memory.search("alpha \ud800")[0].id == "m1"


class Broken(HashEmbedder):
    """A model that can be asked what it is and breaks when it is used."""

    def __init__(self, trouble: Callable[[], Exception]) -> None:
        super().__init__()
        self._trouble = trouble

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":  # noqa: ARG002 - the port's signature
        raise self._trouble()

    def query(self, text: str) -> "NDArray[np.float32]":  # noqa: ARG002 - as above
        raise self._trouble()


class Leaving(HashEmbedder):
    """A model whose server goes away once it has embedded something."""

    gone = False

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        rows = super().documents(texts)
        self.gone = True
        return rows

    @property
    def space(self) -> str:
        if self.gone:
            msg = "out of reach"
            raise StoreError(msg)
        return super().space


class Short(HashEmbedder):
    """A model that loses one of the texts it is given."""

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        return super().documents(texts)[1:]


@pytest.mark.parametrize(
    "model",
    [
        Broken(lambda: RuntimeError("the graph is on fire")),
        Broken(lambda: OSError(5, "Input/output error")),
        Broken(lambda: ValueError("shapes do not match")),
        Broken(MemoryError),
        Broken(lambda: StoreError("out of reach")),
        Leaving(),
        Short(),
    ],
)
def test_what_is_said_is_kept_and_found_by_its_words_whatever_breaks_in_the_model(
    model: HashEmbedder,
) -> None:
    with a_memory(embedder=lambda: model) as memory:
        captured = memory.capture([said("rotate the keys", id_="m1"), said("yes", id_="m2")])

        assert captured.stored == 2
        assert memory.search("keys", words_only=True)[0].id == "m1"
        assert memory.status().spaces == {}


def test_a_model_that_breaks_is_an_error_of_ours_with_a_way_out() -> None:
    model = Broken(lambda: RuntimeError("the graph is on fire"))
    store = open_store()
    stored(store, "alpha")

    with pytest.raises(StoreError, match=r"on fire.*`ais doctor`"):
        embed(store, model, "demo", lambda _done, _total: None)
    with pytest.raises(StoreError, match=r"on fire.*`ais doctor`"):
        search(
            store,
            model,
            "alpha",
            SearchScope(project="demo"),
            10,
            SearchContext(SearchSettings(), NOON),
        )

    store.close()


def test_an_id_that_comes_again_with_other_words_is_told_and_changes_nothing() -> None:
    with a_memory() as memory:
        first = memory.capture([said("one", id_="m1"), said("two", id_="m2")])

        again = memory.capture(
            [
                said("one", id_="m1"),
                said("TWO", id_="m2"),
                said("three", id_="m3"),
                said("drei", id_="m3"),
                said("TWO again", id_="m2"),
            ],
        )
        moved = memory.capture(said("one", id_="m1", session="s2"))

        assert first.differing == ()
        assert (again.stored, again.known, again.differing) == (1, 4, ("m2", "m3"))
        assert (moved.known, moved.differing) == (1, ("m1",))
        assert [memory.message(id_).text for id_ in ("m1", "m2", "m3")] == ["one", "two", "three"]


def test_words_that_differ_only_in_noise_are_no_other_words() -> None:
    with a_memory() as memory:
        memory.capture(said("a\x1b[31m red\x1b[0m word\r\n", id_="m1"))

        again = memory.capture([said("a red word\n", id_="m1"), said("a\x00 red word\n", id_="m1")])

        assert (again.known, again.differing) == (2, ())


@pytest.mark.parametrize("name", ["\ud800", "x\udfff"])
def test_half_a_character_in_an_id_is_refused_by_name(name: str) -> None:
    memory = a_memory()

    with pytest.raises(RefusedError, match="Give another one"):
        memory.message(name)
    with pytest.raises(RefusedError, match="Give another one"):
        memory.thread(name)


def test_of_a_message_without_end_the_beginning_and_the_end_are_kept() -> None:
    memory = a_memory(embedder=lambda: None)
    text = "the first line\n" + "x" * 60 + "\n" + "0123456789abcde\n" * 400_000 + "the last line"

    memory.capture(Message(id="long", text=text))

    kept = memory.message("long").text
    assert len(kept) < LONGEST_TEXT_CHARACTERS + 100
    assert kept.startswith("the first line\n")
    assert kept.endswith("\nthe last line")
    assert memory.capture(Message(id="long", text=text)).known == 1


def test_a_log_that_a_program_keeps_whole_has_a_longest_message_too() -> None:
    memory = a_memory(embedder=lambda: None)

    with pytest.raises(RefusedError, match="can have 12,000,000 characters, not 12,000,001"):
        memory.capture(Message(text="x" * (LONGEST_TEXT_CHARACTERS + 1), thread="log"))
