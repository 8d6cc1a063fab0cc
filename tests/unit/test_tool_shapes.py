"""What the tools say of themselves, what they take, and the shapes of what they answer."""

import json
from collections.abc import Mapping
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.capture.clean import cleaned_text
from ai_smartness.entrypoints.mcp.first_answers import server_instructions
from ai_smartness.entrypoints.tools.arguments import checked_arguments
from ai_smartness.entrypoints.tools.definitions import TOOLS, Profile, offered_tools
from ai_smartness.model.bridge import Relation
from ai_smartness.model.compaction import (
    ArchiveReason,
    ArchiveStep,
    Compaction,
    CompactionStrategy,
    MemoryLoad,
    MergeStep,
)
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError, StoreError
from ai_smartness.model.journal import Change, Outcome
from ai_smartness.model.link import MergeLink, Remedy, ThreadListLink, UndoLink, UnlockLink
from ai_smartness.model.split import SplitPart, SplitProposal
from ai_smartness.model.suggestion import (
    Conflict,
    ForgottenPin,
    Health,
    MergeCandidate,
    RecallHint,
    SplitCandidate,
    Suggestions,
)
from ai_smartness.text.markers import marked_text
from ai_smartness.text.token_count import estimate_tokens
from ai_smartness.views.errors import error_with_calls
from ai_smartness.views.json import compaction_json, outcome_json, proposal_json, suggestions_json
from builders import NOON, a_thread, an_event

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def an_outcome(said: str = "Done.", number: int | None = 7) -> Outcome:
    return Outcome(verb="compact", said=said, number=number, threads=(a_thread(),), change=Change())


def a_compaction(*, dry_run: bool) -> Compaction:
    return Compaction(
        strategy=CompactionStrategy.NORMAL,
        dry_run=dry_run,
        steps=(MergeStep(("a", "b", "c"), 0.8249), ArchiveStep("d", ArchiveReason.AGE)),
        weight_decay=0.9,
        before=MemoryLoad(25, 18.456),
        after=MemoryLoad(15, 12.3),
        outcome=an_outcome(number=None if dry_run else 7),
    )


def refusal_of(name: str, arguments: Mapping[str, object]) -> str:
    with pytest.raises(RefusedError) as caught:
        checked_arguments(name, TOOLS[name], arguments)
    return str(caught.value)


def test_a_compaction_reads_as_the_source_document_has_it() -> None:
    shape = compaction_json(a_compaction(dry_run=True))

    assert shape == {
        "strategy": "normal",
        "dry_run": True,
        "actions": [
            {"action": "merge", "threads": ["a", "b", "c"], "similarity": 0.82},
            {"action": "archive", "thread": "d", "reason": "age"},
        ],
        "before": {"active_threads": 25, "total_weight": 18.46},
        "after": {"active_threads": 15, "total_weight": 12.3},
        "weight_decay": 0.9,
        "change": None,
        "command": "ai_compact('normal')",
    }


def test_a_compaction_that_was_carried_out_says_how_to_take_it_back() -> None:
    shape = compaction_json(a_compaction(dry_run=False))

    assert (shape["change"], shape["command"]) == (7, "ai_undo(7)")


def test_suggestions_come_with_the_call_that_does_them() -> None:
    found = Suggestions(
        merge_candidates=(
            MergeCandidate(thread_a="a", thread_b="b", similarity=0.917, reason="Both about x"),
        ),
        split_candidates=(
            SplitCandidate(
                thread_id="z",
                reason="drifted",
                topics_to_split=("db",),
                messages=(("m1", "m2"),),
            ),
        ),
        recall_hints=(RecallHint(topic="it's", last_mentioned="3 sessions ago", thread_count=5),),
        conflicts=(
            Conflict(older="o", newer="n", relation=Relation.UPDATES, reason="port", at=NOON),
        ),
        forgotten_pins=(ForgottenPin(thread_id="p", title="Old", reason="unused"),),
        health=Health(
            active_threads=15,
            allowed_threads=30,
            context_pressure=0.731,
            tokens_injected=900,
            token_budget=1500,
            hit_rate=None,
            recommendation="Healthy state, no action needed",
        ),
    )

    shape = suggestions_json(found)

    assert shape["merge_candidates"] == [
        {
            "thread_a": "a",
            "thread_b": "b",
            "similarity": 0.92,
            "reason": "Both about x",
            "command": "ai_merge('a', 'b')",
        },
    ]
    assert shape["recall_hints"] == [
        {
            "topic": "it's",
            "last_mentioned": "3 sessions ago",
            "thread_count": 5,
            "command": 'ai_recall("it\'s")',
        },
    ]
    assert json.loads(json.dumps(shape)) == shape


def test_an_outcome_and_a_proposal_are_plain_data() -> None:
    thread = a_thread()
    parts = (SplitPart("Backups", ("m1",)),)
    proposal = SplitProposal(thread, (an_event("m1", thread), an_event("m2", thread)), parts)

    shapes = [outcome_json(an_outcome(), dry_run=True), proposal_json(proposal)]

    assert json.loads(json.dumps(shapes)) == shapes
    assert shapes[1]["command"] == (
        "ai_split('thread_1', [{'title': 'Backups', 'messages': ['m1']}])"
    )


