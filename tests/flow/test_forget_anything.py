"""Whatever is forgotten of whatever there is, no word of it is left, and all else is."""

import json
import random
import sqlite3
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from ai_smartness.memory import Memory
from ai_smartness.model.erasure import Selection
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event
from builders import said
from lived_in import PROJECTS, SESSIONS, LivedIn, everything, opened


@settings(max_examples=30)
@given(st.integers(0, 1_000_000), st.sampled_from(["rewrite", "remove"]))
def test_no_forgotten_word_is_found_in_any_file_and_everything_else_is_still_there(
    seed: int,
    backups: str,
) -> None:
    with TemporaryDirectory() as folder:
        home, chance = Path(folder), random.Random(seed)  # noqa: S311 - nothing secret
        with closing(opened(home)) as memory:
            life = LivedIn(home, seed)
            life.fill(memory)
            before = everything(memory)
            selection = _something(memory, life, chance)
            empty = _empty(memory)

            done = memory.forget(selection, backups=backups)

            after = everything(memory)
            assert done.left == ()
            assert done.messages == len(before) - len(after)
            _nothing_else_has_changed(before, after)
            _it_fits_together(home, memory, after, empty)
            gone = _gone_words(life, before, after, home)
        _is_in_no_file(home, gone)


def _something(memory: Memory, life: LivedIn, chance: random.Random) -> Selection:
    threads = [each for each in memory.threads() if not each.merged_into]
    events = [each for each in everything(memory).values() if each.project == PROJECTS[0]]
    some = chance.sample(events, min(len(events), chance.randint(1, 4)))
    when = chance.choice(events).at
    spoken = {each.session for each in events if each.session} or {SESSIONS[0]}
    return chance.choice(
        [
            Selection(project=PROJECTS[0], messages=tuple(each.id for each in some)),
            Selection(thread=chance.choice(threads).id),
            Selection(session=chance.choice(sorted(spoken))),
            Selection(project=PROJECTS[0], since=when),
            Selection(until=when + timedelta(seconds=1)),
            Selection(project=chance.choice(PROJECTS)),
            Selection(matching=chance.choice(life.secrets)),
            Selection(project=PROJECTS[0], matching="refresh token"),
        ],
    )


def _empty(memory: Memory) -> set[str]:
    """Name the threads without messages: merged ones, and those that capture left empty."""
    seen = [memory.seen_from(each.project) for each in memory.projects()]
    return {
        thread.id for each in seen for thread in each.threads() if not each.all_events(thread.id)
    }


def _nothing_else_has_changed(
    before: dict[tuple[str, str], Event],
    after: dict[tuple[str, str], Event],
) -> None:
    assert all(event == before[key] for key, event in after.items())


def _it_fits_together(
    home: Path,
    memory: Memory,
    after: dict[tuple[str, str], Event],
    empty: set[str],
) -> None:
    assert memory.check() == ""
    assert _empty(memory) <= empty
    with closing(sqlite3.connect(home / "memory.db")) as file:
        assert file.execute("PRAGMA foreign_key_check").fetchall() == []
    for project in {event.project for event in after.values()}:
        seen = memory.seen_from(project)
        for thread in seen.threads():
            assert seen.events(thread.id) or thread.id in empty
            assert thread.title
        for entry in seen.log(limit=1_000):
            with suppress(RefusedError, NotFoundError):
                seen.undo(entry.seq, dry_run=True)
        for event in list(after.values())[:5]:
            if event.project == project:
                assert event.id in {hit.id for hit in seen.search(event.text, 20)}
        seen.inject("what of the refresh token", session=SESSIONS[0])
        seen.recall("refresh token")
        seen.suggestions()
        assert seen.capture(said("and now to something new", minute=9000)).stored == 1


def _gone_words(
    life: LivedIn,
    before: dict[tuple[str, str], Event],
    after: dict[tuple[str, str], Event],
    home: Path,
) -> set[str]:
    inbox = home / "inbox" / "events.jsonl"
    waiting = [json.loads(line)["text"] for line in inbox.read_text().splitlines() if line]
    kept = " ".join([*map(_words, after.values()), *waiting])
    gone = " ".join(_words(each) for key, each in before.items() if key not in after)
    return {each for each in life.secrets if each in gone and each not in kept}


def _words(event: Event) -> str:
    return json.dumps([event.text, dict(event.payload)], ensure_ascii=False)


def _is_in_no_file(home: Path, words: set[str]) -> None:
    files = {path: path.read_bytes().lower() for path in home.rglob("*") if path.is_file()}
    forms = {
        form.encode().lower(): word
        for word in words
        for form in (word, word.casefold(), word.upper(), json.dumps(word)[1:-1])
    }
    found = [
        (path.name, word)
        for path, held in files.items()
        for form, word in forms.items()
        if form in held
    ]
    assert found == []
