"""One turn of a session as people read it: the prompt, the lines shown, and what was left out."""

from collections.abc import Iterator, Mapping

from ai_smartness.model.session import LedgerEntry, LedgerPage, SkippedThread
from ai_smartness.model.thread import short_thread_id
from ai_smartness.text.display import one_line, short_date, shortened_text

__all__ = ["MOST_SKIPPED", "ledger_page_lines"]

PROMPT_CHARACTERS = 300
LINE_CHARACTERS = 300
TITLE_CHARACTERS = 80
MOST_SKIPPED = 4  # of what was left out: what comes after was hardly considered
UNTITLED = "a thread that is gone"


def ledger_page_lines(
    page: LedgerPage, titles: Mapping[str, str], *, is_whole: bool = False
) -> Iterator[str]:
    """Yield the lines of a turn; `titles` are those of the threads by their ids."""
    epoch = f", epoch {page.epoch}" if page.epoch else ""
    yield f"turn {page.turn} of session {page.session}{epoch}"
    reranked = f", of which the reranker {page.reranked_ms:.0f} ms" if page.reranked_ms else ""
    yield f"  {page.at:%Y-%m-%d %H:%M:%S} UTC, took {page.took_ms:.0f} ms{reranked}"
    if page.prompt:
        yield f"  prompt: {shortened_text(one_line(page.prompt), PROMPT_CHARACTERS)}"
    elif any("brief" in line.why for entry in page.shown for line in entry.lines):
        yield "  the brief at the start of the session"
    if not page.shown:
        yield f"  nothing was shown{'' if page.skipped else ': nothing was found, or needed'}"
    for entry in page.shown:
        yield from _shown_lines(entry, titles.get(entry.thread_id, UNTITLED), page)
    most = len(page.skipped) if is_whole else MOST_SKIPPED
    for skipped in page.skipped[:most]:
        yield from _skipped_lines(skipped)
    if more := len(page.skipped[most:]):
        yield f"  and {more} more left out; `--all` shows them"


def _shown_lines(entry: LedgerEntry, title: str, page: LedgerPage) -> Iterator[str]:
    used = ", used" if entry.used else ""
    why = entry.why.partition(":")[0] if entry.lines else entry.why
    name = _thread_name(entry.thread_id, title)
    yield f"  shown: {name}, {entry.tokens} tokens{used}; {why}"
    for line in entry.lines:
        text = shortened_text(one_line(line.text), LINE_CHARACTERS)
        yield f"    {short_date(line.at, page.at)} {one_line(line.role)}: {text}"
        if line.why:
            yield f"      {one_line(line.why)}"
    if entry.seqs and not entry.lines:
        yield f"    {_unquoted_text(len(entry.seqs))}"


def _unquoted_text(messages: int) -> str:
    counted = "1 message" if messages == 1 else f"{messages} messages"
    return f"{counted}; the text is no longer kept beside the turn"


def _skipped_lines(skipped: SkippedThread) -> Iterator[str]:
    yield f"  left out: {_thread_name(skipped.thread_id, skipped.title)}: {skipped.reason}"
    if skipped.text:
        yield f"    {shortened_text(one_line(skipped.text), LINE_CHARACTERS)}"


def _thread_name(thread_id: str, title: str) -> str:
    return f"{shortened_text(one_line(title), TITLE_CHARACTERS)} [{short_thread_id(thread_id)}]"
