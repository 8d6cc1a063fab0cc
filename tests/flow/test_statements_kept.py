"""Whatever handles whole memories knows statements and their reviews."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.bridge import Relation
from ai_smartness.model.erasure import Selection
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.event import Message
from ai_smartness.model.statement import ReviewState, Statement, StatementReview
from ai_smartness.ports import ThreadStore
from builders import NOON, a_statement, a_vector, said
from engines import open_store
from lived_in import PROJECTS, opened
from roaming_machine import exported, taken_in

pytestmark = pytest.mark.every_engine

DEMO = PROJECTS[0]
SAID = (
    said("We use Redis for zanzibar sessions", id_="m1"),
    said("We use Postgres for sessions", id_="m2", minute=1),
    said("We use files for sessions", id_="m3", minute=2, session="s2"),
    said("we use files, for sessions!", id_="m4", minute=3),
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with closing(opened(tmp_path)) as one:
        yield one


def store_of(memory: Memory) -> ThreadStore:
    return memory._store  # noqa: SLF001 - past the door: the verbs of statements are elsewhere


def stated(memory: Memory, *messages: Message) -> list[Statement]:
    """Capture messages, and make a statement of each."""
    memory.capture(messages or SAID)
    store = store_of(memory)
    events = store.events.after_seq(memory.project, 0, 100)
    statements = [a_statement(event) for event in events]
    store.statements.save(memory.project, "test", statements, events[-1].seq)
    return statements


def review(memory: Memory, statement: Statement, state: ReviewState, text: str = "") -> None:
    made = StatementReview(
        statement_id=statement.id, project=memory.project, state=state, at=NOON, text=text
    )
    store_of(memory).statements.review(memory.project, made, statement.id)


def forget(memory: Memory, *ids: str) -> None:
    done = memory.forget(Selection(project=memory.project, messages=ids))
    assert done.left == ()


@pytest.mark.file_store
def test_a_forgotten_message_takes_its_statement_vector_and_review_along(
    memory: Memory, tmp_path: Path
) -> None:
    first, *_ = stated(memory)
    statements = store_of(memory).statements
    statements.save_vectors(DEMO, "m@1", [first.id], np.array([a_vector(1)]))
    review(memory, first, ReviewState.CORRECTED, "We use quagga for sessions")

    forget(memory, "m1")

    assert statements.vectors(DEMO, "m@1")[0] == []
    assert statements.reviews(DEMO) == []
    with pytest.raises(NotFoundError):
        statements.get(DEMO, first.id)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"zanzibar" not in kept.lower()
    assert b"quagga" not in kept.lower()


def test_what_a_forgotten_statement_superseded_is_superseded_by_the_next(memory: Memory) -> None:
    redis, postgres, files, _ = stated(memory)
    statements = store_of(memory).statements
    statements.supersede(
        DEMO,
        [
            (redis.id, postgres.id, Relation.REPLACES, postgres.at),
            (postgres.id, files.id, Relation.UPDATES, files.at),
        ],
    )

    forget(memory, "m2")

    passed_on = statements.get(DEMO, redis.id)
    assert (passed_on.superseded_by, passed_on.superseded_at) == (files.id, files.at)

    forget(memory, "m3")

    assert statements.get(DEMO, redis.id).holds


def test_a_rejected_sentence_stays_rejected_when_one_of_its_messages_is_forgotten(
    memory: Memory,
) -> None:
    *_, files, again = stated(memory)
    review(memory, files, ReviewState.REJECTED)

    forget(memory, "m3")

    statements = store_of(memory).statements
    assert statements.get(DEMO, again.id).review is ReviewState.REJECTED
    assert [made.event_id for made in statements.reviews(DEMO)] == ["m4"]


def test_a_subject_and_a_correction_in_forgotten_words_go_too(memory: Memory) -> None:
    _, postgres, files, _ = stated(memory)
    statements = store_of(memory).statements
    statements.save(DEMO, "test", [replace(postgres, subject=("zanzibar", "storage"))], 0)
    review(memory, files, ReviewState.CORRECTED, "As for zanzibar, we use files")

    forget(memory, "m1")

    assert statements.get(DEMO, postgres.id).subject == ("storage",)
    assert statements.get(DEMO, files.id).text == files.text
    assert statements.reviews(DEMO) == []


@pytest.mark.parametrize("selection", [Selection(project=DEMO), Selection(session="s1")])
def test_a_project_and_a_session_are_forgotten_with_their_statements(
    memory: Memory, selection: Selection
) -> None:
    for statement in stated(memory, *SAID[:2]):
        review(memory, statement, ReviewState.CONFIRMED)

    done = memory.forget(selection)

    assert done.left == ()
    assert store_of(memory).statements.all(DEMO, rejected=True) == []
    assert store_of(memory).statements.reviews(DEMO) == []


def test_a_message_that_names_a_statement_that_stays_can_be_forgotten(memory: Memory) -> None:
    first, *_ = stated(memory)
    memory.capture(said(f"please confirm {first.id}", id_="m9", minute=9))

    forget(memory, "m9")

    assert store_of(memory).statements.get(DEMO, first.id) == first


def test_reviews_are_exported_and_apply_once_the_statements_are_found_again(
    memory: Memory,
) -> None:
    first, second, *rest = stated(memory)
    review(memory, first, ReviewState.REJECTED)
    review(memory, second, ReviewState.CORRECTED, "We use Postgres 16")
    source, target = store_of(memory), open_store()

    loaded = taken_in(target, exported(source))

    assert loaded.added["review"] == 2
    assert target.statements.reviews(DEMO) == source.statements.reviews(DEMO)
    assert target.statements.all(DEMO) == []
    events = target.events.by_seq([first.seq, second.seq])
    target.statements.save(DEMO, "test", [first, second, *rest], max(events))
    assert target.statements.all(DEMO) == source.statements.all(DEMO)
    assert taken_in(target, exported(source)).known["review"] == 2


def test_the_review_of_a_message_that_was_forgotten_here_is_not_brought_back(
    memory: Memory,
) -> None:
    first, *_ = stated(memory)
    review(memory, first, ReviewState.CORRECTED, "We use quagga")
    source = store_of(memory)
    file = exported(source)
    forget(memory, "m1")

    loaded = taken_in(source, file)

    assert (loaded.left_out["event"], loaded.left_out["review"]) == (1, 1)
    assert source.statements.reviews(DEMO) == []


def test_a_reindex_drops_statements_and_leaves_reviews(memory: Memory) -> None:
    first, *_ = stated(memory)
    review(memory, first, ReviewState.REJECTED)

    memory.reindex()

    statements = store_of(memory).statements
    assert statements.judged_through(DEMO, "test") == 0
    assert len(statements.reviews(DEMO)) == 1


def test_a_secret_in_a_correction_is_reported(memory: Memory) -> None:
    first, *_ = stated(memory)
    review(
        memory,
        first,
        ReviewState.CORRECTED,
        "We use ghp_" + "k3Zq9XwT7m" + "B2rN8vC5yL" + "1pD6hF4jS0aGeUiQ",
    )

    (secret,) = memory.kept_secrets()

    assert (secret.where, secret.id) == ("review text", first.id)
