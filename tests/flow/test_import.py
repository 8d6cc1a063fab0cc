"""What was said before there was a memory is brought in, once, into the project it was about."""

import json
import os
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_smartness.clients.event_records import event_records
from ai_smartness.clients.hook_event import HookEvent
from ai_smartness.clients.transcript_files import FORMATS, Transcripts
from ai_smartness.entrypoints.daemon.inbox_record import read_record
from ai_smartness.memory import Memory
from ai_smartness.model.event import Message
from ai_smartness.model.thread import Origin
from builders import NOON, a_memory
from made_secrets import made
from transcripts import (
    CWD,
    SESSION,
    answer,
    brought_in,
    claude_folder,
    prompt,
    result,
    source_of,
    tool,
    written,
)


def a_session(folder: Path, name: str = SESSION) -> Path:
    return written(
        folder / f"{name}.jsonl",
        [
            prompt("We decided to rotate the JWT keys monthly.", "p1", minute=1),
            tool("Bash", "t1", command="rotate_keys --all", minute=2),
            result("rotated 3 keys on vault-2", "t1", minute=3),
            answer("The job rotate_keys does it.", minute=4),
            prompt("go on", "p2", minute=5),
            answer("Done.", minute=6),
        ],
    )


def said_in(memory: Memory, project: str = CWD) -> list[tuple[str, str, str]]:
    events = memory._store.events.after_seq(project, 0, 100_000)  # noqa: SLF001 - all of them
    return sorted((each.id, each.role, each.text) for each in events)


def test_a_session_is_found_by_its_words_in_its_project(tmp_path: Path) -> None:
    a_session(claude_folder(tmp_path))
    memory = a_memory(embedder=lambda: None)

    imported = brought_in(memory, tmp_path)

    assert (imported.read, imported.sessions, imported.added) == (1, 1, 5)
    assert imported.projects[CWD].added == 5
    (first, *_) = memory.seen_from(CWD).search("how often are JWT keys rotated?")
    assert first.text == "We decided to rotate the JWT keys monthly."
    assert memory.search("JWT keys") == []


def test_sessions_are_stored_in_the_order_in_which_they_were_held(tmp_path: Path) -> None:
    """Copying a folder gives its files other times, in any order."""
    folder, elsewhere = claude_folder(tmp_path), claude_folder(tmp_path).parent / "-a-worktree"
    early = [prompt("Sessions live in Redis.", "p1", minute=1, sessionId="a"), answer("Ok.")]
    late = [prompt("No more Redis: Postgres.", "p2", minute=20, sessionId="b"), answer("Ok.")]
    latest = [prompt("Postgres is slow.", "p3", minute=40, sessionId="c"), answer("Ok.")]
    changed = 1_772_000_000
    for number, (path, lines) in enumerate(
        {folder / "c.jsonl": latest, folder / "b.jsonl": late, elsewhere / "a.jsonl": early}.items()
    ):
        written(path, lines)
        os.utime(path, (changed + number, changed + number))
    memory = a_memory(embedder=lambda: None)

    brought_in(memory, tmp_path)

    events = memory._store.events.after_seq(CWD, 0, 100)  # noqa: SLF001 - in their order
    texts = [event.text for event in events if event.role == "user"]
    assert texts == ["Sessions live in Redis.", "No more Redis: Postgres.", "Postgres is slow."]


def test_sessions_that_were_held_side_by_side_are_stored_side_by_side(tmp_path: Path) -> None:
    folder = claude_folder(tmp_path)
    long = [
        prompt("Sessions live in Redis.", "p1", minute=1, sessionId="a"),
        prompt("Postgres is slow.", "p3", minute=40, sessionId="a"),
    ]
    short = [prompt("No more Redis: Postgres.", "p2", minute=20, sessionId="b")]
    written(folder / "a.jsonl", long)
    written(folder / "b.jsonl", short)
    memory = a_memory(embedder=lambda: None)

    brought_in(memory, tmp_path)

    events = memory._store.events.after_seq(CWD, 0, 100)  # noqa: SLF001 - in their order
    assert [event.text for event in events] == [
        "Sessions live in Redis.",
        "No more Redis: Postgres.",
        "Postgres is slow.",
    ]


def test_importing_again_adds_nothing_and_reads_nothing(tmp_path: Path) -> None:
    a_session(claude_folder(tmp_path))
    memory = a_memory(embedder=lambda: None)
    brought_in(memory, tmp_path)
    before = said_in(memory)

    again = brought_in(memory, tmp_path)

    assert (again.read, again.unchanged, again.added) == (0, 1, 0)
    assert said_in(memory) == before


