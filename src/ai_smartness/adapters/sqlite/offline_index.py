"""Read a memory's file by keywords, for a hook that no daemon answers, or none in time.

The hook cannot load the store: that takes twenty times as long as this search. So this reads the
file directly, with the standard library alone, and changes nothing. Of a memory on a server it
reads the local copy, if the user has switched one on.
"""

import _sqlite3
import os
import time

from ai_smartness.clients.fast_json import loads
from ai_smartness.clients.project import project_at
from ai_smartness.settings.paths import READ_COPY_FILE, SERVER_MARK
from ai_smartness.text.words import keyword_relevance, question_information, question_words

__all__ = [
    "MAX_LINES",
    "MICROSECONDS",
    "FocusWeights",
    "FoundMessage",
    "OfflineIndex",
    "ReadError",
    "open_index",
]

ReadError = _sqlite3.Error
"""What goes wrong with the file, or that the time is up."""

MAX_LINES = 3
CANDIDATES = 16
READ_CHARACTERS = 4_000
BUDGET_EVENTS = 1_500
"""How many events the words of one question may occur in together; the commonest are dropped."""
LATEST_MESSAGES = 30
"""Of a focused thread, those among which the user's latest messages are looked for."""
ANSWERING_ROLES = ("assistant", "agent", "model", "tool", "system", "note")
TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
STEPS_BETWEEN_CLOCK_CHECKS = 2_000  # SQLite then checks the clock about ten thousand times a second
MAX_FOCI = 20
MICROSECONDS = 1_000_000

FocusWeights = list[tuple[str, float]]  # topics or thread ids, case-folded, each with its weight


class FoundMessage:
    """A message that matched, or one of a focused thread, with its thread."""

    def __init__(self, row: "tuple[object, ...]", relevance: float) -> None:
        self.seq, self.at, self.last_active = (int(str(number)) for number in row[:3])
        self.thread, self.session, self.role, self.text, self.title, self.status = (
            "" if text is None else str(text) for text in row[3:9]
        )
        self.topics, self.source = str(row[10]), str(row[11])
        fields = loads(str(row[12]))
        self.payload: dict[str, object] = fields if isinstance(fields, dict) else {}
        self.relevance = relevance
        self.is_focused = False


def open_index(
    database: str, cwd: str, until: float, *, is_server_away: bool = False
) -> "OfflineIndex | None":
    """Open the full-text index of a folder's project; None if the memory does not know it.

    Of a memory on a server, the local copy is read. The file of an earlier memory may be out of
    date: it is read only while the server is away.
    """
    home = os.path.dirname(database)
    if os.path.exists(f"{home}/{SERVER_MARK}"):
        if os.path.exists(f"{home}/{READ_COPY_FILE}"):
            database = f"{home}/{READ_COPY_FILE}"
        elif not is_server_away:
            return None
    if not os.path.exists(database):
        return None
    lock = _shared_lock(database)
    try:
        index = _opened_index(database, cwd, until)
    except BaseException:
        _close_handle(lock)
        raise
    if index is None:
        _close_handle(lock)
    else:
        index.lock = lock
    return index


def _opened_index(database: str, cwd: str, until: float) -> "OfflineIndex | None":
    name = database.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = _sqlite3.connect(f"file:{name}?mode=ro", uri=True, timeout=0.0)
    connection.set_progress_handler(
        lambda: time.monotonic() > until or None, STEPS_BETWEEN_CLOCK_CHECKS
    )
    try:
        row = connection.execute(
            "SELECT id, events FROM projects WHERE name = ? AND events > 0",
            (project_at(cwd, os.path.dirname(database)).name,),
        ).fetchone()
        if row is not None:
            return OfflineIndex(connection, int(row[0]), int(row[1]))
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


