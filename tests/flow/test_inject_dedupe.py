"""What a session has in sight is not shown to it again; what it has not seen, and changes, are."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_smartness.memory import Memory
from ai_smartness.model.injection import Injection
from ai_smartness.model.thread import Origin
from ai_smartness.settings.schema import InjectSettings, Settings
from ai_smartness.testing import SetClock
from asking import KEYS, QUESTION, a_told_memory, answered, changed, saved, shown, thread_of
from builders import NOON, a_memory, said

pytestmark = pytest.mark.every_engine

DEPTH = 10


def turns_of_other_things(memory: Memory, session: str, count: int) -> None:
    for number in range(count):
        memory.inject(f"what colour has the sky, part {number}?", session=session)


def test_deduplication_exact_id_what_is_in_sight_is_not_shown_again() -> None:
    memory = a_told_memory()

    first, second = (memory.inject(QUESTION, session="new") for _ in range(2))

    assert (shown(first), second.text) == (["keys"], "")
    assert "in sight: shown in turn 1, and not changed since" in {
        each.reason for each in second.skipped
    }


def shown_texts(found: Injection) -> list[str]:
    return [line.text for entry in found.entries for line in entry.lines]


def test_another_message_of_a_thread_in_sight_is_shown() -> None:
    memory = a_told_memory()
    rotation = "the rotation of JWT signing keys runs every ninety days at midnight"
    changed(memory, thread_of(memory), rotation)
    memory.inject("see config/jwt_keys.yaml: in which vault do they live?", session="new")

    later = memory.inject("how often is the rotation of the signing keys due?", session="new")

    assert rotation in shown_texts(later)
    assert KEYS not in shown_texts(later)


def test_another_sentence_of_a_message_in_sight_is_shown() -> None:
    memory = a_told_memory(settings=Settings(inject=InjectSettings(lines=1)))
    port = (
        "The payment gateway listens on port 8443 behind the reverse proxy of the cluster, which "
        "the network team has set up for all services of the shop in spring."
    )
    retries = (
        "A failed webhook is delivered again three times with a growing delay between, so that "
        "a customer whose server restarts at night loses no order by it."
    )
    memory.capture(said(f"{port} {retries}", id_="both", session="of-both"))

    first = memory.inject("on which port does the payment gateway listen?", session="new")
    second = memory.inject("how often is a failed webhook delivered again?", session="new")
    third = memory.inject("how often is a failed webhook delivered again?", session="new")

    assert shown_texts(first) == [port]
    assert shown_texts(second) == [retries]
    assert third.text == ""


def test_a_question_asked_again_and_again_shows_each_line_once_and_then_nothing() -> None:
    memory, threads = a_memory_of_subjects(SetClock(NOON))
    for number in range(1, 8):
        changed(memory, threads["vault"], a_line("vault", number))
    question = "what setting does the vault control use?"

    texts = [shown_texts(memory.inject(question, session="new")) for _ in range(8)]

    lines = [text for shown_at_once in texts for text in shown_at_once]
    assert len(lines) == len(set(lines))
    assert len(lines) > len(texts[0])
    assert texts[-1] == []


def test_sessions_do_not_see_what_was_shown_to_one_another() -> None:
    memory = a_told_memory()

    assert all(shown(memory.inject(QUESTION, session=each)) == ["keys"] for each in ("a", "b"))
    assert all(shown(memory.inject(QUESTION)) == ["keys"] for _ in range(2))


def test_after_so_many_turns_it_is_shown_again() -> None:
    memory = a_told_memory()
    memory.inject(QUESTION, session="new")

    turns_of_other_things(memory, "new", DEPTH - 1)
    within = memory.inject(QUESTION, session="new")
    after = memory.inject(QUESTION, session="new")

    assert (shown(within), shown(after)) == ([], ["keys"])


def test_a_secret_in_a_prompt_is_not_written_down() -> None:
    memory = a_told_memory()
    secret = "AKIA" + "QYLPMN5HNMVZ7TXC"

    memory.inject(f"{QUESTION} with the key {secret}?", session="new")

    (page,) = memory.why("new")
    assert QUESTION[:20] in page.prompt
    assert secret not in page.prompt


def test_what_stands_in_the_brief_stays_in_sight_until_a_compaction() -> None:
    memory = a_told_memory()
    brief = memory.greeting("new")
    assert KEYS in brief

    turns_of_other_things(memory, "new", 2 * DEPTH)
    later = memory.inject(QUESTION, session="new")
    memory.context_compacted("new")
    after = memory.inject(QUESTION, session="new")

    assert KEYS not in later.text
    assert KEYS in after.text


def test_a_reset_at_compaction_puts_everything_out_of_sight() -> None:
    memory = a_told_memory()
    memory.inject(QUESTION, session="new")

    memory.context_compacted("new")

    again = memory.inject(QUESTION, session="new")
    assert shown(again) == ["keys"]
    assert not again.entries[0].updated
    assert [(page.epoch, page.turn) for page in memory.why("new")] == [(1, 2), (0, 1)]


def test_a_compaction_of_another_session_changes_nothing() -> None:
    memory = a_told_memory()
    memory.inject(QUESTION, session="new")

    memory.context_compacted("other")

    assert memory.inject(QUESTION, session="new").text == ""


def test_what_changed_since_it_was_shown_is_shown_again_and_says_so() -> None:
    memory = a_told_memory()
    memory.inject(QUESTION, session="new")

    changed(memory, thread_of(memory), "the JWT signing keys live in the HSM now, not in vault")

    (entry,) = memory.inject(QUESTION, session="new").entries
    assert entry.updated
    assert memory.inject(QUESTION, session="new").text == ""


def test_an_update_is_marked_in_the_text() -> None:
    memory = a_told_memory()
    memory.inject(QUESTION, session="new")
    changed(memory, thread_of(memory), "the JWT signing keys live in the HSM now, not in vault")

    assert ", updated since it was shown)" in memory.inject(QUESTION, session="new").text


def test_what_the_session_itself_says_on_a_thread_is_no_change_to_it() -> None:
    memory = a_told_memory()
    memory.inject(QUESTION, session="new")

    changed(memory, thread_of(memory), "so I rotate the JWT signing keys", session="new")
    changed(memory, thread_of(memory), "and the JWT signing keys are new", session="new")

    assert memory.inject(QUESTION, session="new").text == ""


def test_what_was_renamed_or_moved_is_shown_again() -> None:
    memory = a_told_memory()
    memory.inject(QUESTION, session="new")

    memory.rename(thread_of(memory), "Where the keys are")

    assert memory.inject(QUESTION, session="new").entries[0].updated


def test_use_is_no_change() -> None:
    memory = a_told_memory()
    memory.inject(QUESTION, session="new")

    answered(memory, "new", "They are in config/jwt_keys.yaml.")

    assert memory.why("new")[0].shown[0].used
    assert memory.inject(QUESTION, session="new").text == ""


def test_deduplication_semantic_what_says_the_same_as_what_is_in_sight_is_not_shown() -> None:
    memory = a_memory(settings=Settings(inject=InjectSettings(floor=0.01)))
    memory.capture(said(KEYS, id_="one", session="one"))
    memory.inject(QUESTION, session="new")
    (thread,) = memory.threads()
    twin = "thread_20260302_110000_abcdef"
    saved(memory, "one", id=twin)
    memory.append(twin, said(KEYS, id_="two", session="two", minute=-5))

    found = memory.inject(QUESTION, session="new")

    assert (found.text, found.entries) == ("", ())
    assert twin in {each.thread_id for each in found.skipped}
    memory.append(twin, said(KEYS, id_="three", session="two", minute=5))
    newer = memory.inject(QUESTION, session="new")
    assert [entry.thread.id for entry in newer.entries] == [twin]
    assert thread.id != twin


def test_the_ledger_outlives_the_process(tmp_path: Path) -> None:
    memory = a_told_memory(tmp_path / "memory")
    memory.inject(QUESTION, session="new")
    memory.close()

    with a_memory(tmp_path / "memory", embedder=lambda: None) as again:
        assert again.inject(QUESTION, session="new").text == ""
        assert [page.turn for page in again.why("new")] == [2, 1]


def test_of_a_session_a_hundred_entries_are_kept() -> None:
    memory = a_told_memory()
    for message in ("keys", "logo", "backup"):
        saved(memory, message, origin=Origin.PIN)
    for _ in range(110):
        memory.inject(QUESTION, session="new")
        memory.context_compacted("new")

    kept = memory._store.ledger.shown_entries("demo", "new")  # noqa: SLF001 - what is kept is the point
    assert len(kept) == 100
    assert memory.status().injected > 100
    assert memory.status().used == 0


SUBJECTS = ("vault", "invoice", "backup", "login", "queue", "parser", "cache", "router")


def a_line(subject: str, number: int) -> str:
    return f"the {subject} uses setting {subject}{number} for {subject} control"


def a_memory_of_subjects(clock: SetClock) -> tuple[Memory, dict[str, str]]:
    """Keep a thread for each subject, and enough else that their words are rare."""
    memory = a_memory(clock=clock, embedder=lambda: None)
    memory.capture(said(f"filler {n} about nothing much", session="fill") for n in range(300))
    for subject in SUBJECTS:
        text = a_line(subject, 0)
        memory.capture(said(text, id_=subject, session=f"of-{subject}"))
    threads = {subject: thread_of(memory, subject) for subject in SUBJECTS}
    assert len(set(threads.values())) == len(SUBJECTS)
    return memory, threads


class Watch:
    """Keeps in mind what a session was shown, as the rules say what it has in sight."""

    def __init__(self, memory: Memory, session: str) -> None:
        self.memory, self.session = memory, session
        self.turn = self.epoch = 0
        self.threads: dict[str, tuple[int, int]] = {}
        self.lines: dict[str, tuple[int, int]] = {}
        self.due: set[str] = set()
        self.repeats: list[str] = []

    def inject(self, prompt: str) -> Injection:
        found = self.memory.inject(prompt, session=self.session)
        for entry in found.entries:
            id_, now = entry.thread.id, (self.epoch, self.turn)
            assert not entry.updated or self.in_sight(id_)
            if not entry.updated:
                self.repeats += [line.text for line in entry.lines if self.has_read(line.text)]
            self.threads[id_] = now
            self.lines |= {line.text: now for line in entry.lines}
            self.due.discard(id_)
        return found

    def in_sight(self, thread_id: str) -> bool:
        return self._is_near(self.threads.get(thread_id, (-1, 0)))

    def has_read(self, text: str) -> bool:
        return self._is_near(self.lines.get(text, (-1, 0)))

    def _is_near(self, shown_at: tuple[int, int]) -> bool:
        epoch, turn = shown_at
        return epoch == self.epoch and turn >= self.turn - DEPTH


def test_a_flow_of_200_turns_repeats_nothing_in_sight_and_shows_every_change_again() -> None:
    dice = random.Random(5)  # noqa: S311 - a conversation, not a secret
    clock = SetClock(NOON)
    memory, threads = a_memory_of_subjects(clock)
    watch = Watch(memory, "long")
    changes = shown_again = 0
    for turn in range(200):
        clock.advance(minutes=3)
        subject = dice.choice(SUBJECTS)
        thread = threads[subject]
        if dice.random() < 0.2:
            changed(memory, thread, a_line(subject, turn), session=f"other{turn}")
            changes += 1
            watch.due.add(thread)
        if dice.random() < 0.03:
            memory.context_compacted("long")
            watch.epoch += 1
        watch.turn += 1
        due = thread in watch.due or not watch.in_sight(thread)

        found = watch.inject(f"what setting does the {subject} control use?")

        ids = {entry.thread.id for entry in found.entries}
        assert thread in ids or not due, (turn, subject, found.skipped)
        shown_again += due
        if dice.random() < 0.5:
            answered(memory, "long", f"I looked at it, step {turn}.")

    assert watch.repeats == []
    assert changes > 20
    assert shown_again > changes


@settings(max_examples=15)
@given(
    st.lists(
        st.tuples(st.sampled_from(["ask", "change", "own", "compact"]), st.sampled_from(SUBJECTS)),
        max_size=25,
    )
)
def test_no_line_is_ever_shown_twice_in_an_epoch_within_depth_at_the_same_revision(
    steps: list[tuple[str, str]],
) -> None:
    memory, threads = a_memory_of_subjects(SetClock(NOON))
    watch = Watch(memory, "long")
    for number, (step, subject) in enumerate(steps):
        match step:
            case "ask":
                watch.turn += 1
                watch.inject(f"what setting does the {subject} control use?")
            case "change":
                changed(memory, threads[subject], a_line(subject, number), session="other")
            case "own":
                changed(memory, threads[subject], a_line(subject, number), session="long")
            case _:
                memory.context_compacted("long")
                watch.epoch += 1

    assert watch.repeats == []


@pytest.mark.parametrize("session", ["", None])
def test_without_a_session_nothing_is_remembered(session: str | None) -> None:
    memory = a_told_memory()

    assert shown(memory.inject(QUESTION, session=session)) == ["keys"]
    assert shown(memory.inject(QUESTION, session=session)) == ["keys"]
    assert memory.why() == []


def test_what_a_callers_history_does_not_hold_is_shown_again() -> None:
    memory = a_told_memory()
    messages = [{"role": "user", "content": QUESTION}]

    first = memory.with_memory(messages, session="s9")
    second = memory.with_memory(messages, session="s9")

    assert "ai-smartness-memory" in str(first)
    assert "ai-smartness-memory" in str(second)
