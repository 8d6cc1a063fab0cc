"""A recall as the page that an agent reads, and as a line of the recall log.

The page stands between the memory marks, so that capture never stores it.
"""

from collections.abc import Callable, Collection, Iterator
from datetime import datetime

from ai_smartness.model.search import Hit, RecalledBridge, RecalledThread, RecallResult
from ai_smartness.text.display import matching_excerpt, one_line, shortened_text, time_ago
from ai_smartness.text.keywords import subject_words
from ai_smartness.text.markers import STALE_NOTE, marked_text

__all__ = ["recall_log_line", "recall_page"]

MESSAGE_CHARACTERS = 400
"""Of a message that matched, around what matched; the whole is a recall of its thread away."""

SUMMARY_CHARACTERS = 600


def recall_path_call(query: str) -> str:
    """Write the `Read` call that asks a question, as readable as it was typed."""
    return f'Read(".ai/recall/{query}")'


def recall_page(recalled: RecallResult, ask: Callable[[str], str] = recall_path_call) -> str:
    """Return the whole answer; `ask` writes how its reader asks the next question."""
    return marked_text("\n".join(_page_lines(recalled, ask)))


def recall_log_line(recalled: RecallResult) -> str:
    """Return a recall's line in the log."""
    reactivated = sum(thread.reactivated for thread in recalled.threads)
    return (
        f'[{recalled.at:%Y-%m-%d %H:%M:%S}] RECALL "{one_line(recalled.query)}" → '
        f"{len(recalled.threads)} threads, {len(recalled.bridges)} bridges, "
        f"{reactivated} reactivated"
    )


def _page_lines(recalled: RecallResult, ask: Callable[[str], str]) -> Iterator[str]:
    yield f"# Memory Recall: {one_line(recalled.query)}"
    yield f"Query executed at: {recalled.at:%Y-%m-%d %H:%M:%S} UTC"
    yield STALE_NOTE
    yield ""
    if not recalled.threads:
        yield from _no_match_lines(recalled, ask)
        return
    yield f"## Matching Threads ({len(recalled.threads)} found)"
    words = subject_words(recalled.query)
    for thread in recalled.threads:
        yield ""
        yield from _thread_lines(thread, recalled.at, words)
    if recalled.bridges:
        yield ""
        yield f"## Related Bridges ({len(recalled.bridges)} found)"
        yield ""
        yield from map(_bridge_line, recalled.bridges)
    yield ""
    yield f"Next: {ask(recalled.threads[0].thread.id)} shows a thread in full."


def _no_match_lines(recalled: RecallResult, ask: Callable[[str], str]) -> Iterator[str]:
    yield "## No matching threads"
    yield ""
    yield "Nothing in this memory answers that."
    if recalled.topics:
        yield f"The nearest topics: {', '.join(map(one_line, recalled.topics))}."
        yield f"Next: {ask(one_line(recalled.topics[0]))}, or other words."
    else:
        yield "Next: try other words, or an identifier, a path or an error as it is written."


def _thread_lines(recalled: RecalledThread, now: datetime, words: Collection[str]) -> Iterator[str]:
    thread = recalled.thread
    yield f"### [{thread.status.value.upper()}] {one_line(thread.title)} ({thread.id})"
    topics = ", ".join(map(one_line, thread.topics)) or "none"
    yield f"Weight: {thread.weight:.2f} | Topics: {topics} | Relevance: {recalled.relevance:.2f}"
    if thread.summary:
        yield f"Summary: {shortened_text(one_line(thread.summary), SUMMARY_CHARACTERS)}"
    yield f"Last active: {time_ago(thread.last_active, now)}"
    if recalled.changed_files:
        yield f"File changed since: {', '.join(map(one_line, recalled.changed_files))}"
    if recalled.reactivated:
        yield "→ Reactivated by this recall"
    if recalled.messages:
        yield "Matching messages:"
    yield from (_message_line(hit, words) for hit in recalled.messages)


def _message_line(hit: Hit, words: Collection[str]) -> str:
    text = one_line(matching_excerpt(hit.text, words, MESSAGE_CHARACTERS))
    return f"- {hit.id} [{hit.at:%Y-%m-%d %H:%M} {one_line(hit.role)}] {text}"


def _bridge_line(recalled: RecalledBridge) -> str:
    bridge = recalled.bridge
    because = f": {one_line(bridge.reason)}" if bridge.reason else ""
    return (
        f"- {one_line(recalled.source)} → {one_line(recalled.target)} "
        f"({bridge.relation.value.upper()}, weight: {bridge.weight:.2f}){because}"
    )