@pytest.mark.parametrize(("profile", "most"), [(Profile.ALL, 1_800), (Profile.CORE, 500)])
def test_the_tools_of_a_profile_take_few_tokens(profile: Profile, most: int) -> None:
    listed = [
        {
            "name": name,
            "description": TOOLS[name].about,
            "inputSchema": TOOLS[name].json_schema,
            "annotations": TOOLS[name].mcp_hints,
        }
        for name in offered_tools(profile)
    ]

    assert estimate_tokens(json.dumps(listed, separators=(",", ":"))) < most


@pytest.mark.parametrize("profile", list(Profile))
def test_the_instructions_are_short_and_name_no_tool_that_is_not_offered(profile: Profile) -> None:
    said = server_instructions(offered_tools(profile))

    assert len(said.encode()) <= 2_048
    assert all(
        name not in said for name in set(TOOLS) - set(offered_tools(profile)) - {"ai_unfocus"}
    )


def test_the_readonly_profile_offers_nothing_that_changes() -> None:
    assert {name for name in offered_tools(Profile.READONLY) if not TOOLS[name].reads} == {
        "ai_recall",
    }


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("ai_recall", {}, "`query` is missing. It must be text of at most 10,000 characters"),
        ("ai_recall", {"query": 5}, "`query` must be text of at most 10,000 characters, not 5"),
        ("ai_recall", {"query": "x" * 10_001}, "at most 10,000 characters, not 'xxx"),
        ("ai_recall", {"query": "x", "limit": 99}, "`limit` must be a whole number from 1 to 50"),
        ("ai_recall", {"query": "x", "limit": 1.5}, "not 1.5"),
        ("ai_recall", {"query": "x", "limit": True}, "not True"),
        ("ai_recall", {"query": "x", "top": 1}, "there is no argument 'top'. It takes query"),
        ("ai_status", {"x": 1}, "It takes no arguments"),
        ("ai_focus", {"topic": "x", "weight": 2}, "`weight` must be a number from 0 to 1, not 2"),
        ("ai_focus", {"topic": "x", "weight": float("nan")}, "not nan"),
        ("ai_compact", {"strategy": "wild"}, "one of gentle, normal, aggressive, not 'wild'"),
        ("ai_rate_context", {"thread_id": "t", "useful": "yes"}, "must be true or false"),
        ("ai_pin", {"content": "x", "topics": "ui"}, "`topics` must be a list of texts"),
        ("ai_split", {"thread": "t", "parts": [{"title": "a"}]}, "`parts` must be a list like"),
        ("ai_undo", {"change": 0}, "`change` must be a whole number from 1 on, not 0"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_allowed(
    name: str,
    arguments: dict[str, object],
    said: str,
) -> None:
    assert said in refusal_of(name, arguments)


def test_what_is_left_out_or_null_is_the_default() -> None:
    values = checked_arguments("ai_focus", TOOLS["ai_focus"], {"topic": "x", "minutes": None})

    assert values == {"topic": "x", "weight": 0.8, "minutes": None, "lasting": None}


def test_a_whole_number_may_come_as_a_float() -> None:
    values = checked_arguments("ai_recall", TOOLS["ai_recall"], {"query": "x", "limit": 3.0})

    assert repr(values["limit"]) == "3"


@given(
    st.sampled_from(sorted(TOOLS)),
    st.dictionaries(
        st.sampled_from(sorted({name for tool in TOOLS.values() for name in tool.takes})),
        ANYTHING,
    ),
)
def test_whatever_a_tool_is_called_with_is_read_or_refused(
    name: str,
    arguments: dict[str, object],
) -> None:
    values: dict[str, object] = {}
    with suppress(RefusedError):
        values = checked_arguments(name, TOOLS[name], arguments)

    assert set(values) in (set(), set(TOOLS[name].takes))


@pytest.mark.parametrize(
    ("error", "with_command", "with_call"),
    [
        (
            RefusedError("Locked.", Remedy(UnlockLink("t1"), "Run {} first", ", or force it")),
            "Locked. Run `ais threads unlock t1` first, or force it.",
            "Refused: Locked. Run `ai_unlock('t1')` first.",
        ),
        (
            RefusedError("Locked.", Remedy(UnlockLink("t1", force=True), "Run {}")),
            "Locked. Run `ais threads unlock t1 --force`.",
            "Refused: Locked. Run `ai_unlock('t1', force=True)`.",
        ),
        (
            RefusedError("Changed since.", Remedy(UndoLink(9), "Undo change 9 (merge) first: {}")),
            "Changed since. Undo change 9 (merge) first: `ais undo 9`.",
            "Refused: Changed since. Undo change 9 (merge) first: `ai_undo(9)`.",
        ),
        (
            RefusedError("It would be empty.", Remedy(MergeLink("t1", "t2"), "Run {} instead")),
            "It would be empty. Run `ais threads merge t1 t2` instead.",
            "Refused: It would be empty. Run `ai_merge('t1', 't2')` instead.",
        ),
        (
            NotFoundError("there is no thread t9.", Remedy(ThreadListLink(), "{}")),
            "there is no thread t9. `ais threads` lists them.",
            "Not found: there is no thread t9. `ai_recall` finds threads with their ids.",
        ),
        (StoreError("the disk is full."), "the disk is full.", "Not done: the disk is full."),
    ],
)
def test_an_error_names_its_way_out_as_a_command_or_as_a_tool_call(
    error: AisError, with_command: str, with_call: str
) -> None:
    assert str(error) == with_command
    assert error_with_calls(error) == with_call


def test_what_stands_between_the_marks_is_not_kept_when_it_comes_back() -> None:
    assert cleaned_text(f"Look:\n{marked_text('an old decision')}\nthanks") == "Look:\nthanks"
