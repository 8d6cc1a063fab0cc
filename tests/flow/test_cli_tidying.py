"""Put threads in order on the command line, and what is refused there."""

import json
import shlex
from pathlib import Path

import pytest

from ai_smartness import Message
from command_line import ais, captured, standing_in_a_project
from tidy_threads import (
    BACKUPS,
    everything,
    ids,
    messages_of,
    plain,
    the_child,
    two_threads,
    without_new_ids,
)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def test_a_merge_says_what_it_did_and_how_to_take_it_back(project: Path) -> None:
    invoice, login = two_threads(project)

    ran = ais("threads", "merge", login, invoice)

    first, last = ran.stdout.splitlines()
    assert ran.exit_code == 0
    assert first.startswith(f"Merged {invoice} into {login} ")
    assert last == "change 1; undo with: ais undo 1"
    assert len(messages_of(login)) == 5


def test_the_way_back_leads_to_the_project_that_was_named(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    invoice, login = two_threads(project)
    monkeypatch.chdir(tmp_path)

    ran = ais("--project", "demo", "threads", "merge", login, invoice)

    command = ran.stdout.splitlines()[-1].partition("undo with: ais ")[2]
    assert command == f"--project {project} undo 1"
    assert ais(*shlex.split(command)).exit_code == 0


def test_a_thread_that_was_merged_leads_to_the_one_that_has_its_messages(project: Path) -> None:
    invoice, login = two_threads(project)
    ais("threads", "merge", login, invoice)

    shown = ais("threads", "show", invoice).stdout
    for_programs = plain("threads", "show", invoice)

    assert shown.startswith(f"{invoice} was merged into {login}; shown below\n")
    assert shown.splitlines()[2] == f"thread    {login}"
    assert for_programs["followed_from"] == invoice
    assert for_programs["thread"]["id"] == login
    assert plain("threads", "show", login)["followed_from"] is None


def test_a_merge_for_programs_says_what_went_where(project: Path) -> None:
    invoice, login = two_threads(project)

    told = plain("threads", "merge", login, invoice)

    assert (told["verb"], told["change"], told["dry_run"]) == ("merge", 1, False)
    assert told["moved"] == [{"from": invoice, "to": login, "messages": 4}]
    assert [each["id"] for each in told["threads"]] == [login, invoice]
    assert set(told) == {"verb", "change", "dry_run", "said", "threads", "moved", "bridges"}


def test_ids_can_be_shortened_as_long_as_one_thread_is_meant(project: Path) -> None:
    invoice, login = two_threads(project)

    ran = ais("threads", "merge", login[:-2], invoice[:-2])

    assert ran.exit_code == 0
    assert ran.stdout.startswith(f"Merged {invoice} into {login} ")


CHANGES = (
    ("merge", "{login}", "{invoice}"),
    ("split", "{invoice}", "--part", BACKUPS),
    ("archive", "{invoice}"),
    ("suspend", "{invoice}"),
    ("rename", "{invoice}", "Broken", "invoices"),
    ("move", "backup-1", "{login}"),
    ("kind", "{invoice}", "fact"),
)


@pytest.mark.parametrize("words", CHANGES, ids=lambda words: words[0])
def test_a_dry_run_says_the_same_as_the_run_and_changes_nothing(
    project: Path, words: tuple[str, ...]
) -> None:
    invoice, login = two_threads(project)
    args = ["threads", *(word.format(invoice=invoice, login=login) for word in words)]
    before = everything()

    tried, tried_plain = ais(*args, "--dry-run"), plain(*args, "--dry-run")
    between = everything()
    done = plain(*args)

    assert between == before
    assert tried.stdout.startswith("dry run: nothing was changed.")
    assert without_new_ids(done["said"]) in without_new_ids(tried.stdout)
    assert (tried_plain["dry_run"], tried_plain["change"]) == (True, None)
    assert without_new_ids(tried_plain["said"]) == without_new_ids(done["said"])
    assert len(tried_plain["moved"]) == len(done["moved"])


@pytest.mark.parametrize("words", CHANGES, ids=lambda words: words[0])
def test_an_undo_restores_what_was_there(project: Path, words: tuple[str, ...]) -> None:
    invoice, login = two_threads(project)
    args = ["threads", *(word.format(invoice=invoice, login=login) for word in words)]
    before = everything()

    done = ais(*args)
    undone = ais("undo")

    after = everything()
    assert (done.exit_code, undone.exit_code) == (0, 0)
    assert len(after.pop("log")) == 2
    assert before.pop("log") == []
    assert after == before


def test_a_thread_is_put_away_and_brought_back(project: Path) -> None:
    invoice, _ = two_threads(project)

    archived = ais("threads", "archive", invoice)
    listed = [each["id"] for each in plain("threads", "--status", "archived")]
    back = ais("threads", "reactivate", invoice)

    assert archived.stdout.startswith(f"Archived {invoice} ")
    assert listed == [invoice]
    assert back.stdout.startswith(f"Reactivated {invoice} ")
    assert plain("threads", "--status", "archived") == []


def test_bringing_back_and_unlocking_can_be_tried_first(project: Path) -> None:
    invoice, login = two_threads(project)
    ais("threads", "split", invoice, "--part", BACKUPS)
    ais("threads", "suspend", login)
    verbs = (("unlock", the_child(invoice)), ("reactivate", login))
    before = everything()

    tried = [plain("threads", *words, "--dry-run")["said"] for words in verbs]
    between = everything()
    done = [plain("threads", *words)["said"] for words in verbs]

    assert tried == done
    assert between == before


def test_a_title_of_several_words_needs_no_quotes(project: Path) -> None:
    invoice, _ = two_threads(project)

    ais("threads", "rename", invoice, "Broken", "invoices")

    assert plain("threads", "show", invoice)["thread"]["title"] == "Broken invoices"


def test_a_message_is_put_on_another_thread(project: Path) -> None:
    invoice, login = two_threads(project)

    ran = ais("threads", "move", "backup-2", login)

    assert ran.stdout.startswith(f"Moved backup-2 from {invoice} to {login} ")
    assert messages_of(login) == ["backup-2", "login-1"]


SPLIT = ("split", "{invoice}")
REFUSED = {
    "a merge with itself": (("merge", "{invoice}", "{invoice}"), 1, "Name two threads"),
    "an unknown thread": (("merge", "{invoice}", "nope"), 3, "`ais threads` lists them"),
    "an ambiguous start": (("merge", "{invoice}", "thread_"), 1, "Give more of it"),
    "an empty id": (("archive", ""), 3, "`ais threads` lists them"),
    "an absorbed thread": (("merge", "{invoice}", "{gone}"), 1, "Name {login} instead"),
    "into an absorbed one": (("move", "backup-1", "{gone}"), 1, "Name {login} instead"),
    "a split of an absorbed one": (("split", "{gone}", "--part", "a=b"), 1, "Name {login} instead"),
    "an unknown message": ((*SPLIT, "--part", "T=nope"), 3, "lists those it has"),
    "an ambiguous message": ((*SPLIT, "--part", "T=backup"), 1, "Give more of it"),
    "a message twice": (
        (*SPLIT, "--part", "T=backup-1", "--part", "U=backup-1"),
        1,
        "name it once",
    ),
    "an empty group": ((*SPLIT, "--part", "T="), 1, "Name at least one"),
    "an empty title": ((*SPLIT, "--part", "=backup-1"), 1, "Give at least one word"),
    "more groups than titles": (
        (*SPLIT, "--title", "T", "--messages", "backup-1", "--messages", "backup-2"),
        1,
        "Give a --title with each --messages",
    ),
    "more titles than groups": ((*SPLIT, "--title", "T"), 1, "Give a --title with each"),
    "a parent left empty": (
        (*SPLIT, "--part", "T=invoice-1,invoice-2,backup-1,backup-2"),
        1,
        "Leave at least one out",
    ),
    "no terminal to ask in": ((*SPLIT, "--interactive"), 1, "--part 'TITLE=ID,ID'"),
    "a group without ids": ((*SPLIT, "--part", "title"), 2, "Write a group as 'TITLE=ID,ID'"),
    "two ways at once": ((*SPLIT, "--accept", "--part", BACKUPS), 2, "Use one of them"),
    "an unknown lock": ((*SPLIT, "--part", BACKUPS, "--lock", "chain"), 2, "agent_release"),
    "a move to where it is": (("move", "backup-1", "{invoice}"), 1, "already"),
    "an unknown message to move": (("move", "nope", "{login}"), 3, "`ais search` finds ids"),
    "an unlock of what is open": (("unlock", "{invoice}"), 1, "It can be merged as it is"),
    "a second archiving": (("archive", "{gone}"), 1, "Name {login} instead"),
    "an active one brought back": (("reactivate", "{invoice}"), 1, "active already"),
    "a title without a word": (("rename", "{invoice}", " "), 1, "Give at least one word"),
}


@pytest.mark.parametrize(("words", "code", "way_out"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_is_refused_with_the_way_out_and_nothing_changes(
    project: Path, words: tuple[str, ...], code: int, way_out: str
) -> None:
    invoice, login = two_threads(project)
    captured(project, Message(id="gone-1", session="g", text="Dark mode of the settings page"))
    (gone,) = set(ids()) - {invoice, login}
    ais("threads", "merge", login, gone)
    names = {"invoice": invoice, "login": login, "gone": gone}
    before = everything()

    ran = ais("threads", *(word.format(**names) for word in words))

    assert ran.exit_code == code
    assert ran.stdout == ""
    assert way_out.format(**names) in ran.stderr
    assert everything() == before


def test_a_thread_is_shown_as_it_was(project: Path) -> None:
    invoice, login = two_threads(project)
    ais("threads", "merge", login, invoice)
    (merged,) = plain("log")
    moment = merged["at"].replace("Z", "+00:00")
    before = json.loads(ais("threads", "show", login, "--at", "2100-01-01", "--json").stdout)
    ais("undo")

    now, then = messages_of(login), plain("threads", "show", login, "--at", moment)
    shown = ais("threads", "show", login, "--at", moment, "--why").stdout

    assert now == ["login-1"]
    assert [each["id"] for each in then["messages"]] == [each["id"] for each in before["messages"]]
    assert len(then["messages"]) == 5
    assert shown.startswith(f"as it was at {moment[:10]} ")
    assert shown.count("why here: ") == 5


def test_a_thread_that_was_not_there_yet_is_not_found(project: Path) -> None:
    _, login = two_threads(project)

    early = ais("threads", "show", login, "--at", "2020-01-01")
    wrong = ais("threads", "show", login, "--at", "yesterday")

    assert (early.exit_code, wrong.exit_code) == (3, 2)
    assert "Name a later time" in early.stderr
    assert "2026-03-02T12:30" in wrong.stderr


@pytest.mark.parametrize(
    "verb",
    ["merge", "split", "unlock", "archive", "suspend", "reactivate", "rename", "move", "kind"],
)
def test_every_verb_has_help_with_an_example(verb: str) -> None:
    ran = ais("threads", verb, "--help")

    assert ran.exit_code == 0
    assert f"Example: ais threads {verb} " in ran.stdout
    assert "--dry-run" in ran.stdout
    assert "--json" in ran.stdout


def test_a_message_that_was_moved_says_by_which_change(project: Path) -> None:
    invoice, login = two_threads(project)
    ais("threads", "merge", login, invoice)

    shown = ais("threads", "show", login, "--why").stdout

    assert "why here: put here by change 1 (merge), user (ais)" in shown
    assert "why here: at first it opens a thread" in shown


def test_suggestions_are_dismissed_and_that_is_undone(project: Path) -> None:
    invoice, login = two_threads(project)

    apart = ais("threads", "keep-apart", login, invoice)
    whole = plain("threads", "keep-whole", login)

    assert "are not one subject: no merge is suggested." in apart.stdout
    assert apart.stdout.endswith("undo with: ais undo 1\n")
    assert whole["change"] == 2
    assert ais("threads", "keep-whole", login).exit_code == 1
    assert ais("undo", "2").exit_code == 0
    assert ais("threads", "keep-whole", login).exit_code == 0


def test_a_line_is_hidden_and_shown_again(project: Path) -> None:
    captured(project, Message(text="The staging server is called otter. It is slow.", id="m1"))
    question = "what is the staging server called?"

    hidden = ais("hide", "m1", "The staging server is called otter.")

    assert "is not shown again" in hidden.stdout
    assert "otter" not in ais("recall", question).stdout
    assert ais("undo").exit_code == 0
    assert "otter" in ais("recall", question).stdout
    assert plain("hide", "m1", "It is slow.", "--dry-run")["dry_run"] is True
