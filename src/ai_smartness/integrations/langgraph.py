"""A `BaseStore` of LangGraph that lives in the memory: an item is a document.

The namespace and the key are the document's name. Every `put` and `delete` is a change that
`Memory.undo` takes back, and a search with a query is our own search.
"""

import asyncio
import json
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

from ai_smartness.memory import Memory
from ai_smartness.model.document import Document
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.journal import Actor

__all__ = ["LangGraphStore"]

ROOT = "langgraph"
SEARCHED_MESSAGES = 200  # of all that the memory holds; items further down are not found

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class LangGraphStore(BaseStore):
    """A store for `graph.compile(store=LangGraphStore(memory))`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory.used_by(Actor("agent", "langgraph"))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in order."""
        return [self._carried_out(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in order, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _carried_out(self, op: Op) -> Result:
        match op:
            case GetOp():
                return self._found_item(op)
            case PutOp():
                self._put(op)
                return None
            case SearchOp():
                return self._found_items(op)
            case ListNamespacesOp():
                return self._namespaces(op)

    def _found_item(self, op: GetOp) -> Item | None:
        try:
            return _item(self._memory.document(_document_name(op.namespace, op.key)))
        except NotFoundError:
            return None

    def _put(self, op: PutOp) -> None:
        name = _document_name(op.namespace, op.key)
        if op.value is not None:
            text = _searchable_text(op.value, op.index)
            self._memory.write_document(name, text, payload={"value": dict(op.value)})
        elif any(document.name == name for document in self._memory.documents(name)):
            self._memory.remove_documents([name])

    def _found_items(self, op: SearchOp) -> list[SearchItem]:
        folder = _document_name(op.namespace_prefix, "")
        documents = [
            document
            for document in self._memory.documents(folder)
            if _matches(document.payload.get("value"), op.filter or {})
        ]
        scores: dict[str, float] = {}
        if op.query:
            hits = self._memory.search(op.query, limit=SEARCHED_MESSAGES)
            scores = {hit.thread_id: hit.score for hit in reversed(hits)}
            documents = [document for document in documents if document.thread_id in scores]
            documents.sort(key=lambda document: -scores[document.thread_id])
        page = documents[op.offset : op.offset + op.limit]
        return [
            SearchItem(**_item_fields(document), score=scores.get(document.thread_id))
            for document in page
        ]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        namespaces = {_namespace_and_key(one)[0] for one in self._memory.documents(f"{ROOT}/")}
        matching = {
            namespace[: op.max_depth]
            for namespace in namespaces
            if all(_fits(namespace, condition) for condition in op.match_conditions or ())
        }
        return sorted(matching)[op.offset : op.offset + op.limit]


def _document_name(namespace: tuple[str, ...], key: str) -> str:
    return "/".join([ROOT, *(quote(part, safe="") for part in (*namespace, key))])


def _namespace_and_key(document: Document) -> tuple[tuple[str, ...], str]:
    *namespace, key = map(unquote, document.name.split("/")[1:])
    return tuple(namespace), key


def _item_fields(document: Document) -> dict[str, Any]:
    namespace, key = _namespace_and_key(document)
    return {
        "namespace": namespace,
        "key": key,
        "value": document.payload["value"],
        "created_at": document.created_at,
        "updated_at": document.changed_at,
    }


def _item(document: Document) -> Item:
    return Item(**_item_fields(document))


def _searchable_text(value: Mapping[str, Any], index: object) -> str:
    """Return the text by which an item is found: all of it, some of its fields, or nothing."""
    if index is False:
        return ""
    if isinstance(index, list):
        return "\n".join(text for path in index for text in get_text_at_path(dict(value), path))
    texts = (v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in value.values())
    return "\n".join(f"{name}: {text}" for name, text in zip(value, texts, strict=True))


def _matches(value: object, wanted: object) -> bool:
    """Say whether a value is as a filter wants it: equal, or in the relation that it names."""
    if not isinstance(wanted, Mapping):
        return value == wanted
    if any(str(name).startswith("$") for name in wanted):
        return all(_OPERATORS[name](value, other) for name, other in wanted.items())
    return isinstance(value, Mapping) and all(
        _matches(value.get(name), inner) for name, inner in wanted.items()
    )


def _fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Say whether a namespace begins or ends so; `*` stands for any part."""
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)]
    if condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", name) for wanted, name in zip(path, part, strict=True))