def test_what_hooks_captured_is_not_doubled(tmp_path: Path) -> None:
    a_session(claude_folder(tmp_path))
    about: dict[str, object] = {"session_id": SESSION, "cwd": CWD, "prompt_id": "p1"}
    ran: dict[str, object] = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_use_id": "t1",
        "tool_input": {"command": "rotate_keys --all"},
        "tool_response": {"stdout": "rotated 3 keys on vault-2", "stderr": ""},
    }
    asked: dict[str, object] = {
        "hook_event_name": "UserPromptSubmit",
        "prompt": "We decided to rotate the JWT keys monthly.",
    }
    memory = a_memory(embedder=lambda: None, project=CWD)
    for event in (asked, ran):
        (record,) = event_records(HookEvent({**about, **event}), "/nowhere")
        message = read_record(record).message
        assert message is not None
        memory.capture(message)

    imported = brought_in(memory, tmp_path)

    assert (imported.added, imported.known) == (3, 2)


def test_a_dry_run_counts_and_stores_nothing(tmp_path: Path) -> None:
    a_session(claude_folder(tmp_path))
    memory = a_memory(embedder=lambda: None)

    imported = brought_in(memory, tmp_path, dry_run=True)

    assert imported.dry_run
    assert imported.added == 5
    assert said_in(memory) == []
    assert brought_in(memory, tmp_path).added == 5


def test_all_of_it_can_be_put_into_one_project(tmp_path: Path) -> None:
    a_session(claude_folder(tmp_path))
    memory = a_memory(embedder=lambda: None)

    brought_in(memory, tmp_path, project="old things")

    assert len(said_in(memory, "old things")) == 5
    assert said_in(memory) == []


def test_a_folder_within_a_repository_is_of_the_repositorys_project(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    inside = tmp_path / "repo" / "gone" / "by now"
    written(claude_folder(tmp_path) / "s.jsonl", [{**prompt("hello"), "cwd": str(inside)}])

    imported = brought_in(a_memory(embedder=lambda: None), tmp_path)

    assert list(imported.projects) == [str(tmp_path / "repo")]


def test_a_thread_that_an_import_opens_says_so(tmp_path: Path) -> None:
    a_session(claude_folder(tmp_path))
    memory = a_memory(embedder=lambda: None)
    memory.seen_from(CWD).capture(Message(text="paint the shed green", session="elsewhere"))

    brought_in(memory, tmp_path)

    origins = [each.origin for each in memory.seen_from(CWD).threads()]
    assert (origins.count(Origin.PROMPT), set(origins)) == (1, {Origin.PROMPT, Origin.IMPORT})


@pytest.mark.parametrize("name", ["CLAUDE.md", ".specstory/history/2026-03-02_12-00-keys.md"])
def test_no_id_is_made_from_a_secret(tmp_path: Path, name: str) -> None:
    def ids_with(secret: str) -> list[str]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"_**User**_\n\nThe keys are {secret} from now on.\n")
        os.utime(path, (1_772_000_000, 1_772_000_000))
        memory = a_memory(embedder=lambda: None)
        brought_in(memory, tmp_path, path, project="p")
        return [id_ for id_, _, _ in said_in(memory, "p")]

    one, other = (ids_with(made("github", seed)) for seed in (1, 2))

    assert one == other != []


def test_gently_it_never_goes_on_for_long_without_looking_up(tmp_path: Path) -> None:
    prompts = [prompt(f"do thing {n}", f"p{n}") for n in range(300)]
    written(claude_folder(tmp_path) / "s.jsonl", prompts)
    memory, history = a_memory(embedder=lambda: None), Transcripts(tmp_path, {})
    stored: list[int] = []

    memory.import_history(
        history,
        list(history.find_files()),
        gently=True,
        progress=lambda _done, _total: stored.append(len(said_in(memory))),
    )

    stored.append(len(said_in(memory)))
    assert stored[-1] == 300
    assert max(after - before for before, after in pairwise(stored)) <= 64


def test_called_away_in_the_middle_it_goes_on_later_and_doubles_nothing(tmp_path: Path) -> None:
    class Called(Exception):  # noqa: N818 - no error
        pass

    def call(_done: int, _total: int) -> None:
        if len(said_in(memory)) > 100:
            raise Called

    prompts = [prompt(f"do thing {n}", f"p{n}") for n in range(300)]
    written(claude_folder(tmp_path) / "s.jsonl", prompts)
    memory, history = a_memory(embedder=lambda: None), Transcripts(tmp_path, {})

    with pytest.raises(Called):
        memory.import_history(history, list(history.find_files()), gently=True, progress=call)

    assert 100 < len(said_in(memory)) < 300
    brought_in(memory, tmp_path)
    assert sorted(text for _, _, text in said_in(memory)) == sorted(
        f"do thing {n}" for n in range(300)
    )


def test_a_file_that_was_replaced_is_read_from_its_beginning(tmp_path: Path) -> None:
    memory = a_memory(embedder=lambda: None)
    path = a_session(claude_folder(tmp_path))
    brought_in(memory, tmp_path)
    written(path, [prompt("quite another session", "q1"), *([prompt("x" * 3_000, "q2")] * 3)])

    brought_in(memory, tmp_path)

    assert "quite another session" in [text for _, _, text in said_in(memory)]


