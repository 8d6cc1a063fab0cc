"""See what there is on the command line: of which project, in which threads."""

import json
import os
import re
from pathlib import Path

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.split import SplitPart
from builders import said
from command_line import ais, captured, standing_in_a_project, three_threads
from embedding_server import embedding_server


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def a_thread_id(title: str) -> str:
    listed = json.loads(ais("threads", "--json").stdout)
    return next(str(each["id"]) for each in listed if title in each["title"])


def test_the_status_is_one_screen_of_what_there_is(project: Path) -> None:
    three_threads(project)
    captured("other", said("elsewhere"))

    ran = ais("status")

    lines = dict(line.split(maxsplit=1) for line in ran.stdout.splitlines()[:6])
    assert ran.exit_code == 0
    assert lines["home"] == os.environ["AIS_HOME"]
    assert lines["project"] == str(project)
    assert (lines["threads"], lines["messages"]) == ("3", "4")
    assert lines["file"].startswith("memory.db, ")
    assert "search is by keyword only" in ran.stdout
    assert ran.stdout.splitlines()[-1].split() == ["other", "1", "1"]


def test_the_status_for_programs_has_the_same(project: Path) -> None:
    three_threads(project)

    told = json.loads(ais("status", "--json").stdout)

    assert (told["project"], told["threads"], told["messages"]) == (str(project), 3, 4)
    assert (told["model"], told["embedder"]) == (None, {"name": "none", "state": "off"})
    assert told["projects"] == [{"project": str(project), "threads": 3, "messages": 4}]


@pytest.mark.parametrize(
    ("model", "state", "told"),
    [
        ("arctic-embed-s", "missing", "ais model pull arctic-embed-s"),
        ("http://127.0.0.1:9/v1#gone", "broken", "Start the server"),
        ("./no-such-folder", "broken", "there is no model folder"),
    ],
)
def test_the_status_says_what_keeps_the_model_from_being_used(
    model: str, state: str, told: str
) -> None:
    plain = ais("status", AIS_EMBEDDER_MODEL=model)
    for_programs = json.loads(ais("status", "--json", AIS_EMBEDDER_MODEL=model).stdout)

    assert plain.exit_code == 0
    assert told in plain.stdout
    assert for_programs["embedder"]["state"] == state


def test_the_status_counts_what_waits_to_be_embedded(project: Path) -> None:
    three_threads(project)
    captured("*", said("seen from everywhere"))

    with embedding_server() as server:
        ran = ais("status", AIS_EMBEDDER_MODEL=server.url)

    assert "waiting    5 messages to be embedded" in ran.stdout


