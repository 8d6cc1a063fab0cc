"""A condenser is asked for by name, and one that goes wrong changes nothing."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ai_smartness.condense import Wrote
from ai_smartness.memory import Memory
from ai_smartness.model.condensation import Replacement
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import EventType, Message
from ai_smartness.settings.schema import CondenseSettings, Settings
from ai_smartness.testing import ScriptedModel
from builders import NOON, a_memory
from long_threads import LineByLine, a_long_thread

pytestmark = pytest.mark.every_engine

NOTE = Replacement(type=EventType.NOTE, role="note", text="It was about tokens.", at=NOON)
CALL = Replacement(
    type=EventType.TOOL_CALL, role="assistant", text="", at=NOON, payload={"call_id": "x"}
)
RESULT = Replacement(
    type=EventType.TOOL_RESULT, role="tool", text="ok", at=NOON, payload={"call_id": "x"}
)


def _raises(*_: object) -> None:
    msg = "out of ideas"
    raise LookupError(msg)


@pytest.mark.parametrize(
    ("gives", "because"),
    [
        (_raises, "raised LookupError: out of ideas"),
        (None, "gave NoneType"),
        ("words", "gave str"),
        ([], "gave nothing"),
        (["words"], "gave a str and not a Replacement"),
        ([replace(NOTE, text=3)], "needs a text"),  # type: ignore[arg-type]
        ([replace(NOTE, type=EventType.COMPACTION)], "cannot be of the type"),
        ([replace(NOTE, role="")], "role ''"),
        ([replace(NOTE, payload={"x": {1}})], "no plain JSON"),
        ([RESULT], "parted the result x from its call"),
        ([CALL], "parted the call x from its result"),
        ([replace(NOTE, text="word " * 60_000)], "more than the"),
        (Wrote([]), "gave nothing"),
    ],
)
def test_a_condenser_that_goes_wrong_writes_nothing_and_says_why(
    gives: object, because: str
) -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        memory.register(LineByLine(gives))
        before = (memory.all_events(thread), memory.events(thread), memory.log())

        with pytest.raises(RefusedError, match="Nothing was written") as refused:
            memory.condense(thread, "line-by-line", target=800)

        assert because in str(refused.value)
        assert (memory.all_events(thread), memory.events(thread), memory.log()) == before
        memory.append(thread, Message(text="the thread goes on", session="s"))


def test_a_condenser_that_hangs_is_left_behind_after_its_deadline() -> None:
    wait = threading.Event()
    settings = Settings(condense=CondenseSettings(deadline_seconds=0.05))
    with a_memory(settings=settings) as memory:
        thread = a_long_thread(memory)
        memory.register(LineByLine(lambda *_: wait.wait(60)))

        with pytest.raises(RefusedError, match=r"not ended after 0\.05 seconds"):
            memory.condense(thread, "line-by-line", target=800)

        wait.set()
        assert memory.log()[0].verb == "create"


def test_one_of_your_own_is_asked_for_by_its_name_and_signs_what_it_wrote() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)
        memory.register(LineByLine([NOTE, CALL, RESULT]))

        memory.condense(thread, "line-by-line", target=800, mood="brief")

        payload = memory.all_events(thread)[-1].payload
        assert payload["condenser"] == "line-by-line"
        assert payload["version"] == "7"
        assert payload["parameters"] == {"target": 800, "mood": "brief"}
        assert [event.text for event in memory.events(thread)] == [NOTE.text, "", "ok"]
        assert "line-by-line" in [each.id for each in memory.condensers()]


def test_a_name_nobody_has_and_a_parameter_nobody_takes_are_refused() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)

        with pytest.raises(NotFoundError, match="There are digest, "):
            memory.condense(thread, "haiku")
        with pytest.raises(RefusedError, match="takes no mood"):
            memory.condense(thread, "digest", mood="brief")
        with pytest.raises(RefusedError, match="no scope 'some'"):
            memory.condense(thread, scope="some")
        with pytest.raises(RefusedError, match="tokens from 1 on"):
            memory.condense(thread, target=0)
        with pytest.raises(RefusedError, match="one of ours"):
            memory.register(type("Mine", (LineByLine,), {"id": "digest"})([NOTE]))
        with pytest.raises(RefusedError, match="is no condenser"):
            memory.register("digest")  # type: ignore[arg-type]


def test_a_short_thread_has_nothing_to_condense() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory, turns=1)

        with pytest.raises(RefusedError, match="within the target of 4,000"):
            memory.condense(thread)
        with pytest.raises(RefusedError, match="nothing to condense"):
            memory.condense(memory.create())


def test_without_a_language_model_the_summary_is_a_digest_and_says_so() -> None:
    with a_memory() as memory:
        thread = a_long_thread(memory)

        done = memory.condense(thread, "llm-summary", target=800)

        assert "no language model is configured" in done.said


def test_a_language_model_sums_up_in_its_own_words() -> None:
    model = ScriptedModel(["Tokens were renamed."])
    with a_memory() as memory:
        asked = Memory(replace(memory._parts, language_model=lambda: model), "demo", Settings())  # noqa: SLF001
        thread = a_long_thread(asked)

        asked.condense(thread, "llm-summary", target=800)
        assert "Tokens were renamed." in asked.events(thread)[0].text
        again = asked.condense(thread, "llm-summary", target=700, scope="full")

        assert "was asked for one more" in again.said
        assert "src/auth/token_11.py" in model.prompts[0]


def test_a_secret_in_a_file_that_is_read_again_is_not_kept(tmp_path: Path) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLQ"
    with a_memory(tmp_path / "memory") as memory:
        parts = replace(memory._parts, read_file=lambda _: f"key = '{secret}'\n" * 3)  # noqa: SLF001
        reading = Memory(parts, "demo", Settings())
        thread = a_long_thread(reading)

        reading.condense(thread, "summarize-and-reload", target=900)

        texts = " ".join(event.text for event in reading.events(thread))
        assert "## Important Files Reloaded:" in texts
        assert secret not in texts
