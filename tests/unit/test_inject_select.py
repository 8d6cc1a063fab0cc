"""What is worth showing: by relevance, by what is in sight, by priority."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.inject.dedupe import (
    BRIEF_REVISION,
    ShownThreads,
    VisibleLines,
    is_out_of_sight,
)
from ai_smartness.inject.gate import PromptGate
from ai_smartness.inject.select import (
    InjectionCandidate,
    VisibleContext,
    selected_entries,
)
from ai_smartness.model.injection import InjectedThread, Injection, InjectionReason
from ai_smartness.model.search import Hit, HitReason
from ai_smartness.model.session import LedgerEntry, Session, ShownLine, SkippedThread
from ai_smartness.model.thread import Status, Thread
from ai_smartness.search.rank import RankedThread
from ai_smartness.settings.schema import InjectSettings
from ai_smartness.testing import HashEmbedder
from builders import NOON, a_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

RULES = InjectSettings()
SESSION = Session(id="now", project="demo", turn=20)


def a_candidate(
    number: int,
    matches: float,
    *,
    reason: InjectionReason = InjectionReason.RELEVANT,
    text: str = "some words",
    session: str = "old",
    minute: float = 0,
    **changes: object,
) -> InjectionCandidate:
    thread: Thread = replace(a_thread(f"thread_{number}"), **changes)  # type: ignore[arg-type] # by name
    hit = Hit(
        id=f"m{number}",
        thread_id=thread.id,
        project="demo",
        session=session,
        role="user",
        at=NOON + timedelta(minutes=minute),
        text=text,
        score=matches,
        why=HitReason(),
        relevance=matches,
        seq=number,
    )
    return InjectionCandidate(RankedThread(thread, (hit,), matches, ()), reason)


def shown_before(number: int, *, turn: int = 19, revision: int = 0, epoch: int = 0) -> LedgerEntry:
    return LedgerEntry(
        session="now",
        epoch=epoch,
        turn=turn,
        thread_id=f"thread_{number}",
        revision=revision,
        tokens=10,
        score=0.5,
        why="",
        seqs=(number,),
        through=0,
    )


class Selected(NamedTuple):
    entries: list[InjectedThread]
    skipped: list[SkippedThread]


def choose(
    candidates: Sequence[InjectionCandidate],
    *,
    prompt: str = "",
    shown: Sequence[LedgerEntry] = (),
    own: int = 0,
    vectors: "Mapping[int, NDArray[np.float32]] | None" = None,
    in_sight: Mapping[int, float] | None = None,
) -> Selected:
    seen = VisibleLines(vectors or {}, HashEmbedder().similarity, RULES.same)
    for seq, minute in (in_sight or {}).items():
        seen.add(seq, NOON + timedelta(minutes=minute))
    sight = ShownThreads(shown, SESSION, RULES.depth_turns, lambda _thread, _seq: own)
    for seq, texts in sight.texts.items():
        for text in texts:
            seen.add(seq, NOON, text)
    visible = VisibleContext(prompt=prompt, session=SESSION, shown_threads=sight, lines=seen)
    return Selected(*selected_entries(candidates, visible, RULES, PromptGate()))


def ids(found: Selected) -> list[str]:
    return [entry.thread.id for entry in found.entries]


def unit(*numbers: float) -> "NDArray[np.float32]":
    vector = np.array(numbers, dtype=np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def test_where_nothing_is_relevant_enough_nothing_is_shown() -> None:
    found = choose([a_candidate(1, 0.44), a_candidate(2, 0.40)])

    assert found.entries == []
    assert [each.reason for each in found.skipped] == [
        "relevance 0.44: not sure enough that the prompt needs it",
        "relevance 0.40: not sure enough that the prompt needs it",
    ]


@pytest.mark.parametrize(
    ("gate", "when"),
    [(PromptGate(0.01), ""), (PromptGate(0.4, 6), "so late in the session ")],
)
def test_a_good_match_before_a_prompt_without_need_is_left_out_for_that(
    gate: PromptGate, when: str
) -> None:
    sight = ShownThreads([], SESSION, RULES.depth_turns, lambda _thread, _seq: 0)
    seen = VisibleLines({}, float, 0.85)
    visible = VisibleContext(prompt="", session=SESSION, shown_threads=sight, lines=seen)

    entries, skipped = selected_entries([a_candidate(1, 0.95)], visible, RULES, gate)

    assert entries == []
    assert [thread.reason for thread in skipped] == [
        f"relevance 0.95, but {when}the prompt does not look like it needs memory"
    ]
    silent = Injection(skipped=tuple(skipped))
    assert (silent.is_unneeded, silent.is_in_sight) == (True, False)


@pytest.mark.parametrize(
    ("relevance", "why"), [(0.9, "relevant"), (0.05, "the prompt looks like it needs memory")]
)
def test_a_shown_thread_says_whether_relevance_or_the_need_of_the_prompt_decided(
    relevance: float, why: str
) -> None:
    sight = ShownThreads([], SESSION, RULES.depth_turns, lambda _thread, _seq: 0)
    seen = VisibleLines({}, float, 0.85)
    visible = VisibleContext(prompt="", session=SESSION, shown_threads=sight, lines=seen)

    entries, _ = selected_entries([a_candidate(1, relevance)], visible, RULES, PromptGate(0.99))

    assert [entry.why.partition(":")[0] for entry in entries] == [why]


def test_beside_something_relevant_a_little_less_will_do() -> None:
    found = choose([a_candidate(1, 0.46), a_candidate(2, 0.31), a_candidate(3, 0.06)])

    assert ids(found) == ["thread_1", "thread_2"]


def test_beside_an_answer_a_line_without_relevance_is_left_out() -> None:
    answer, leftover = a_candidate(1, 0.9), a_candidate(2, 0.4)
    hit = replace(leftover.ranked.messages[0], relevance=0.02)
    leftover = replace(leftover, ranked=replace(leftover.ranked, messages=(hit,)))

    found = choose([answer, leftover])

    assert ids(found) == ["thread_1"]
    assert found.skipped[0].reason == "relevance 0.02: too little beside the best"


def test_a_line_with_half_the_score_of_the_best_needs_no_relevance_of_its_own() -> None:
    answer, statement = a_candidate(1, 0.9), a_candidate(2, 0.5)
    hit = replace(statement.ranked.messages[0], relevance=0.0)
    statement = replace(statement, ranked=replace(statement.ranked, messages=(hit,)))

    assert ids(choose([answer, statement])) == ["thread_1", "thread_2"]


def beside_an_answer_in_sight(
    text: str, relevance: float, *, minute: float = 60, messages: int = 3, prompt: str = ""
) -> list[str]:
    """Return what is shown of a line whose better neighbour is in sight, within a session."""
    answer, other = a_candidate(1, 0.9), a_candidate(2, 0.8, text=text, minute=minute)
    hit = replace(other.ranked.messages[0], relevance=relevance)
    other = replace(other, ranked=replace(other.ranked, messages=(hit,)))
    seen = VisibleLines({}, HashEmbedder().similarity, RULES.same)
    seen.add(1, NOON)
    sight = ShownThreads((), SESSION, RULES.depth_turns, lambda _thread, _seq: 0)
    visible = VisibleContext(prompt=prompt, session=SESSION, shown_threads=sight, lines=seen)
    gate = PromptGate(0.99, messages)
    return ids(Selected(*selected_entries([answer, other], visible, RULES, gate)))


@pytest.mark.parametrize(
    "text",
    ["the invoices are blue", "die Rechnungen sind blau", "le logo est en haut", "make runs it"],
)
def test_within_a_session_leftovers_beside_an_answer_in_sight_are_not_shown(text: str) -> None:
    assert beside_an_answer_in_sight(text, 0.1) == []
    assert beside_an_answer_in_sight(text, 0.1, messages=0) == ["thread_2"]


def test_a_line_that_the_brief_has_is_left_out_for_that() -> None:
    brief = replace(
        shown_before(1, revision=BRIEF_REVISION),
        lines=(ShownLine(1, "user", NOON, "some words", ""),),
    )
    answer, same = a_candidate(1, 0.9), a_candidate(2, 0.8)
    vectors = {1: unit(1, 0), 2: unit(1, 0)}

    found = choose([answer, same], shown=[brief], vectors=vectors)

    assert found.entries == []
    assert [each.reason for each in found.skipped] == [
        "in sight: the brief has it",
        "says the same as what is in sight",
    ]
    assert Injection(skipped=tuple(found.skipped)).is_in_sight


@pytest.mark.parametrize(
    "text",
    [
        "the logo goes to the left from now on",
        "das Logo kommt jetzt nach links",
        "le logo va maintenant à gauche",
        "the logo is on the left (until 5 Nov: the logo is on the right)",
        "the logo is on the left (on 5 Nov: the logo is on the right)",
    ],
)
def test_what_may_change_an_answer_in_sight_is_shown_if_it_is_later(text: str) -> None:
    assert beside_an_answer_in_sight(text, 0.0) == ["thread_2"]
    assert beside_an_answer_in_sight(text, 0.0, minute=-60) == []


def test_beside_an_answer_in_sight_a_line_that_answers_too_is_shown() -> None:
    assert beside_an_answer_in_sight("the invoices are blue", 0.2) == ["thread_2"]


def test_one_answer_in_sight_does_not_answer_a_prompt_that_asks_several_things() -> None:
    shown = partial(beside_an_answer_in_sight, "the invoices are blue", 0.1)

    assert shown(prompt="which paper size for the cover, and which font for titles?") == [
        "thread_2"
    ]
    assert shown(prompt="which paper size for the cover?") == []


@pytest.mark.parametrize("reason", [InjectionReason.IMPORTANT, InjectionReason.RECENT])
def test_what_is_important_or_recent_need_be_a_little_less_relevant(
    reason: InjectionReason,
) -> None:
    assert ids(choose([a_candidate(1, 0.37, reason=reason)])) == ["thread_1"]
    assert ids(choose([a_candidate(1, 0.35, reason=reason)])) == []


def test_an_archived_thread_that_answers_is_shown() -> None:
    assert ids(choose([a_candidate(1, 0.9, status=Status.ARCHIVED)])) == ["thread_1"]


def test_tool_output_must_be_more_relevant_than_speech() -> None:
    said = a_candidate(1, 0.5)
    line = replace(said.ranked.messages[0], role="tool")
    printed = replace(said, ranked=replace(said.ranked, messages=(line,)))

    assert ids(choose([said])) == ["thread_1"]
    assert ids(choose([printed])) == []


def test_a_pin_does_not_break_the_silence_for_others() -> None:
    found = choose([a_candidate(1, 1.0, reason=InjectionReason.PINNED), a_candidate(2, 0.35)])

    assert ids(found) == ["thread_1"]


def test_the_most_relevant_comes_first_whatever_it_weighs() -> None:
    light = a_candidate(1, 0.9, weight=0.2)
    heavy = a_candidate(2, 0.6, weight=1.2)

    assert ids(choose([heavy, light])) == ["thread_1", "thread_2"]


def test_what_stands_comes_first_and_of_it_what_answers() -> None:
    """Their share is small: what was asked about must not lose it to what was not."""
    answers = a_candidate(1, 0.9, weight=1.5)
    off_subject = a_candidate(2, 0.0, reason=InjectionReason.PINNED)
    on_subject = a_candidate(3, 0.7, reason=InjectionReason.PINNED)

    found = choose([answers, off_subject, on_subject])

    assert ids(found) == ["thread_3", "thread_2", "thread_1"]


def test_what_the_session_said_itself_is_in_its_sight_until_a_compaction() -> None:
    own = a_candidate(1, 0.9, session="now")

    found = choose([own])

    assert found.entries == []
    assert found.skipped[0].reason == "said in this session"
    later = replace(SESSION, epoch=1, epoch_seq=5)
    sight = ShownThreads([], later, 10, lambda _thread, _seq: 0)
    seen = VisibleLines({}, float, 0.85)
    visible = VisibleContext(prompt="", session=later, shown_threads=sight, lines=seen)
    again = Selected(*selected_entries([own], visible, RULES, PromptGate()))
    assert ids(again) == ["thread_1"]


def test_what_stands_in_the_prompt_is_not_said_again() -> None:
    found = choose(
        [a_candidate(1, 0.9, text="the keys LIVE in vault")],
        prompt="as I said: the keys live in vault.",
    )

    assert found.entries == []
    assert found.skipped[0].reason == "in the prompt itself"


def test_deduplication_exact_id_a_thread_in_sight_is_not_shown_again() -> None:
    found = choose([a_candidate(1, 0.9)], shown=[shown_before(1)])

    assert found.entries == []
    assert found.skipped[0].reason == "in sight: shown in turn 19, and not changed since"


@pytest.mark.parametrize(("turn", "again"), [(9, True), (10, False), (20, False)])
def test_a_thread_is_out_of_sight_when_it_was_shown_more_than_so_many_turns_ago(
    turn: int, *, again: bool
) -> None:
    assert is_out_of_sight(shown_before(1, turn=turn), SESSION, 10) is again
    assert bool(ids(choose([a_candidate(1, 0.9)], shown=[shown_before(1, turn=turn)]))) is again


def test_a_thread_of_an_earlier_epoch_is_out_of_sight() -> None:
    earlier = replace(shown_before(1), epoch=-1)

    assert ids(choose([a_candidate(1, 0.9)], shown=[earlier])) == ["thread_1"]


def test_another_line_of_a_thread_in_sight_is_shown() -> None:
    shown = replace(
        shown_before(1), lines=(ShownLine(1, "user", NOON, "the keys live in vault since March"),)
    )
    line = a_candidate(1, 0.9, text="the keys live in vault since March")
    other = a_candidate(1, 0.9, text="they are rotated every ninety days")

    assert choose([line], shown=[shown]).skipped[0].reason == (
        "in sight: shown in turn 19, and not changed since"
    )
    (entry,) = choose([other], shown=[shown]).entries
    assert not entry.updated


def test_a_line_in_sight_is_not_shown_again_for_what_it_superseded() -> None:
    text = "sessions are stored in Postgres now"
    shown = replace(shown_before(1), lines=(ShownLine(1, "user", NOON, text),))
    with_old = a_candidate(1, 0.9, text=f"{text} (until 5 Nov: sessions are stored in Redis)")

    assert choose([with_old], shown=[shown]).entries == []


def test_a_thread_that_changed_since_is_shown_again_and_marked() -> None:
    (entry,) = choose(
        [a_candidate(1, 0.9, revision=3)], shown=[shown_before(1, revision=2)]
    ).entries

    assert entry.updated


def test_what_the_session_itself_said_on_a_thread_is_no_change_to_it() -> None:
    changed = a_candidate(1, 0.9, revision=4)

    assert not ids(choose([changed], shown=[shown_before(1, revision=2)], own=2))
    assert ids(choose([changed], shown=[shown_before(1, revision=2)], own=1))


def test_a_thread_shown_twice_is_measured_by_the_latest() -> None:
    shown = [shown_before(1, turn=19, revision=3), shown_before(1, turn=12, revision=1)]

    assert ids(choose([a_candidate(1, 0.9, revision=3)], shown=shown)) == []


SAME = {1: unit(1, 0), 2: unit(1, 0.01), 3: unit(0, 1)}


def test_deduplication_semantic_what_says_the_same_as_what_is_in_sight_is_left_out() -> None:
    candidates = [a_candidate(1, 0.9), a_candidate(3, 0.8)]

    found = choose(candidates, vectors=SAME, in_sight={2: 0})

    assert ids(found) == ["thread_3"]
    assert found.skipped[0].reason == "says the same as what is in sight"


def test_deduplication_semantic_unless_it_is_newer() -> None:
    newer = a_candidate(1, 0.9, minute=5)

    assert ids(choose([newer], vectors=SAME, in_sight={2: 0})) == ["thread_1"]


def test_deduplication_semantic_leaves_what_else_the_thread_says() -> None:
    both = a_candidate(1, 0.9)
    other = a_candidate(3, 0.6).ranked.messages[0]
    ranked = replace(both.ranked, messages=(*both.ranked.messages, other))

    (entry,) = choose([replace(both, ranked=ranked)], vectors=SAME, in_sight={2: 0}).entries

    assert [line.seq for line in entry.lines] == [3]
    assert entry.relevance == 0.6


def test_deduplication_semantic_of_two_threads_each_keeps_what_it_alone_says() -> None:
    better, both = a_candidate(2, 0.9), a_candidate(1, 0.6)
    other = a_candidate(3, 0.6).ranked.messages[0]
    ranked = replace(both.ranked, messages=(*both.ranked.messages, other))

    found = choose([better, replace(both, ranked=ranked)], vectors=SAME)

    assert [[line.seq for line in entry.lines] for entry in found.entries] == [[2], [3]]


def test_deduplication_semantic_unless_it_changed_since_it_was_shown() -> None:
    changed = a_candidate(1, 0.9, revision=1)

    found = choose([changed], shown=[shown_before(1)], vectors=SAME, in_sight={2: 5})

    assert ids(found) == ["thread_1"]


def test_deduplication_semantic_of_two_that_say_the_same_the_better_is_shown() -> None:
    found = choose([a_candidate(1, 0.6), a_candidate(2, 0.9)], vectors=SAME)

    assert ids(found) == ["thread_2"]
    assert found.skipped[0].reason == "says the same as a better entry"


def test_cosine_similarity_tells_the_identical_from_the_orthogonal_and_the_opposite() -> None:
    vectors = {1: unit(1, 2), 2: unit(2, 4), 3: unit(-2, 1), 4: unit(-1, -2)}
    seen = VisibleLines(vectors, HashEmbedder().similarity, 0.85)
    seen.add(1, NOON)

    assert [seen.is_repeated(seq, NOON, "the keys") for seq in (2, 3, 4, 5)] == [
        True,
        False,
        False,
        False,
    ]


@given(st.lists(st.tuples(st.integers(1, 30), st.floats(0, 1)), max_size=30), st.data())
def test_nothing_in_sight_at_its_revision_is_ever_chosen(
    scored: list[tuple[int, float]], data: st.DataObject
) -> None:
    candidates = [a_candidate(number, score) for number, score in dict(scored).items()]
    shown = [
        shown_before(number, turn=data.draw(st.integers(1, 20)))
        for number in data.draw(st.sets(st.integers(1, 30)))
    ]

    found = set(ids(choose(candidates, shown=shown)))

    assert not found & {each.thread_id for each in shown if each.turn >= 10}


@given(st.permutations(range(6)))
def test_the_order_in_which_candidates_are_found_does_not_matter(order: list[int]) -> None:
    scored = [a_candidate(number, 0.5 + number % 3 / 10) for number in range(6)]

    found = choose([scored[number] for number in order])

    assert ids(found) == ids(choose(scored))
