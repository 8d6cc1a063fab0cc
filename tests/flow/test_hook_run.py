"""The hook as a client starts it: whatever is handed in, the agent's turn goes on."""

import json
import os
import stat
from pathlib import Path

import pytest

from ai_smartness.entrypoints.hooks import main
from ai_smartness.entrypoints.hooks.run import write_log_line
from hooking import HOOK, an_event, hooked, kept_in, log_of

PROMPT = an_event("UserPromptSubmit", prompt="which port?")
READ = an_event(
    "PreToolUse",
    tool_name="Read",
    tool_use_id="toolu_1",
    tool_input={"file_path": "/p/.ai/recall/x", "offset": 3, "limit": 9},
)


def test_what_it_makes_is_for_its_owner_alone(tmp_path: Path) -> None:
    hooked(tmp_path / "home", PROMPT)
    hooked(tmp_path / "home", READ)

    made = [tmp_path / "home", *(tmp_path / "home").rglob("*")]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in made}
    assert {name: mode for name, mode in modes.items() if mode & 0o077} == {"starting": 0o644}


def test_the_standard_library_is_all_it_loads(tmp_path: Path) -> None:
    command = [HOOK[0], "-X", "importtime", *HOOK[1:]]

    ran = hooked(tmp_path, an_event("Stop", last_assistant_message="done"), command=command)

    loaded = {line.rpartition("|")[2].strip() for line in ran.complained.decode().splitlines()}
    dear = {"json", "re", "typing", "pathlib", "dataclasses", "tempfile", "subprocess", "socket"}
    assert "ai_smartness.clients.event_records" in loaded
    assert loaded & (dear | {"collections", "enum", "hashlib", "sqlite3", "datetime"}) == set()


@pytest.mark.parametrize(
    "given",
    [
        b"",
        b" \n",
        b"garbage",
        b"{",
        b"[]",
        b"null",
        b"7",
        b'{"hook_event_name": "UserPromptSubmit"',
        b"\x00\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"{}",
        b'{"hook_event_name": 7, "prompt": {}}',
        b'{"hook_event_name": "NeverHeardOf", "prompt": "x"}',
        b'{"hook_event_name": "PostToolUse", "tool_name": [], "tool_input": 7}',
    ],
)
def test_what_makes_no_sense_is_met_with_silence(tmp_path: Path, given: bytes) -> None:
    ran = hooked(tmp_path, given)

    assert (ran.code, ran.printed, ran.complained) == (0, b"", b"")
    assert kept_in(tmp_path) == []


def test_what_went_wrong_is_in_the_log(tmp_path: Path) -> None:
    hooked(tmp_path, b"garbage")

    assert log_of(tmp_path)[-1]["event"] == "none"
    assert log_of(tmp_path)[-1]["trouble_receive"].startswith("JSONDecodeError@")


def test_bytes_that_are_no_text_do_not_cost_the_rest(tmp_path: Path) -> None:
    whole = json.dumps(an_event("UserPromptSubmit", prompt="port @@ please")).encode()

    ran = hooked(tmp_path, b"\xef\xbb\xbf" + whole.replace(b"@@", b"\xff\xc3\x28"))

    assert ran.is_harmless
    (record,) = kept_in(tmp_path)
    assert str(record["text"]).startswith("port \ufffd")


def test_halves_of_characters_are_kept(tmp_path: Path) -> None:
    ran = hooked(tmp_path, an_event("UserPromptSubmit", prompt="a \ud83d b"))

    assert ran.is_harmless
    assert [record["text"] for record in kept_in(tmp_path)] == ["a \ud83d b"]


def test_twenty_megabytes_are_kept_in_short(tmp_path: Path) -> None:
    output = "line\n" * 4_000_000
    given = an_event("PostToolUse", tool_name="Bash", tool_input={"command": "make"})

    ran = hooked(tmp_path, {**given, "tool_response": {"stdout": output}})

    assert (ran.code, ran.printed) == (0, b"")
    (record,) = kept_in(tmp_path)
    assert str(record["text"]).startswith("$ make\n[exit code 0]\nline\n")
    assert len(str(record["text"])) < 2_500


def test_a_hook_within_a_hook_does_nothing(tmp_path: Path) -> None:
    ran = hooked(tmp_path, PROMPT, environ={"AI_SMARTNESS_HOOK_RUNNING": "1"})

    assert (ran.code, ran.printed, ran.complained) == (0, b"", b"")
    assert kept_in(tmp_path) == []


def test_the_installer_s_home_goes_before_that_of_a_session_s_environment(tmp_path: Path) -> None:
    hooked(tmp_path / "installed", PROMPT, environ={"AIS_HOME": str(tmp_path / "theirs")})

    assert len(kept_in(tmp_path / "installed")) == 1
    assert not (tmp_path / "theirs").exists()


def test_without_a_home_directory_the_turn_goes_on(tmp_path: Path) -> None:
    ran = hooked(tmp_path, PROMPT, environ={"HOME": "/nowhere/at/all"})

    assert ran.is_harmless
    assert len(kept_in(tmp_path)) == 1


@pytest.mark.parametrize("given", [PROMPT, READ, an_event("SessionStart", source="startup")])
def test_a_home_that_cannot_be_written_to_costs_nothing_but_the_memory(
    tmp_path: Path, given: dict[str, object]
) -> None:
    (tmp_path / "file").touch()

    assert hooked(tmp_path / "file" / "home", given).is_harmless


