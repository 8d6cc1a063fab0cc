"""Whatever is suggested can be carried out as it stands, and a model that is gone stops nothing."""

import re
from collections.abc import Iterator, Sequence
from typing import Never

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_smartness.model.errors import StoreError
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import Origin, SplitLock, Status
from ai_smartness.testing import HashEmbedder
from suggesting import API, FLOW, LOGIN, SCHEMA, Site


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.store.close()


class Served(HashEmbedder):
    """A model that somebody serves, and that is gone; or that fails when it is asked."""

    def __init__(self, *, gone: bool) -> None:
        super().__init__()
        self._gone = gone

    @property
    def space(self) -> str:
        """Name the space if it answers."""
        if self._gone:
            msg = "the model does not answer."
            raise StoreError(msg)
        return super().space

    def documents(self, texts: Sequence[str]) -> Never:
        """Fail."""
        msg = f"the model failed at {len(texts)} texts."
        raise StoreError(msg)


@pytest.mark.parametrize("gone", [True, False])
def test_a_model_that_is_out_of_reach_stops_nothing(site: Site, *, gone: bool) -> None:
    site.model = Served(gone=gone)
    site.lay("thread_auth_flow", *FLOW)
    site.lay_others()

    found = site.memory.suggestions("authentication flow")

    assert found.health.active_threads == 7
    assert found.recall_hints != ()


def test_an_agent_reads_suggestions_and_carries_them_out_by_the_paths_they_name(site: Site) -> None:
    site.lay("thread_auth_flow", *FLOW)
    site.lay("thread_login", *LOGIN)
    site.lay("thread_zzz", *API, *SCHEMA)
    site.lay_others()
    memory = site.memory

    text = memory.read_virtual(".ai/suggestions/API design", "s9")

    merge, split, *recalls = re.findall(r'Read\("([^"]+)"\)', text)
    assert "ai_merge('thread_auth_flow', 'thread_login')" in text
    assert memory.read_virtual(merge).startswith("Merged: thread_login")
    assert "Proposal:" in memory.read_virtual(split)
    assert recalls
    assert all(" (thread_" in memory.read_virtual(each) for each in recalls)


def test_an_agent_reads_what_there_is(site: Site) -> None:
    site.lay("thread_auth_flow", *FLOW)

    text = site.memory.read_virtual("/home/u/.ai/status")

    assert "Project: demo\nThreads: 1 | Messages: 2\n" in text


subjects = st.lists(st.sampled_from([FLOW, LOGIN, API, SCHEMA, API + SCHEMA]), max_size=6)
sorts = st.sampled_from(
    [
        *({}, {}, {"weight": 0.3}, {"status": Status.SUSPENDED}, {"status": Status.ARCHIVED}),
        *({"split_lock": lock} for lock in SplitLock),
        {"origin": Origin.PIN},
    ]
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(subjects, sorts), min_size=1, max_size=6))
def test_every_suggestion_can_be_carried_out_as_it_is_given(
    threads: Sequence[tuple[Sequence[Sequence[str]], dict[str, object]]],
) -> None:
    site = Site()
    for n, (talk, sort) in enumerate(threads):
        site.lay(f"thread_{n}", *(text for texts in talk for text in texts), **sort)
    memory = site.memory

    found = memory.suggestions("authentication flow")

    for merge in found.merge_candidates:
        both = (memory.thread(merge.thread_a), memory.thread(merge.thread_b))
        assert not any(each.split_locked or each.status is Status.ARCHIVED for each in both)
        assert memory.merge(merge.thread_a, merge.thread_b, dry_run=True).change
    for split in found.split_candidates:
        thread = memory.thread(split.thread_id)
        assert not thread.split_locked
        assert thread.status is not Status.ARCHIVED
        parts = map(SplitPart, split.topics_to_split, split.messages)
        assert memory.split(split.thread_id, list(parts), dry_run=True).change
    for hint in found.recall_hints:
        assert memory.recall(hint.topic).text
    site.store.close()
