"""Addresses and forms of `ais web` that name the ids of somebody else.

The tables are complete: `pages_in_code` and `actions_in_code` read the pages, their parts and
their actions from the program, and a test compares them. A new one has to be listed here.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TypeAlias

from ai_smartness.entrypoints.web import thread_changes
from ai_smartness.entrypoints.web.page_table import PAGES
from builders import NOON
from two_projects import PANGOLIN, Ids

__all__ = [
    "FORMS",
    "QUERIES",
    "THREAD_CHANGES",
    "actions_in_code",
    "asked_forms",
    "pages_in_code",
    "thread_changes_in_code",
]

Fields: TypeAlias = dict[str, str]
NamedIds: TypeAlias = Callable[[Ids, Ids], Fields]

_AT = NOON.isoformat()


def _plain(_mine: Ids, _theirs: Ids) -> Fields:
    return {}


QUERIES: dict[str, list[NamedIds]] = {
    "turns": [_plain, lambda _, theirs: {"session": theirs.session}],
    "turns/sent": [lambda _, theirs: {"session": theirs.session, "at": _AT}],
    "holds": [
        _plain,
        lambda *_: {"q": PANGOLIN},
        lambda _, theirs: {"kind": "rule", "after": theirs.statement},
    ],
    "holds/brief": [_plain],
    "holds/correcting": [
        lambda mine, _: {"id": mine.statement},
        lambda _, theirs: {"id": theirs.statement},
    ],
    "holds/rejected": [_plain],
    "threads": [
        _plain,
        lambda *_: {"q": PANGOLIN},
        lambda *_: {"step": "0"},
        lambda *_: {"status": "archived"},
        lambda *_: {"client": "claude-code"},
        lambda _, theirs: {"after": f"{_AT}~{theirs.thread[:16]}"},
    ],
    "threads/search": [lambda *_: {"q": f"{PANGOLIN} keys"}],
    "threads/one": [
        lambda mine, _: {"id": mine.thread},
        lambda mine, _: {"id": mine.thread, "at": _AT},
        lambda mine, _: {"id": mine.thread, "step": "0"},
        lambda _, theirs: {"id": theirs.thread},
        lambda _, theirs: {"id": theirs.thread, "at": _AT},
    ],
    "threads/thread": [
        lambda mine, _: {"id": mine.thread},
        lambda _, theirs: {"id": theirs.thread, "before": "1000"},
    ],
    "threads/split": [
        lambda mine, _: {"id": mine.thread},
        lambda _, theirs: {"id": theirs.thread},
    ],
    "threads/choose": [
        lambda mine, _: {"id": mine.thread},
        lambda mine, _: {"id": mine.thread, "q": PANGOLIN},
        lambda mine, theirs: {"id": mine.thread, "message": theirs.message},
        lambda _, theirs: {"id": theirs.thread, "verb": "link"},
    ],
    "timeline": [
        _plain,
        lambda *_: {"span": "day", "until": _AT},
        lambda _, theirs: {"after": f"{_AT}~{theirs.thread[:16]}"},
    ],
    "neighbourhood": [
        _plain,
        lambda mine, _: {"id": mine.thread},
        lambda _, theirs: {"id": theirs.thread},
    ],
    "changes": [
        _plain,
        lambda _, theirs: {"thread": theirs.thread},
        lambda _, theirs: {"before": str(theirs.change + 1)},
    ],
    "suggestions": [_plain, lambda *_: {"q": PANGOLIN}],
    "suggestions/list": [_plain, lambda _, theirs: {"q": theirs.thread}],
    "safety": [_plain],
    "safety/redactions": [_plain],
    "safety/secrets": [_plain],
    "health": [_plain],
    "health/checks": [_plain],
}
"""By page or part: the values of its address. Only the start of an id says where a page goes on,
because the rest is random and comes before or after other ids by chance."""

THREAD_CHANGES: dict[str, NamedIds] = {
    "merge": lambda mine, theirs: {"survivor": mine.thread, "absorbed": theirs.thread},
    "split": lambda _, t: {
        "thread": t.thread,
        "title-1": "x",
        "place": f"1:{t.message}",
        "lock": "force",
    },
    "rename": lambda _, theirs: {"thread": theirs.thread, "title": "x"},
    "move": lambda mine, theirs: {"message": theirs.message, "thread": mine.thread},
    "kind": lambda _, theirs: {"thread": theirs.thread, "kind": "decision"},
    "archive": lambda _, theirs: {"thread": theirs.thread},
    "suspend": lambda _, theirs: {"thread": theirs.thread},
    "reactivate": lambda _, theirs: {"thread": theirs.thread},
    "unlock": lambda _, theirs: {"thread": theirs.thread},
    "condense": lambda _, theirs: {"thread": theirs.thread, "target": "100"},
    "link": lambda mine, t: {"source": mine.thread, "target": t.thread, "relation": "extends"},
    "unlink": lambda _, theirs: {"bridge": theirs.bridge},
}
"""By verb: the form of `threads/preview` and `threads/change`."""

FORMS: dict[str, NamedIds] = {
    "turns/rate": lambda _, theirs: {"thread": theirs.thread, "useful": "yes"},
    "turns/pin": lambda *_: {"text": "Tabs, not spaces."},
    "turns/reject": lambda _, theirs: {"statement": theirs.statement},
    "turns/hide": lambda _, theirs: {"message": theirs.message, "text": "x"},
    "holds/confirm": lambda _, theirs: {"statement": theirs.statement},
    "holds/reject": lambda _, theirs: {"statement": theirs.statement},
    "holds/correct": lambda _, t: {"statement": t.statement, "text": "x", "kind": "rule"},
    "threads/focus": lambda _, theirs: {"topic": theirs.thread},
    "threads/unfocus": lambda _, theirs: {"topic": theirs.thread},
    "suggestions/plan": lambda *_: {"strategy": "normal"},
    "suggestions/compact": lambda *_: {"strategy": "normal"},
    "suggestions/merge": lambda mine, t: {"survivor": mine.thread, "absorbed": t.thread},
    "suggestions/apart": lambda mine, theirs: {"first": mine.thread, "second": theirs.thread},
    "suggestions/split": lambda _, theirs: {"thread": theirs.thread},
    "suggestions/whole": lambda _, theirs: {"thread": theirs.thread},
    "suggestions/archive": lambda _, theirs: {"thread": theirs.thread},
    "suggestions/both": lambda mine, theirs: {"older": mine.thread, "newer": theirs.thread},
    "safety/preview": lambda *_: {"words": PANGOLIN},
    "safety/forget": lambda *_: {"words": PANGOLIN},
    "safety/backup": _plain,
}
"""By action: its form. `threads/preview` and `threads/change` have `THREAD_CHANGES`."""


def asked_forms() -> Iterator[tuple[str, NamedIds]]:
    """Yield every action with a form; a change of a thread is previewed, and then made."""
    yield from FORMS.items()
    for action in ("preview", "change"):
        for verb, named in THREAD_CHANGES.items():
            yield f"threads/{action}", _with_verb(verb, named)


def _with_verb(verb: str, named: NamedIds) -> NamedIds:
    return lambda mine, theirs: {"verb": verb, **named(mine, theirs)}


def pages_in_code() -> set[str]:
    """Name the pages and their parts."""
    return {*PAGES, *_names_in_code("PARTS")}


def actions_in_code() -> set[str]:
    """Name the actions of the pages."""
    return set(_names_in_code("ACTIONS"))


def thread_changes_in_code() -> set[str]:
    """Name the changes that the page of a thread offers."""
    return set(thread_changes._VERBS)  # noqa: SLF001 - the table itself


def _names_in_code(table: str) -> Iterator[str]:
    for page in PAGES:
        module = import_module(f"ai_smartness.entrypoints.web.pages.{page}_page")
        yield from (f"{page}/{name}" for name in getattr(module, table, {}))
