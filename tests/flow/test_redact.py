"""No secret is stored: not by a hook, not by the memory, not in any file of it."""

import json
import sqlite3
from pathlib import Path

import pytest

from ai_smartness import Memory, Message
from ai_smartness.entrypoints.daemon import inbox
from ai_smartness.model.bridge import BridgeDraft, Relation
from ai_smartness.redact import redacted_text
from builders import said
from command_line import ais, captured, standing_in_a_project
from hooking import an_event, hooked, kept_in
from made_secrets import FORMS, made

WORDS = "deploy the billing service with {} on Friday"


def files_with(folder: Path, words: str) -> list[str]:
    whole = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    assert whole
    return [str(path) for path in whole if words.encode() in path.read_bytes()]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def test_no_file_of_the_memory_has_a_secret_that_was_captured(tmp_path: Path) -> None:
    secrets = [made(form, 1) for form in FORMS]
    messages = [
        Message(
            text=WORDS.format(secret),
            session="s1",
            payload={"command": f"run --token {secret}", "env": {"SERVICE_TOKEN": secret}},
        )
        for secret in secrets
    ]

    with Memory.open(project="demo", home=tmp_path) as memory:
        memory.capture(messages)
        memory.recall(f"who uses {secrets[0]}")

    assert [found for each in secrets for found in files_with(tmp_path, each)] == []
    assert files_with(tmp_path, "[redacted:github-token]")


def test_no_verb_writes_a_secret_it_was_given(tmp_path: Path) -> None:
    secret = made("github", 2)
    with Memory.open(project="demo", home=tmp_path) as memory:
        memory.capture([Message(text="rotate the keys"), Message(text="paint the shed green")])
        one = memory.threads()[0].id

        memory.rename(one, f"Keys such as {secret}")
        memory.pin(f"use {secret}", title=f"use {secret}")
        memory.rate(one, useful=True, reason=f"had {secret}")
        pinned = next(each.id for each in memory.threads() if each.id != one)
        memory.link(
            BridgeDraft(
                source=one,
                target=pinned,
                relation=Relation.EXTENDS,
                reason=f"both: {secret}",
            ),
        )

        assert memory.thread(one).title == "Keys such as [redacted:github-token]"
    assert files_with(tmp_path, secret) == []


def test_the_id_of_a_message_is_not_made_from_its_secret(tmp_path: Path) -> None:
    texts = [WORDS.format(made("github", seed)) for seed in (1, 2)]
    with Memory.open(project="demo", home=tmp_path) as memory:
        stored = [memory.capture(said(text)).stored for text in texts]

    assert stored == [1, 0]


@pytest.mark.parametrize("form", ["github", "aws", "anthropic", "jwt"])
def test_a_hook_writes_no_secret_anywhere(tmp_path: Path, form: str) -> None:
    secret = made(form, 3)
    about = {"tool_name": "Bash", "tool_use_id": "t1"}

    hooked(tmp_path, an_event("UserPromptSubmit", prompt=WORDS.format(secret)))
    hooked(tmp_path, an_event("Stop", last_assistant_message=WORDS.format(secret)))
    hooked(
        tmp_path,
        an_event(
            "PostToolUse",
            **about,
            tool_input={"command": f"deploy --token {secret}"},
            tool_response={"stdout": "x" * 280 + f" TOKEN={secret}", "stderr": ""},
        ),
    )
    edit = {"file_path": "/conf.py", "old_string": "T=''", "new_string": f"T='{secret}'"}
    hooked(tmp_path, an_event("PostToolUse", tool_name="Edit", tool_use_id="t2", tool_input=edit))
    hooked(
        tmp_path,
        an_event(
            "PreToolUse",
            tool_name="Read",
            tool_use_id="t3",
            tool_input={"file_path": f"/.ai/recall/who has {secret}"},
        ),
    )

    assert len(kept_in(tmp_path)) == 4
    assert files_with(tmp_path, secret) == []
    assert files_with(tmp_path, secret[:20]) == []


def test_a_scan_of_a_clean_memory_finds_nothing(project: Path) -> None:
    captured(project, Message(text=WORDS.format(made("github", 4))))

    ran = ais("redact", "--scan")

    assert (ran.exit_code, ran.stdout) == (0, "No secrets found.\n")


def test_a_scan_says_where_an_older_store_has_secrets_and_never_what_they_are(
    project: Path,
) -> None:
    secret, home = made("github", 5), project.parents[1] / "home"
    captured(project, Message(id="m1", text="hello there"))
    with sqlite3.connect(home / "memory.db") as store:
        store.execute("DROP TRIGGER events_never_change")
        store.execute(
            "UPDATE events SET text = ?, payload = ?",
            (WORDS.format(secret), json.dumps({"password": "hunter2x"})),
        )
        store.execute("UPDATE threads SET title = ?", (WORDS.format(secret),))
    store.close()
    (home / "inbox").mkdir(exist_ok=True)
    inbox.append_record(str(home / "inbox"), {"text": WORDS.format(secret)})
    (home / "recall.log").write_text(f"12:00 RECALL {secret}\n")

    ran = ais("redact", "--scan")
    found = json.loads(ais("redact", "--scan", "--json").stdout)

    assert ran.exit_code == 1
    assert secret not in ran.stdout
    assert secret[4:12] not in json.dumps(found)
    assert {(each["where"], each["id"]) for each in found["secrets"]} >= {
        ("message text", "m1"),
        ("message password", "m1"),
        ("line 1", "recall.log"),
    }
    assert found["kinds"]["github-token"] >= 4
    assert all(each["length"] == len(secret) for each in found["secrets"] if each["begins"])
    assert "ais forget" in ran.stdout


def test_a_secret_is_gone_before_anything_is_derived_from_it(tmp_path: Path) -> None:
    text = WORDS.format(made("stripe", 6))
    with Memory.open(project="demo", home=tmp_path) as memory:
        memory.capture(Message(id="m1", text=text))

        assert memory.message("m1").text == redacted_text(text)
        assert memory.search("billing service")[0].text == redacted_text(text)
