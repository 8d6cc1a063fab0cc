"""What any `Statements` must do."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from ai_smartness.model.bridge import Relation
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.statement import (
    PossibleChange,
    ReviewState,
    Statement,
    StatementKind,
    StatementReview,
    sentence_hash,
    statement_id,
)
from ai_smartness.ports import ThreadStore
from builders import NOON, a_statement, a_thread, a_vector, stored

JUDGE = "model@1 heads 1"


def saved(store: ThreadStore, *texts: str) -> list[Statement]:
    """Store each text as an event with one statement: itself."""
    statements = [a_statement(event) for event in stored(store, *texts)]
    through = max((statement.seq for statement in statements), default=0)
    store.statements.save("demo", JUDGE, statements, through)
    return statements


def reviewed(store: ThreadStore, statement: Statement, state: ReviewState, text: str = "") -> None:
    review = StatementReview(
        statement_id=statement.id, project=statement.project, state=state, at=NOON, text=text
    )
    store.statements.review(statement.project, review, statement.id)


def ids(statements: list[Statement]) -> list[str]:
    return [statement.id for statement in statements]


def test_statements_come_back_as_they_were_saved_and_newest_first(store: ThreadStore) -> None:
    first, second = saved(store, "We use Redis.", "Never log the session id.")

    assert store.statements.all("demo") == [second, first]
    assert store.statements.all("unknown") == []


def test_a_statement_has_its_place_from_its_event(store: ThreadStore) -> None:
    (statement,) = saved(store, "We use Redis.")
    store.threads.save(a_thread("other"))
    before = store.statements.revision("demo")

    store.events.move([statement.seq], "other")

    assert store.statements.get("demo", statement.id).thread_id == "other"
    assert store.statements.revision("demo") > before


def test_a_statement_saved_again_is_there_once_and_stays_superseded(store: ThreadStore) -> None:
    old, new = saved(store, "We use Redis.", "No more Redis.")
    store.statements.supersede("demo", [(old.id, new.id, Relation.REPLACES, new.at)])

    store.statements.save("demo", JUDGE, [replace(old, confidence=0.5)], old.seq)

    again = store.statements.get("demo", old.id)
    assert len(store.statements.all("demo")) == 2
    assert (again.confidence, again.superseded_by) == (0.5, new.id)
    assert store.statements.judged_through("demo", JUDGE) == new.seq


def test_another_judge_begins_from_nothing(store: ThreadStore) -> None:
    first, second = saved(store, "We use Redis.", "No more Redis.")
    store.statements.save_vectors("demo", "m@1", [first.id], np.array([a_vector(1)]))

    assert store.statements.judged_through("demo", JUDGE) == second.seq
    assert store.statements.judged_through("demo", "rules") == 0

    store.statements.save("demo", "rules", [first], first.seq)

    assert store.statements.all("demo") == [first]
    assert store.statements.judged_through("demo", "rules") == first.seq
    assert store.statements.judged_through("demo", JUDGE) == 0
    assert store.statements.vectors("demo", "m@1")[0] == []


def test_cleared_statements_are_gone_and_their_reviews_are_not(store: ThreadStore) -> None:
    first, second = saved(store, "We use Redis.", "No more Redis.")
    store.statements.save_vectors("demo", "m@1", [first.id], np.array([a_vector(1)]))
    store.statements.save_line_vectors("m@1", {first.seq: [a_vector(1)]})
    reviewed(store, first, ReviewState.REJECTED)

    store.statements.clear("demo")

    assert store.statements.line_vectors("m@1", [first.seq]) == {}
    assert store.statements.all("demo", rejected=True) == []
    assert store.statements.judged_through("demo", JUDGE) == 0
    assert store.statements.vectors("demo", "m@1")[0] == []

    store.statements.save("demo", JUDGE, [first, second], second.seq)

    assert ids(store.statements.all("demo")) == [second.id]


def test_a_statement_is_found_by_the_start_of_its_id(store: ThreadStore) -> None:
    (statement,) = saved(store, "We use Redis.")

    assert store.statements.get("demo", statement.id) == statement
    assert store.statements.get("demo", statement.id[:6]) == statement
    assert store.statements.get("demo", statement.id.removeprefix("s_")[:4]) == statement
    with pytest.raises(NotFoundError, match="ais statements"):
        store.statements.get("demo", "s_nothing")
    with pytest.raises(NotFoundError, match="empty id"):
        store.statements.get("demo", "")


def test_a_start_that_fits_several_statements_is_refused(store: ThreadStore) -> None:
    saved(store, "We use Redis.", "No more Redis.")

    with pytest.raises(RefusedError, match="several statement ids"):
        store.statements.get("demo", "s_")


def test_a_superseded_statement_tells_by_what_and_since_when(store: ThreadStore) -> None:
    old, new = saved(store, "We use Redis.", "No more Redis.")
    since = NOON + timedelta(days=1)

    store.statements.supersede("demo", [(old.id, new.id, Relation.REPLACES, since)])

    superseded = store.statements.get("demo", old.id)
    assert superseded == replace(
        old, superseded_by=new.id, superseded_at=since, relation=Relation.REPLACES
    )
    assert not superseded.holds
    assert store.statements.all("demo", superseded=False) == [new]
    assert store.statements.superseding("demo", [new.id, old.id]) == {new.id: [superseded]}


def test_a_rejected_statement_is_left_out_unless_wanted(store: ThreadStore) -> None:
    first, second = saved(store, "We use Redis.", "No more Redis.")

    reviewed(store, first, ReviewState.REJECTED)

    assert ids(store.statements.all("demo")) == [second.id]
    assert ids(store.statements.all("demo", rejected=True)) == [second.id, first.id]
    assert list(store.statements.of_events([first.seq, second.seq])) == [second.seq]
    assert not store.statements.get("demo", first.id).holds


def test_a_rejected_sentence_is_rejected_when_it_is_said_again(store: ThreadStore) -> None:
    (first,) = saved(store, "We use Redis.")
    reviewed(store, first, ReviewState.REJECTED)

    (again,) = saved(store, "  we use `Redis`!")

    assert again.id != first.id
    assert store.statements.all("demo") == []
    assert store.statements.get("demo", again.id).review is ReviewState.REJECTED

    reviewed(store, again, ReviewState.CONFIRMED)

    assert ids(store.statements.all("demo")) == [again.id]


def test_a_review_taken_back_leaves_the_statement_as_it_was(store: ThreadStore) -> None:
    (statement,) = saved(store, "We use Redis.")
    reviewed(store, statement, ReviewState.REJECTED)

    store.statements.review("demo", None, statement.id)

    assert store.statements.all("demo") == [statement]
    assert store.statements.reviews("demo") == []


def test_a_confirmed_statement_is_certain_and_a_corrected_one_reads_as_corrected(
    store: ThreadStore,
) -> None:
    first, second = saved(store, "We use Redis.", "Tests run with pytest.")
    reviewed(store, first, ReviewState.CONFIRMED)

    review = StatementReview(
        statement_id=second.id,
        project="demo",
        state=ReviewState.CORRECTED,
        at=NOON,
        text="Run tests with scripts/test.",
        kind=StatementKind.COMMAND,
    )
    store.statements.review("demo", review, second.id)

    assert store.statements.get("demo", first.id) == replace(
        first, confidence=1.0, review=ReviewState.CONFIRMED
    )
    assert store.statements.get("demo", second.id) == replace(
        second,
        confidence=1.0,
        review=ReviewState.CORRECTED,
        text="Run tests with scripts/test.",
        kind=StatementKind.COMMAND,
    )


def test_a_review_knows_its_message_and_its_sentence(store: ThreadStore) -> None:
    (statement,) = saved(store, "We use Redis.")

    reviewed(store, statement, ReviewState.CORRECTED, text="We use Valkey.")

    (review,) = store.statements.reviews("demo")
    assert review.event_id == "m0"
    assert review.sentence_hash == sentence_hash("we use redis")
    assert review.text == "We use Valkey."


def test_a_statement_holds_again_when_the_one_that_superseded_it_is_rejected(
    store: ThreadStore,
) -> None:
    redis, postgres, files = saved(store, "We use Redis.", "We use Postgres.", "We use files.")
    store.statements.supersede("demo", [(redis.id, postgres.id, Relation.REPLACES, postgres.at)])

    reviewed(store, postgres, ReviewState.REJECTED)

    assert store.statements.get("demo", redis.id) == redis
    assert store.statements.superseding("demo", [postgres.id]) == {}

    store.statements.supersede("demo", [(postgres.id, files.id, Relation.UPDATES, files.at)])

    passed_on = store.statements.get("demo", redis.id)
    assert (passed_on.superseded_by, passed_on.superseded_at) == (files.id, files.at)
    assert store.statements.superseding("demo", [files.id]) == {files.id: [passed_on]}


def test_vectors_are_of_one_space_and_in_the_order_of_the_ids_asked_for(
    store: ThreadStore,
) -> None:
    first, second, third = saved(store, "one is so", "two is so", "three is so")
    rows = np.array([a_vector(1), a_vector(2)])

    store.statements.save_vectors("demo", "m@1", [first.id, second.id], rows)

    found, vectors = store.statements.vectors("demo", "m@1")
    assert found == [first.id, second.id]
    assert np.allclose(vectors, rows, atol=1e-2)
    found, vectors = store.statements.vectors("demo", "m@1", [third.id, second.id, first.id])
    assert found == [second.id, first.id]
    assert np.allclose(vectors, rows[::-1], atol=1e-2)
    assert store.statements.vectors("demo", "m@2")[0] == []
    assert store.vector_index.space_counts().get("m@1", 0) == 0


def test_a_store_compares_the_vectors_that_another_one_saves(
    two_stores: tuple[ThreadStore, ThreadStore],
) -> None:
    reader, writer = two_stores
    statements = saved(writer, "one is so", "two is so", "three is so")
    query = np.array([a_vector(1)])

    def compared() -> list[str]:
        numbers, _ = reader.statements.cosines("demo", "m@1", query)
        known = reader.statements.ids(numbers.tolist())
        return [known[number] for number in numbers.tolist()]

    assert compared() == []
    for place, statement in enumerate(statements, start=1):
        writer.statements.save_vectors("demo", "m@1", [statement.id], query)
        assert compared() == ids(statements[:place])
    writer.statements.clear("demo")
    assert compared() == []


def test_vectors_that_were_loaded_before_are_compared_as_they_are_now(
    two_stores: tuple[ThreadStore, ThreadStore],
) -> None:
    reader, writer = two_stores
    statements = saved(writer, "one is so", "two is so", "three is so")
    query = np.array([a_vector(1)])

    for place, statement in enumerate(statements, start=1):
        reader.statements.load_vectors("demo", "m@1")
        writer.statements.save_vectors("demo", "m@1", [statement.id], query)
        numbers, _ = reader.statements.cosines("demo", "m@1", query)
        assert len(numbers) == place
    writer.statements.clear("demo")
    reader.statements.load_vectors("demo", "m@1")
    assert len(reader.statements.cosines("demo", "m@1", query)[0]) == 0
    reader.statements.load_vectors("nowhere", "m@1")


def test_the_directions_of_line_vectors_come_back_by_message_and_space(store: ThreadStore) -> None:
    first, second, third = saved(store, "one is so", "two is so", "three is so")
    rows = [3 * a_vector(1), a_vector(2)]

    store.statements.save_line_vectors("m@1", {first.seq: rows, second.seq: rows[:1]})

    vectors = store.statements.line_vectors("m@1", [first.seq, second.seq, third.seq])
    assert vectors.keys() == {first.seq, second.seq}
    assert np.allclose(vectors[first.seq], [a_vector(1), a_vector(2)], atol=1e-2)
    assert np.allclose(vectors[second.seq], [a_vector(1)], atol=1e-2)
    assert store.statements.line_vectors("m@2", [first.seq]) == {}


def test_line_vectors_saved_again_replace_the_earlier_ones(store: ThreadStore) -> None:
    (statement,) = saved(store, "one is so")
    store.statements.save_line_vectors("m@1", {statement.seq: [a_vector(1), a_vector(2)]})

    store.statements.save_line_vectors("m@1", {statement.seq: [a_vector(3)]})

    vectors = store.statements.line_vectors("m@1", [statement.seq])
    assert np.allclose(vectors[statement.seq], [a_vector(3)], atol=1e-2)


def test_the_revision_grows_with_every_change_of_statements_and_reviews(
    store: ThreadStore,
) -> None:
    revisions = [store.statements.revision("demo")]
    first, second = saved(store, "We use Redis.", "No more Redis.")
    revisions.append(store.statements.revision("demo"))
    store.statements.supersede("demo", [(first.id, second.id, Relation.REPLACES, NOON)])
    revisions.append(store.statements.revision("demo"))
    reviewed(store, second, ReviewState.REJECTED)
    revisions.append(store.statements.revision("demo"))
    store.statements.review("demo", None, second.id)
    revisions.append(store.statements.revision("demo"))
    store.statements.clear("demo")
    revisions.append(store.statements.revision("demo"))

    assert revisions == sorted(set(revisions))


def test_an_id_follows_from_project_message_and_words() -> None:
    id_ = statement_id("demo", "m1", "We use Redis.")

    assert id_ == statement_id("demo", "m1", "we use  redis")
    assert (
        len({id_, statement_id("x", "m1", "We use Redis."), statement_id("demo", "m2", "We")}) == 3
    )
    assert sentence_hash("???") != sentence_hash("!!!")


def test_two_statements_with_the_same_short_id_are_both_kept(store: ThreadStore) -> None:
    (event,) = stored(store, "both rules")
    texts = ("Rule 12833 holds.", "Rule 62548 holds.")
    same_start = [a_statement(replace(event, id="m1"), text) for text in texts]

    store.statements.save("demo", JUDGE, same_start, event.seq)

    one, other = same_start
    assert one.short_id == other.short_id == "s_6bfc5939"
    assert {statement.text for statement in store.statements.all("demo")} == set(texts)
    assert store.statements.get("demo", one.id).text == one.text
    with pytest.raises(RefusedError, match=r"s_6bfc5939 is the start of several statement ids"):
        store.statements.get("demo", "s_6bfc5939")


def test_a_mistyped_short_id_names_the_nearest(store: ThreadStore) -> None:
    (statement,) = saved(store, "We use Redis.")
    short = statement.short_id
    mistyped = short[:-1] + ("0" if short[-1] != "0" else "1")

    with pytest.raises(NotFoundError, match=f"The nearest is {short}"):
        store.statements.get("demo", mistyped)


def test_a_review_of_an_earlier_version_counts_for_the_statement_of_its_message() -> None:
    id_ = statement_id("demo", "m1", "We use Redis.")
    fields = {"project": "demo", "state": ReviewState.CONFIRMED, "at": NOON, "event_id": "m1"}
    hash_ = sentence_hash("We use Redis.")

    review = StatementReview(statement_id=id_[:10], sentence_hash=hash_, **fields)  # type: ignore[arg-type] # by name

    assert review.statement_id == id_
    assert replace(review).statement_id == id_


def test_the_statements_of_other_projects_stay_out(store: ThreadStore) -> None:
    (mine,) = saved(store, "We use Redis.")
    theirs = stored(store, "We use Redis.", thread=a_thread("t2", project="other"))
    store.statements.save("other", JUDGE, [a_statement(theirs[0])], theirs[0].seq)

    reviewed(store, mine, ReviewState.REJECTED)
    store.statements.clear("demo")

    assert len(store.statements.all("other")) == 1
    assert store.statements.reviews("other") == []


def test_a_statement_that_was_added_changes_nothing_in_what_is_judged(store: ThreadStore) -> None:
    (known,) = saved(store, "We use Redis.")
    (event,) = stored(store, "Never log the session id.")

    store.statements.add("demo", [a_statement(event)])

    assert store.statements.judged_through("demo", JUDGE) == known.seq
    assert len(store.statements.all("demo")) == 2


def test_a_statement_without_confidence_is_there_only_while_it_is_reviewed(
    store: ThreadStore,
) -> None:
    (event,) = stored(store, "Never log the session id.")
    added = a_statement(event, confidence=0.0)
    store.statements.add("demo", [added])

    before = store.statements.all("demo", rejected=True)
    reviewed(store, added, ReviewState.CONFIRMED)
    during = store.statements.all("demo")
    store.statements.review("demo", None, added.id)

    assert ids(before) == []
    assert [(one.id, one.confidence) for one in during] == [(added.id, 1.0)]
    assert ids(store.statements.all("demo")) == []
    assert store.statements.of_events([event.seq]) == {}


def test_statements_are_read_by_their_ids_and_those_that_are_gone_are_left_out(
    store: ThreadStore,
) -> None:
    first, _, third = saved(store, "We use Redis.", "Postgres is nice.", "It is Postgres.")
    reviewed(store, third, ReviewState.CONFIRMED)

    found = store.statements.by_id("demo", [first.id, third.id, "s_gone"])

    assert found.keys() == {first.id, third.id}
    assert found[third.id].review is ReviewState.CONFIRMED
    assert store.statements.by_id("unknown", [first.id]) == {}
    assert store.statements.by_id("demo", []) == {}


def test_what_may_have_superseded_a_statement_comes_back_the_likeliest_first(
    store: ThreadStore,
) -> None:
    old, second, third = saved(store, "We use Redis.", "Postgres is nice.", "It is Postgres.")
    store.statements.save_doubts("demo", [(old.id, second.id, 0.1), (old.id, third.id, 0.25)])

    changes = store.statements.possible_changes("demo", [old.id, second.id])

    assert changes == {old.id: [PossibleChange(third, 0.25), PossibleChange(second, 0.1)]}
    assert store.statements.get("demo", old.id).holds
    assert store.statements.possible_changes("unknown", [old.id]) == {}


def test_a_rejected_statement_may_not_have_superseded_anything(store: ThreadStore) -> None:
    old, new = saved(store, "We use Redis.", "It is Postgres.")
    store.statements.save_doubts("demo", [(old.id, new.id, 0.25)])

    reviewed(store, new, ReviewState.REJECTED)

    assert store.statements.possible_changes("demo", [old.id]) == {}


def test_a_doubt_goes_with_its_statements(store: ThreadStore) -> None:
    old, new = saved(store, "We use Redis.", "It is Postgres.")
    store.statements.save_doubts("demo", [(old.id, new.id, 0.25)])

    store.statements.clear("demo")
    store.statements.save("demo", JUDGE, [old, new], new.seq)

    assert store.statements.possible_changes("demo", [old.id]) == {}
