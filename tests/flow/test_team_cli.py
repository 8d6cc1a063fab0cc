"""`ais team`, `ais share`, `ais unshare` and `ais dispute` on a server, as two people type them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from builders import said
from command_line import ais, standing_in_a_project
from two_people import ADMINISTRATOR, SHOP, Person, SharedServer, shared_server

RULE = "Never log the session id."
Run = Callable[..., Result]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SharedServer]:
    standing_in_a_project(tmp_path, monkeypatch)
    with shared_server() as made:
        yield made


def commands_of(person: Person, tmp_path: Path) -> Run:
    """Return `ais` in the hands of a person, in the project that all of them have."""
    home = tmp_path / f"home of {person.name}"
    person.write_settings(home)
    with person.memory() as memory:
        memory.capture(said(f"hello, I am {person.name}", id_=f"hello-{person.name}"))
    return lambda *words: ais("--home", str(home), "--project", SHOP, *words)


def test_a_member_who_is_added_again_is_told_as_one(server: SharedServer, tmp_path: Path) -> None:
    root = commands_of(server.person(ADMINISTRATOR), tmp_path)
    first = root("team", "add", "ben").output

    again = root("team", "add", "ben").output

    assert "Added ben" in first
    assert "Added" not in again
    assert "ben is a member already; the memory and the password stay." in " ".join(again.split())
    assert "2 members" in root("team").output


def test_two_people_share_dispute_and_take_back(server: SharedServer, tmp_path: Path) -> None:
    root = commands_of(server.person(ADMINISTRATOR), tmp_path)
    assert "Added anna" in root("team", "add", "anna").output
    assert "Added ben" in root("team", "add", "ben").output
    anna = commands_of(server.person("anna"), tmp_path)
    ben = commands_of(server.person("ben"), tmp_path)
    anna("pin", RULE, "--kind", "rule")
    (rule,) = json.loads(anna("statements", "--json").stdout)

    preview = anna("share", rule["id"], "--dry-run")
    assert f"rule: {RULE}" in preview.output
    assert json.loads(ben("statements", "--json").stdout) == []
    assert "Shared." in anna("share", rule["id"], "--yes").output

    assert "(shared by anna)" in ben("statements").output
    (copy,) = json.loads(ben("statements", "--json").stdout)
    assert (copy["text"], copy["shared_by"], copy["disputed_by"]) == (RULE, "anna", "")
    ben("dispute", copy["id"][:10], "support needs it")
    assert "shared by anna, disputed by ben" in ben("statements").output
    assert "confirmed, disputed by ben)" in anna("statements").output
    (own,) = json.loads(anna("statements", "--json").stdout)
    assert (own["shared_by"], own["disputed_by"]) == ("", "ben")
    assert "3 members; you share 1, and 1 of that is disputed" in anna("status").output
    team = {"members": 3, "shared": 1, "disputed": 1}
    assert json.loads(anna("status", "--json").stdout)["team"] == team
    listed = anna("team").output
    assert "3 members" in listed
    assert "anna  shares 1" in listed
    assert "disputed by ben: support needs it" in listed
    (item,) = json.loads(anna("team", "--json").stdout)["shared"]
    assert item["disputed_by"] == ["ben"]
    assert item["machine"]

    refused = ben("unshare", rule["id"])
    assert refused.exit_code != 0
    assert "only anna can take it back" in refused.stderr
    assert "shared by anna, disputed" not in ben("dispute", copy["id"], "--withdraw").output
    ben("dispute", copy["id"][:10], "support needs it")
    assert "would be taken back" in anna("unshare", rule["id"], "--dry-run").output
    assert "taken back" in anna("unshare", rule["id"][:10]).output
    assert json.loads(ben("statements", "--json").stdout) == []
    assert "1 message" not in ben("search", "session").output


def test_a_preview_is_all_that_the_others_will_read(server: SharedServer, tmp_path: Path) -> None:
    root = commands_of(server.person(ADMINISTRATOR), tmp_path)
    root("team", "add", "anna")
    anna = commands_of(server.person("anna"), tmp_path)
    with server.person("anna").memory() as memory:
        memory.capture(said(f"The invoices {'are due in May ' * 100}or in June.", id_="long"))
        thread = memory.message("long").thread_id

    preview = anna("share", thread, "--dry-run").output

    assert "or in June." in preview
    assert "Nothing was shared" in preview
    assert "anna  shares nothing" in anna("team").output


def test_whoever_forgets_what_is_still_shared_is_told_to_take_it_back(
    server: SharedServer, tmp_path: Path
) -> None:
    root = commands_of(server.person(ADMINISTRATOR), tmp_path)
    root("team", "add", "anna")
    anna = commands_of(server.person("anna"), tmp_path)
    with server.person("anna").memory() as memory:
        memory.capture(said("the zanzibar invoices are due in May", id_="due"))
        thread = memory.message("due").thread_id
    anna("share", thread, "--yes")

    forgotten = anna("forget", "message", "due", "--yes")

    assert "zanzibar" in forgotten.stderr
    assert "`ais unshare ID` takes it back" in forgotten.stderr
    assert "--backups" not in forgotten.stderr


def test_a_role_that_nobody_added_is_told_who_can(server: SharedServer, tmp_path: Path) -> None:
    administrator = server.person(ADMINISTRATOR)
    commands_of(administrator, tmp_path)("team", "add", "anna")
    administrator.run_sql("CREATE ROLE stranger LOGIN")
    try:
        made = ais("init", "--store", server.person("stranger").url, "--no-hooks", "--yes")
    finally:
        administrator.run_sql("DROP ROLE stranger")

    assert made.exit_code == 1
    assert "`ais team add`" in made.stderr


def test_a_refusal_names_the_way_out(server: SharedServer, tmp_path: Path) -> None:
    root = commands_of(server.person(ADMINISTRATOR), tmp_path)
    root("pin", RULE, "--kind", "rule")
    (rule,) = json.loads(root("statements", "--json").stdout)

    assert "ais team add NAME" in root("share", rule["id"], "--yes").stderr
    root("team", "add", "anna")
    assert "you share nothing with the id s_1a2b" in root("unshare", "s_1a2b").stderr
    assert "the id of a thread or a statement" in root("share").stderr
    assert "cannot be a person's name" in root("team", "add", "Anna Ruiz").stderr
    assert "`ais share --git`" in ais("team").stderr
    assert "`ais share --git`" in ais("share", "s_1").stderr


def test_an_administrator_without_ais_gets_the_sql(server: SharedServer, tmp_path: Path) -> None:
    administrator = server.person(ADMINISTRATOR)

    script = ais("team", "add", "carl", "--sql").stdout
    administrator.run_sql(script)

    carl = commands_of(server.person("carl"), tmp_path)
    assert "1 member:" in carl("team").output
    assert "ais team add dora --sql" in carl("team", "add", "dora").stderr
    assert "hello" in carl("search", "carl").output
