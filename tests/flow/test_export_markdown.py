"""A memory as a folder of pages."""

import json
import re
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness import Memory
from ai_smartness.model.bridge import BridgeDraft, Relation
from ai_smartness.testing import SetClock
from ai_smartness.transfer.markdown_export import MAX_NAME_BYTES, FileNames, folded_name
from builders import NOON, a_memory, said
from command_line import ais, captured, standing_in_a_project, three_threads


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return tmp_path / "vault"


def write(vault: Path, *options: str) -> dict[str, object]:
    ran = ais("export", str(vault), "--format", "markdown", "--json", *options)
    assert ran.exit_code == 0, ran.output
    told: dict[str, object] = json.loads(ran.stdout)
    return told


def pages(vault: Path) -> dict[str, str]:
    return {
        str(path.relative_to(vault)): path.read_text(encoding="utf-8")
        for path in sorted(vault.glob("**/*.md"))
    }


def front(text: str) -> dict[str, object]:
    """Read what a page says before its text: each line is a name and JSON, or a plain word."""
    block = text.split("---\n")[1]
    found = dict(line.split(": ", 1) for line in block.splitlines())
    return {name: _value(value) for name, value in found.items()}


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def test_each_thread_is_a_page_and_one_lists_them(project: Path, vault: Path) -> None:
    three_threads(project)

    told = write(vault)

    found = pages(vault)
    assert told["written"] == len(found) == 4
    index = found["Memory.md"]
    assert set(re.findall(r"\[\[(.+?)\]\]", index)) == {
        name.removesuffix(".md") for name in found if name != "Memory.md"
    }


def test_a_page_tells_all_of_its_thread(project: Path, vault: Path) -> None:
    three_threads(project)
    write(vault)
    with Memory.open(project=project) as memory:
        threads = {thread.id: thread for thread in memory.threads()}

    for name, text in pages(vault).items():
        if name == "Memory.md":
            continue
        about = front(text)
        thread = threads[str(about["id"])]
        assert about["title"] == thread.title
        assert about["kind"] == thread.kind.value
        assert about["status"] == thread.status.value
        assert about["topics"] == list(thread.topics)
        assert about["files"] == list(thread.files)
        assert datetime.fromisoformat(str(about["created"])) <= thread.last_active
        assert set(about) >= {"tags", "last_active", "weight", "project"}
    everything = "".join(pages(vault).values())
    assert "> rotate the JWT keys every month" in everything
    assert "> 数据库连接池太小了" in everything


def test_bridges_are_links_that_lead_somewhere(project: Path, vault: Path) -> None:
    three_threads(project)
    with Memory.open(project=project) as memory:
        one, other, *_ = (thread.id for thread in memory.threads())
        memory.link(
            BridgeDraft(source=one, target=other, relation=Relation.DEPENDS, reason="[[x]] #y"),
        )

    write(vault)

    found = pages(vault)
    names = {Path(name).stem for name in found}
    linked = {name for text in found.values() for name in re.findall(r"(?<!\\)\[\[(.+?)\]\]", text)}
    assert linked <= names
    (leaving,) = [text for text in found.values() if "\n- depends [[" in text]
    (arriving,) = [text for text in found.values() if "]] depends this" in text]
    assert {front(leaving)["id"], front(arriving)["id"]} == {one, other}


def test_what_was_said_is_no_part_of_the_page(project: Path, vault: Path) -> None:
    captured(
        project,
        said(
            "---\nid: other\n---\n# Heading\n[[Link]] %%hidden%%\n```\nnever closed [[x]]",
            id_="m1",
        ),
        said("after it", id_="m2", minute=1),
    )

    write(vault)

    (text,) = [text for name, text in pages(vault).items() if name != "Memory.md"]
    body = text.split("---\n", 2)[2]
    assert str(front(text)["id"]).startswith("thread_")
    # The page's own headings are its title and those of its parts.
    assert "\n> # Heading\n" in body
    assert set(re.findall(r"^#+ .*", body, re.MULTILINE)[1:]) <= {"## Links", "## Messages"}
    assert "> \\[\\[Link]]" in body
    assert "> after it" in body
    assert not re.search(r"^---$", body, re.MULTILINE)


