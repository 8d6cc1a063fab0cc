"""Which machine is told that its embedding model is not the team's."""

import pytest

from ai_smartness.entrypoints.setup_checks import space_of_others


@pytest.mark.parametrize(
    ("counts", "ours", "expected"),
    [
        ({"small@1": 900, "large@1": 10}, ["large@1"], "small@1"),
        ({"small@1": 900, "large@1": 10}, ["small@1"], None),
        ({"small@1": 900}, ["large@1"], "small@1"),
        ({"small@1": 5, "large@1": 5}, ["large@1"], None),
        ({"small@1": 9, "many@1": 9}, ["small@1", "many@1"], None),
        ({}, ["small@1"], None),
        ({"small@1": 900}, [], None),
    ],
)
def test_a_model_with_more_vectors_than_ours_is_named(
    counts: dict[str, int], ours: list[str], expected: str | None
) -> None:
    assert space_of_others(counts, ours) == expected
