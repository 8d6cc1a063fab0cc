"""The labelled sentences are well formed, and those for tests are not among those for fitting."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LABELS: dict[str, tuple[str, set[object]]] = {
    "statements": (
        "kind",
        {
            *("decision", "rule", "preference", "environment"),
            *("command", "error_cure", "open_task", "none"),
        },
    ),
    "supersedes": ("label", {"supersedes", "adds", "repeats", "unrelated"}),
    "applies": ("label", {True, False}),
    "answers": ("label", {"answers", "related", "no"}),
    "prompts": ("needs", {True, False}),
}
TEXTS = {
    "statements": ("text",),
    "supersedes": ("earlier", "later"),
    "applies": ("rule", "request"),
    "answers": ("question", "line"),
    "prompts": ("text",),
}


def items(folder: str, name: str) -> list[dict[str, object]]:
    lines = (ROOT / folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("folder", ["training", "tests/tables"])
@pytest.mark.parametrize("name", LABELS)
def test_every_item_has_its_texts_its_origin_and_a_known_label(folder: str, name: str) -> None:
    key, labels = LABELS[name]

    for item in items(folder, name):
        assert item[key] in labels
        assert all(str(item[text]).strip() for text in TEXTS[name])
        assert item["project"]
        assert item["writer"]


@pytest.mark.parametrize("name", LABELS)
def test_nothing_that_is_tested_with_was_fitted_on(name: str) -> None:
    fitted = {tuple(str(item[text]) for text in TEXTS[name]) for item in items("training", name)}
    tested = {
        tuple(str(item[text]) for text in TEXTS[name]) for item in items("tests/tables", name)
    }

    assert fitted & tested == set()
    assert not {str(item["project"]) for item in items("training", name)} & {
        str(item["project"]) for item in items("tests/tables", name)
    }


@pytest.mark.parametrize("name", ["projects", "changes", "fresh", "unseen"])
def test_every_phrase_that_answers_a_prompt_stands_in_its_project(name: str) -> None:
    for project in items("training", name):
        texts = message_texts(project)
        for prompt in project["prompts"]:  # type: ignore[attr-defined]
            assert bool(prompt.get("need")) == prompt["speak"]
            phrases = [phrase for fact in prompt.get("need", ()) for phrase in fact]
            for phrase in (*phrases, *prompt.get("stale", ())):
                assert any(folded(phrase) in folded(text) for text in texts.values()), phrase


@pytest.mark.parametrize("name", ["projects", "changes"])
def test_both_sides_of_every_reversal_stand_in_the_messages_they_name(name: str) -> None:
    for project in items("training", name):
        texts = message_texts(project)
        order = list(texts)
        pairs = [*project["supersedes"], *project.get("holds", ())]  # type: ignore[misc]
        for older, old_text, newer, new_text in pairs:
            assert old_text in texts[older]
            assert new_text in texts[newer]
            assert order.index(older) < order.index(newer)


def folded(text: str) -> str:
    """Return a text as `scripts/bench moments` compares phrases."""
    return " ".join(text.casefold().split())


def message_texts(project: dict[str, object]) -> dict[str, str]:
    return {
        message["id"]: message["text"]
        for session in project["sessions"]  # type: ignore[attr-defined]
        for message in session["messages"]
    }