def test_done_again_it_writes_only_what_has_changed(project: Path, vault: Path) -> None:
    three_threads(project)
    write(vault)
    before = pages(vault)

    again = write(vault)

    assert pages(vault) == before
    assert again["written"] == 0
    assert again["unchanged"] == 4


def test_a_page_whose_thread_has_another_title_is_moved(project: Path, vault: Path) -> None:
    three_threads(project)
    write(vault)
    with Memory.open(project=project) as memory:
        id_ = memory.threads()[0].id
        memory.rename(id_, "Quite another title")

    told = write(vault)

    assert "Quite another title.md" in pages(vault)
    assert len(pages(vault)) == 4
    assert told["removed"] == 1


def test_what_is_not_ours_and_what_was_changed_is_left_alone(project: Path, vault: Path) -> None:
    three_threads(project)
    vault.mkdir()
    (vault / "Memory.md").write_text("my own page of that name")
    (vault / "diary.md").write_text("dear diary")
    write(vault)
    (mine,) = [path for path in vault.glob("*.md") if "über" in path.read_text()][:1]
    mine.write_text("I wrote over it")
    with Memory.open(project=project) as memory:
        memory.rename(memory.threads()[0].id, "Another title")

    told = write(vault)

    assert (vault / "Memory.md").read_text() == "my own page of that name"
    assert (vault / "diary.md").read_text() == "dear diary"
    assert mine.read_text() == "I wrote over it"
    assert told["edited"] == [str(mine)]
    assert (vault / "Memory (index).md").exists()


def test_every_project_has_its_folder(project: Path, vault: Path) -> None:
    three_threads(project)
    captured("/elsewhere/demo", said("of another project", id_="o1"))

    write(vault)

    folders = {Path(name).parent.name for name in pages(vault)}
    assert len(folders) == 3
    assert "" in folders


def test_threads_of_one_title_have_pages_of_their_own(project: Path, vault: Path) -> None:
    three_threads(project)
    with Memory.open(project=project) as memory:
        for thread in memory.threads():
            memory.rename(thread.id, "CON: a/b\\c? #1 [[x]]")

    write(vault)

    assert len(pages(vault)) == 4
    assert "CON a b c 1 x.md" in pages(vault)


def test_a_list_of_ours_that_names_files_outside_is_not_believed(
    project: Path,
    vault: Path,
    tmp_path: Path,
) -> None:
    three_threads(project)
    vault.mkdir()
    outside = tmp_path / "outside.md"
    outside.write_text("mine")
    digest = "0" * 32
    (vault / ".ais-export.json").write_text(json.dumps({"../outside.md": digest, str(outside): ""}))

    write(vault)

    assert outside.read_text() == "mine"


def test_a_folder_is_needed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert ais("export", "--format", "markdown").exit_code == 2
    assert "it is a file" in ais("export", str(tmp_path / "file"), "--format", "markdown").stderr


@given(st.lists(st.text(max_size=200), max_size=20))
def test_names_are_safe_and_unique_on_every_file_system(titles: list[str]) -> None:
    names = FileNames(["Taken"])

    made = [names.unique_name(title, f"thread_{number}") for number, title in enumerate(titles)]

    assert len({folded_name(name) for name in [*made, "Taken"]}) == len(made) + 1
    for name in made:
        assert name
        assert len(name.encode()) <= MAX_NAME_BYTES
        assert not re.search(r'[<>:"/\\|?*#^\[\]\x00-\x1f\x7f]', name)
        assert name[0] not in ". "
        assert name[-1] not in ". "
        assert not re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", name)


def test_a_bridge_has_the_weight_that_the_terminal_shows() -> None:
    clock = SetClock(NOON)
    with a_memory(clock=clock) as memory:
        memory.capture([said("rotate the keys", id_="m1"), said("a logo", id_="m2", session="s2")])
        one, other = (memory.message(id_).thread_id for id_ in ("m1", "m2"))
        memory.link(BridgeDraft(source=one, target=other, relation=Relation.DEPENDS, weight=0.8))
        clock.advance(days=100)

        (bridge,) = memory.bridges(one)
        written = "".join(page.text for page in memory.pages())

    assert bridge.weight < 0.5
    assert f"({bridge.weight:.2f})" in written
    assert "(0.80)" not in written
