"""Documents as items: a JSON value under a namespace and a key, found by its texts.

The parts of the namespace and the key make the document's name. Each method that changes something
is one change, which `Memory.undo` takes back.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from urllib.parse import quote, unquote

from ai_smartness.memory import Memory
from ai_smartness.model.document import Document
from ai_smartness.model.errors import NotFoundError

__all__ = ["DocumentItems", "StoredItem"]

SEARCHED_MESSAGES = 200  # of all that the memory holds; items further down are not found


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItem:
    """A value with its place; the score is that of a search."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    created_at: datetime
    changed_at: datetime
    score: float | None = None


class DocumentItems:
    """The items whose documents have names that begin with this root."""

    def __init__(self, memory: Memory, root: str) -> None:
        self._memory = memory
        self._root = root

    def item(self, namespace: tuple[str, ...], key: str) -> StoredItem | None:
        """Return an item, if it exists."""
        with suppress(NotFoundError):
            return _item(self._memory.document(self._name(namespace, key)))
        return None

    def items(self, namespace: tuple[str, ...] = ()) -> list[StoredItem]:
        """Return the items in a namespace and in those below it."""
        return [*map(_item, self._documents(namespace))]

    def found_items(self, namespace: tuple[str, ...], query: str) -> list[StoredItem]:
        """Return those of the items that answer a query, the best first."""
        hits = self._memory.search(query, limit=SEARCHED_MESSAGES)
        scores = {hit.thread_id: hit.score for hit in reversed(hits)}
        documents = self._documents(namespace)
        found = [document for document in documents if document.thread_id in scores]
        found.sort(key=lambda document: -scores[document.thread_id])
        return [_item(document, scores[document.thread_id]) for document in found]

    def write(
        self, namespace: tuple[str, ...], key: str, value: Mapping[str, Any], text: str
    ) -> None:
        """Write an item, or replace it; a search finds it by the text."""
        name = self._name(namespace, key)
        self._memory.write_document(name, text, payload={"value": dict(value)})

    def remove(self, namespace: tuple[str, ...], key: str) -> None:
        """Remove an item, if it exists."""
        with suppress(NotFoundError):
            self._memory.remove_documents([self._name(namespace, key)])

    def _documents(self, namespace: tuple[str, ...]) -> list[Document]:
        return self._memory.documents(self._name(namespace, ""))

    def _name(self, namespace: tuple[str, ...], key: str) -> str:
        return "/".join([self._root, *(quote(part, safe="") for part in (*namespace, key))])


def _item(document: Document, score: float | None = None) -> StoredItem:
    *namespace, key = map(unquote, document.name.split("/")[1:])
    return StoredItem(
        namespace=tuple(namespace),
        key=key,
        value=cast("dict[str, Any]", document.payload["value"]),
        created_at=document.created_at,
        changed_at=document.changed_at,
        score=score,
    )
