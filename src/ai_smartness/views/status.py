"""What there is, in the few lines that an agent reads."""

from collections.abc import Iterator
from typing import Protocol

from ai_smartness.model.link import SuggestionsLink
from ai_smartness.text.display import one_line
from ai_smartness.text.markers import marked_text
from ai_smartness.views.links import read_call

__all__ = ["StatusFacts", "status_page"]


class StatusFacts(Protocol):
    """What a memory says of itself."""

    @property
    def project(self) -> str:
        """The project it is seen from."""
        ...

    @property
    def threads(self) -> int:
        """How many threads the project has."""
        ...

    @property
    def events(self) -> int:
        """How many messages the project has."""
        ...

    @property
    def injected(self) -> int:
        """How much was ever shown to agents unasked."""
        ...

    @property
    def used(self) -> int:
        """How much of that came back in what they did."""
        ...

    @property
    def space(self) -> str | None:
        """The model that it searches with."""
        ...

    @property
    def pending(self) -> int:
        """How many messages are not embedded yet."""
        ...

    @property
    def trouble(self) -> str:
        """Why the model that is set cannot be used."""
        ...


def status_page(status: StatusFacts) -> str:
    """Say what there is."""
    return marked_text("\n".join(_status_lines(status)))


def _status_lines(status: StatusFacts) -> Iterator[str]:
    yield "# Memory Status"
    yield f"Project: {one_line(status.project)}"
    yield f"Threads: {status.threads:,} | Messages: {status.events:,}"
    yield f"Shown unasked: {status.injected:,}, of use: {status.used:,}"
    model = one_line(status.space) if status.space else "none, search is by words alone"
    yield f"Model: {model} | Waiting to be embedded: {status.pending:,}"
    if status.trouble:
        yield f"Trouble: {one_line(status.trouble)}"
    yield f"Next: {read_call(SuggestionsLink())} says what could be done."
