"""`ais project`: the user says which folders are one project, and nobody else."""

import json
import os
import subprocess
import threading
from pathlib import Path

import pytest

from ai_smartness import Memory, Message
from ai_smartness.clients.project import project_at
from ai_smartness.clients.project_links import change_links, read_links
from builders import said
from command_line import ais, captured, standing_in_a_project
from daemons import asked, here, kept_ids, record
from daemons import captured as dropped


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def clone(project: Path) -> Path:
    folder = project.parent / "clone"
    (folder / ".git").mkdir(parents=True)
    return folder


def remote(folder: Path, address: str) -> None:
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {address}\n')


def shown(*options: str) -> dict[str, object]:
    done = ais(*options, "project", "show", "--json")
    assert done.exit_code == 0, done.output
    details = json.loads(done.stdout)
    assert isinstance(details, dict)
    return details


def test_a_folder_is_named_by_its_path_whatever_its_remote_says(project: Path) -> None:
    remote(project, "https://me:hunter2@github.com/org/shop.git")

    details = shown()

    assert details["project"] == details["path"] == str(project)
    assert details["identity"] == "github.com/org/shop"
    assert details["is_linked"] is False
    assert "hunter2" not in ais("project", "show").output
    with Memory.open(home=os.environ["AIS_HOME"]) as memory:
        assert memory.project == str(project)


def test_linked_clones_are_one_project(project: Path, clone: Path) -> None:
    captured(project, said("the zebra keys rotate monthly", id_="m1"))
    captured(clone, said("a pangolin login page", id_="m2"))

    done = ais("--project", str(clone), "project", "link", str(project))

    assert done.exit_code == 0, done.output
    assert "which has 1 message" in done.output
    assert shown("--project", str(clone))["project"] == str(project)
    assert "zebra" in ais("--project", str(clone), "search", "zebra keys").output
    # What the clone remembered before stays where it is, and is found from both.
    for folder in (project, clone):
        assert "pangolin" in ais("--project", str(folder), "search", "pangolin").output
        assert "pangolin" in ais("--project", str(folder), "recall", "pangolin login").output


def test_a_new_name_takes_the_memory_along_and_back(project: Path) -> None:
    captured(project, said("the zebra keys rotate monthly", id_="m1"))
    remote(project, "git@github.com:org/shop.git")

    done = ais("project", "link")

    assert "github.com/org/shop now, with its 1 message" in done.output
    assert shown()["messages"] == 1
    assert len(json.loads(ais("threads", "--json").stdout)) == 1
    back = ais("project", "unlink")
    assert f"{project} again, with its 1 message" in back.output
    assert shown()["project"] == str(project)
    assert len(json.loads(ais("threads", "--json").stdout)) == 1


def test_a_repository_cannot_choose_a_project_that_remembers_something(
    project: Path, clone: Path
) -> None:
    captured(project, said("the zebra keys rotate monthly", id_="m1"))
    remote(project, "git@github.com:org/shop.git")
    ais("project", "link")
    remote(clone, "https://github.com/org/shop")

    refused = ais("--project", str(clone), "project", "link")

    assert refused.exit_code == 1
    assert "`ais project link github.com/org/shop`" in refused.output
    assert shown("--project", str(clone))["project"] == str(clone)
    assert "zebra" not in ais("--project", str(clone), "search", "zebra").output
    agreed = ais("--project", str(clone), "project", "link", "github.com/org/shop")
    assert agreed.exit_code == 0
    assert "zebra" in ais("--project", str(clone), "search", "zebra").output


def test_a_repository_cannot_wait_under_the_name_of_another(project: Path, clone: Path) -> None:
    captured(project, said("the zebra keys rotate monthly", id_="m1"))
    for folder in (project, clone):
        remote(folder, "https://github.com/org/shop")
    ais("--project", str(clone), "project", "link")

    refused = ais("project", "link")

    assert refused.exit_code == 1
    assert str(clone) in refused.output
    assert "zebra" not in ais("--project", str(clone), "search", "zebra").output


def test_a_clone_that_was_moved_is_linked_to_its_former_path(project: Path) -> None:
    captured(project, said("the zebra keys rotate monthly", id_="m1"))
    moved = project.rename(project.parent / "moved")

    done = ais("--project", str(moved), "project", "link", str(project))

    assert done.exit_code == 0, done.output
    assert "zebra" in ais("--project", str(moved), "search", "zebra").output


def test_unlinking_one_of_two_leaves_the_memory_with_the_other(project: Path, clone: Path) -> None:
    captured(project, said("the zebra keys rotate monthly", id_="m1"))
    ais("--project", str(clone), "project", "link", str(project))

    done = ais("--project", str(clone), "project", "unlink")

    assert f"the memory of {project} stays there" in done.output
    assert "zebra" not in ais("--project", str(clone), "search", "zebra").output
    assert "zebra" in ais("search", "zebra").output