def test_a_database_that_is_none_costs_nothing_but_the_answer(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"garbage" * 1_000)

    asked, read = hooked(tmp_path, PROMPT), hooked(tmp_path, READ)

    assert (asked.code, asked.printed) == (0, b"")
    assert "trouble_answer" in log_of(tmp_path)[0]
    assert len(kept_in(tmp_path)) == 1
    assert "could not be read" in Path(file_of(read.output)).read_text()


def test_on_a_full_disk_the_turn_goes_on_and_what_was_kept_stays(tmp_path: Path) -> None:
    full = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *HOOK]
    hooked(tmp_path, an_event("Stop", last_assistant_message="before"))

    during = hooked(tmp_path, an_event("Stop", last_assistant_message="x" * 9_000), command=full)
    hooked(tmp_path, an_event("Stop", last_assistant_message="after"))

    assert during.is_harmless
    assert list(during.answer) == ["systemMessage"]
    assert [record["text"] for record in kept_in(tmp_path)] == ["before", "after"]
    assert "trouble_keep" in log_of(tmp_path)[1]


def test_a_clock_that_goes_back_disturbs_nothing(tmp_path: Path) -> None:
    hooked(tmp_path, PROMPT)
    later = 4_000_000_000
    for path in [*tmp_path.rglob("*")]:
        if path.name != "starting":
            os.utime(path, (later, later))

    ran = hooked(tmp_path, {**PROMPT, "prompt_id": "p2"})

    assert ran.is_harmless
    assert len(kept_in(tmp_path)) == 2


def test_standard_output_that_nobody_reads_is_no_concern(tmp_path: Path) -> None:
    closed = ["sh", "-c", 'exec "$@" >&-', "sh", *HOOK]

    ran = hooked(tmp_path, an_event("SessionStart", source="startup"), command=closed)

    assert (ran.code, ran.complained) == (0, b"")


def test_a_virtual_read_is_sent_to_a_file_that_stays_as_it_is(tmp_path: Path) -> None:
    first, again = hooked(tmp_path, READ).output, hooked(tmp_path, READ).output

    assert first == again
    assert first["permissionDecision"] == "allow"
    assert first["updatedInput"] == {
        "file_path": file_of(first),
        "offset": 3,
        "limit": 9,
    }
    assert not Path(file_of(first)).read_bytes().endswith(b"\n")
    assert [str(path) for path in (tmp_path / "recalls").iterdir()] == [file_of(first)]


@pytest.mark.parametrize(
    "other",
    [{"session_id": "s2"}, {"cwd": "/elsewhere"}, {"tool_input": {"file_path": ".ai/help"}}],
)
def test_the_same_id_of_a_call_in_another_session_project_or_read_gets_a_file_of_its_own(
    tmp_path: Path, other: dict[str, object]
) -> None:
    first, second = hooked(tmp_path, READ).output, hooked(tmp_path, {**READ, **other}).output

    assert file_of(first) != file_of(second)


@pytest.mark.parametrize("call", ["../../escape", "a/b", "", "x" * 500, "ü", ".", "..", 7])
def test_no_id_of_a_call_leads_out_of_the_folder(tmp_path: Path, call: object) -> None:
    ran = hooked(tmp_path, {**READ, "tool_use_id": call})

    assert Path(file_of(ran.output)).resolve().parent == (tmp_path / "recalls").resolve()


def test_a_cat_is_answered_by_a_cat(tmp_path: Path) -> None:
    home = tmp_path / "it's home"
    given = {"command": "cat .ai/recall/x | head -5", "description": "recall"}

    ran = hooked(home, {**READ, "tool_name": "Bash", "tool_input": given})

    quoted = str(home).replace("'", "'\"'\"'")
    (file,) = (home / "recalls").iterdir()
    assert ran.output["updatedInput"] == {
        "command": f"cat '{quoted}/recalls/{file.name}' | head -5",
        "description": "recall",
    }


def test_other_tools_are_left_to_the_client_and_ours_are_allowed(tmp_path: Path) -> None:
    other = hooked(tmp_path, {**READ, "tool_input": {"file_path": "/p/a.txt"}})
    ours = hooked(tmp_path, {**READ, "tool_name": "mcp__ai_smartness__ai_recall"})

    assert other.printed == b""
    assert ours.output["permissionDecision"] == "allow"
    assert "updatedInput" not in ours.output


def test_the_log_is_turned_over_before_it_grows_large(tmp_path: Path) -> None:
    (tmp_path / "hook.log").write_text("old line\n" * 120_000)

    write_log_line(str(tmp_path), event="A", took_ms=1.0)
    write_log_line(str(tmp_path), event="B\nC", took_ms=2.0)

    (line,) = (tmp_path / "hook.log").read_text().splitlines()
    assert line.endswith("event=B_C took_ms=2.0")
    assert (tmp_path / "hook.log.1").read_text().endswith("event=A took_ms=1.0\n")


def file_of(output: dict[str, object]) -> str:
    updated = output["updatedInput"]
    assert isinstance(updated, dict)
    return str(updated["file_path"])


def test_the_hook_is_where_the_installer_expects_it() -> None:
    assert str(main.__file__).endswith("ai_smartness/entrypoints/hooks/main.py")
