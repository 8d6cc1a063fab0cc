"""Write the injected block: one fenced text that says what it is.

The same entries give the same bytes. Stored messages are data: each is dated and
attributed on a line of its own, and cannot close the block or begin another.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from ai_smartness.model.injection import InjectedLine, InjectedThread, InjectionReason
from ai_smartness.model.session import Session
from ai_smartness.model.thread import Status, short_thread_id
from ai_smartness.ports import ThreadStore
from ai_smartness.text.brief_page import beat_number
from ai_smartness.text.display import (
    one_line,
    short_date,
    shortened_text,
    speaker_label,
    time_ago,
)
from ai_smartness.text.markers import BLOCK_HEAD, MEMORY_CLOSE, MEMORY_OPEN

__all__ = [
    "Beat",
    "block_frame",
    "current_beat",
    "entry_text",
    "last_session_end",
    "message_line",
    "messages_with_block",
    "rendered_block",
]


HEADED_LINES = 3  # of a thread, from which its title costs little more than an id on every line
TITLE_CHARACTERS = 60  # of a thread's title: the sentences below it say the rest
PAUSE_MINUTES = 120  # since the last turn: after a shorter one nothing has got cold
LATEST_SESSIONS = 50  # sessions among which the last one is: imported messages may be older
LATEST_EVENTS = 40  # events among which another session's would be


class Beat(NamedTuple):
    """The memory's clock: the current beat, and the beats since the session's last turn.

    At its first turn they are counted since the last session.
    `news` says why the agent should know: a long pause, or another session's messages.
    """

    number: int
    since_last: int
    news: str = ""

    def __str__(self) -> str:
        return f"beat: {self.number}, since_last: {self.since_last} ({self.news})"


_NAMED_REASONS = frozenset(
    {
        InjectionReason.PINNED,
        InjectionReason.IDENTITY,
        InjectionReason.PREFERENCE,
        InjectionReason.FOCUS,
    }
)
"""Why a thread is shown, where that is not its match with the prompt."""


def current_beat(store: ThreadStore, session: Session, now: datetime, minutes: float) -> Beat:
    """Return the current beat, counted from the project's first event."""
    first = store.events.after_seq(session.project, 0, 1)
    if not first:
        return Beat(0, 0)
    number = beat_number(first[0].at, now, minutes)
    if session.turn <= 1:
        ended = last_session_end(store, session)
        last = beat_number(first[0].at, ended, minutes) if ended else number
        return Beat(number, max(0, number - last))
    since_last = max(0, number - session.beat)
    pause = since_last * minutes
    last_turn = time_ago(now - timedelta(minutes=pause), now)
    news = [f"the last turn was {last_turn}"] if pause >= PAUSE_MINUTES else []
    news += ["another session wrote meanwhile"] if _has_other_written(store, session) else []
    return Beat(number, since_last, "; ".join(news))


def last_session_end(store: ThreadStore, session: Session) -> datetime | None:
    """Return when the last session other than this one ended."""
    by_session = store.events.last_seqs_by_session(session.project)
    # One more than are wanted: this session may be among them.
    seqs = sorted(by_session.values())[-LATEST_SESSIONS - 1 :]
    others = [seq for seq in seqs if seq != by_session.get(session.id)]
    latest = store.events.by_seq(others[-LATEST_SESSIONS:]).values()
    return max((event.at for event in latest), default=None)


def _has_other_written(store: ThreadStore, session: Session) -> bool:
    """Say whether another session has written since this one's last turn."""
    last_turns, last = store.read_together(
        partial(store.ledger.latest_pages, session.project, session.id, 1),
        partial(store.events.last_seq, session.project),
    )
    latest = store.events.after_seq(session.project, last - LATEST_EVENTS, LATEST_EVENTS)
    return any(
        event.session not in (None, session.id) and event.at > page.at
        for page in last_turns
        for event in latest
    )


def rendered_block(entries: Iterable[InjectedThread], beat: Beat, now: datetime) -> str:
    """Return the block for these entries; an empty text without any."""
    body = "".join(entry_text(entry, now) for entry in entries)
    if not body:
        return ""
    opened, closed = block_frame(beat)
    return f"{opened}{body}{closed}"


def block_frame(beat: Beat) -> tuple[str, str]:
    """Return the text before and after the entries; it has the beat if that is news."""
    time = f"{beat}\n" if beat.news else ""
    return f"{MEMORY_OPEN}>\n{BLOCK_HEAD}\n{time}", MEMORY_CLOSE


def entry_text(entry: InjectedThread, now: datetime) -> str:
    """Return one entry: the sentences that answer, their thread, and what is special about it."""
    status = entry.thread.status
    notes = [status.value] if status is Status.ARCHIVED else []
    notes += [entry.reason.value] if entry.reason in _NAMED_REASONS else []
    notes += ["updated since it was shown"] if entry.updated else []
    about = f" ({', '.join([short_thread_id(entry.thread.id), *notes])})"
    lines = [message_line(line, now) for line in entry.lines]
    if len(lines) < HEADED_LINES:
        lines = [f"{line}{about}" for line in lines]
    else:
        title = shortened_text(one_line(entry.thread.title), TITLE_CHARACTERS)
        lines = [f"## {title}{about}", *lines]
    if entry.changed_files:
        lines.append(f"File changed since: {', '.join(map(one_line, entry.changed_files))}")
    return "\n".join(["", *lines]) + "\n"


def message_line(line: InjectedLine, now: datetime) -> str:
    """Return one message on a line of its own."""
    who = speaker_label(line.role, line.origin)
    return f"- {short_date(line.at, now)}, {who}: {one_line(line.text)}"


def messages_with_block(
    messages: Sequence[Mapping[str, Any]], block_for: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Return a copy of a history with a block before the text of its last prompt.

    In the shapes of both Anthropic and OpenAI a prompt is a message of role `user`
    whose content is a text or a list of parts.
    """
    copied: list[dict[str, Any]] = [_deep_copied(message) for message in messages]
    if not copied or copied[-1].get("role") != "user":
        return copied
    content = copied[-1].get("content")
    prompt = _prompt_text(content)
    block = block_for(prompt) if prompt.strip() else ""
    if not block:
        return copied
    if isinstance(content, str):
        copied[-1]["content"] = f"{block}\n\n{content}"
    else:
        copied[-1]["content"] = _block_before_text(list(content or []), block)
    return copied


def _deep_copied(value: Any) -> Any:  # noqa: ANN401 - whatever a message holds
    """Copy a message with all its parts, so that nothing is shared with the caller."""
    if isinstance(value, Mapping):
        return {name: _deep_copied(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_deep_copied(inner) for inner in value]
    return value


def _prompt_text(content: object) -> str:
    """Return the text of a prompt, without tool results."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    return "\n".join(str(part["text"]) for part in content if _is_text_part(part))


def _block_before_text(parts: list[Any], block: str) -> list[Any]:
    """Put the block before the first text; tool results must come first in their message."""
    first = next(number for number, part in enumerate(parts) if _is_text_part(part))
    return [*parts[:first], {"type": "text", "text": block}, *parts[first:]]


def _is_text_part(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "text" and "text" in part