def test_what_was_focused_and_shown_before_unlinking_does_no_harm_afterwards(
    project: Path, clone: Path
) -> None:
    captured(project, said("the zebra keys rotate monthly", id_="m1"))
    ais("--project", str(clone), "project", "link", str(project))
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        thread = memory.message("m1").thread_id
    ais("--project", str(project), "project", "link", "shop-of-mine")
    captured(clone, said("a pangolin login page", id_="m2", session="s9"))
    ais("--project", str(clone), "focus", thread)
    with Memory.open(project=clone, home=os.environ["AIS_HOME"]) as memory:
        memory.inject("how often do the zebra keys rotate?", session="s9")

    ais("--project", str(clone), "project", "unlink")

    with Memory.open(project=clone, home=os.environ["AIS_HOME"]) as memory:
        assert "zebra" not in memory.inject("how often do the zebra keys rotate?").text
        memory.capture(
            Message(text="the zebra keys rotate monthly", role="assistant", session="s9", id="m3")
        )
        assert memory.message("m3").project == str(clone)


def test_renaming_takes_memory_and_folders_along(project: Path, clone: Path) -> None:
    captured(project, said("the zebra keys rotate monthly", id_="m1"))
    ais("--project", str(clone), "project", "link", str(project))

    done = ais("project", "rename", "shop")

    assert done.exit_code == 0, done.output
    assert shown()["project"] == shown("--project", str(clone))["project"] == "shop"
    assert "zebra" in ais("--project", "shop", "search", "zebra").output
    assert ais("project", "rename", "*").exit_code == 1
    assert ais("project", "rename", "/no/folder").exit_code == 1
    assert ais("--project", str(clone.parent), "project", "rename", "shop").exit_code == 1


def test_a_name_that_was_changed_from_a_clone_can_be_changed_back(
    project: Path, clone: Path
) -> None:
    captured(project, said("the zebra keys rotate monthly", id_="m1"))
    ais("--project", str(clone), "project", "link", str(project))

    done = ais("--project", str(clone), "project", "rename", "shop")

    words = done.output.strip().rpartition("take it back with: ais ")[2].split()
    assert ais(*words).exit_code == 0
    assert shown()["project"] == shown("--project", str(clone))["project"] == str(project)
    assert shown()["messages"] == 1


@pytest.mark.parametrize("change", [("link", "other"), ("rename", "shop")])
def test_a_dry_run_changes_nothing(project: Path, change: tuple[str, str]) -> None:
    captured("other", said("a pangolin", id_="m2"))
    captured(project, said("the zebra keys rotate monthly", id_="m1"))

    done = ais("project", *change, "--dry-run")

    assert done.output.startswith("dry run: nothing was changed.")
    assert shown()["project"] == str(project)
    assert not (Path(os.environ["AIS_HOME"]) / "projects.json").exists()


def test_an_unknown_project_is_not_linked_to(project: Path) -> None:
    captured(project, said("the zebra keys rotate monthly", id_="m1"))

    refused = ais("project", "link", "nowhere")

    assert refused.exit_code == 3
    assert "ais project rename NAME" in refused.output


def test_hook_daemon_and_commands_agree_on_a_link(project: Path, clone: Path) -> None:
    home = Path(os.environ["AIS_HOME"])
    captured(project, said("the zebra keys rotate monthly", id_="m1"))
    ais("--project", str(clone), "project", "link", str(project))
    with here(home):
        dropped(home, record(clone, "r1"))
        assert asked(home, "drain", seconds=30)["left"] == 0

        assert project_at(str(clone), str(home)).name == str(project)
        assert kept_ids(home, project) == ["m1", "r1"]
        ais("--project", str(clone), "project", "unlink")
        dropped(home, record(clone, "r2"))
        assert asked(home, "drain", seconds=30)["left"] == 0

    assert kept_ids(home, clone) == ["r2"]


def test_messages_wait_while_the_links_cannot_be_read(project: Path) -> None:
    home = Path(os.environ["AIS_HOME"])
    home.mkdir(mode=0o700)
    (home / "projects.json").write_text("{half")
    dropped(home, record(project, "r1"))
    with here(home):
        assert asked(home, "drain", seconds=30)["left"] == 1
        assert "projects.json" in str(asked(home, "status")["trouble"])
        (home / "projects.json").unlink()
        assert asked(home, "drain", seconds=30)["left"] == 0

    assert kept_ids(home, project) == ["r1"]


def test_a_worktree_follows_the_link_of_its_repository(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_DIR", raising=False)
    (project / ".git").rmdir()
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"]
    for arguments in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "first"],
        ["worktree", "add", "-q", str(tmp_path / "feature")],
    ):
        subprocess.run(["git", *identity, *arguments], check=True, cwd=project)
    ais("project", "rename", "shop")

    assert shown("--project", str(tmp_path / "feature"))["project"] == "shop"


def test_links_that_are_made_at_the_same_moment_are_all_kept(tmp_path: Path) -> None:
    home = str(tmp_path)
    threads = [
        threading.Thread(target=change_links, args=(home, {}, {f"/clones/{number}": "shop"}))
        for number in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert read_links(home) == {f"/clones/{number}": "shop" for number in range(16)}


@pytest.mark.usefixtures("project")
def test_doctor_says_that_the_links_are_broken_and_checks_the_rest() -> None:
    links = Path(os.environ["AIS_HOME"], "projects.json")
    links.parent.mkdir(parents=True, exist_ok=True)
    links.write_text("{broken")

    done = ais("doctor", "--json")

    found = {item["check"]: item for item in json.loads(done.stdout)}
    assert not found["projects"]["ok"]
    assert str(links) in found["projects"]["found"]
    assert found["settings"]["ok"]
