"""How far files were read is kept, and holds whatever a path and a state may be."""

import pytest

from ai_smartness.ports import ThreadStore
from ai_smartness.ports.history import Mark


def test_a_mark_is_kept_in_the_place_of_the_former_one(store: ThreadStore) -> None:
    store.imports.save([("/a", Mark(1, 2, 3, "2:ab", '{"turn":"p1"}')), ("/b", Mark())])
    store.imports.save([("/a", Mark(5, 6, 7, "2:ab", "{}"))])

    assert store.imports.marks() == {"/a": Mark(5, 6, 7, "2:ab", "{}"), "/b": Mark()}


def test_marks_are_kept_with_what_they_stand_for_or_not_at_all(store: ThreadStore) -> None:
    def break_off() -> None:
        store.imports.save([("/a", Mark(1))])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), store.unit():
        break_off()

    assert store.imports.marks() == {}
