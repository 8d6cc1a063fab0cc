"""Private parts are cut; in doubt too much rather than too little."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.clients.event_records import without_private


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("a <private>secret</private> b", "a  b"),
        ("a <private>secret", "a "),
        ("secret</private> b", " b"),
        ("<PRIVATE>secret</Private>b", "b"),
        ("< private >secret</ private >b", "b"),
        ('<private reason="x">secret</private>b', "b"),
        ("<private>a<private>secret</private>secret</private>b", "b"),
        ("<private>se\ncret</private>\nb", "\nb"),
        ("a <private>1</private> b <private>2</private> c", "a  b  c"),
        ("a <private", "a "),
        ("a private matter", "a private matter"),
        ("İ <private>secret</private> İ", "İ  İ"),
        ("<privateer>ship</privateer>", "<privateer>ship</privateer>"),
    ],
)
def test_private_parts_are_cut(text: str, rest: str) -> None:
    assert without_private(text) == rest


@given(st.text(max_size=20), st.text(max_size=20), st.sampled_from(["</private>", ""]))
def test_no_secret_stays_however_it_is_surrounded(before: str, after: str, close: str) -> None:
    found = without_private([{"k": f"{before}<private>SECRET{close}{after}"}])

    assert "SECRET" not in str(found)


def test_it_is_cut_out_of_names_and_lists_too() -> None:
    given_ = {"a<private>x</private>": ["<private>y</private>", {"z": "<private>z"}], "n": 1}

    assert without_private(given_) == {"a": ["", {"z": ""}], "n": 1}
