"""The examples of the document that the tools were first described in, word for word.

Each is a conversation: what an agent calls, what it is told, and what that changes in the next
prompt. The document's numbers are laid out so that they come true.
"""

import json
import os
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ai_smartness.entrypoints.tools.call import call_tool
from ai_smartness.entrypoints.tools.definitions import ToolReply
from ai_smartness.memory import Memory
from ai_smartness.model.journal import Actor
from ai_smartness.model.thread import Rating, Status
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder
from ai_smartness.threads.decay import faded_weight, half_life
from ai_smartness.threads.rate import relevance_of
from builders import NOON, a_thread
from command_line import ais, standing_in_a_project
from suggesting import API, FLOW, LOGIN, SCHEMA, Site
from tidy_threads import plain, two_threads


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.store.close()


def called(memory: Memory, name: str, /, **arguments: object) -> ToolReply:
    return call_tool(memory.used_by(Actor("agent", "claude-code")), name, arguments, "s9")


def data(answer: ToolReply) -> dict[str, Any]:
    """Return what an answer holds as data; its text is the same, written out."""
    read: dict[str, Any] = json.loads(answer.text)
    assert read == answer.structure
    return read


def shown(memory: Memory, prompt: str, session: str | None = None) -> list[str]:
    """Name the threads that a prompt is given, the first one first."""
    return [entry.thread.id for entry in memory.inject(prompt, session=session).entries]


ABOUT_IT = ("thread_password", "thread_directory", "thread_tokens")
THREADS = {
    "thread_invoices": "invoices are rendered by the printing service on Mondays",
    "thread_backup": "the nightly backup of the warehouse goes to the bucket",
    "thread_password": "a password is hashed with argon before it is stored",
    "thread_directory": "single sign-on reads the ldap directory of the company",
    "thread_tokens": "the JWT signing keys live in config/jwt_keys.yaml",
}


def test_feature_1_focus_control(site: Site) -> None:
    site.model = None
    for id_, text in THREADS.items():
        topics = ("authentication",) if id_ in ABOUT_IT else ("operations",)
        site.lay(id_, text, topics=topics, topics_given=topics)
    prompt = "do invoices of the printing service on Mondays use the JWT signing keys?"

    before = shown(site.memory, prompt)
    focused = called(site.memory, "ai_focus", topic="authentication")
    between = shown(site.memory, prompt, session="s9")
    cleared = called(site.memory, "ai_unfocus")

    assert focused == ToolReply(
        'Focus set on "authentication" (weight=0.8). 3 threads will be prioritized.',
    )
    assert before == ["thread_invoices", "thread_tokens"]
    assert between == ["thread_tokens", "thread_invoices"]
    assert cleared == ToolReply("All focus cleared. Returning to similarity-based injection.")
    assert shown(site.memory, prompt) == before


def test_feature_2_priority_capture(site: Site) -> None:
    said = called(
        site.memory,
        "ai_pin",
        content="User prefers dark mode and vi keybindings",
        title="User Preferences",
        topics=["preferences", "ui"],
    )

    found = re.fullmatch(r"Pinned as (thread_\d{8}_\d{6}_[0-9a-f]{6}) \(weight=1\.30\)", said.text)
    assert found
    assert said.structure is None
    thread = site.memory.thread(found[1])
    assert (thread.title, thread.topics[:2]) == ("User Preferences", ("preferences", "ui"))
    (event,) = site.memory.events(thread.id)
    assert (event.text, event.source) == ("User prefers dark mode and vi keybindings", "agent_pin")


def test_feature_3_proactive_suggestions(site: Site) -> None:
    site.model, share = HashEmbedder(1024), 7.3 / 15
    site.lay("thread_xxx", *FLOW, title="Authentication flow", weight=share + 0.01)
    site.lay("thread_yyy", *LOGIN, title="Login", weight=share - 0.01)
    site.lay("thread_zzz", *API, *SCHEMA, title="API design", weight=share)
    site.lay_others(7, weight=share)
    for n in range(5):
        site.lay(f"thread_s{n}", topics=("solana", f"aside {n}"), weight=share)
        site.say(f"thread_s{n}", f"solana alpha{n} beta{n} gamma{n} delta{n} omega{n}", "s6")
    for n, session in enumerate(("s7", "s8")):
        site.say(f"thread_{n}", f"subject{n} once more", session)

    told = data(called(site.memory, "ai_suggestions", context="solana"))

    (merge,) = told["merge_candidates"]
    assert merge["similarity"] > 0.85
    assert {**merge, "similarity": 0.92} == {
        "thread_a": "thread_xxx",
        "thread_b": "thread_yyy",
        "similarity": 0.92,
        "reason": "Both about authentication flow",
        "command": "ai_merge('thread_xxx', 'thread_yyy')",
    }
    (split,) = told["split_candidates"]
    assert (
        split.items()
        >= {
            "thread_id": "thread_zzz",
            "reason": "Thread drifted from 'API design' to 'database schema'",
            "command": "ai_split('thread_zzz')",
        }.items()
    )
    assert split["topics_to_split"] == ["database schema"]
    assert told["recall_hints"] == [
        {
            "topic": "solana",
            "last_mentioned": "3 sessions ago",
            "thread_count": 5,
            "command": "ai_recall('solana')",
        },
    ]
    assert (
        told["health"].items()
        >= {
            "active_threads": 15,
            "context_pressure": 0.73,
            "recommendation": "Consider merging similar threads to reduce pressure",
        }.items()
    )


