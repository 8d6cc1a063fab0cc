"""What every language model must do, whoever serves it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ai_smartness.adapters.llm import chosen_model
from ai_smartness.condense.metered_llm import LlmCallOrigin, MeteredModel
from ai_smartness.model.errors import AisError
from ai_smartness.model.journal import Actor
from ai_smartness.ports import LanguageModel
from ai_smartness.settings.schema import LlmSettings
from ai_smartness.testing import ScriptedModel, SetClock
from engines import open_store
from fake_claude import fake_claude
from llm_server import Reply, llm_server

SAID = "rotate the keys, ü and 鍵"


def there(model: LanguageModel | None) -> Iterator[LanguageModel]:
    assert model is not None
    yield model


def a_claude(folder: Path, *, works: bool) -> Iterator[LanguageModel]:
    fake = fake_claude(folder, result=SAID) if works else fake_claude(folder, "sys.exit(1)")
    yield from there(chosen_model(LlmSettings(provider="claude"), fake.environ))


def a_served(provider: str) -> Callable[..., Iterator[LanguageModel]]:
    def made(_folder: Path, *, works: bool) -> Iterator[LanguageModel]:
        with llm_server(None if works else Reply(503, b""), says=SAID) as server:
            base = f"{server.url}/v1" if provider == "openai" else server.url
            choice = LlmSettings(provider=provider, model="m", base_url=base)
            yield from there(chosen_model(choice, {"ANTHROPIC_API_KEY": "sesame"}))

    return made


def a_script(_folder: Path, *, works: bool) -> Iterator[LanguageModel]:
    yield ScriptedModel([SAID] if works else [])


def a_metered(folder: Path, *, works: bool) -> Iterator[LanguageModel]:
    store = open_store(folder / "memory")
    inner = ScriptedModel([SAID] if works else [])
    yield MeteredModel(
        inner, LlmCallOrigin("demo", Actor(), "condense it"), store, SetClock(), 100_000
    )
    store.close()


MODELS = {
    "claude": a_claude,
    "anthropic": a_served("anthropic"),
    "openai": a_served("openai"),
    "ollama": a_served("ollama"),
    "script": a_script,
    "metered": a_metered,
}


@pytest.fixture(params=list(MODELS))
def a_model(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LanguageModel]:
    yield from MODELS[request.param](tmp_path, works=True)


@pytest.fixture(params=list(MODELS))
def a_broken_model(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LanguageModel]:
    yield from MODELS[request.param](tmp_path, works=False)


def test_it_says_who_it_is_how_much_it_takes_and_how_long(a_model: LanguageModel) -> None:
    assert a_model.provider
    assert a_model.name
    assert a_model.window_tokens > 0
    assert a_model.seconds > 0


def test_it_returns_its_words_as_they_are(a_model: LanguageModel) -> None:
    answer = a_model.complete("what now?", 100)

    assert answer.text == SAID
    assert (answer.tokens_in or 0) >= 0
    assert (answer.tokens_out or 0) >= 0


def test_one_that_cannot_answer_says_so_in_words(a_broken_model: LanguageModel) -> None:
    with pytest.raises(AisError, match=r"\w+ \w+.*\."):
        a_broken_model.complete("what now?", 100)
