"""How far files were read is kept, and holds whatever a path and a state may be."""

import pytest

from ai_smartness.ports import ThreadStore
from ai_smartness.ports.transfer import ImportMark


def test_a_mark_is_kept_in_the_place_of_the_former_one(store: ThreadStore) -> None:
    store.imports.save([("/a", ImportMark(1, 2, 3, "2:ab", '{"turn":"p1"}')), ("/b", ImportMark())])
    store.imports.save([("/a", ImportMark(5, 6, 7, "2:ab", "{}"))])

    assert store.imports.marks_by_path() == {
        "/a": ImportMark(5, 6, 7, "2:ab", "{}"),
        "/b": ImportMark(),
    }


def test_marks_are_kept_with_what_they_stand_for_or_not_at_all(store: ThreadStore) -> None:
    def break_off() -> None:
        store.imports.save([("/a", ImportMark(1))])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), store.unit():
        break_off()

    assert store.imports.marks_by_path() == {}