THIRD_WAS_BAD = tuple(Rating(useful=n != 2, at=NOON + timedelta(minutes=n)) for n in range(5))


def test_feature_4_context_rating(site: Site) -> None:
    known = {"ratings": THIRD_WAS_BAD, "relevance": relevance_of(THIRD_WAS_BAD)}
    site.lay("thread_old_api", "the invoice API answers with XML on port 80", **known)
    site.lay("thread_new_api", "the invoice API answers with JSON on port 80", weight=0.9, **known)
    prompt = "what does the invoice API answer with, and on which port?"
    first, second = shown(site.memory, prompt)

    said = called(
        site.memory,
        "ai_rate_context",
        thread_id="thread_old_api",
        useful=False,
        reason="API was redesigned",
    )

    assert said == ToolReply("Rated thread_old_api as not useful. Relevance score: 0.85 → 0.72")
    assert (first, second) == ("thread_old_api", "thread_new_api")
    assert shown(site.memory, prompt) == ["thread_new_api", "thread_old_api"]


SAME = "token refresh login session cookie password"


def lay_what_is_to_be_compacted(site: Site) -> None:
    """Lay out 25 threads that weigh 18.5: two alike, one old, eight light ones, fourteen others."""
    days_old = 8
    fading = faded_weight(
        1.0,
        timedelta(days=days_old),
        half_life(a_thread(), Settings().decay.half_life_days),
    )
    site.lay("thread_a", f"{SAME} lifetime minutes hours days", weight=0.8)
    site.lay("thread_b", f"{SAME} rotation vault month job", weight=0.5)
    site.lay(
        "thread_old",
        "harbour crane maintenance",
        weight=0.55 / fading,
        last_active=NOON - timedelta(days=days_old),
    )
    for n in range(8):
        site.lay(f"thread_low{n or ''}", f"light{n} feather{n} straw{n}", weight=0.6)
    for n in range(14):
        site.lay(f"thread_{n}", f"subject{n} detail{n} matter{n} thing{n}", weight=11.85 / 14)


def test_feature_5_on_demand_compaction(site: Site) -> None:
    site.model = HashEmbedder(1024)
    lay_what_is_to_be_compacted(site)

    looked = data(called(site.memory, "ai_compact", strategy="aggressive", dry_run=True))
    said = called(site.memory, "ai_compact", strategy="aggressive").text

    low = [
        {"action": "archive", "thread": f"thread_low{n or ''}", "reason": "capacity"}
        for n in range(8)
    ]
    assert looked["actions"] == [
        {"action": "merge", "threads": ["thread_a", "thread_b"], "similarity": 0.82},
        {"action": "archive", "thread": "thread_old", "reason": "age"},
        *low,
    ]
    assert {name: looked[name] for name in ("strategy", "dry_run", "before", "after")} == {
        "strategy": "aggressive",
        "dry_run": True,
        "before": {"active_threads": 25, "total_weight": 18.5},
        "after": {"active_threads": 15, "total_weight": 10.2},
    }
    first, undo = said.split("\n")
    assert first == "Compaction complete. 25 → 15 active threads."
    assert re.fullmatch(r"Change (\d+); ai_undo\(\1\) takes it back\.", undo)
    active = [each for each in site.memory.threads() if each.status is Status.ACTIVE]
    assert (len(active), round(sum(each.weight for each in active), 2)) == (15, 10.2)


def test_a_person_rates_by_the_id_that_stands_in_the_injected_block(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = standing_in_a_project(tmp_path, monkeypatch)
    two_threads(project)
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        injected = memory.inject("why does the invoice PDF break at an umlaut?").text
    printed, *_ = re.findall(r" \((\w{6})\)$", injected, re.MULTILINE)

    rated = ais("rate", printed, "--not-useful", "--reason", "API was redesigned")
    told = plain("rate", printed, "--useful")

    said = rf"Rated thread_\d{{8}}_\d{{6}}_{printed} as not useful\. Relevance score: 1\.00 → 0\.67"
    assert re.match(said, rated.stdout)
    assert [each["useful"] for each in told["threads"][0]["ratings"]] == [False, True]
