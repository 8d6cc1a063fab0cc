"""The verb that looks for secrets in what is kept: written before secrets were taken out.

What is captured now has none. `forget` takes away what is found.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import count

from ai_smartness.memory.core import quiet
from ai_smartness.memory.looking import Looking
from ai_smartness.model.kept_secret import KeptSecret, kept_secret
from ai_smartness.ports import Progress
from ai_smartness.redact import redacted_fields, secrets_in

__all__ = ["Redacting"]

BATCH = 1_000
PAGES = 1_000_000
"""All of them: of a session only the newest are kept."""

MESSAGE = "message"


class Redacting(Looking):
    """What is kept is looked through for secrets."""

    def kept_secrets(self, *, progress: Progress = quiet) -> list[KeptSecret]:
        """Return the secrets that the store holds, of every project, without telling them."""
        projects = [each.project for each in self._store.projects()]
        total = sum(self._store.events.count(each) for each in projects)
        found, done = list[KeptSecret](), count(1)
        for project in projects:
            for where, id_, value in self._kept(project):
                found += _secrets(value, where, id_, project)
                if where == MESSAGE:
                    progress(next(done), total)
        return found

    def _kept(self, project: str) -> Iterator[tuple[str, str, object]]:
        """Yield everything of a project that was said, titled, linked, shown or journalled."""
        yield from self._said(project)
        for thread in self._store.threads.all(project):
            yield "thread", thread.id, thread
            for event in self._store.events.compactions(thread.id):
                yield "compaction", event.id, {"text": event.text, "payload": event.payload}
        for bridge in self._store.bridges.all(project):
            yield "bridge", bridge.id, bridge
        for focus in self._store.foci.all(project):
            yield "focus", focus.session or "lasting", focus
        for page in self._store.ledger.pages(project, None, PAGES):
            yield "ledger", f"{page.session} turn {page.turn}", page
        yield from self._journalled(project)

    def _said(self, project: str) -> Iterator[tuple[str, str, object]]:
        seq = 0
        while events := self._store.events.since(project, seq, BATCH):
            for event in events:
                yield MESSAGE, event.id, {"text": event.text, "payload": event.payload}
            seq = events[-1].seq

    def _journalled(self, project: str) -> Iterator[tuple[str, str, object]]:
        before = None
        while entries := self._store.journal.latest(project, BATCH, before):
            for entry in entries:
                yield "journal", str(entry.seq), entry
            before = entries[-1].seq


def _secrets(value: object, where: str, id_: str, project: str) -> list[KeptSecret]:
    found = list[KeptSecret]()
    for name, text in _texts(value, ""):
        each = [(secret.kind, text[secret.start : secret.end]) for secret in secrets_in(text)]
        if not each and name and redacted_fields({name: text}) != {name: text}:
            # It is one by the name of its field.
            each = [("secret", text)]
        place = f"{where} {name}".strip()
        found += [
            kept_secret(kind, secret, where=place, id_=id_, project=project)
            for kind, secret in each
        ]
    return found


def _texts(value: object, name: str) -> Iterator[tuple[str, str]]:
    """Yield every text within a value, with the name of the field it is in."""
    match value:
        case str():
            yield name, value
        case Mapping():
            for each, inner in value.items():
                yield from _texts(inner, str(each))
        case Sequence() | frozenset():
            for inner in value:
                yield from _texts(inner, name)
        case _ if is_dataclass(value):
            for field in fields(value):
                yield from _texts(getattr(value, field.name), field.name)
