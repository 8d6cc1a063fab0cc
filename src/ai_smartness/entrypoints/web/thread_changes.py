"""The changes that the page of a thread offers: each is shown as a dry run, and then made."""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import TypeAlias, TypeVar

from ai_smartness.entrypoints.web.page import PageRequest, Rendered
from ai_smartness.model.bridge import BridgeDraft, Relation
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import Outcome
from ai_smartness.model.thread import Kind, SplitLock
from ai_smartness.views.thread_view import previewed_threads, split_parts

__all__ = ["change_thread", "preview_change"]

MAX_TARGET_DIGITS = 7

Choice = TypeVar("Choice", bound=StrEnum)
ThreadChange: TypeAlias = Callable[..., Outcome]
"""A change that waits for the word whether it is a dry run."""


def preview_change(request: PageRequest) -> Rendered:
    """Show what a change would do."""
    outcome = _change(request, dry_run=True)
    fields = [
        (name, value) for name, values in request.form.items() if name != "csrf" for value in values
    ]
    values = {
        "outcome": outcome,
        "sentence": request.sentence(outcome),
        "threads": previewed_threads(outcome),
        "fields": fields,
        "compaction": getattr(outcome, "compaction", None),
    }
    return Rendered("thread_preview.html", values)


def change_thread(request: PageRequest) -> Outcome:
    """Make the change that was shown."""
    return _change(request, dry_run=False)


def _change(request: PageRequest, *, dry_run: bool) -> Outcome:
    verb = request.value("verb")
    if verb not in _VERBS:
        msg = f"cannot {verb[:40]} here: there is no such change."
        raise RefusedError(msg)
    return _VERBS[verb](request)(dry_run=dry_run)


def _merge(request: PageRequest) -> ThreadChange:
    return partial(request.memory.merge, request.value("survivor"), request.value("absorbed"))


def _split(request: PageRequest) -> ThreadChange:
    """Split by the titles `title-1` … and the messages `place`, as `1:ID`."""
    titles = {
        int(name.removeprefix("title-")): values[0].strip()
        for name, values in request.form.items()
        if name.startswith("title-") and name.removeprefix("title-").isdecimal()
    }
    places = [value.partition(":") for value in request.form.get("place", ())]
    chosen = [(int(number), id_) for number, _, id_ in places if number.isdecimal() and id_]
    if not chosen:
        msg = "nothing is split: no message was chosen. Give some of them to a new thread."
        raise RefusedError(msg)
    untitled = [number for number, _ in chosen if not titles.get(number)]
    if untitled:
        msg = f"nothing is split: the new thread {min(untitled)} has no title. Give it one."
        raise RefusedError(msg)
    lock = _one_of(SplitLock, request.value("lock"))
    parts = split_parts(titles, chosen)
    return partial(request.memory.split, request.value("thread"), parts, lock=lock)


def _rename(request: PageRequest) -> ThreadChange:
    return partial(request.memory.rename, request.value("thread"), request.value("title"))


def _move(request: PageRequest) -> ThreadChange:
    return partial(request.memory.move, request.value("message"), request.value("thread"))


def _link(request: PageRequest) -> ThreadChange:
    wanted = BridgeDraft(
        source=request.value("source"),
        target=request.value("target"),
        relation=_one_of(Relation, request.value("relation")),
        reason="linked by hand",
    )
    return partial(request.memory.link, wanted)


def _kind(request: PageRequest) -> ThreadChange:
    kind = _one_of(Kind, request.value("kind"))
    return partial(request.memory.confirm, request.value("thread"), kind)


def _condense(request: PageRequest) -> ThreadChange:
    text = request.form.get("target", ("",))[0].strip()
    if text and not (text.isascii() and text.isdecimal() and len(text) <= MAX_TARGET_DIGITS):
        msg = f"cannot condense to {text[:40]!r} tokens: give a whole number."
        raise RefusedError(msg)
    target = int(text) if text else None
    return partial(request.memory.condense, request.value("thread"), target=target)


_VERBS: dict[str, Callable[[PageRequest], ThreadChange]] = {
    "merge": _merge,
    "split": _split,
    "rename": _rename,
    "move": _move,
    "kind": _kind,
    "archive": lambda request: partial(request.memory.archive, request.value("thread")),
    "suspend": lambda request: partial(request.memory.suspend, request.value("thread")),
    "reactivate": lambda request: partial(request.memory.reactivate, request.value("thread")),
    "unlock": lambda request: partial(request.memory.unlock, request.value("thread")),
    "condense": _condense,
    "link": _link,
    "unlink": lambda request: partial(request.memory.unlink, request.value("bridge")),
}


def _one_of(choices: type[Choice], text: str) -> Choice:
    try:
        return choices(text)
    except ValueError as error:
        msg = f"{text[:40]!r} is none of {', '.join(choices)}."
        raise RefusedError(msg) from error
