"""`ais share --git`: statements become files of the repository, and a teammate imports them."""

import json
import os
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness import Memory
from ai_smartness.clients.shared_statements import SharedPage, read_page
from ai_smartness.model.statement import StatementKind
from command_line import ais, standing_in_a_project

RULE = "Never log the session id."
DECISION = "We decided to keep sessions in Postgres."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = standing_in_a_project(tmp_path, monkeypatch)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "config", "user.name", "Ana Ruiz"], check=True)
    ais("pin", RULE, "--kind", "rule")
    ais("pin", DECISION, "--kind", "decision")
    ais("pin", "I prefer short commits.", "--kind", "preference")
    return root


def pages(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in root.glob(".ai/memory/*/*.md")}


def teammate(root: Path, tmp_path: Path) -> Memory:
    """Open the memory of somebody who cloned the repository and imported what is shared."""
    done = ais("--home", str(tmp_path / "theirs"), "import", "--from", "shared")
    assert done.exit_code == 0, done.output
    return Memory.open(home=str(tmp_path / "theirs"), project=root)


def test_a_preview_writes_nothing_and_names_every_file(project: Path) -> None:
    done = ais("share", "--git", "--dry-run")

    assert RULE in done.stdout
    assert ".ai/memory/20" in done.stdout
    assert "short commits" not in done.stdout, "a preference is one's own"
    assert pages(project) == {}


def test_what_is_shared_reaches_a_teammate_with_its_author_and_kind(
    project: Path, tmp_path: Path
) -> None:
    done = ais("share", "--git", "--yes")
    assert done.exit_code == 0, done.output
    assert len(pages(project)) == 2

    with teammate(project, tmp_path) as memory:
        memory.embed()
        found = {one.text: one for one in memory.statements()}
        brief = memory.greeting("s1")
        shown = memory.recall("what may we log?").text

    assert found[RULE].kind is StatementKind.RULE
    assert found[RULE].shared_by == found[DECISION].shared_by == "Ana Ruiz"
    assert f"shared by Ana Ruiz: {RULE}" in brief
    assert f"shared by Ana Ruiz: {RULE}" in shown


def test_sharing_and_importing_again_adds_nothing(project: Path, tmp_path: Path) -> None:
    ais("share", "--git", "--yes")
    before = pages(project)
    again = ais("share", "--git", "--yes")

    assert "Nothing to share" in again.stdout
    assert pages(project) == before
    with teammate(project, tmp_path) as memory:
        count = len(memory.statements())
    with teammate(project, tmp_path) as memory:
        assert len(memory.statements()) == count == 2
    # One's own words do not come back as somebody else's.
    ais("import", "--from", "shared")
    with Memory.open(home=os.environ["AIS_HOME"]) as memory:
        assert [one.shared_by for one in memory.statements()] == ["", "", ""]


def test_a_preference_is_shared_if_it_is_named(project: Path) -> None:
    (preference,) = json.loads(ais("statements", "--kind", "preference", "--json").stdout)

    done = ais("share", "--git", preference["id"], "--json")

    assert json.loads(done.stdout)["files"] == [
        f".ai/memory/{preference['at'][:4]}/{preference['id']}.md"
    ]
    assert "short commits" in next(iter(pages(project).values()))


def test_a_secret_stops_the_sharing(project: Path) -> None:
    ais("pin", "The deploy host is app-1, password: hunter2-Xy9!", "--kind", "environment")

    done = ais("share", "--git", "--yes")

    assert done.exit_code == 1
    assert "has a secret in it, so nothing was written" in done.stderr
    assert pages(project) == {}


def test_unsharing_deletes_the_file(project: Path) -> None:
    ais("share", "--git", "--yes")
    name = next(name for name, text in pages(project).items() if RULE in text)

    missing = ais("unshare", "s_00000000")
    dry = ais("unshare", name[:10], "--dry-run")
    assert name in pages(project)
    done = ais("unshare", name[:10])

    assert "no shared statement begins" in missing.stderr
    assert "would be deleted" in dry.stdout
    assert done.exit_code == 0
    assert name not in pages(project)


