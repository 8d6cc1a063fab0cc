"""An agent reads a path that is not there, and reads an answer in the same turn."""

import re
from itertools import chain

import pytest

from e2e.model_request import ModelRequest
from e2e.scripted_model import Block, says, uses
from e2e.site import Site
from e2e.told import FACT, decide, threads_in

QUESTION = "how often are the JWT signing keys rotated"

QUERIES = [
    QUESTION,
    f"{QUESTION}?",
    f"{QUESTION} & by whom",
    f"{QUESTION}, 100% of them, and 5 %",
    QUESTION.replace(" ", "%20"),
    f"\"{QUESTION}\" on 'vault-2'",
    f"à quelle fréquence, été comme hiver: {QUESTION}",
    f"{QUESTION}\nby the job rotate_keys\non vault-2",
    f"{QUESTION} #1 * [a|b] {{c}} <d> $e `f` \\g",
    f"rotate_keys/vault-2 {QUESTION}",
    f"{QUESTION} \N{KEY}",
    f"{QUESTION}?limit=2",
]


def recall(query: str) -> list[Block]:
    return uses("Read", file_path=f".ai/recall/{query}")


def test_a_recall_answers_whatever_characters_the_question_is_written_with(
    site: Site,
) -> None:
    decide(site)

    asked = list(chain.from_iterable(map(recall, QUERIES)))
    model = site.says("look it up", asked, says("Every 30 days."))

    for query, use in zip(QUERIES, asked, strict=True):
        result = model.requests[1].result_of(use)
        assert not result.is_error, (query, result)
        assert FACT in result.text, (query, result)
        assert result.text.startswith("1\t"), (query, result)


def test_a_part_of_an_answer_can_be_read(site: Site) -> None:
    decide(site)

    model = site.says(
        "look it up",
        uses("Read", file_path=f".ai/recall/{QUESTION}", offset=2, limit=1),
        says("Done."),
    )

    result = model.requests[1].result
    assert not result.is_error
    assert result.text.splitlines()[0] == f"2\t# Memory Recall: {QUESTION}"
    assert FACT not in result.text


def test_what_the_memory_does_not_know_is_said_and_is_no_error(site: Site) -> None:
    site.settle()

    model = site.says("look it up", recall("the migration to Postgres"), says("Nothing."))

    result = model.requests[1].result
    assert not result.is_error
    assert "Nothing " in result.text


@pytest.mark.parametrize(
    "command",
    [f"cat '.ai/recall/{QUESTION}'", f'cat ".ai/recall/{QUESTION}?"'],
)
def test_a_shell_reads_the_same(site: Site, command: str) -> None:
    decide(site)

    model = site.says("look it up", uses("Bash", command=command), says("Every 30 days."))

    result = model.requests[1].result
    assert not result.is_error
    assert FACT in result.text


def test_real_files_are_read_as_ever(site: Site) -> None:
    (site.project / ".ai" / "recall").mkdir(parents=True)
    (site.project / "notes.txt").write_text("the notes themselves")
    (site.project / ".ai" / "notes.txt").write_text("notes of somebody else")

    (notes,) = uses("Read", file_path="notes.txt")
    (others,) = uses("Read", file_path=".ai/notes.txt")
    model = site.says("look it up", [notes, others], says("Done."))

    assert "the notes themselves" in model.requests[1].result_of(notes).text
    assert "notes of somebody else" in model.requests[1].result_of(others).text


def test_a_thread_is_split_in_two_steps(site: Site) -> None:
    decide(site, "The signing keys are kept in config/jwt_keys.yaml, encrypted for vault-2.")

    def first_step(request: ModelRequest) -> list[Block]:
        return uses("Read", file_path=f".ai/split/{threads_in(request.result.text)[0]}")

    def second_step(request: ModelRequest) -> list[Block]:
        path = re.search(r'Read\("(\.ai/split/[^"]+/confirm\?[^"]+)"\)', request.result.text)
        assert path, request.result.text
        return uses("Read", file_path=path[1])

    model = site.says("tidy up", recall(QUESTION), first_step, second_step, says("Split."))

    result = model.requests[3].result
    assert not result.is_error
    assert result.text.startswith("1\tSplit: ")
    assert "Split" in site.ais("log")


def test_a_subagent_reads_the_memory_too(site: Site) -> None:
    decide(site)
    task = "find out how often keys are rotated"
    agent = uses(
        "Agent",
        description="look",
        prompt=task,
        subagent_type="general-purpose",
        run_in_background=False,
    )

    model = site.says("ask somebody", agent, recall(QUESTION), says("30."), says("Done."))

    of_agent = [each for each in model.requests if task in each.first_text]
    result = of_agent[-1].result
    assert not result.is_error
    assert FACT in result.text
