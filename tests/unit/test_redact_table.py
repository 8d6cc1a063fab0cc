"""The table of services and commands: every row finds what it describes, and none is slow."""

import random
import re
from itertools import count, islice

import pytest

from ai_smartness.redact import redacted_text
from ai_smartness.redact.assignments import ASSIGNMENT, SECRET_NAME
from ai_smartness.redact.context import CONTEXTS
from ai_smartness.redact.formats import (
    COMMANDS,
    DOTTED,
    FORMATS,
    HIDDEN,
    VENDORS,
    expanded_pattern,
)
from ai_smartness.redact.prefilter import COMMAND_MARKS, SHORTEST_FORMAT_CHARACTERS, SecretClues
from regex_examples import fewest_characters, matching_example, pattern_repeats

EXAMPLES = 3
LONGEST_REPEAT = 60_000

Row = tuple[str, int, list[str], str]


def example(pattern: str, seed: object) -> str:
    chance = random.Random(str(seed))  # noqa: S311 - the same each time
    return matching_example(expanded_pattern(pattern), chance)


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: f"{row[0]}-{row[2][0]}")
def test_a_secret_of_every_format_is_redacted(row: Row) -> None:
    _, _, beginnings, pattern = row
    for beginning in beginnings:
        for number in range(EXAMPLES):
            secret = beginning.lstrip("^") + example(pattern, number)

            clean = redacted_text(f"we deploy with {secret} since Monday")

            assert clean.startswith("we deploy with [redacted:")
            assert clean.endswith("] since Monday")


@pytest.mark.parametrize("row", HIDDEN, ids=lambda row: f"{row[0]}-{row[2][0]}")
def test_a_secret_with_known_letters_inside_is_redacted(row: Row) -> None:
    for number in range(EXAMPLES):
        secret = example(row[3], number)

        clean = redacted_text(f"post it to {secret} now")

        assert secret not in clean
        assert "[redacted:" in clean


@pytest.mark.parametrize("row", VENDORS, ids=lambda row: row[0])
def test_a_key_beside_the_name_of_its_service_is_redacted(row: list[str]) -> None:
    name, pattern = row
    examples = (example(pattern, number) for number in count())
    with_digits = (secret for secret in examples if not secret.isalpha())
    for secret in islice(with_digits, EXAMPLES):
        clean = redacted_text(f'{name}_client = "{secret}"')

        assert secret not in clean


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: f"{row[0]} {row[1]}")
def test_a_password_in_the_arguments_of_a_command_is_redacted(row: list[str]) -> None:
    program, letters, before = row
    for number in range(EXAMPLES):
        start = program + example(before.partition("(?=")[0], number)

        clean = redacted_text(f"{start}Kw7xT2pq")

        assert letters in start
        assert clean == f"{start}[redacted:password]"


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: f"{row[0]} {row[1]}")
def test_the_prefilter_knows_a_mark_of_every_command(row: list[str]) -> None:
    program, _, before = row
    command = f"{program}{example(before.partition('(?=')[0], 1)}Kw7xT2pq"

    assert any(mark in command for mark in COMMAND_MARKS)


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: f"{row[0]}-{row[2][0]}")
def test_no_secret_of_a_format_is_shorter_than_it_says(row: Row) -> None:
    _, shortest, beginnings, pattern = row
    beginning = min(len(letters.lstrip("^")) for letters in beginnings)

    assert (
        shortest
        == beginning + fewest_characters(expanded_pattern(pattern))
        >= SHORTEST_FORMAT_CHARACTERS
    )


@pytest.mark.parametrize("row", [*HIDDEN, (*DOTTED[:2], ["."], DOTTED[2])], ids=lambda row: row[0])
def test_no_secret_with_letters_inside_is_shorter_than_it_says(row: Row) -> None:
    assert row[1] == fewest_characters(expanded_pattern(row[3])) >= SHORTEST_FORMAT_CHARACTERS


PATTERNS = [
    *((expanded_pattern(row[3]), 0) for row in [*FORMATS, *HIDDEN]),
    *((expanded_pattern(row[1]), 0) for row in VENDORS),
    *((context.pattern, 0) for context in CONTEXTS),
    *((row[2], 0) for row in COMMANDS),
    (ASSIGNMENT.source, re.VERBOSE),
    (SECRET_NAME.source, re.VERBOSE),
]


@pytest.mark.parametrize(("pattern", "flags"), PATTERNS)
def test_no_pattern_that_runs_over_a_whole_text_looks_further_than_a_bounded_window(
    pattern: str, flags: int
) -> None:
    repeats = pattern_repeats(pattern, flags)

    assert all(0 < most <= LONGEST_REPEAT for most in repeats)


def test_the_table_is_not_read_for_a_text_without_a_word_that_may_be_a_key() -> None:
    assert not SecretClues("see tests/unit/test_password_reset.py and src/auth/login.py, please")
