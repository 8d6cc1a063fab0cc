"""Find by words alone what answers a prompt, when no daemon is there to ask.

Reads the memory's file and changes nothing. How relevant something is, is measured as in
`retrieve/relevance.py` where there is no meaning to go by: by the share of the question's telling
words that it has. Silent where that is little.
"""

import _sqlite3
import os
import time
from math import exp, log

from ai_smartness.entrypoints.hooks.lexical_focus import InFocus, boost, in_focus
from ai_smartness.entrypoints.hooks.lexical_text import Found, block, written
from ai_smartness.entrypoints.hooks.lexical_words import words
from ai_smartness.watch.given import Given
from ai_smartness.watch.project import project_at

__all__ = ["Index", "by_thread", "opened", "shown"]

FLOOR = 0.5
"""A little above what the daemon asks of the best: it has more to go by."""

BESIDE_THE_BEST = 2 / 3
MOST_THREADS = 5
MOST_LINES = 3
LINE_CHARACTERS = 320
MOST_CHARACTERS = 4_000

CANDIDATES = 16
READ_CHARACTERS = 4_000
BUDGET_EVENTS = 1_500
"""In how many events the words of one question may stand together; the commonest are left out."""

LATEST_MESSAGES = 30
"""Of a thread that is in focus, those among which a person's last words are looked for."""

ANSWERING_ROLES = ("assistant", "agent", "model", "tool", "system", "note")

LEAST_WORDS = 1

# As in `retrieve/relevance.py` and the index; tests hold the two against each other.
WORDS_ALONE_WEIGHT = 8.0
WORDS_ALONE_OFFSET = -3.1
SAYS_NOTHING = 10.0
GROWN_EVENTS = 1_000
YOUNG_EVENTS = 50
TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"

STEPS_BETWEEN_LOOKS = 2_000
"""How often SQLite looks at the clock: some ten thousand times a second."""


def shown(database: str, given: Given, prompt: str, until: float) -> str:
    """Return what to put before a prompt; empty where nothing is relevant enough."""
    index = opened(database, given.cwd, until)
    if index is None:
        return ""
    try:
        foci = index.in_focus(given.session)
        found = [*index.found(prompt), *index.asked_for(foci)]
        since = index.in_sight_since(given.session)
    finally:
        index.close()
    new = [
        each
        for each in found
        if (each.asked_for or each.status != "archived")
        and not (given.session and each.session == given.session and each.seq > since)
        and each.text.strip() not in prompt
    ]
    threads = _first_in_focus([*_worth(new), *(each for each in new if each.asked_for)], foci)
    return block(_within(MOST_CHARACTERS, threads, words(prompt)))


def _worth(new: "list[Found]") -> "list[Found]":
    """Return what is relevant enough; nothing where the best is not."""
    best = max((each.relevance for each in new), default=0.0)
    least = FLOOR * BESIDE_THE_BEST if best >= FLOOR else FLOOR
    return [each for each in new if each.relevance >= least]


def _first_in_focus(found: "list[Found]", foci: InFocus) -> "list[list[Found]]":
    """Return the messages thread by thread: first what was asked for, then the best."""
    threads = [_of_one(each) for each in by_thread(found)]

    def place(thread: "list[Found]") -> "tuple[bool, float]":
        best = thread[0]
        added = boost(best.thread, best.title, best.topics, foci)
        return not best.asked_for, -(best.relevance + added)

    return sorted(threads, key=place)


def _of_one(thread: "list[Found]") -> "list[Found]":
    """Return what is shown of a thread: what matches, and else what was said on it last."""
    matching = [each for each in thread if not each.asked_for]
    for each in matching:
        each.asked_for = len(matching) < len(thread)
    return matching or thread


def by_thread(found: "list[Found]") -> "list[list[Found]]":
    """Return the messages thread by thread, the best first."""
    threads = dict[str, list[Found]]()
    for each in found:
        threads.setdefault(each.thread, []).append(each)
    return list(threads.values())


def _within(room: int, threads: "list[list[Found]]", asked: "list[str]") -> "list[str]":
    entries = list[str]()
    for thread in threads[:MOST_THREADS]:
        entry = written(thread[:MOST_LINES], asked, LINE_CHARACTERS)
        room -= len(entry)
        if room < 0:
            break
        entries.append(entry)
    return entries


def opened(database: str, cwd: str, until: float) -> "Index | None":
    """Open the words of the project that a folder is in; none if nothing is known of it."""
    if not os.path.exists(database):  # noqa: PTH110 - pathlib costs ten milliseconds
        return None
    name = database.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = _sqlite3.connect(f"file:{name}?mode=ro", uri=True, timeout=0.0)
    connection.set_progress_handler(lambda: time.monotonic() > until or None, STEPS_BETWEEN_LOOKS)
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
    return Index(connection, int(row[0]), int(row[1]))


