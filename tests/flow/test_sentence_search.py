"""A fact in a side sentence of a long message is found by what that sentence says."""

from dataclasses import replace

import numpy as np

from ai_smartness import Memory
from ai_smartness.ports import Embedder
from builders import a_memory, said

LONG = (
    "I went through the shelves with my sister on Saturday and we sorted out what the attic has. "
    "The lamps go to the flea market, and the two chairs are for my cousin's new kitchen. "
    "By the way, my dentist moved to the building behind the railway station. "
    "We still have to measure the big cupboard before anybody carries it down the stairs. "
    "The photographs are in three boxes now, one for each of the grandparents and one for us."
)
NEAR = (
    "The doctor's waiting room has new chairs and they are blue.",
    "My teeth hurt when I drink cold water in the morning.",
    "The railway station gets a second platform next summer.",
    "She works behind the counter of the pharmacy on the corner.",
)
QUESTION = "where does the dentist have her practice now?"


def remembering(embedder: Embedder, role: str) -> Memory:
    memory = a_memory(embedder=lambda: embedder)
    texts = (LONG, *NEAR)
    memory.capture(
        replace(said(text, id_=f"m{n}", session=f"s{n}", minute=n), role=role)
        for n, text in enumerate(texts)
    )
    memory.embed()
    return memory


def similarity_of_long(memory: Memory, query: str) -> float:
    (hit,) = (hit for hit in memory.search(query) if hit.id == "m0")
    assert hit.why.similarity is not None
    return hit.why.similarity


def whole_similarity(embedder: Embedder, query: str) -> float:
    (rows,) = embedder.documents([LONG])
    return embedder.similarity(float((rows @ embedder.query(query)).max()))


def test_a_fact_in_a_side_sentence_counts_by_its_own_vector(real_embedder: Embedder) -> None:
    with remembering(real_embedder, "user") as memory:
        found = memory.search(QUESTION)
        similarity = similarity_of_long(memory, QUESTION)

    assert found[0].id == "m0"
    assert similarity > whole_similarity(real_embedder, QUESTION) + 0.1


def test_what_an_agent_says_is_compared_as_a_whole(real_embedder: Embedder) -> None:
    with remembering(real_embedder, "assistant") as memory:
        similarity = similarity_of_long(memory, QUESTION)

    assert np.isclose(similarity, whole_similarity(real_embedder, QUESTION), atol=0.01)


def test_a_question_of_several_sentences_is_compared_with_whole_messages(
    real_embedder: Embedder,
) -> None:
    query = f"I have an appointment tomorrow. {QUESTION}"
    with remembering(real_embedder, "user") as memory:
        similarity = similarity_of_long(memory, query)

    assert np.isclose(similarity, whole_similarity(real_embedder, query), atol=0.01)


def test_a_sentence_is_embedded_with_the_name_of_its_speaker(real_embedder: Embedder) -> None:
    with remembering(real_embedder, "Caroline") as memory:
        store = memory._store  # noqa: SLF001 - derived data has no verb of its own
        (event, *_) = store.events.after_seq(memory.project, 0, 1)
        (vectors,) = store.statements.line_vectors(real_embedder.space, [event.seq]).values()
    (opening,) = real_embedder.documents([f"Caroline: {LONG.partition('. ')[0]}."])

    assert float(vectors[0] @ opening[0]) > 0.99
