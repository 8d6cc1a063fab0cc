"""A web address is relevant by its last part; its site and repository stand in many messages."""

import pytest

from ai_smartness import Memory
from ai_smartness.ports import Embedder
from ai_smartness.text.keywords import shortened_addresses
from builders import a_memory, said

SITE = "https://github.com/arla-dairy/cold-store"
LINES = (
    f"analyse this issue: {SITE}/issues/7660",
    "The label printer needs the new ribbon before Thursday.",
    f"Posted the answer at {SITE}/issues/7660#issuecomment-4936",
    "The freezer doors of hall 3 report twice when they close.",
    "Deploys wait for the stock count on Mondays.",
    "The badge reader keeps its own clock, five minutes late.",
)


def remembering(embedder: Embedder) -> Memory:
    memory = a_memory(embedder=lambda: embedder)
    memory.capture(
        said(text, id_=f"m{n}", session=f"s{n}", minute=n) for n, text in enumerate(LINES)
    )
    memory.embed()
    return memory


@pytest.mark.parametrize(
    ("text", "shortened"),
    [
        (f"look at {SITE}/issues/7660, please", "look at 7660, please"),
        (f"[this]({SITE}/pull/12#discussion_r1)", "[this](12)"),
        (f"{SITE}/issues?q=is:open", "issues"),
        ("https://example.com/", "example.com"),
        ("http://localhost:8080", "localhost:8080"),
        ("no address here", "no address here"),
    ],
)
def test_an_address_is_shortened_to_its_last_part(text: str, shortened: str) -> None:
    assert shortened_addresses(text) == shortened


def test_another_issue_of_the_same_repository_is_not_relevant(real_embedder: Embedder) -> None:
    with remembering(real_embedder) as memory:
        other = memory.search(f"{SITE}/issues/5992 how can we solve this?")
        same = memory.search(f"{SITE}/issues/7660 how can we solve this?")

    assert max(hit.relevance for hit in other) < 0.5 < max(hit.relevance for hit in same)
    assert "7660" in same[0].text
