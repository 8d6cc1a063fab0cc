"""Documents: named texts that a program writes, replaces, renames and removes."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ai_smartness import CompactionStrategy, Memory, Message, NotFoundError, RefusedError
from builders import a_memory


def texts(memory: Memory) -> dict[str, str]:
    return {document.name: document.text for document in memory.documents()}


def test_a_document_is_read_as_it_was_written_and_found_by_search() -> None:
    memory = a_memory()

    memory.write_document("notes.md", "# Notes\n\n- deploys go out on Tuesdays\n", payload={"n": 1})

    document = memory.document("notes.md")
    assert document.text == "# Notes\n\n- deploys go out on Tuesdays\n"
    assert document.payload == {"n": 1}
    assert memory.search("deploys Tuesdays")[0].thread_id == document.thread_id
    assert memory.thread(document.thread_id).title == "notes.md"


def test_a_new_version_replaces_the_one_before_and_undo_brings_that_back() -> None:
    memory = a_memory()
    memory.write_document("a", "one")

    outcome = memory.write_document("a", "two")

    assert texts(memory) == {"a": "two"}
    memory.undo(outcome.number)
    assert texts(memory) == {"a": "one"}
    memory.undo(memory.log()[0].seq)
    assert texts(memory) == {"a": "two"}


def test_two_documents_may_have_the_same_text() -> None:
    memory = a_memory()

    memory.write_document("a", "the same")
    memory.write_document("b", "the same")

    assert texts(memory) == {"a": "the same", "b": "the same"}


def test_no_message_continues_a_document_and_no_compaction_touches_it() -> None:
    memory = a_memory()
    for number in range(8):
        memory.write_document(f"notes-{number}", "deploys of the billing service on Tuesdays")
    memory.capture(Message(text="deploys of the billing service on Tuesdays", session="s1"))

    memory.compact(CompactionStrategy.AGGRESSIVE)

    assert len(memory.documents()) == 8
    assert all(len(memory.all_events(one.thread_id)) == 1 for one in memory.documents())


def test_a_secret_in_a_document_is_redacted() -> None:
    memory = a_memory()

    memory.write_document("a", "password = hunter2hunter2")

    assert "hunter2" not in memory.document("a").text


def test_names_that_cannot_be_are_refused() -> None:
    memory = a_memory()
    memory.write_document("a", "one")
    memory.write_document("b", "two")

    with pytest.raises(NotFoundError, match="there is no document c"):
        memory.document("c")
    with pytest.raises(NotFoundError, match="there is no document c"):
        memory.remove_documents(["c"])
    with pytest.raises(RefusedError, match="another one would have that name too"):
        memory.rename_documents({"a": "b"})
    with pytest.raises(RefusedError, match="one line"):
        memory.write_document("a\nb", "x")
    with pytest.raises(RefusedError, match="in a list"):
        memory.remove_documents("a")
    assert texts(memory) == {"a": "one", "b": "two"}


names = st.sampled_from(["a", "b", "dir/a", "dir/b"])


class DocumentMachine(RuleBasedStateMachine):
    """Documents are a dictionary, and every change of it can be undone."""

    def __init__(self) -> None:
        super().__init__()
        self.memory = a_memory()
        self.expected: dict[str, str] = {}
        self.before: list[tuple[int | None, dict[str, str]]] = []

    @rule(name=names, text=st.sampled_from(["one", "two", "", "three\n"]))
    def write(self, name: str, text: str) -> None:
        self.before.append((self.memory.write_document(name, text).number, dict(self.expected)))
        self.expected[name] = text

    @precondition(lambda self: self.expected)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.expected)))
        self.before.append((self.memory.remove_documents([name]).number, dict(self.expected)))
        del self.expected[name]

    @precondition(lambda self: self.expected)
    @rule(data=st.data(), new=names)
    def rename(self, data: st.DataObject, new: str) -> None:
        name = data.draw(st.sampled_from(sorted(self.expected)))
        if new in self.expected:
            return
        self.before.append((self.memory.rename_documents({name: new}).number, dict(self.expected)))
        self.expected[new] = self.expected.pop(name)

    @precondition(lambda self: self.before)
    @rule()
    def undo(self) -> None:
        number, self.expected = self.before.pop()
        self.memory.undo(number)

    @invariant()
    def the_documents_are_as_expected(self) -> None:
        assert texts(self.memory) == self.expected


TestDocumentMachine = DocumentMachine.TestCase
TestDocumentMachine.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)