@pytest.mark.parametrize("name", ["demo", "code/demo", "demo/"])
def test_a_project_is_named_by_how_its_name_ends(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    three_threads(project)
    monkeypatch.chdir(tmp_path)

    ran = ais("--project", name, "status", "--json")

    assert json.loads(ran.stdout)["project"] == str(project)


def test_a_project_given_as_a_folder_is_the_one_around_it(project: Path) -> None:
    inside = project / "src" / "deep"
    inside.mkdir(parents=True)

    ran = ais("--project", str(inside), "status", "--json")

    assert json.loads(ran.stdout)["project"] == str(project)


def test_a_project_given_by_name_has_its_own_settings(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_threads(project)
    ais("config", "set", "decay.half_life_days", "36500", "--project")
    monkeypatch.chdir(tmp_path)

    weights = [
        each["weight"] for each in json.loads(ais("--project", "demo", "threads", "--json").stdout)
    ]

    assert min(weights) > 0.9


def test_a_warning_about_the_settings_is_printed_once(project: Path) -> None:
    three_threads(project)

    ran = ais("--project", "demo", "search", "keys", AIS_DECAY_HALFLIFE="3")

    assert ran.stderr.count("AIS_DECAY_HALFLIFE is ignored") == 1


def test_an_ambiguous_project_is_refused_with_what_it_can_be() -> None:
    captured("/a/demo", said("one"))
    captured("/b/demo", said("two"))

    ran = ais("--project", "demo", "threads")

    assert ran.exit_code == 1
    assert "/a/demo, /b/demo" in ran.stderr


def test_an_unknown_project_is_answered_with_the_most_similar_first() -> None:
    captured("/a/zebra", said("one"))
    captured("/b/demonstration", said("two"))

    ran = ais("--project", "demonstratoin", "search", "one")

    assert ran.exit_code == 3
    assert "`demonstratoin`" in ran.stderr
    assert ran.stderr.index("/b/demonstration") < ran.stderr.index("/a/zebra")


@pytest.mark.parametrize("name", ["nothing", "", "x" * 400])
def test_an_unknown_project_makes_nothing(tmp_path: Path, name: str) -> None:
    ran = ais("--project", name, "status")

    assert ran.exit_code == 3
    assert not (tmp_path / "home").exists()


def test_the_users_own_project_is_a_star() -> None:
    captured("*", said("I prefer tabs"))

    assert "Tabs" in ais("--project", "*", "threads").stdout


def test_an_empty_memory_says_so_kindly(project: Path) -> None:
    plain, for_programs = ais("threads"), ais("threads", "--json")

    assert plain.exit_code == for_programs.exit_code == 0
    assert plain.stdout.startswith(f"There are no threads in the project {project}.")
    assert json.loads(for_programs.stdout) == []


def test_threads_are_listed_the_most_recently_active_first(project: Path) -> None:
    three_threads(project)

    rows = ais("threads").stdout.splitlines()

    assert rows[0].split() == ["title", "id", "weight", "last", "active", "status", "topics"]
    assert ["Rechnung" in rows[1], "数据库" in rows[2], "JWT" in rows[3]] == [True] * 3
    assert "2 days ago" in rows[2]
    assert all(re.search(r" [0-9a-f]{6} ", row) for row in rows[1:])


def test_without_a_subcommand_the_threads_are_listed_with_the_same_options(project: Path) -> None:
    three_threads(project)

    short, long = (
        ais("threads", "--limit", "1", "--json"),
        ais("threads", "list", "--limit", "1", "--json"),
    )

    ids = [[each["id"] for each in json.loads(ran.stdout)] for ran in (short, long)]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 1
    assert "2 more" in short.stderr


def test_threads_are_listed_by_status(project: Path) -> None:
    three_threads(project)

    active = json.loads(ais("threads", "--status", "active", "--json").stdout)
    archived = ais("threads", "--status", "archived")

    assert any("Rechnung" in each["title"] for each in active)
    assert "There are no archived threads" in archived.stdout


def test_a_thread_is_shown_with_its_messages_by_the_start_of_its_id(project: Path) -> None:
    three_threads(project)
    thread_id = a_thread_id("JWT")

    ran = ais("threads", "show", thread_id[:15])

    assert f"thread    {thread_id}" in ran.stdout
    assert "m1  2026-03-02 12:00 UTC  user  session s1\nrotate the JWT keys" in ran.stdout
    assert ran.stdout.index("m1  ") < ran.stdout.index("m2  2026-03-02 12:00 UTC  assistant")


def test_a_thread_for_programs_has_its_messages(project: Path) -> None:
    three_threads(project)

    told = json.loads(ais("threads", "show", a_thread_id("数据库"), "--json").stdout)

    assert "数据库" in told["thread"]["title"]
    assert [each["id"] for each in told["messages"]] == ["m3"]


def test_a_lock_for_programs_has_the_names_of_the_source_documents(project: Path) -> None:
    captured(project, said("one", id_="m1"), said("two", id_="m2"))
    with Memory.open(project=project) as memory:
        thread = memory.message("m1").thread_id
        memory.split(thread, [SplitPart("Two", ("m2",))])
        child = memory.message("m2").thread_id

    locked, free = (json.loads(ais("threads", "show", id_, "--json").stdout)["thread"]
                    for id_ in (child, thread))  # fmt: skip

    names = ("split_locked", "split_locked_until", "split_lock")
    assert [locked[name] for name in names] == [True, "compaction", "compaction"]
    assert [free[name] for name in names] == [False, None, None]


def test_a_long_message_is_cut_unless_all_of_it_is_wanted(project: Path) -> None:
    captured(project, said("begin " + "x " * 2000 + "fin"))
    (thread_id,) = (each["id"] for each in json.loads(ais("threads", "--json").stdout))

    cut, full = ais("threads", "show", thread_id), ais("threads", "show", thread_id, "--full")

    assert "2,009 more characters; --full shows all" in cut.stdout
    assert "fin" not in cut.stdout
    assert full.stdout.rstrip().endswith("x fin")


def test_a_thread_that_is_not_there_or_not_the_only_one_is_an_error(project: Path) -> None:
    three_threads(project)

    missing, several = ais("threads", "show", "nope"), ais("threads", "show", "thread_")

    assert (missing.exit_code, several.exit_code) == (3, 1)
    assert "`ais threads` lists them" in missing.stderr
    assert "Give more of it" in several.stderr


def test_a_thread_says_why_each_message_is_on_it(project: Path) -> None:
    three_threads(project)

    plain = ais("threads", "show", a_thread_id("JWT"))
    told = ais("threads", "show", a_thread_id("JWT"), "--why")

    assert "why here" not in plain.stdout
    assert "why here: opens" in told.stdout
    assert "why here: answers" in told.stdout


def test_what_is_stated_again_and_again_is_proposed_once(project: Path) -> None:
    stated = "We decided to use PostgreSQL for the billing service."
    captured(project, said(stated), said(stated, minute=1), said(stated, minute=2))

    shown = ais("threads", "show", a_thread_id("PostgreSQL"))

    assert shown.stdout.count(f'decision: "{stated}"') == 1


def test_what_a_message_seems_to_state_is_proposed_until_it_is_confirmed(project: Path) -> None:
    captured(project, said("We decided to use PostgreSQL for the billing service."))
    thread_id = a_thread_id("PostgreSQL")

    before = ais("threads", "show", thread_id)
    confirmed = ais("threads", "kind", thread_id, "decision")
    after = ais("threads", "show", thread_id)

    assert 'decision: "We decided to use PostgreSQL' in before.stdout
    assert f"ais threads kind {thread_id} KIND" in before.stdout
    assert confirmed.stdout.startswith(f"{thread_id} is a decision now, importance 0.8.\n")
    assert "proposed" not in after.stdout
    assert "kind      decision" in after.stdout