def test_an_answer_nobody_ended_is_told_once_nobody_writes_any_more(tmp_path: Path) -> None:
    path = written(
        claude_folder(tmp_path) / "s.jsonl", [prompt("one"), answer("the last word", ends=None)]
    )
    memory = a_memory(embedder=lambda: None)
    assert brought_in(memory, tmp_path).added == 1

    long_ago = NOON.timestamp() - 86_400
    os.utime(path, (long_ago, long_ago))

    assert brought_in(memory, tmp_path).added == 1
    assert brought_in(memory, tmp_path).read == 0


def test_a_subagents_last_words_are_told_at_the_next_prompt_at_the_latest(tmp_path: Path) -> None:
    side = answer("the subagent is done", ends=None, isSidechain=True, agentId="a1")
    path = written(claude_folder(tmp_path) / "s.jsonl", [prompt("one"), side, prompt("two", "p2")])
    memory = a_memory(embedder=lambda: None)

    assert brought_in(memory, tmp_path).added == 3
    with path.open("ab") as file:
        file.write(json.dumps(prompt("three", "p3")).encode() + b"\n")

    again = brought_in(memory, tmp_path)
    assert (again.added, again.known) == (1, 0)


def test_what_was_brought_in_is_embedded_afterwards(tmp_path: Path) -> None:
    a_session(claude_folder(tmp_path))
    memory = a_memory()

    brought_in(memory, tmp_path)

    assert memory.unembedded() == [CWD]
    assert memory.seen_from(CWD).embed() == 5
    assert memory.unembedded() == []


turns = st.lists(
    st.sampled_from(["prompt", "tool", "result", "talk", "answer", "noise", "broken", "aside"]),
    max_size=25,
)


def lines_of(kinds: list[str]) -> list[bytes]:
    made = {
        "prompt": lambda n: prompt(f"prompt {n}", f"p{n}"),
        "tool": lambda n: tool("Bash", f"t{n % 3}", command=f"echo {n}"),
        "result": lambda n: result(f"printed {n}", f"t{(n + 1) % 3}"),
        "talk": lambda n: answer(f"talk {n}", ends=None),
        "answer": lambda n: answer(f"answer {n}"),
        "noise": lambda n: {"type": "noise", "n": n},
        "aside": lambda n: answer(f"aside {n}", ends=None, isSidechain=True, agentId="a"),
    }
    return [
        b"{not json" if kind == "broken" else json.dumps(made[kind](number)).encode()
        for number, kind in enumerate(kinds)
    ]


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)
@given(turns, st.lists(st.integers(0, 10_000), max_size=5))
def test_in_how_many_steps_a_growing_transcript_is_read_does_not_matter(
    kinds: list[str], cuts: list[int]
) -> None:
    whole = b"".join(line + b"\n" for line in lines_of(kinds))
    with TemporaryDirectory() as folder:
        home = Path(folder)
        path = claude_folder(home) / "s.jsonl"
        path.parent.mkdir(parents=True)
        in_steps, at_once = a_memory(embedder=lambda: None), a_memory(embedder=lambda: None)
        for cut in [*sorted(each % (len(whole) + 1) for each in cuts), len(whole)]:
            path.write_bytes(whole[:cut])
            brought_in(in_steps, home)
        brought_in(at_once, home)
        brought_in(at_once, home)

        assert said_in(in_steps) == said_in(at_once)


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(FORMATS)),
    st.one_of(
        st.binary(max_size=300),
        st.lists(
            st.dictionaries(
                st.sampled_from(
                    [
                        "type",
                        "message",
                        "payload",
                        "data",
                        "timestamp",
                        "content",
                        "id",
                        "text",
                        "item",
                    ]
                ),
                st.recursive(
                    st.one_of(
                        st.none(),
                        st.booleans(),
                        st.floats(),
                        st.integers(),
                        st.sampled_from(
                            [
                                "user",
                                "assistant",
                                "event_msg",
                                "response_item",
                                "user.message",
                                "gemini",
                                "item_completed",
                                "function_call",
                            ]
                        ),
                        st.text(max_size=20),
                    ),
                    lambda inside: st.one_of(
                        st.lists(inside, max_size=3),
                        st.dictionaries(
                            st.sampled_from(
                                ["type", "content", "text", "role", "id", "name", "at"]
                            ),
                            inside,
                            max_size=3,
                        ),
                    ),
                    max_leaves=6,
                ),
                max_size=5,
            ),
            max_size=5,
        ).map(lambda some: b"".join(json.dumps(each).encode() + b"\n" for each in some)),
    ),
)
def test_whatever_a_file_holds_reading_it_breaks_nothing(format_: str, whole: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file.jsonl"
        path.write_bytes(whole)
        memory = a_memory(embedder=lambda: None)
        memory.import_history(Transcripts(Path(folder), {}), [source_of(path, format_)])
