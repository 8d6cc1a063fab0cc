"""The topics of a thread name something."""

import pytest

from ai_smartness.describe.description import ThreadDescriber
from ai_smartness.describe.parse_message import ThreadLine


def topics_of(*texts: str) -> tuple[str, ...]:
    describer = ThreadDescriber()
    for text in texts:
        describer.add("t1", ThreadLine("user", text))
    return describer.description_of("t1", "", set()).topics


@pytest.mark.parametrize(
    ("debris", "texts"),
    [
        ("rejects", ["The parser rejects umlauts.", "Why rejects it umlauts in the parser?"]),
        ("being sent", ["Logs are being sent to the collector.", "No logs being sent again."]),
        ("2.5rem", ["Set the gutter to 2.5rem.", "A gutter of 2.5rem is wide, 1.25rem is not."]),
        ("px-3", ["The badge has px-3 pb-2.", "Give the badge px-3 pb-2 like the banner."]),
        ("Ada's", ["The parser is Ada's.", "Is this parser Ada's?"]),
        ("many", ["There are many pnpm warnings.", "Too many pnpm warnings, again."]),
        ("corrupted", ["The logo is corrupted.", "Why is the logo corrupted?"]),
        (
            "tmp/clones",
            ["See tmp/clones/eval-DtKspd for the logo.", "tmp/clones/eval-DtKspd"],
        ),
        ("ephemeral", ["The vault is ephemeral.", "An ephemeral vault, why is it ephemeral?"]),
        (
            "transpile",
            [
                "We transpile the widget and you transpile the gadget.",
                "Transpile WidgetRow, then transpile WidgetRow in the gadget.",
            ],
        ),
        (
            "0x04",
            ["The key begins with 0x04 in the vault.", "0x04 is the first byte of the key"],
        ),
        (
            "903417562288",
            ["The vault has 903417562288-qzt41xw7mbkd0e.", "903417562288-qzt41xw7mbkd0e again"],
        ),
        ("solution", ["The solution is a vault.", "Is that solution for the vault any good?"]),
        ("against", ["Guard the loop against malformed rows.", "The loop, against malformed rows"]),
    ],
)
def test_a_topic_is_no_verb_adjective_measure_hash_style_class_filler_or_passing_place(
    debris: str, texts: list[str]
) -> None:
    topics = topics_of(*texts)

    assert topics
    assert not [topic for topic in topics if debris.casefold() in topic.casefold()]


def test_a_file_is_named_without_its_folders() -> None:
    topics = topics_of(
        "Open frontend/src/hooks/useLogin.ts first.",
        "frontend/src/hooks/useLogin.ts and server/index.ts do not agree.",
    )

    assert "useLogin.ts" in topics
    assert "server/index.ts" in topics  # alone, it could be any


def test_names_in_code_and_nouns_that_are_verbs_too_stay() -> None:
    topics = topics_of(
        "The build fails in parse_rows() since the cache is cold.",
        "parse_rows() and the cache make the build fail with utf-8.",
    )

    assert {"parse_rows()", "cache", "utf-8"} <= set(topics)


def test_a_noun_before_another_one_and_an_adjective_used_as_a_noun_stay() -> None:
    topics = topics_of(
        "The printer queue fills the terminal.",
        "Why does the terminal wait for a printer queue?",
    )

    assert "printer" in " ".join(topics)
    assert "terminal" in topics


def test_of_many_issue_numbers_two_are_enough() -> None:
    topics = topics_of("Close #11, #12, #13 and #14.", "#11, #12, #13 and #14 are about the parser")

    assert sum(topic.startswith("#") for topic in topics) == 2


def test_a_language_that_the_grammar_does_not_know_keeps_its_topics() -> None:
    topics = topics_of(
        "Der Kassensturz läuft jeden Abend um zehn.",
        "Warum bricht der Kassensturz ab, wenn eine Quittung fehlt?",
    )

    assert "Kassensturz" in " ".join(topics)
