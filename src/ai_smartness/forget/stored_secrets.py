"""Find secrets in a store that were written before capture redacted them.

New messages contain none. `forget` deletes the ones found here.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import count

from ai_smartness.model.erasure import StoredSecret, described_secret
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.redact import find_secrets, redacted_fields
from ai_smartness.text.markers import REDACTED_OPEN

__all__ = ["counted_redactions", "stored_secrets"]

SCAN_BATCH = 1_000
ALL_PAGES = 1_000_000  # more than any ledger has: only the newest pages of a session are kept

MESSAGE = "message"

_REDACTION_MARK = re.compile(re.escape(REDACTED_OPEN) + r"([\w-]{1,60})\]")


def counted_redactions(texts: Iterable[str]) -> dict[str, int]:
    """Count the marks of replaced secrets in texts, by kind, the most frequent first."""
    counts = Counter(kind for text in texts for kind in _REDACTION_MARK.findall(text))
    return dict(counts.most_common())


def stored_secrets(store: ThreadStore, progress: Progress) -> list[StoredSecret]:
    """Return the secrets in the store, of every project, without revealing them."""
    projects = [counts.project for counts in store.project_counts()]
    total = sum(store.events.count(project) for project in projects)
    secrets, done = list[StoredSecret](), count(1)
    for project in projects:
        for where, id_, value in _stored_values(store, project):
            secrets += _secrets_in_value(value, where, id_, project)
            if where == MESSAGE:
                progress(next(done), total)
    return secrets


def _stored_values(store: ThreadStore, project: str) -> Iterator[tuple[str, str, object]]:
    """Yield every message, thread, bridge, focus, review, ledger page and journal entry."""
    yield from _message_values(store, project)
    for thread in store.threads.all(project):
        yield "thread", thread.id, thread
        for event in store.events.compactions_of(thread.id):
            yield "compaction", event.id, {"text": event.text, "payload": event.payload}
    for bridge in store.bridges.all(project):
        yield "bridge", bridge.id, bridge
    for focus in store.foci.all(project):
        yield "focus", focus.session or "lasting", focus
    for review in store.statements.reviews(project):
        yield "review", review.statement_id, {"text": review.text}
    for page in store.ledger.latest_pages(project, None, ALL_PAGES):
        yield "ledger", f"{page.session} turn {page.turn}", page
    yield from _journal_values(store, project)


def _message_values(store: ThreadStore, project: str) -> Iterator[tuple[str, str, object]]:
    seq = 0
    while events := store.events.after_seq(project, seq, SCAN_BATCH):
        for event in events:
            yield MESSAGE, event.id, {"text": event.text, "payload": event.payload}
        seq = events[-1].seq


def _journal_values(store: ThreadStore, project: str) -> Iterator[tuple[str, str, object]]:
    before = None
    while entries := store.journal.latest_entries(project, SCAN_BATCH, before):
        for entry in entries:
            yield "journal", str(entry.seq), entry
        before = entries[-1].seq


def _secrets_in_value(value: object, where: str, id_: str, project: str) -> Iterator[StoredSecret]:
    for name, text in _texts_in(value, ""):
        secrets = [(secret.kind, text[secret.start : secret.end]) for secret in find_secrets(text)]
        if not secrets and name and redacted_fields({name: text}) != {name: text}:
            # The name of its field makes it one.
            secrets = [("secret", text)]
        place = f"{where} {name}".strip()
        for kind, secret in secrets:
            yield described_secret(kind, secret, where=place, id_=id_, project=project)


def _texts_in(value: object, name: str) -> Iterator[tuple[str, str]]:
    """Yield every text within a value, with the name of its field."""
    match value:
        case str():
            yield name, value
        case Mapping():
            for key, inner in value.items():
                yield from _texts_in(inner, str(key))
        case Sequence() | frozenset():
            for inner in value:
                yield from _texts_in(inner, name)
        case _ if is_dataclass(value):
            for field in fields(value):
                yield from _texts_in(getattr(value, field.name), field.name)
