"""A condenser that comes with another package, found by its entry point as Python installs it."""

import importlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ai_smartness import Memory, NotFoundError, RefusedError
from command_line import ais, standing_in_a_project
from long_threads import a_long_thread

MODULE = '''
from collections.abc import Sequence

from ai_smartness import Condenser, Context, Event, EventType, Replacement, Scope, Wrote


class Haiku:
    """Three lines for any thread."""

    id = "haiku"
    version = "0.3"
    parameters = {"season": "autumn"}

    def condense(self, events: Sequence[Event], context: Context) -> Wrote:
        season = context.parameters.get("season", "autumn")
        text = f"{season}: {len(events)} leaves have fallen"
        assert context.tokens(text) <= context.target
        at = events[0].at
        return Wrote([Replacement(type=EventType.NOTE, role="note", text=text, at=at)], "so be it")


assert isinstance(Haiku(), Condenser) and Scope("full") is Scope.FULL
'''


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    yield folder
    sys.modules.pop("haiku_condenser", None)


def installed(folder: Path, module: str, entry: str = "haiku_condenser:Haiku") -> None:
    """Put a package there as an installer does."""
    about = folder / "haiku_condenser-1.0.dist-info"
    about.mkdir()
    (folder / "haiku_condenser.py").write_text(module)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: haiku-condenser\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[ai_smartness.condensers]\nhaiku = {entry}\n")
    importlib.invalidate_caches()


def a_thread_of(project: Path) -> str:
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        return a_long_thread(memory)


def test_it_is_asked_for_by_name_and_takes_its_parameters(project: Path, packages: Path) -> None:
    installed(packages, MODULE)
    thread = a_thread_of(project)

    with_it = ("threads", "condense", thread, "--target", "800", "--with", "haiku")
    ran = ais(*with_it, "--set", "season=spring", "--json")
    odd = ais(*with_it, "--set", "mood=x")

    made = json.loads(ran.stdout)["compaction"]
    assert (made["condenser"], made["version"]) == ("haiku", "0.3")
    assert "spring: 48 leaves have fallen" in ais("threads", "show", thread, "--working").stdout
    assert "takes no mood" in odd.stderr


def test_it_can_be_the_default_while_it_is_installed(project: Path, packages: Path) -> None:
    assert ais("config", "set", "condense.default", "haiku").exit_code == 1

    installed(packages, MODULE)

    assert ais("config", "set", "condense.default", "haiku").exit_code == 0
    thread = a_thread_of(project)
    assert "with haiku" in ais("threads", "condense", thread, "--target", "800").stdout


@pytest.mark.parametrize(
    ("module", "entry"),
    [
        ("import nowhere_to_be_found", "haiku_condenser:Haiku"),
        (MODULE, "haiku_condenser:Sonnet"),
        ("raise ZeroDivisionError('at import')", "haiku_condenser:Haiku"),
        ("Haiku = 7", "haiku_condenser:Haiku"),
    ],
)
def test_one_that_cannot_be_loaded_is_named_and_ours_still_work(
    project: Path, packages: Path, module: str, entry: str
) -> None:
    installed(packages, module, entry)
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        thread = a_long_thread(memory)
        before = memory.all_events(thread)

        with pytest.raises((RefusedError, NotFoundError), match="haiku"):
            memory.condense(thread, "haiku", target=800)

        assert memory.all_events(thread) == before
        assert memory.condense(thread, "digest", target=800).number is not None
