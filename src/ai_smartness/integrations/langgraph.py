"""A `BaseStore` of LangGraph that lives in the memory: an item is a document.

The namespace and the key are the document's name. Every `put` and `delete` is a change that
`Memory.undo` takes back, and a search with a query is our own search.
"""

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from langgraph.store import base
from langgraph.store.memory import InMemoryStore

from ai_smartness.memory import Memory
from ai_smartness.memory.document_items import DocumentItems, StoredItem
from ai_smartness.model.journal import Actor

__all__ = ["LangGraphStore"]


class LangGraphStore(base.BaseStore):
    """A store for `graph.compile(store=LangGraphStore(memory))`."""

    def __init__(self, memory: Memory) -> None:
        self._items = DocumentItems(memory.used_by(Actor("agent", "langgraph")), "langgraph")

    def batch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        """Carry out operations in order."""
        return [self._carry_out(op) for op in ops]

    async def abatch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        """Carry out operations in order, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _carry_out(self, op: base.Op) -> base.Result:
        match op:
            case base.GetOp():
                item = self._items.item(op.namespace, op.key)
                return _search_item(item) if item else None
            case base.PutOp(value=dict(value)):
                self._items.write(op.namespace, op.key, value, _searchable_text(value, op.index))
            case base.PutOp():
                self._items.remove(op.namespace, op.key)
            case base.SearchOp():
                return [*self._found_items(op)]
            case base.ListNamespacesOp():
                return sorted(_filtered_by_langgraph(map(_search_item, self._items.items()), op))
        return None

    def _found_items(self, op: base.SearchOp) -> list[base.SearchItem]:
        prefix, query = op.namespace_prefix, op.query
        stored = self._items.found_items(prefix, query) if query else self._items.items(prefix)
        items = [*map(_search_item, stored)]
        everything = op._replace(query=None, limit=len(items), offset=0)
        wanted = {(item.namespace, item.key) for item in _filtered_by_langgraph(items, everything)}
        matching = [item for item in items if (item.namespace, item.key) in wanted]
        return matching[op.offset : op.offset + op.limit]


def _search_item(item: StoredItem) -> base.SearchItem:
    place, times = (item.namespace, item.key), (item.created_at, item.changed_at)
    return base.SearchItem(*place, item.value, *times, item.score)


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
