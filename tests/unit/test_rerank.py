from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.search import EventPosition, SearchMatch
from ai_smartness.search.rerank import reranked_matches
from builders import NOON

matches = st.lists(st.integers(1, 30), unique=True, max_size=20).map(
    lambda seqs: [SearchMatch(seq, 1.0 / place) for place, seq in enumerate(seqs, 1)]
)


def stands(
    seq: int,
    *,
    role: str = "user",
    session: str = "s",
    days: float = 0,
    previous: int | None = None,
) -> EventPosition:
    return EventPosition(
        seq=seq,
        project="demo",
        session=session,
        role=role,
        at=NOON - timedelta(days=days),
        previous=previous,
    )


@given(matches, st.lists(st.sampled_from(["user", "assistant", "Maria"]), min_size=30, max_size=30))
def test_nothing_is_lost_and_scores_stay_between_0_and_1(
    found: list[SearchMatch], roles: list[str]
) -> None:
    standing = {
        match.seq: stands(match.seq, role=roles[match.seq - 1], previous=match.seq - 1)
        for match in found
    }

    again = reranked_matches(found, standing, NOON)

    assert {match.seq for match in again} == {match.seq for match in found}
    assert all(0 <= match.score <= 1 for match in again)
    assert again == sorted(again, key=lambda match: (-match.score, match.seq))


def test_of_two_alike_the_persons_the_later_and_the_one_beside_a_good_one_come_first() -> None:
    found = [SearchMatch(1, 1.0), SearchMatch(2, 1.0)]
    cases = [
        {1: stands(1, role="assistant", session="a"), 2: stands(2, session="b")},
        {1: stands(1, session="a", days=300), 2: stands(2, session="b")},
    ]

    for standing in cases:
        assert reranked_matches(found, standing, NOON)[0].seq == 2
    three = [SearchMatch(1, 0.5), SearchMatch(5, 0.5), SearchMatch(6, 0.9)]
    beside = {
        1: stands(1, session="a"),
        5: stands(5, session="b", previous=4),
        6: stands(6, session="b", role="assistant", previous=5),
    }
    assert [match.seq for match in reranked_matches(three, beside, NOON)].index(5) < 2


def test_a_clearly_better_match_stays_first_whoever_said_it() -> None:
    found = [SearchMatch(1, 1.0), SearchMatch(2, 0.5)]
    standing = {1: stands(1, role="assistant", session="a"), 2: stands(2, session="b")}

    assert reranked_matches(found, standing, NOON)[0].seq == 1