def test_outside_a_repository_nothing_is_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    monkeypatch.chdir(bare)

    done = ais("share", "--git")

    assert done.exit_code == 1
    assert "in no git repository" in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "no front matter",
        "---\nid: ../../etc/passwd\nkind: rule\ndate: 2026-01-01\n---\n\nx",
        "---\nid: s_00000000\nkind: order\ndate: 2026-01-01\n---\n\nx",
        "---\nid: s_00000000\nkind: rule\ndate: never\n---\n\nx",
        "---\nid: s_00000000\nkind: rule\ndate: 2026-01-01T00:00:00Z\n---\n\n",
    ],
)
def test_a_file_of_another_form_is_left_out(project: Path, tmp_path: Path, text: str) -> None:
    file = project / ".ai" / "memory" / "2026" / "s_00000000.md"
    file.parent.mkdir(parents=True)
    file.write_text(text)

    with teammate(project, tmp_path) as memory:
        assert memory.statements() == []


def test_a_page_that_another_one_supersedes_is_not_imported(project: Path, tmp_path: Path) -> None:
    folder = project / ".ai" / "memory" / "2026"
    folder.mkdir(parents=True)
    at = datetime(2026, 3, 1, tzinfo=UTC)
    old = SharedPage(id="s_aaaaaaaa", kind=StatementKind.RULE, text="Old.", author="B", at=at)
    new = SharedPage(
        id="s_bbbbbbbb",
        kind=StatementKind.RULE,
        text="Log nothing at all.",
        author="B",
        at=at,
        supersedes=(old.id,),
    )
    for page in (old, new):
        (folder / f"{page.id}.md").write_text(page.render())

    with teammate(project, tmp_path) as memory:
        assert [one.text for one in memory.statements()] == [new.text]


def test_a_page_that_was_imported_ends_when_another_one_supersedes_it(
    project: Path, tmp_path: Path
) -> None:
    folder = project / ".ai" / "memory" / "2026"
    folder.mkdir(parents=True)
    at = datetime(2026, 3, 1, tzinfo=UTC)
    old = SharedPage(
        id="s_aaaaaaaa", kind=StatementKind.RULE, text="Deploy from main.", author="B", at=at
    )
    other = replace(old, id="s_cccccccc", text="Tabs in Makefiles.")
    new = replace(old, id="s_bbbbbbbb", text="Release with the pipeline.", supersedes=(old.id,))
    for page in (old, other):
        (folder / f"{page.id}.md").write_text(page.render())
    with teammate(project, tmp_path) as memory:
        memory.pin("Deploy from my own branch.", kind="rule")
        memory.statements()

    (folder / f"{old.id}.md").unlink()
    (folder / f"{new.id}.md").write_text(new.render())
    with teammate(project, tmp_path) as memory:
        held = [one.text for one in memory.statements()]
        brief = memory.greeting("s1")
        memory.reindex(vectors=False)
        held_again = [one.text for one in memory.statements()]
        (found,) = [one for one in memory.statements() if one.text == new.text]
        ended = [one.text for one in memory.superseded_statements(found.id)]

    assert sorted(held) == sorted([new.text, other.text, "Deploy from my own branch."])
    assert sorted(held_again) == sorted(held)
    assert ended == [old.text]
    assert old.text not in brief


NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=30)


@given(
    words=st.lists(NAMES, min_size=1, max_size=8),
    author=NAMES,
    kind=st.sampled_from(StatementKind),
    files=st.lists(NAMES.filter(lambda name: "," not in name), max_size=3),
)
def test_a_page_is_read_as_it_was_written(
    words: list[str], author: str, kind: StatementKind, files: list[str]
) -> None:
    page = SharedPage(
        id="s_0123abcd",
        kind=kind,
        text=" ".join(words),
        author=author,
        at=datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC),
        files=tuple(files),
    )

    assert read_page(page.render()) == page
