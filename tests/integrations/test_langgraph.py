"""A graph of LangGraph whose store is the memory."""

import asyncio
from typing import Any, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import a_memory

pytest.importorskip("langgraph", reason="langgraph is not installed: run scripts/test")

from langchain_core.language_models import FakeListChatModel
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from ai_smartness.integrations.langgraph import LangGraphStore

USER = ("users", "ann")


class Chat(TypedDict):
    """The state of the graph."""

    prompt: str
    answer: str


def answer(state: Chat, *, store: BaseStore) -> dict[str, str]:
    """Answer with what is remembered, and remember the prompt."""
    found = store.search(USER, query=state["prompt"], limit=1)
    store.put(USER, state["prompt"][:20], {"text": state["prompt"]})
    model = FakeListChatModel(responses=["; ".join(item.value["text"] for item in found)])
    return {"answer": str(model.invoke(state["prompt"]).content)}


def test_a_graph_remembers_from_one_run_to_the_next() -> None:
    memory = a_memory()
    builder = StateGraph(Chat)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    graph = builder.compile(store=LangGraphStore(memory))

    first = graph.invoke({"prompt": "Deploys go out on Tuesdays.", "answer": ""})
    second = asyncio.run(graph.ainvoke({"prompt": "When do deploys go out?", "answer": ""}))

    assert first["answer"] == ""
    assert second["answer"] == "Deploys go out on Tuesdays."
    assert memory.search("deploys Tuesdays")[0].text == "text: Deploys go out on Tuesdays."


def test_a_put_and_a_delete_are_changes_that_undo_takes_back() -> None:
    memory = a_memory()
    store = LangGraphStore(memory)
    store.put(USER, "theme", {"text": "dark"})
    store.put(USER, "theme", {"text": "light"})

    store.delete(USER, "theme")
    assert store.get(USER, "theme") is None
    memory.undo()
    item = store.get(USER, "theme")
    assert item is not None
    assert item.value == {"text": "light"}
    assert item.created_at <= item.updated_at


def test_an_item_that_is_not_indexed_is_not_found_by_a_query() -> None:
    store = LangGraphStore(a_memory())
    store.put(USER, "a", {"text": "the blue whale"}, index=False)
    store.put(USER, "b", {"text": "the blue whale", "other": "x"}, index=["text"])

    found = store.search(USER, query="blue whale")

    assert [item.key for item in found] == ["b"]
    assert found[0].score is not None


parts = st.sampled_from(["users", "ann", "bob", "a/b", "ü %"])
namespaces = st.lists(parts, min_size=1, max_size=3).map(tuple)
values = st.fixed_dictionaries({"n": st.integers(0, 3)}, optional={"text": st.just("hi")})
puts = st.tuples(namespaces, st.sampled_from(["k", "l/m"]), st.none() | values)


@settings(max_examples=15)
@given(st.lists(puts, max_size=6), namespaces, st.integers(0, 3))
def test_it_answers_like_langgraphs_own_store(
    changes: list[tuple[tuple[str, ...], str, dict[str, Any] | None]],
    prefix: tuple[str, ...],
    number: int,
) -> None:
    ours, theirs = LangGraphStore(a_memory()), InMemoryStore()
    for namespace, key, value in changes:
        ours.put(namespace, key, value) if value is not None else ours.delete(namespace, key)
    # Without what is deleted again: theirs still lists its namespace.
    left = {(namespace, key): value for namespace, key, value in changes}
    for (namespace, key), value in left.items():
        if value is not None:
            theirs.put(namespace, key, value)

    for filter_ in (None, {"n": number}, {"n": {"$gte": number}}, {"n": {"$lt": 2, "$ne": 0}}):
        assert contents(ours, prefix, filter_) == contents(theirs, prefix, filter_)
    assert [*map(tuple, ours.list_namespaces())] == sorted(theirs.list_namespaces())
    for conditions in ({"prefix": prefix}, {"suffix": ("*", "ann")}, {"max_depth": 1}):
        assert ours.list_namespaces(**conditions) == sorted(theirs.list_namespaces(**conditions))


def contents(
    store: BaseStore, prefix: tuple[str, ...], filter_: dict[str, Any] | None
) -> list[tuple[Any, ...]]:
    items = store.search(prefix, filter=filter_, limit=100)
    return sorted((item.namespace, item.key, str(item.value)) for item in items)
