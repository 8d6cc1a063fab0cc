"""What is shared, and the ids of its copies: rules without a server."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.shared_item import Dispute, SharedItem
from ai_smartness.redact import redacted_text
from ai_smartness.transfer.team_copies import copy_ids, shared_thread_draft
from builders import a_thread, an_event

DISPUTES = st.lists(
    st.builds(
        Dispute,
        number=st.integers(1, 5),
        author=st.just("ben"),
        reason=st.just(""),
        is_withdrawn=st.booleans(),
    ),
    max_size=3,
    unique_by=lambda dispute: dispute.number,
)
ITEMS = st.builds(
    SharedItem,
    number=st.integers(1, 5),
    author=st.just("anna"),
    machine=st.just("laptop"),
    project=st.just("shop"),
    id=st.just("thread_1"),
    kind=st.just("thread"),
    title=st.just("invoices"),
    messages=st.integers(1, 5),
    shared_at=st.just(datetime(2026, 3, 2, tzinfo=UTC)),
    disputes=DISPUTES.map(tuple),
)


@given(ITEMS, ITEMS)
def test_items_and_states_of_dispute_have_no_id_in_common(
    first: SharedItem, second: SharedItem
) -> None:
    is_same = (first.number, first.disputes) == (second.number, second.disputes)

    assert len(set(copy_ids(first))) == first.messages
    assert is_same or set(copy_ids(first)).isdisjoint(copy_ids(second))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "assistant", "tool", "file", "web", "shared"]),
            st.sampled_from(["invoices go out", "a due date", "password: hunter2-Xy9!", " "]),
        ),
        max_size=6,
    )
)
def test_a_thread_is_shared_without_secrets_and_without_what_nobody_said(
    said: list[tuple[str, str]],
) -> None:
    thread = a_thread("thread_1")
    events = [
        replace(
            an_event(f"e{number}", thread, text),
            role="tool" if source == "tool" else "user",
            source=source,
        )
        for number, (source, text) in enumerate(said)
    ]
    spoken = [text for source, text in said if source in ("user", "assistant") and text.strip()]

    if not spoken or any(redacted_text(text) != text for text in spoken):
        with pytest.raises(RefusedError):
            shared_thread_draft(thread, events, "shop")
        return
    draft = shared_thread_draft(thread, events, "shop")

    assert [message.text for message in draft.messages] == spoken
    assert draft.left_out == len(events) - len(spoken)