def _shared_lock(database: str) -> int:
    """Share the lock of those who have the memory open; raise if it is being replaced just now."""
    import fcntl

    try:
        handle = os.open(f"{os.path.realpath(database)}.lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        # Made by whoever opens the memory to write; without it, nobody replaces the file.
        return -1
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle


def _close_handle(handle: int) -> None:
    if handle >= 0:
        os.close(handle)


class OfflineIndex:
    """The full-text index of one project, read only."""

    def __init__(self, connection: "_sqlite3.Connection", project: int, events: int) -> None:
        self._connection = connection
        self._project = project
        self._events = events
        self.lock = -1
        run = connection.execute
        run("PRAGMA temp_store = MEMORY")
        run(f'CREATE VIRTUAL TABLE temp.reading USING fts5(text, tokenize="{TOKENIZER}")')
        run("CREATE VIRTUAL TABLE temp.read_words USING fts5vocab(temp, reading, instance)")
        self._index = f"words_{project}"
        schema = "main"
        if not self._row("SELECT 1 FROM sqlite_master WHERE name = ?", self._index):
            self._index_small_project()
            schema = "temp"
        run(f"CREATE VIRTUAL TABLE temp.counts USING fts5vocab({schema}, {self._index}, row)")

    def _index_small_project(self) -> None:
        """Index the words of a project that has no index in the file."""
        self._connection.execute(
            f"CREATE VIRTUAL TABLE temp.{self._index} USING fts5(text, parts, context, "
            f"content='', tokenize=\"{TOKENIZER}\")"
        )
        self._connection.execute(
            f"INSERT INTO temp.{self._index} (rowid, text, parts, context) "
            "SELECT e.seq, e.text, w.parts, w.context FROM events e "
            "CROSS JOIN event_words w ON w.seq = e.seq WHERE e.project_id = ?",
            (self._project,),
        )

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        _close_handle(self.lock)

    def epoch_start_seq(self, session: str) -> int:
        """Return the last event that a session no longer has in its context window."""
        row = self._row(
            "SELECT epoch_seq FROM sessions WHERE project_id = ? AND id = ?", self._project, session
        )
        return int(str(row[0])) if row else 0

    def session_rows(
        self, session: str, most: int
    ) -> "list[tuple[str, str, str, str, str, str, int]]":
        """Return the latest events of a session as rows, the newest first."""
        return self._connection.execute(
            f"SELECT id, type, role, substr(text, 1, {READ_CHARACTERS}), thread_id, payload, at "
            "FROM events WHERE project_id = ? AND session = ? ORDER BY seq DESC LIMIT ?",
            (self._project, session, most),
        ).fetchall()

    def read_foci(self, session: str) -> FocusWeights:
        """Return the foci of a session and the lasting ones."""
        # Older files have no such table.
        if not self._row("SELECT 1 FROM sqlite_master WHERE name = 'focus'"):
            return []
        rows = self._connection.execute(
            "SELECT folded, weight FROM focus WHERE project_id = ? AND session IN ('', ?) "
            "AND (until IS NULL OR until > ?) AND weight > 0 ORDER BY set_at DESC LIMIT ?",
            (self._project, session, int(time.time() * MICROSECONDS), MAX_FOCI),
        )
        return [(str(topic), float(weight)) for topic, weight in rows.fetchall()]

    def focused_messages(self, foci: FocusWeights) -> "list[FoundMessage]":
        """Return the user's latest messages on each thread whose id is in focus."""
        focused = list[FoundMessage]()
        for topic, _weight in foci:
            if topic.startswith("thread_"):
                latest = self._latest_messages(topic, LATEST_MESSAGES, 0.0)[::-1]
                by_user = [message for message in latest if message.role not in ANSWERING_ROLES]
                focused += (by_user or latest)[:MAX_LINES]
        for message in focused:
            message.is_focused = True
        return focused

    def search(self, question: str) -> "list[FoundMessage]":
        """Return the messages that match the question, most relevant first."""
        words = question_words(question)
        if not words or not self._events:
            return []
        stems = self._stemmed_words(words)
        counts = {stem: self._event_count(stem) for word_stems in stems for stem in word_stems}
        rows = self._message_rows(self._matching_seqs(_affordable_words(words, stems, counts)))
        # Only a message's own words count: those of the line before it just help to find it.
        texts = [f"{row[6]}\n{row[9]}" for row in rows]
        information, total = question_information(counts, self._events)
        messages = list[FoundMessage]()
        for row, text_stems in zip(rows, self._stemmed_words(texts), strict=True):
            # Sorted, or the order of a set would decide between two texts that say the same.
            share = sum(sorted(information.get(stem, 0.0) for stem in text_stems)) / total
            messages.append(FoundMessage(row, keyword_relevance(share)))
        return sorted(messages, key=lambda message: (-message.relevance, -message.seq))

    def thread_messages(self, named: str, most: int) -> "list[FoundMessage]":
        """Return the latest messages of the one thread with this id, its start or its end."""
        ids = self._connection.execute(
            "SELECT id FROM threads WHERE project_id = ? "
            "AND (substr(id, 1, ?) = ? OR substr(id, -?) = ?) LIMIT 2",
            (self._project, len(named), named, len(named) + 1, f"_{named}"),
        ).fetchall()
        return self._latest_messages(ids[0][0], most, 1.0) if len(ids) == 1 else []

    def _latest_messages(self, thread: str, most: int, relevance: float) -> "list[FoundMessage]":
        seqs = self._connection.execute(
            "SELECT seq FROM events WHERE thread_id = ? ORDER BY seq DESC LIMIT ?", (thread, most)
        ).fetchall()
        rows = self._message_rows([int(row[0]) for row in seqs])
        messages = [FoundMessage(row, relevance) for row in rows]
        return sorted(messages, key=lambda message: message.seq)

    def _stemmed_words(self, texts: "list[str]") -> "list[set[str]]":
        """Return the words of texts as they are indexed, by having SQLite index them."""
        connection = self._connection
        connection.execute("DELETE FROM temp.reading")
        connection.executemany(
            "INSERT INTO temp.reading (rowid, text) VALUES (?, ?)", enumerate(texts)
        )
        stems: list[set[str]] = [set() for _ in texts]
        for stem, number in connection.execute("SELECT DISTINCT term, doc FROM temp.read_words"):
            stems[number].add(stem)
        return stems

    def _event_count(self, stem: str) -> int:
        row = self._row(
            "SELECT share FROM common_words WHERE project_id = ? AND word = ?", self._project, stem
        )
        if row is not None:
            return min(self._events, round(float(str(row[0])) * self._events))
        row = self._row("SELECT doc FROM temp.counts WHERE term = ?", stem)
        return min(self._events, int(str(row[0]))) if row else 0

    def _matching_seqs(self, words: "list[str]") -> "list[int]":
        if not words:
            return []
        rows = self._connection.execute(
            f"SELECT rowid FROM {self._index} WHERE {self._index} MATCH ? "
            "AND rank MATCH 'bm25(1.0, 0.5, 0.3)' ORDER BY rank LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), CANDIDATES),
        )
        return [int(row[0]) for row in rows.fetchall()]

    def _message_rows(self, seqs: "list[int]") -> "list[tuple[object, ...]]":
        return self._connection.execute(
            "SELECT e.seq, e.at, t.last_active, t.id, e.session, e.role, "
            f"substr(e.text, 1, {READ_CHARACTERS}), t.title, t.status, "
            f"substr(w.parts, 1, {READ_CHARACTERS}), t.topics, e.source, e.payload FROM events e "
            "JOIN event_words w ON w.seq = e.seq JOIN threads t ON t.id = e.thread_id "
            f"WHERE e.seq IN ({', '.join(map(str, seqs))})"
        ).fetchall()

    def _row(self, statement: str, *values: object) -> "tuple[object, ...] | None":
        row: tuple[object, ...] | None = self._connection.execute(statement, values).fetchone()
        return row


def _affordable_words(
    words: "list[str]", stems: "list[set[str]]", counts: "dict[str, int]"
) -> "list[str]":
    """Return the words to look for: the rarest, as far as the budget of events goes."""
    costs = {
        word: min((counts[stem] for stem in word_stems), default=0)
        for word, word_stems in zip(words, stems, strict=True)
    }
    affordable, left = list[str](), BUDGET_EVENTS
    for word in sorted((word for word in words if costs[word]), key=costs.__getitem__):
        left -= costs[word]
        if left < 0 and affordable:
            break
        affordable.append(word)
    return affordable
