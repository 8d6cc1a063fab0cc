"""A memory whose threads are laid out by hand, to see what it suggests."""

from dataclasses import dataclass, field, replace

from ai_smartness import Memory
from ai_smartness.memory import MemoryParts
from ai_smartness.model.search import IndexedWords
from ai_smartness.ports import ThreadStore
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from builders import NOON, a_thread, an_event, stored
from engines import open_store

__all__ = ["API", "FLOW", "LOGIN", "SCHEMA", "Site"]

FLOW = (
    "The authentication flow checks the password and sets a session cookie",
    "The authentication flow redirects to the page that was asked for",
)
LOGIN = (
    "The authentication flow checks the password, then sets the session cookie",
    "The authentication flow redirects to the page that was asked",
)
API = (
    "The API design has a resource for each invoice and one for each customer.",
    "Each resource of the API design answers with a version header.",
    "Version the API design by header, and keep the old resource for a year.",
    "Done: the API design names the version in the header of each resource.",
    "Does the API design page the invoice resource by cursor?",
    "It does: the cursor of the invoice resource is in the API design now.",
    "Errors of the API design carry a code for each resource.",
    "The API design lists each error code with its resource.",
)
SCHEMA = (
    "Draw the database schema with a table for orders and one for payments.",
    "The database schema has a foreign key from payments to orders.",
    "Index the orders table of the database schema by date.",
    "The database schema has an index on the orders table now.",
    "Should the database schema keep deleted payments in the table?",
    "Deleted payments stay in the table of the database schema with a flag.",
)


@dataclass
class Site:
    """A memory whose threads are laid out by hand."""

    clock: SetClock = field(default_factory=lambda: SetClock(NOON))
    store: ThreadStore = field(default_factory=open_store)

    @property
    def memory(self) -> Memory:
        parts = MemoryParts(store=self.store, embedder=lambda: self.model, clock=self.clock)
        return Memory(parts, "demo", Settings())

    model: HashEmbedder | None = field(default_factory=HashEmbedder)

    def lay(self, id_: str, *texts: str, **known: object) -> None:
        """Keep a thread with these messages."""
        thread = replace(a_thread(id_), title_given=True, **known)  # type: ignore[arg-type]
        stored(self.store, *texts, thread=thread)

    def say(self, id_: str, text: str, session: str) -> None:
        """Say something on a thread in a session."""
        thread = self.store.threads.get(id_)
        number = self.store.events.count("demo")
        (kept,) = self.store.events.append([an_event(f"m{number}", thread, text, session=session)])
        self.store.word_index.add("demo", [IndexedWords(kept.seq, kept.text, "", "")])

    def lay_others(self, count: int = 6, **known: object) -> None:
        """Keep threads that have to do with nothing: among them others are told apart."""
        for n in range(count):
            self.lay(f"thread_{n}", f"subject{n} detail{n} matter{n} thing{n}", **known)
