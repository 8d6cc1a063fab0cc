"""The links between threads on the command line."""

import re
from pathlib import Path

import pytest

from ai_smartness.model.short_ids import short_id
from command_line import ais, standing_in_a_project
from terminal import terminal
from tidy_threads import everything, plain, two_threads


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def a_bridge(project: Path) -> tuple[str, str, str]:
    """Link two threads, and return the bridge's id and theirs."""
    invoice, login = two_threads(project)
    ais("bridges", "add", invoice, "depends", login, "--weight", "0.4", "--reason", "needs a user")
    (bridge,) = plain("bridges")
    return str(bridge["id"]), invoice, login


def test_a_bridge_is_made_with_its_weight_and_reason(project: Path) -> None:
    invoice, login = two_threads(project)

    ran = ais("bridges", "add", invoice, "depends", login, "--weight", "0.4", "--reason", "why not")

    (bridge,) = plain("bridges")
    assert ran.stdout.startswith(f"{invoice} depends {login} now, weight 0.4 ({bridge['id']}).\n")
    assert ran.stdout.endswith("change 1; undo with: ais undo 1\n")
    assert (bridge["source"], bridge["target"]) == (invoice, login)
    assert (bridge["reason"], bridge["made_by"]) == ("why not", "user")


def test_bridges_are_listed_for_the_project_and_for_a_thread(project: Path) -> None:
    bridge, invoice, login = a_bridge(project)

    rows = ais("bridges").stdout.splitlines()
    short, long = ais("bridges", login[:-2]).stdout, ais("bridges", "list", login).stdout

    assert rows[0].startswith("depends: ")
    assert re.findall(r"\[(\w+)\]", rows[0]) == [invoice[-6:], login[-6:]]
    assert rows[1:3] == ["  needs a user", f"  {bridge}, weight 0.40"]
    assert short.splitlines() == long.splitlines() == rows


def test_without_bridges_that_is_said(project: Path) -> None:
    _, login = two_threads(project)

    assert ais("bridges").stdout.startswith(f"There are no bridges in the project {project}.")
    assert ais("bridges", login).stdout.startswith(f"There are no bridges in {login}.")
    assert plain("bridges") == []


def test_an_id_is_never_broken_in_a_narrow_terminal(project: Path) -> None:
    bridge, invoice, login = a_bridge(project)

    with terminal("bridges") as links, terminal("threads") as listed:
        ended = (links.end(), listed.end())

    assert ended == (0, 0)
    shown = {f"{short_id(bridge)},", f"[{invoice[-6:]}]", f"[{login[-6:]}]"}
    assert shown <= set(links.screen.split())
    assert {invoice[-6:], login[-6:]} <= set(listed.screen.split())


def test_a_bridge_is_named_by_its_short_id(project: Path) -> None:
    bridge, _, _ = a_bridge(project)

    with terminal("bridges", "remove", short_id(bridge)) as screen:
        ended = screen.end()

    assert ended == 0
    assert f"Removed bridge {short_id(bridge)}: " in screen.screen
    assert plain("bridges") == []


def test_a_bridge_is_taken_away_and_brought_back(project: Path) -> None:
    bridge, _, _ = a_bridge(project)

    removed = ais("bridges", "remove", bridge[:12])
    left = plain("bridges")
    ais("undo")

    assert removed.stdout.startswith(f"Removed {bridge}: ")
    assert left == []
    assert [each["id"] for each in plain("bridges")] == [bridge]


def test_a_bridge_that_is_followed_grows_and_shows_its_other_end(project: Path) -> None:
    bridge, invoice, login = a_bridge(project)

    there = ais("bridges", "follow", bridge)
    back = plain("bridges", "follow", bridge, "--from", login)

    assert there.stdout.startswith(f"Followed {bridge}: weight 0.40 → ")
    assert f"thread    {login}\n" in there.stdout
    assert back["page"]["thread"]["id"] == invoice
    assert back["bridges"][0]["after"]["weight"] > 0.4
    assert plain("bridges")[0]["weight"] > 0.4


@pytest.mark.parametrize(
    "words",
    [("add", "{login}", "updates", "{invoice}"), ("remove", "{bridge}"), ("follow", "{bridge}")],
)
def test_a_dry_run_changes_no_bridge(project: Path, words: tuple[str, ...]) -> None:
    bridge, invoice, login = a_bridge(project)
    args = [word.format(bridge=bridge, invoice=invoice, login=login) for word in words]
    before = everything()

    tried = ais("bridges", *args, "--dry-run")
    between = everything()
    done = plain("bridges", *args)

    assert tried.exit_code == 0
    assert tried.stdout.startswith("dry run: nothing was changed.")
    assert done["said"] in tried.stdout
    assert between == before


@pytest.mark.parametrize(
    ("words", "code", "way_out"),
    [
        (("add", "{invoice}", "depends", "{invoice}"), 1, "Name two threads"),
        (("add", "{invoice}", "depends", "nope"), 3, "`ais threads` lists them"),
        (("add", "{invoice}", "likes", "{login}"), 2, "'extends'"),
        (("add", "{invoice}", "depends", "{login}"), 1, "ais bridges remove {bridge}"),
        (("add", "{login}", "depends", "{invoice}", "--weight", "2"), 1, "over 0 and up to 1"),
        (("add", "{login}", "depends", "{invoice}", "--weight", "nan"), 1, "over 0 and up to 1"),
        (("remove", "nope"), 3, "`ais bridges` lists them"),
        (("follow", "nope"), 3, "`ais bridges` lists them"),
        (("follow", "{bridge}", "--from", "nope"), 3, "`ais threads` lists them"),
        (("nope",), 3, "`ais threads` lists them"),
        (("ad", "{login}", "updates", "{invoice}"), 2, "Did you mean 'add'?"),
    ],
)
def test_what_cannot_be_linked_is_refused_with_the_way_out(
    project: Path, words: tuple[str, ...], code: int, way_out: str
) -> None:
    bridge, invoice, login = a_bridge(project)
    names = {"bridge": bridge, "invoice": invoice, "login": login}
    before = everything()

    ran = ais("bridges", *(word.format(**names) for word in words))

    assert ran.exit_code == code
    assert way_out.format(**names) in ran.stderr
    assert everything() == before


def test_a_bridge_is_not_followed_from_a_thread_it_does_not_touch(project: Path) -> None:
    bridge, invoice, _ = a_bridge(project)
    ais("threads", "split", invoice, "--part", "Backups=backup-1")
    (child,) = plain("threads", "show", invoice)["thread"]["child_ids"]
    before = everything()

    ran = ais("bridges", "follow", bridge, "--from", child)

    assert ran.exit_code == 1
    assert "Name one" in ran.stderr
    assert everything() == before


@pytest.mark.parametrize("verb", ["list", "add", "remove", "follow"])
def test_every_verb_has_help_with_an_example(verb: str) -> None:
    ran = ais("bridges", verb, "--help")

    assert ran.exit_code == 0
    assert f"Example: ais bridges {verb} " in ran.stdout
    assert "--json" in ran.stdout
