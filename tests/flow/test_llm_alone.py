"""Who asks a language model: whoever names it, and nobody else."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import ai_smartness
from ai_smartness.condense import Context
from ai_smartness.condense.trim import unchanged_replacement
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.condensation import Replacement
from ai_smartness.model.event import Event, Message
from ai_smartness.model.split import SplitPart
from ai_smartness.ports import LanguageModel
from ai_smartness.settings.paths import memory_paths
from ai_smartness.settings.schema import LlmSettings, Settings
from ai_smartness.testing import HashEmbedder, ScriptedModel, SetClock
from ai_smartness.wiring import build_memory, open_memory
from builders import NOON
from engines import open_store
from llm_memory import KEY, a_memory, served
from llm_server import SUMMARY, Reply, llm_server
from long_threads import LineByLine, a_long_thread

SOURCE = Path(ai_smartness.__file__).parent


def test_only_a_condenser_that_asks_for_a_model_is_given_one() -> None:
    seen: list[LanguageModel | None] = []

    class Asking(LineByLine):
        id = "asking"
        asks_model = True

    def looked(events: Sequence[Event], context: Context) -> list[Replacement]:
        seen.append(context.model)
        return [replace(unchanged_replacement(events[0]), text="short")]

    with a_memory(ScriptedModel([])) as memory:
        thread = a_long_thread(memory)
        for condenser in (LineByLine(looked), Asking(looked)):
            memory.register(condenser)
            memory.condense(thread, condenser.id, target=800, dry_run=True)

        without, given = seen
        assert without is None
        assert given is not None
        assert given.provider == "script"


def forbidden() -> LanguageModel:
    msg = "somebody wanted the language model"
    raise AssertionError(msg)


def everything_else(memory: Memory, thread: str, other: str) -> Iterator[object]:
    """Do all that a memory can do, but for a summary by a model."""
    yield memory.capture([Message(text="rotate the keys every 30 days", session="s1", at=NOON)])
    yield memory.search("rotate keys")
    yield memory.recall("rotate keys")
    yield memory.read_virtual(".ai/recall/rotate keys")
    yield memory.greeting("s2")
    yield memory.inject("how often do we rotate the keys?", session="s2")
    yield memory.suggestions()
    yield memory.status()
    yield memory.compact()
    yield memory.undo()
    for condenser in memory.condensers():
        if condenser.id != "llm-summary":
            yield memory.condense(thread, condenser.id, target=1_500, dry_run=True)
    yield memory.condense(thread, target=800)
    yield memory.undo()
    yield memory.propose_split(thread)
    first = memory.events(thread)[0]
    yield memory.split(thread, [SplitPart("Half", (first.id,))])
    yield memory.merge(thread, other)
    yield memory.context_compacted("s1")
    yield memory.focus("keys")
    yield memory.pin("never log a key")
    yield memory.rate(thread, useful=True)
    yield memory.reindex()
    yield memory.embed()
    yield memory.tell()
    yield memory.why()
    yield memory.log()


def test_nobody_else_asks_a_language_model_whatever_is_done() -> None:
    parts = MemoryParts(
        store=open_store(),
        embedder=HashEmbedder,
        clock=SetClock(NOON),
        language_model=forbidden,
    )
    with Memory(parts, "demo", Settings()) as memory:
        thread, other = a_long_thread(memory), memory.create("Another")
        memory.append(other, Message(text="look at the login page", at=NOON))

        done = list(everything_else(memory, thread, other))

        assert len(done) > 20
        assert memory.tokens_today() == 0
        assert not [entry for entry in memory.log(limit=1_000) if entry.verb == "llm"]
        with pytest.raises(AssertionError, match="somebody wanted"):
            memory.condense(thread, "llm-summary", target=800)


def test_one_place_alone_reaches_for_the_model() -> None:
    def saying(words: str) -> set[str]:
        return {
            str(file.relative_to(SOURCE))
            for file in SOURCE.rglob("*.py")
            if words in file.read_text()
        }

    assert saying("_parts.language_model") == {"memory/agent_log.py"}
    assert saying("._model_for(") == {"memory/agent_log.py"}
    assert saying("import chosen_model") == {"wiring.py"}


def test_the_memory_of_the_daemon_has_no_language_model_to_ask(tmp_path: Path) -> None:
    settings = Settings(llm=LlmSettings(provider="ollama", model="m"))
    where = memory_paths(tmp_path, None, {})

    with build_memory(where, settings, "demo", ":memory:", embedder=lambda: None) as memory:
        thread = a_long_thread(memory)
        done = memory.condense(thread, "llm-summary", target=800)

    assert "no language model is configured" in done.said


def test_a_memory_that_is_opened_has_the_one_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with llm_server() as server:
        environ = {
            "AIS_LLM_PROVIDER": "openai",
            "AIS_LLM_MODEL": "m",
            "AIS_LLM_BASE_URL": f"{server.url}/v1",
            "AIS_LLM_KEY_VARIABLE": "MY_KEY",
            "AIS_EMBEDDER_MODEL": "none",
        }
        with open_memory(project="demo", home=tmp_path, environ=environ) as memory:
            thread = a_long_thread(memory)
            memory.condense(thread, "llm-summary", target=800)

            assert SUMMARY in memory.events(thread)[0].text

    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_key_is_nowhere_in_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    quoting = Reply(400, b'{"error":{"message":"%b for sk-sesame-0123456789"}}' % (b"x" * 185))
    with llm_server(quoting) as server, a_memory(served(server), path) as memory:
        done = memory.condense(a_long_thread(memory), "llm-summary", target=800)

    assert "400" in done.said
    for file in tmp_path.iterdir():
        assert KEY[:9].encode() not in file.read_bytes()
