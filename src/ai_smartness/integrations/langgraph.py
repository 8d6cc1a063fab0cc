"""A `BaseStore` of LangGraph that lives in the memory: an item is a document.

The namespace and the key are the document's name. Every `put` and `delete` is a change that
`Memory.undo` takes back, and a search with a query is our own search.
"""

import asyncio
import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, cast
from urllib.parse import quote, unquote

from langgraph.store import base
from langgraph.store.memory import InMemoryStore

from ai_smartness.memory import Memory
from ai_smartness.model.document import Document
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.journal import Actor

__all__ = ["LangGraphStore"]

ROOT = "langgraph"
SEARCHED_MESSAGES = 200  # of all that the memory holds; items further down are not found


class LangGraphStore(base.BaseStore):
    """A store for `graph.compile(store=LangGraphStore(memory))`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory.used_by(Actor("agent", "langgraph"))

    def batch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        """Carry out operations in order."""
        return [self._carry_out(op) for op in ops]

    async def abatch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        """Carry out operations in order, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _carry_out(self, op: base.Op) -> base.Result:
        match op:
            case base.GetOp():
                with suppress(NotFoundError):
                    return _item(self._memory.document(_document_name(op.namespace, op.key)))
            case base.PutOp():
                self._put(op)
            case base.SearchOp():
                return [*self._found_items(op)]
            case base.ListNamespacesOp():
                items = map(_item, self._memory.documents(f"{ROOT}/"))
                return sorted(_filtered_by_langgraph(items, op))
        return None

    def _put(self, op: base.PutOp) -> None:
        name = _document_name(op.namespace, op.key)
        if op.value is not None:
            text = _searchable_text(dict(op.value), op.index)
            self._memory.write_document(name, text, payload={"value": dict(op.value)})
        else:
            with suppress(NotFoundError):
                self._memory.remove_documents([name])

    def _found_items(self, op: base.SearchOp) -> list[base.SearchItem]:
        documents = self._memory.documents(_document_name(op.namespace_prefix, ""))
        if op.query:
            hits = self._memory.search(op.query, limit=SEARCHED_MESSAGES)
            scores = {hit.thread_id: hit.score for hit in reversed(hits)}
            documents = [document for document in documents if document.thread_id in scores]
            documents.sort(key=lambda document: -scores[document.thread_id])
            items = [_item(document, scores[document.thread_id]) for document in documents]
        else:
            items = [*map(_item, documents)]
        everything = op._replace(query=None, limit=len(items), offset=0)
        wanted = {(item.namespace, item.key) for item in _filtered_by_langgraph(items, everything)}
        items = [item for item in items if (item.namespace, item.key) in wanted]
        return items[op.offset : op.offset + op.limit]


def _document_name(namespace: tuple[str, ...], key: str) -> str:
    return "/".join([ROOT, *(quote(part, safe="") for part in (*namespace, key))])


def _item(document: Document, score: float | None = None) -> base.SearchItem:
    *namespace, key = map(unquote, document.name.split("/")[1:])
    value = cast("dict[str, Any]", document.payload["value"])
    times = document.created_at, document.changed_at
    return base.SearchItem(tuple(namespace), key, value, *times, score)


def _filtered_by_langgraph(items: Iterable[base.Item], op: base.Op) -> Any:  # noqa: ANN401 - as `op`
    """Ask a store of LangGraph's own, which knows every filter and condition."""
    store = InMemoryStore()
    store.batch([base.PutOp(item.namespace, item.key, item.value) for item in items])
    return store.batch([op])[0]


def _searchable_text(value: dict[str, Any], index: object) -> str:
    """Return the text by which an item is found: all of it, some of its fields, or nothing."""
    if index is False:
        return ""
    if isinstance(index, list):
        return "\n".join(text for path in index for text in base.get_text_at_path(value, path))
    texts = (v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in value.values())
    return "\n".join(f"{name}: {text}" for name, text in zip(value, texts, strict=True))
