"""Whatever is broken is named, and everything else is brought in."""

import os
import resource
from pathlib import Path

import pytest

from ai_smartness.clients.transcript_reader import MAX_LINE_BYTES
from builders import a_memory
from transcripts import answer, brought_in, claude_folder, prompt, written


def test_a_last_line_that_is_cut_off_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = written(claude_folder(tmp_path) / "s.jsonl", [prompt("one", "p1"), prompt("two", "p2")])
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    memory = a_memory(embedder=lambda: None)

    assert brought_in(memory, tmp_path).added == 1
    path.write_bytes(whole)
    imported = brought_in(memory, tmp_path)

    assert (imported.added, imported.known, imported.not_read) == (1, 0, ())


def test_a_huge_line_is_passed_over_without_being_held_in_memory(tmp_path: Path) -> None:
    path = written(claude_folder(tmp_path) / "s.jsonl", [prompt("before", "p1")])
    with path.open("ab") as file:
        file.write(b'{"type":"user","message":"')
        for _ in range(200):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n')
    with path.open("ab") as file:
        file.write(written(tmp_path / "rest", [prompt("after", "p2")]).read_bytes())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    imported = brought_in(a_memory(embedder=lambda: None), tmp_path)

    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert imported.added == 2
    (trouble,) = imported.not_read
    assert trouble.why == "a line of 200 MB (at most 16 MB)"
    assert grown < 4 * MAX_LINE_BYTES / 1_000


def test_what_is_no_text_of_the_format_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    folder = claude_folder(tmp_path)
    written(folder / "latin.jsonl", ["müde".encode("latin-1"), prompt("in latin's company")])
    written(folder / "wide.jsonl", ["müde".encode("utf-16")])
    (folder / "empty.jsonl").touch()

    imported = brought_in(a_memory(embedder=lambda: None), tmp_path)

    assert imported.added == 1
    assert {each.path.name for each in imported.not_read} == {"latin.jsonl", "wide.jsonl"}


def test_links_in_a_circle_and_links_to_nothing_do_no_harm(tmp_path: Path) -> None:
    folder = claude_folder(tmp_path)
    path = written(folder / "s.jsonl", [prompt("once")])
    (folder / "again").symlink_to(folder, target_is_directory=True)
    (folder / "same.jsonl").symlink_to(path)
    (folder / "nothing.jsonl").symlink_to(folder / "gone")

    imported = brought_in(a_memory(embedder=lambda: None), tmp_path)

    assert (imported.read, imported.added) == (1, 1)
    assert [each.path.name for each in imported.not_read] == ["nothing.jsonl"]


def test_a_pipe_that_never_says_anything_is_not_waited_for(tmp_path: Path) -> None:
    folder = claude_folder(tmp_path)
    folder.mkdir(parents=True)
    os.mkfifo(folder / "pipe.jsonl")

    for paths in ((), (folder,)):
        imported = brought_in(a_memory(embedder=lambda: None), tmp_path, *paths)

        assert [each.why for each in imported.not_read] == ["it is not a regular file"]


def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    folder = claude_folder(tmp_path)
    secret = written(folder / "secret.jsonl", [prompt("hidden")])
    written(folder / "s.jsonl", [prompt("open")])
    secret.chmod(0)
    if os.access(secret, os.R_OK):
        pytest.skip("nothing is barred to whoever runs this")

    imported = brought_in(a_memory(embedder=lambda: None), tmp_path)

    assert imported.added == 1
    assert [each.why for each in imported.not_read] == ["permission denied"]


def test_a_format_from_the_future_is_counted_by_the_names_it_has_for_things(tmp_path: Path) -> None:
    future = {"type": "hologram", "sessionId": "s", "beams": 3}
    written(claude_folder(tmp_path) / "s.jsonl", [future, future])

    imported = brought_in(a_memory(embedder=lambda: None), tmp_path)

    assert imported.skipped == {"hologram": 2}


def test_a_file_of_no_known_format_is_named_if_it_was_asked_for(tmp_path: Path) -> None:
    odd = tmp_path / "odd.bin"
    odd.write_bytes(b"\0\1")

    asked = brought_in(a_memory(embedder=lambda: None), tmp_path, odd)
    within = brought_in(a_memory(embedder=lambda: None), tmp_path, tmp_path)

    assert [each.why for each in asked.not_read] == ["its format is unknown"]
    assert (within.not_read, within.other_files) == ((), 1)


def test_a_half_written_document_is_named(tmp_path: Path) -> None:
    path = tmp_path / ".gemini" / "tmp" / "p" / "chats" / "session-1.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"sessionId": "s1", "messages": [{"type": "us')

    (trouble,) = brought_in(a_memory(embedder=lambda: None), tmp_path).not_read

    assert trouble.why == "it is incomplete, or in another format"


def test_what_calls_itself_a_database_and_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "claude-mem.db"
    path.write_bytes(b"not a database at all, though it is long enough to be one" * 100)

    (trouble,) = brought_in(a_memory(embedder=lambda: None), tmp_path, path).not_read

    assert trouble.why.startswith("it is not a database of claude-mem")


def test_a_field_of_another_type_than_expected_is_no_stumbling_block(tmp_path: Path) -> None:
    odd = answer("said", minute=1)
    odd["message"]["stop_reason"] = [["end_turn"]]
    path = written(claude_folder(tmp_path) / "s.jsonl", [prompt("asked"), odd])
    call = {"id": "c1", "name": "ls", "status": ["success"]}
    gemini = written(
        tmp_path / "proj" / "chats" / "session-1.jsonl",
        [
            {"sessionId": "s1", "projectHash": "d6", "startTime": "2026-03-02T12:00:00Z"},
            {"id": "2", "type": "gemini", "content": "I will look.", "toolCalls": [call]},
        ],
    )
    memory = a_memory(embedder=lambda: None)

    assert brought_in(memory, tmp_path, path).added > 0
    assert brought_in(memory, tmp_path, gemini, wanted="gemini").not_read == ()
