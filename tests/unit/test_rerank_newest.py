"""Later statements above those they supersede."""

from datetime import timedelta

import pytest

from ai_smartness.model.search import EventPosition, SearchMatch
from ai_smartness.search.rerank import newest_first
from builders import NOON


def ordered(query: str, *texts: str, sessions: str = "", roles: str = "") -> list[int]:
    """Rank texts as they were found, numbered by when they were said: `2:text` was said second."""
    said = {int(text.partition(":")[0]): text.partition(":")[2] for text in texts}
    found = [SearchMatch(seq, 1.0 - place * 0.05) for place, seq in enumerate(said)]
    standing = {
        seq: EventPosition(
            seq=seq,
            project="demo",
            session=sessions[place] if sessions else str(seq),
            role="assistant" if roles[place : place + 1] == "a" else "user",
            at=NOON + timedelta(days=seq),
            previous=None,
        )
        for place, seq in enumerate(said)
    }
    # How rare a word is shows among all that was found, also what is too far down to move.
    others = {-n: f"another matter, number {n}" for n in range(1, 20)}
    return [match.seq for match in newest_first(query, found, standing, said | others)]


@pytest.mark.parametrize(
    ("query", "old", "new"),
    [
        (
            "what is the upload limit?",
            "The upload limit is 50 MB for each file.",
            "The upload limit is 80 MB for each file now.",
        ),
        (
            "quelle est la limite d'envoi ?",
            "La limite d'envoi est de 50 Mo par fichier.",
            "La limite d'envoi est maintenant de 80 Mo par fichier.",
        ),
        ("上传限制是多少", "上传限制是50兆", "上传限制现在是80兆"),
    ],
)
def test_a_later_value_of_the_same_thing_goes_first(query: str, old: str, new: str) -> None:
    assert ordered(query, f"1:{old}", f"2:{new}") == [2, 1]


def test_messages_about_other_things_stay_in_their_order() -> None:
    first = "1:The upload limit is 50 MB for each file."
    second = "2:Invoices go out on Mondays at 9."

    assert ordered("what is the upload limit?", first, second) == [1, 2]


def test_an_agents_message_supersedes_nothing() -> None:
    texts = ("1:The upload limit is 50 MB.", "2:The upload limit is 80 MB now.")

    assert ordered("what is the upload limit?", *texts, roles="ua") == [1, 2]


def test_within_a_session_only_another_number_supersedes() -> None:
    texts = ("1:We deploy the api by make ship.", "2:We deploy the api by make ship, again.")

    assert ordered("how do we deploy the api?", *texts, sessions="ss") == [1, 2]


def test_the_latest_of_several_goes_first() -> None:
    texts = [f"{n}:The upload limit is {limit} MB." for n, limit in ((1, 50), (2, 80), (3, 120))]

    assert ordered("what is the upload limit?", *texts) == [3, 2, 1]


def test_what_is_ranked_already_with_the_later_first_stays() -> None:
    texts = ("2:The upload limit is 80 MB.", "1:The upload limit is 50 MB.")

    assert ordered("what is the upload limit?", *texts) == [2, 1]