class Index:
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

    def in_sight_since(self, session: str) -> int:
        """Return the last event before what the session has in its window."""
        row = self._connection.execute(
            "SELECT epoch_seq FROM sessions WHERE project_id = ? AND id = ?",
            (self._project, session),
        ).fetchone()
        return int(row[0]) if row else 0

    def session(self, session: str, most: int) -> "list[tuple[str, str, str, str, str, str, int]]":
        """Return the latest events of a session, the newest first, each as a row."""
        return self._connection.execute(
            f"SELECT id, type, role, substr(text, 1, {READ_CHARACTERS}), thread_id, payload, at "  # noqa: S608 # a number
            "FROM events WHERE project_id = ? AND session = ? ORDER BY seq DESC LIMIT ?",
            (self._project, session, most),
        ).fetchall()

    def in_focus(self, session: str) -> InFocus:
        """Return what is in focus."""
        return in_focus(self._connection, self._project, session)

    def asked_for(self, foci: InFocus) -> "list[Found]":
        """Return of each thread whose id is in focus what a person said last on it."""
        found = list[Found]()
        for topic, _weight in foci:
            if topic.startswith("thread_"):
                seqs = self._connection.execute(
                    "SELECT seq FROM events WHERE thread_id = ? ORDER BY seq DESC LIMIT ?",
                    (topic, LATEST_MESSAGES),
                ).fetchall()
                latest = [Found(row, 0.0) for row in self._rows([int(row[0]) for row in seqs])]
                latest.sort(key=lambda each: -each.seq)
                said = [each for each in latest if each.role not in ANSWERING_ROLES] or latest
                found += said[:MOST_LINES]
        for each in found:
            each.asked_for = True
        return found

    def found(self, question: str) -> "list[Found]":
        """Return the messages that have most of the question's telling words, the best first."""
        asked = words(question)
        if not asked or not self._events:
            return []
        stems = self._stems(asked)
        spread = {stem: self._count(stem) for each in stems for stem in each}
        rows = self._rows(self._matched(_affordable(asked, stems, spread)))
        # Its own words alone: those of the line before it only help to find it.
        texts = [f"{row[6]}\n{row[9]}" for row in rows]
        shares = _shares(self._stems(texts), spread, self._events)
        both = zip(rows, shares, strict=True)
        found = [Found(row, relevance(share)) for row, share in both]
        return sorted(found, key=lambda each: (-each.relevance, -each.seq))

    def thread(self, start: str, most: int) -> "list[Found]":
        """Return the latest messages of the thread whose id begins so, if it is one."""
        ids = self._connection.execute(
            "SELECT id FROM threads WHERE project_id = ? AND substr(id, 1, ?) = ? LIMIT 2",
            (self._project, len(start), start),
        ).fetchall()
        if len(ids) != 1:
            return []
        seqs = self._connection.execute(
            "SELECT seq FROM events WHERE thread_id = ? ORDER BY seq DESC LIMIT ?", (*ids[0], most)
        ).fetchall()
        rows = self._rows([int(row[0]) for row in seqs])
        return sorted((Found(row, 1.0) for row in rows), key=lambda each: each.seq)

    def _stems(self, texts: "list[str]") -> "list[set[str]]":
        """Return the words of texts as the index knows them, by letting SQLite make them."""
        run = self._connection
        run.execute("DELETE FROM temp.reading")
        run.executemany("INSERT INTO temp.reading (rowid, text) VALUES (?, ?)", enumerate(texts))
        found: list[set[str]] = [set() for _ in texts]
        for stem, number in run.execute("SELECT DISTINCT term, doc FROM temp.read_words"):
            found[number].add(stem)
        return found

    def _count(self, stem: str) -> int:
        row = self._connection.execute(
            "SELECT share FROM common_words WHERE project_id = ? AND word = ?",
            (self._project, stem),
        ).fetchone()
        if row is not None:
            return min(self._events, round(float(row[0]) * self._events))
        row = self._connection.execute(
            "SELECT doc FROM temp.counts WHERE term = ?", (stem,)
        ).fetchone()
        return min(self._events, int(row[0])) if row else 0

    def _matched(self, asked: "list[str]") -> "list[int]":
        if not asked:
            return []
        index = f"words_{self._project}"
        rows = self._connection.execute(
            f"SELECT rowid FROM {index} WHERE {index} MATCH ? "  # noqa: S608 # our own name
            "AND rank MATCH 'bm25(1.0, 0.5, 0.3)' ORDER BY rank LIMIT ?",
            (" OR ".join(f'"{word}"' for word in asked), CANDIDATES),
        )
        return [int(row[0]) for row in rows.fetchall()]

    def _rows(self, seqs: "list[int]") -> "list[tuple[object, ...]]":
        marks = ", ".join(str(seq) for seq in seqs)
        return self._connection.execute(
            "SELECT e.seq, e.at, t.last_active, t.id, e.session, e.role, "  # noqa: S608 # numbers
            f"substr(e.text, 1, {READ_CHARACTERS}), t.title, t.status, "
            f"substr(w.parts, 1, {READ_CHARACTERS}), t.topics FROM events e "
            "JOIN event_words w ON w.seq = e.seq JOIN threads t ON t.id = e.thread_id "
            f"WHERE e.seq IN ({marks})"
        ).fetchall()


def relevance(share: float) -> float:
    """Measure how well a message answers that has this share of the telling words."""
    return 1.0 / (1.0 + exp(-(WORDS_ALONE_WEIGHT * share + WORDS_ALONE_OFFSET)))


def _affordable(
    asked: "list[str]", stems: "list[set[str]]", spread: "dict[str, int]"
) -> "list[str]":
    """Return the words to look for: the rarest that stand in few enough events together."""
    costs = {
        word: min((spread[stem] for stem in each), default=0)
        for word, each in zip(asked, stems, strict=True)
    }
    kept, left = list[str](), BUDGET_EVENTS
    for word in sorted((word for word in asked if costs[word]), key=costs.__getitem__):
        left -= costs[word]
        if left < 0 and len(kept) >= LEAST_WORDS:
            break
        kept.append(word)
    return kept


def _shares(held: "list[set[str]]", spread: "dict[str, int]", events: int) -> "list[float]":
    told = {
        stem: _told(count, events) * (1.0 if count else events / (events + YOUNG_EVENTS))
        for stem, count in spread.items()
    }
    most = min(1.0, _told(0, events) / _told(0, GROWN_EVENTS))
    total = sum(told.values()) + SAYS_NOTHING * most
    return [sum(told[stem] for stem in each if stem in told) / total for each in held]


def _told(count: int, events: int) -> float:
    return log(1 + (events - count + 0.5) / (count + 0.5))
