"""What is found by words alone, as an agent reads it: in the marks of `inject/block.py`.

Stored words are data: each on its line, unable to close the block or to begin another.

What is in focus, read from the memory's file when no daemon is there to ask.

As in `threads/focus.py`; tests hold the two against each other. A file from before there was
a focus has none.

Find by words alone what answers a prompt, when no daemon is there to ask.

Reads the memory's file and changes nothing. How relevant something is, is measured as in
`search/relevance.py` where there is no meaning to go by: by the share of the question's telling
words that it has. Silent where that is little.
"""

import _sqlite3
import os
import time
from math import exp, log

from ai_smartness.clients.hook_event import HookEvent
from ai_smartness.clients.project import project_at
from ai_smartness.text.display import one_line
from ai_smartness.text.excerpt import matching_excerpt
from ai_smartness.text.markers import BLOCK_HEAD, MEMORY_CLOSE, MEMORY_OPEN
from ai_smartness.text.words import has_words, question_words

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = [
    "FocusWeights",
    "FoundMessage",
    "OfflineIndex",
    "day_text",
    "focus_boost",
    "grouped_by_thread",
    "memory_block",
    "offline_memories",
    "open_index",
    "stored_foci",
    "thread_entry",
]


_WITHOUT_DAEMON = "found by words alone: the memory is waking up"
DAY_SECOND_MICROSECONDS = 1_000_000


class FoundMessage:
    """A message that matched, with its thread, or one of a thread that is in focus."""

    __slots__ = (
        "at",
        "is_focused",
        "last_active",
        "relevance",
        "role",
        "seq",
        "session",
        "status",
        "text",
        "thread",
        "title",
        "topics",
    )  # fmt: skip

    def __init__(self, row: "tuple[object, ...]", relevance: float) -> None:
        self.seq, self.at, self.last_active = (int(str(each)) for each in row[:3])
        self.thread, self.session, self.role, self.text, self.title, self.status = (
            "" if each is None else str(each) for each in row[3:9]
        )
        self.topics = str(row[10])
        self.relevance = relevance
        self.is_focused = False


def memory_block(entries: "Iterable[str]") -> str:
    """Return the block with these entries; nothing at all for none."""
    body = "".join(entries)
    return f"{MEMORY_OPEN}>\n{BLOCK_HEAD}\n{_WITHOUT_DAEMON}\n{body}{MEMORY_CLOSE}" if body else ""


def thread_entry(found: "list[FoundMessage]", words: "Iterable[str]", characters: int) -> str:
    """Return one thread with the lines that matched, the best first."""
    best = found[0]
    why = "focus" if best.is_focused else f"relevance {best.relevance:.2f}"
    about = f"{best.status}; last active {day_text(best.last_active)}; {why}"
    lines = [f"\n[{best.thread}] {one_line(best.title)} ({about})"]
    for each in found:
        text = one_line(matching_excerpt(each.text, words, characters))
        lines.append(f"  {day_text(each.at)} {one_line(each.role)}: {text}")
    return "\n".join(lines) + "\n"


