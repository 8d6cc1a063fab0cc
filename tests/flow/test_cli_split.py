"""Split a thread on the command line: what is proposed, and groups that are named."""

import re
import shlex
from pathlib import Path

import pytest

from command_line import ais, standing_in_a_project
from tidy_threads import (
    BACKUPS,
    a_thread_that_changed_its_subject,
    everything,
    messages_of,
    plain,
    the_child,
    two_threads,
    without_new_ids,
)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def test_without_groups_a_split_lists_the_messages_and_changes_nothing(project: Path) -> None:
    invoice, _ = two_threads(project)
    before = everything()

    ran, told = ais("threads", "split", invoice), plain("threads", "split", invoice)

    assert ran.exit_code == 0
    assert re.search(r"^backup-1 .*user .*The nightly backup", ran.stdout, re.MULTILINE)
    assert f"ais threads split {invoice} --interactive" in ran.stdout
    assert [each["id"] for each in told["messages"]][:2] == ["invoice-1", "invoice-2"]
    assert told["thread"]["id"] == invoice
    assert everything() == before


def test_the_command_that_is_proposed_does_what_is_proposed(project: Path) -> None:
    thread = a_thread_that_changed_its_subject(project)
    printed = ais("threads", "split", thread).stdout
    (line,) = (each for each in printed.splitlines() if " --part " in each)
    (part,) = plain("threads", "split", thread)["parts"]

    accepted = plain("threads", "split", thread, "--accept", "--dry-run")
    done = plain(*shlex.split(line)[1:])

    assert part["messages"] == ["m6", "m7", "m8", "m9"]
    assert messages_of(the_child(thread)) == part["messages"]
    assert without_new_ids(accepted["said"]) == without_new_ids(done["said"])


def test_a_thread_about_one_subject_has_no_proposal_to_accept(project: Path) -> None:
    _, login = two_threads(project)

    shown, accepted = ais("threads", "split", login), ais("threads", "split", login, "--accept")

    assert "It seems to be about one subject." in shown.stdout
    assert plain("threads", "split", login)["command"] is None
    assert accepted.exit_code == 1
    assert "Name the groups with --part" in accepted.stderr


def test_a_split_puts_groups_on_threads_of_their_own(project: Path) -> None:
    invoice, _ = two_threads(project)

    ran = ais("threads", "split", invoice, "--part", BACKUPS, "--lock", "agent_release")

    child = the_child(invoice)
    shown = ais("threads", "show", child).stdout
    assert ran.exit_code == 0
    assert messages_of(child) == ["backup-1", "backup-2"]
    assert "Backups\nthread    thread_" in shown
    assert "locked    agent_release\n" in shown
    assert re.search(rf"^parent    .*\b{invoice[-6:]}\b", shown, re.MULTILINE)
    children = ais("threads", "show", invoice).stdout
    assert re.search(rf"^children  .*\b{child[-6:]}\b", children, re.MULTILINE)


def test_titles_and_messages_can_be_given_apart(project: Path) -> None:
    invoice, _ = two_threads(project)

    ran = ais("threads", "split", invoice, "--title", "a=b", "--messages", "backup-1, backup-2")

    assert ran.exit_code == 0
    assert plain("threads", "show", the_child(invoice))["thread"]["title"] == "a=b"


def test_the_title_of_a_part_may_hold_an_equals_sign(project: Path) -> None:
    invoice, _ = two_threads(project)

    ais("threads", "split", invoice, "--part", "a=b=backup-1")

    child = the_child(invoice)
    assert messages_of(child) == ["backup-1"]
    assert plain("threads", "show", child)["thread"]["title"] == "a=b"


def test_a_lock_is_shown_with_the_session_that_releases_it(project: Path) -> None:
    invoice, _ = two_threads(project)
    ais("threads", "split", invoice, "--part", BACKUPS, "--session", "s1")

    assert (
        "locked    compaction (session s1)\n" in ais("threads", "show", the_child(invoice)).stdout
    )


def test_what_was_split_off_is_merged_after_it_was_unlocked(project: Path) -> None:
    invoice, _ = two_threads(project)
    ais("threads", "split", invoice, "--part", BACKUPS, "--lock", "force")
    child = the_child(invoice)

    locked = ais("threads", "merge", invoice, child, "--force")
    refused = ais("threads", "unlock", child)
    unlocked = ais("threads", "unlock", child, "--force")
    merged = ais("threads", "merge", invoice, child)

    assert (locked.exit_code, refused.exit_code) == (1, 1)
    assert f"ais threads unlock {child} --force" in locked.stderr
    assert f"ais threads unlock {child} --force" in refused.stderr
    assert unlocked.stdout.startswith(f"Unlocked {child} by force")
    assert merged.exit_code == 0
