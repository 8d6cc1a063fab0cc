"""The memory's status as the page that an agent reads."""

from collections.abc import Iterator

from ai_smartness.model.link import SuggestionsLink
from ai_smartness.model.status import MemoryStatus
from ai_smartness.text.display import one_line
from ai_smartness.text.markers import marked_text
from ai_smartness.views.links import read_call

__all__ = ["status_page"]


def status_page(status: MemoryStatus) -> str:
    """Return the status page."""
    return marked_text("\n".join(_status_lines(status)))


def _status_lines(status: MemoryStatus) -> Iterator[str]:
    yield "# Memory Status"
    yield f"Project: {one_line(status.project)}"
    yield f"Threads: {status.threads:,} | Messages: {status.events:,}"
    yield f"Shown before prompts: {status.injected:,}, used: {status.used:,}"
    model = one_line(status.space) if status.space else "none, search is by keyword only"
    yield f"Model: {model} | Waiting to be embedded: {status.pending:,}"
    if status.trouble:
        yield f"Trouble: {one_line(status.trouble)}"
    yield f"Next: {read_call(SuggestionsLink())} says what could be done."
