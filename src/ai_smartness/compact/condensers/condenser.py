"""What a condenser is, and what it is given."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol, runtime_checkable

from ai_smartness.compact.known import named_in, stated_in
from ai_smartness.inject.tokens import tokens
from ai_smartness.model.condensed import Replacement
from ai_smartness.model.event import Event
from ai_smartness.model.note import Mention, Proposal
from ai_smartness.ports import LanguageModel

__all__ = ["Condenser", "Context", "Wrote"]


class Wrote(NamedTuple):
    """What a condenser wrote, and what there is to say about it."""

    replacements: Sequence[Replacement]
    remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What surrounds a condensing.

    `target` is how many tokens what is written may take, as `tokens` counts them.
    `named` and `stated` tell what an event names and what its speaker plainly
    states. `read_file` gives a file of the project as it is now, `model` writes;
    both may be missing.
    """

    thread_id: str
    title: str
    target: int
    now: datetime
    tokens: Callable[[str], int] = tokens
    named: Callable[[Event], Sequence[Mention]] = named_in
    stated: Callable[[Event], Sequence[Proposal]] = stated_in
    parameters: Mapping[str, object] = field(default_factory=dict)
    read_file: Callable[[str], str | None] | None = None
    model: LanguageModel | None = None


@runtime_checkable
class Condenser(Protocol):
    """A way to say a long thread in few words.

    It is pure: it writes nothing, and what it raises leaves the thread as it was. It
    may have `parameters`: what it takes, each with its default. One that sets `asks_model`
    is given a language model, where one is configured.
    """

    @property
    def id(self) -> str:
        """Name it, as it is asked for."""
        ...

    @property
    def version(self) -> str:
        """Number the way it works: what it wrote says by which it was written."""
        ...

    def condense(self, events: Sequence[Event], context: Context) -> Sequence[Replacement] | Wrote:
        """Return what stands for these events, in order; a call comes with its result."""
        ...