def day_text(microseconds: int) -> str:
    """Write the day of a moment as the store has it."""
    return time.strftime("%Y-%m-%d", time.gmtime(microseconds // DAY_SECOND_MICROSECONDS))


TOPIC_BOOST = 0.3
ID_BOOST = 0.5
TITLE_BOOST = 0.2
MAX_BOOST = 0.5

MAX_FOCI = 20
SECOND_MICROSECONDS = 1_000_000

FocusWeights = list[tuple[str, float]]
"""Topics or thread ids, folded, each with its weight."""


def stored_foci(connection: "_sqlite3.Connection", project: int, session: str) -> FocusWeights:
    """Return what is in focus in a session, or whatever session it is."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'focus'").fetchone():
        return []
    now = int(time.time() * SECOND_MICROSECONDS)
    rows = connection.execute(
        "SELECT folded, weight FROM focus WHERE project_id = ? AND session IN ('', ?) "
        "AND (until IS NULL OR until > ?) AND weight > 0 ORDER BY set_at DESC LIMIT ?",
        (project, session, now, MAX_FOCI),
    )
    return [(str(topic), float(weight)) for topic, weight in rows.fetchall()]


def focus_boost(thread: str, title: str, topics: str, foci: FocusWeights) -> float:
    """Measure how much what is in focus adds to a thread, by its topics as they are written down.

    They are written down in quotation marks, so that a whole word of one is one of all.
    """
    named, about = title.casefold(), topics.casefold()
    added = 0.0
    for topic, weight in foci:
        added += weight * TOPIC_BOOST if has_words(about, topic) else 0.0
        added += weight * ID_BOOST if topic == thread else 0.0
        added += weight * TITLE_BOOST if topic in named else 0.0
    return min(MAX_BOOST, added)


MIN_RELEVANCE = 0.5
"""A little above what the daemon asks of the best: it has more to go by."""

SECONDARY_RELEVANCE_SHARE = 2 / 3
MAX_THREADS = 5
MAX_LINES = 3
LINE_CHARACTERS = 320
MAX_BLOCK_CHARACTERS = 4_000

CANDIDATES = 16
READ_CHARACTERS = 4_000
BUDGET_EVENTS = 1_500
"""In how many events the words of one question may stand together; the commonest are left out."""

LATEST_MESSAGES = 30
"""Of a thread that is in focus, those among which a person's last words are looked for."""

ANSWERING_ROLES = ("assistant", "agent", "model", "tool", "system", "note")

MIN_WORDS = 1

# As in `search/relevance.py` and the index; tests hold the two against each other.
WORDS_ALONE_WEIGHT = 8.0
WORDS_ALONE_OFFSET = -3.1
SAYS_NOTHING = 10.0
GROWN_EVENTS = 1_000
YOUNG_EVENTS = 50
TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"

STEPS_BETWEEN_CLOCK_CHECKS = 2_000
"""How often SQLite looks at the clock: some ten thousand times a second."""


def offline_memories(database: str, given: HookEvent, prompt: str, until: float) -> str:
    """Return what to put before a prompt; empty where nothing is relevant enough."""
    index = open_index(database, given.cwd, until)
    if index is None:
        return ""
    try:
        foci = index.read_foci(given.session)
        found = [*index.search(prompt), *index.focused_messages(foci)]
        since = index.epoch_start_seq(given.session)
    finally:
        index.close()
    new = [
        each
        for each in found
        if (each.is_focused or each.status != "archived")
        and not (given.session and each.session == given.session and each.seq > since)
        and each.text.strip() not in prompt
    ]
    threads = _ranked_threads(
        [*_relevant_messages(new), *(each for each in new if each.is_focused)],
        foci,
    )
    return memory_block(_entries_within(MAX_BLOCK_CHARACTERS, threads, question_words(prompt)))


def _relevant_messages(new: "list[FoundMessage]") -> "list[FoundMessage]":
    """Return what is relevant enough; nothing where the best is not."""
    best = max((each.relevance for each in new), default=0.0)
    least = MIN_RELEVANCE * SECONDARY_RELEVANCE_SHARE if best >= MIN_RELEVANCE else MIN_RELEVANCE
    return [each for each in new if each.relevance >= least]


def _ranked_threads(found: "list[FoundMessage]", foci: FocusWeights) -> "list[list[FoundMessage]]":
    """Return the messages thread by thread: first what was asked for, then the best."""
    threads = [_shown_messages(each) for each in grouped_by_thread(found)]

    def place(thread: "list[FoundMessage]") -> "tuple[bool, float]":
        best = thread[0]
        added = focus_boost(best.thread, best.title, best.topics, foci)
        return not best.is_focused, -(best.relevance + added)

    return sorted(threads, key=place)


def _shown_messages(thread: "list[FoundMessage]") -> "list[FoundMessage]":
    """Return what is shown of a thread: what matches, and else what was said on it last."""
    matching = [each for each in thread if not each.is_focused]
    for each in matching:
        each.is_focused = len(matching) < len(thread)
    return matching or thread


def grouped_by_thread(found: "list[FoundMessage]") -> "list[list[FoundMessage]]":
    """Return the messages thread by thread, the best first."""
    threads = dict[str, list[FoundMessage]]()
    for each in found:
        threads.setdefault(each.thread, []).append(each)
    return list(threads.values())


def _entries_within(
    room: int,
    threads: "list[list[FoundMessage]]",
    asked: "list[str]",
) -> "list[str]":
    entries = list[str]()
    for thread in threads[:MAX_THREADS]:
        entry = thread_entry(thread[:MAX_LINES], asked, LINE_CHARACTERS)
        room -= len(entry)
        if room < 0:
            break
        entries.append(entry)
    return entries


def open_index(database: str, cwd: str, until: float) -> "OfflineIndex | None":
    """Open the words of the project that a folder is in; none if nothing is known of it."""
    if not os.path.exists(database):
        return None
    name = database.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = _sqlite3.connect(f"file:{name}?mode=ro", uri=True, timeout=0.0)
    connection.set_progress_handler(
        lambda: time.monotonic() > until or None,
        STEPS_BETWEEN_CLOCK_CHECKS,
    )
    try:
        row = connection.execute(
            "SELECT id, events FROM projects WHERE name = ? AND EXISTS "
            "(SELECT 1 FROM sqlite_master WHERE name = 'words_' || projects.id)",
            (project_at(cwd).name,),
        ).fetchone()
    except BaseException:
        connection.close()
        raise
    if row is None:
        connection.close()
        return None
    return OfflineIndex(connection, int(row[0]), int(row[1]))


class OfflineIndex:
    """The full text of one project, read only."""

    def __init__(self, connection: "_sqlite3.Connection", project: int, events: int) -> None:
        self._connection = connection
        self._project = project
        self._events = events
        run = connection.execute
        run("PRAGMA temp_store = MEMORY")
        run(f'CREATE VIRTUAL TABLE temp.reading USING fts5(text, tokenize="{TOKENIZER}")')
        run("CREATE VIRTUAL TABLE temp.read_words USING fts5vocab(temp, reading, instance)")
        run(f"CREATE VIRTUAL TABLE temp.counts USING fts5vocab(main, words_{project}, row)")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def epoch_start_seq(self, session: str) -> int:
        """Return the last event before what the session has in its window."""
        row = self._connection.execute(
            "SELECT epoch_seq FROM sessions WHERE project_id = ? AND id = ?",
            (self._project, session),
        ).fetchone()
        return int(row[0]) if row else 0

    def session_rows(
        self,
        session: str,
        most: int,
    ) -> "list[tuple[str, str, str, str, str, str, int]]":
        """Return the latest events of a session, the newest first, each as a row."""
        return self._connection.execute(
            f"SELECT id, type, role, substr(text, 1, {READ_CHARACTERS}), thread_id, payload, at "  # noqa: S608 # a number
            "FROM events WHERE project_id = ? AND session = ? ORDER BY seq DESC LIMIT ?",
            (self._project, session, most),
        ).fetchall()

    def read_foci(self, session: str) -> FocusWeights:
        """Return what is in focus."""
        return stored_foci(self._connection, self._project, session)

    def focused_messages(self, foci: FocusWeights) -> "list[FoundMessage]":
        """Return of each thread whose id is in focus what a person said last on it."""
        found = list[FoundMessage]()
        for topic, _weight in foci:
            if topic.startswith("thread_"):
                seqs = self._connection.execute(
                    "SELECT seq FROM events WHERE thread_id = ? ORDER BY seq DESC LIMIT ?",
                    (topic, LATEST_MESSAGES),
                ).fetchall()
                latest = [
                    FoundMessage(row, 0.0)
                    for row in self._message_rows([int(row[0]) for row in seqs])
                ]
                latest.sort(key=lambda each: -each.seq)
                said = [each for each in latest if each.role not in ANSWERING_ROLES] or latest
                found += said[:MAX_LINES]
        for each in found:
            each.is_focused = True
        return found

    def search(self, question: str) -> "list[FoundMessage]":
        """Return the messages that have most of the question's telling words, the best first."""
        asked = question_words(question)
        if not asked or not self._events:
            return []
        stems = self._stemmed_words(asked)
        spread = {stem: self._event_count(stem) for each in stems for stem in each}
        rows = self._message_rows(self._matching_seqs(_affordable_words(asked, stems, spread)))
        # Its own words alone: those of the line before it only help to find it.
        texts = [f"{row[6]}\n{row[9]}" for row in rows]
        shares = _word_shares(self._stemmed_words(texts), spread, self._events)
        both = zip(rows, shares, strict=True)
        found = [FoundMessage(row, keyword_relevance(share)) for row, share in both]
        return sorted(found, key=lambda each: (-each.relevance, -each.seq))

    def thread_messages(self, start: str, most: int) -> "list[FoundMessage]":
        """Return the latest messages of the thread whose id begins so, if it is one."""
        ids = self._connection.execute(
            "SELECT id FROM threads WHERE project_id = ? AND substr(id, 1, ?) = ? LIMIT 2",
            (self._project, len(start), start),
        ).fetchall()
        if len(ids) != 1:
            return []
        seqs = self._connection.execute(
            "SELECT seq FROM events WHERE thread_id = ? ORDER BY seq DESC LIMIT ?",
            (*ids[0], most),
        ).fetchall()
        rows = self._message_rows([int(row[0]) for row in seqs])
        return sorted((FoundMessage(row, 1.0) for row in rows), key=lambda each: each.seq)

    def _stemmed_words(self, texts: "list[str]") -> "list[set[str]]":
        """Return the words of texts as the index knows them, by letting SQLite make them."""
        run = self._connection
        run.execute("DELETE FROM temp.reading")
        run.executemany("INSERT INTO temp.reading (rowid, text) VALUES (?, ?)", enumerate(texts))
        found: list[set[str]] = [set() for _ in texts]
        for stem, number in run.execute("SELECT DISTINCT term, doc FROM temp.read_words"):
            found[number].add(stem)
        return found

    def _event_count(self, stem: str) -> int:
        row = self._connection.execute(
            "SELECT share FROM common_words WHERE project_id = ? AND word = ?",
            (self._project, stem),
        ).fetchone()
        if row is not None:
            return min(self._events, round(float(row[0]) * self._events))
        row = self._connection.execute(
            "SELECT doc FROM temp.counts WHERE term = ?",
            (stem,),
        ).fetchone()
        return min(self._events, int(row[0])) if row else 0

    def _matching_seqs(self, asked: "list[str]") -> "list[int]":
        if not asked:
            return []
        index = f"words_{self._project}"
        rows = self._connection.execute(
            f"SELECT rowid FROM {index} WHERE {index} MATCH ? "  # noqa: S608 # our own name
            "AND rank MATCH 'bm25(1.0, 0.5, 0.3)' ORDER BY rank LIMIT ?",
            (" OR ".join(f'"{word}"' for word in asked), CANDIDATES),
        )
        return [int(row[0]) for row in rows.fetchall()]

    def _message_rows(self, seqs: "list[int]") -> "list[tuple[object, ...]]":
        marks = ", ".join(str(seq) for seq in seqs)
        return self._connection.execute(
            "SELECT e.seq, e.at, t.last_active, t.id, e.session, e.role, "  # noqa: S608 # numbers
            f"substr(e.text, 1, {READ_CHARACTERS}), t.title, t.status, "
            f"substr(w.parts, 1, {READ_CHARACTERS}), t.topics FROM events e "
            "JOIN event_words w ON w.seq = e.seq JOIN threads t ON t.id = e.thread_id "
            f"WHERE e.seq IN ({marks})",
        ).fetchall()


def keyword_relevance(share: float) -> float:
    """Measure how well a message answers that has this share of the telling words."""
    return 1.0 / (1.0 + exp(-(WORDS_ALONE_WEIGHT * share + WORDS_ALONE_OFFSET)))


def _affordable_words(
    asked: "list[str]",
    stems: "list[set[str]]",
    spread: "dict[str, int]",
) -> "list[str]":
    """Return the words to look for: the rarest that stand in few enough events together."""
    costs = {
        word: min((spread[stem] for stem in each), default=0)
        for word, each in zip(asked, stems, strict=True)
    }
    kept, left = list[str](), BUDGET_EVENTS
    for word in sorted((word for word in asked if costs[word]), key=costs.__getitem__):
        left -= costs[word]
        if left < 0 and len(kept) >= MIN_WORDS:
            break
        kept.append(word)
    return kept


def _word_shares(held: "list[set[str]]", spread: "dict[str, int]", events: int) -> "list[float]":
    told = {
        stem: _word_information(count, events)
        * (1.0 if count else events / (events + YOUNG_EVENTS))
        for stem, count in spread.items()
    }
    most = min(1.0, _word_information(0, events) / _word_information(0, GROWN_EVENTS))
    total = sum(told.values()) + SAYS_NOTHING * most
    return [sum(told[stem] for stem in each if stem in told) / total for each in held]


def _word_information(count: int, events: int) -> float:
    return log(1 + (events - count + 0.5) / (count + 0.5))
