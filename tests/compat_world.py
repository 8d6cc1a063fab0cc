"""A home and a client's settings as version 0.1.0 (c1d61ba) wrote them, laid out anywhere.

Run as a program it writes the fixtures, which was done with that version and is not to be done
again: a later one proves with them that it reads what its predecessor left.
"""

import gzip
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import ai_smartness
from fake_client import FOREIGN, client_saying
from frozen import frozen
from hooking import an_event, hooked
from snapshot_corpus import SHOP
from snapshot_surfaces import NOW, World, build, lay_out, link_project, opened_world, settle

__all__ = ["FIXTURES", "compat_world"]

FIXTURES = Path(__file__).parent / "compat" / "fixtures"
CLIENT = "2.1.325 (Claude Code)"
PACKAGE = str(Path(ai_smartness.__file__).parent)

SERVERS = {
    "numStartups": 12,
    "projects": {
        "@FOLDER@/code/shop": {"allowedTools": [], "hasTrustDialogAccepted": True},
        "/elsewhere": {"mcpServers": {"theirs": {"command": "theirs", "args": []}}},
    },
    "mcpServers": {"theirs": {"type": "http", "url": "http://localhost:1"}},
}

DEEDS = (
    ("config", "set", "inject.floor", "0.3"),
    ("config", "set", "search.candidates", "50"),
    ("config", "set", "decay.half_life_days", "21"),
    ("config", "set", "place.leave", "0.35"),
    ("config", "set", "bridges.most", "4"),
    ("config", "set", "inject.lines", "2", "--project"),
    ("threads", "merge", "@s1-01", "@s5-01"),
    ("threads", "split", "@s1-01", "--title", "Frozen tests", "--messages", "s1-10,s1-11"),
    ("pin", "We never deploy on a Friday.", "--title", "No Friday deploys"),
    ("rate", "@s2-01", "--useful", "--reason", "it named the file"),
    ("threads", "rename", "@s3-01", "The orders and their database"),
    ("threads", "condense", "@s3-07", "--with", "digest", "--target", "150"),
    ("threads", "archive", "@s4-10"),
    ("bridges", "add", "@s1-01", "extends", "@s5-13", "--reason", "both are about tokens"),
    ("focus", "refresh token"),
    ("init", "--yes"),
    ("init", "--user", "--yes"),
)
"""What was done before the fixtures were written."""


@contextmanager
def compat_world(folder: Path, package: str = PACKAGE) -> Iterator[World]:
    """Lay the fixtures out, with our program at `package`, and stand in their project."""
    names = {"@FOLDER@": str(folder), "@PYTHON@": sys.executable, "@PACKAGE@": package}
    lay_out(folder, "shop")
    for file in FIXTURES.rglob("*"):
        place = folder / file.relative_to(FIXTURES)
        if file.is_dir() or file.parent == FIXTURES:
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".gz":
            place.with_suffix("").write_bytes(gzip.decompress(file.read_bytes()))
            continue
        text = file.read_text(encoding="utf-8")
        for name, value in names.items():
            text = text.replace(name, value)
        place.write_text(text, encoding="utf-8")
    _sign(folder / "home" / "installed.json")
    (folder / "home").chmod(0o700)
    with frozen(NOW) as clock, pytest.MonkeyPatch.context() as patch:
        world = World(folder, "shop", clock)
        settle(world, patch)
        link_project(folder, "shop")
        patch.setenv("AIS_CLAUDE", client_saying(folder, CLIENT))
        yield world


def _sign(record: Path) -> None:
    """Write the checksums anew, as the paths in the files are others now."""
    whole = json.loads(record.read_text(encoding="utf-8"))
    for path, entry in whole["files"].items():
        if re.fullmatch("[0-9a-f]{64}", entry["written"]):
            entry["written"] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    record.write_text(json.dumps(whole, ensure_ascii=False, indent=2), encoding="utf-8")


def write(folder: Path) -> None:
    """Write the fixtures; only the version that they are of may do it."""
    build(folder / "built", "shop", SHOP)
    with opened_world(folder / "built", folder / "world", "shop") as world:
        os.environ["AIS_CLAUDE"] = client_saying(world.folder, CLIENT)
        claude, local = world.folder / "claude", world.project / ".claude"
        claude.mkdir()
        local.mkdir()
        (local / "settings.local.json").write_text(FOREIGN)
        (claude / "settings.json").write_text(FOREIGN)
        servers = json.dumps(SERVERS, indent=2).replace("@FOLDER@", str(world.folder))
        (claude / ".claude.json").write_text(servers)
        kept = [local / "settings.local.json", claude / "settings.json", claude / ".claude.json"]
        before = {path: path.read_text() for path in kept}
        for deed in DEEDS:
            ran = world.ais(*deed)
            assert ran.exit_code == 0, (deed, ran.output)
        with world.memory() as memory:
            memory.inject("Do the orders stay in SQLite?", session="s6")
            memory.greeting("s6")
        about = {"cwd": str(world.project), "session_id": "s6"}
        prompt = "which port does Postgres listen on?"
        hooked(world.home, an_event("UserPromptSubmit", prompt=prompt, **about))
        answer = "Postgres listens on 5432."
        hooked(world.home, an_event("Stop", last_assistant_message=answer, **about))
        expected = {
            "threads": json.loads(world.ais("threads", "--json").stdout),
            "log": json.loads(world.ais("log", "-n", "50", "--json").stdout),
            "search": json.loads(world.ais("search", "refresh token", "--json").stdout),
            "before": {
                str(path.relative_to(world.folder)): text.replace(str(world.folder), "@FOLDER@")
                for path, text in before.items()
            },
        }
        files = [*kept, *(path for path in world.home.rglob("*") if path.is_file())]
        files += [path for path in world.project.rglob("*") if path.suffix == ".toml"]
        _write_fixtures(world, files)
    expected_text = json.dumps(expected, ensure_ascii=False, indent=1) + "\n"
    (FIXTURES / "expected.json").write_text(expected_text)


def _write_fixtures(world: World, files: list[Path]) -> None:
    left_out = re.compile(r"\.db-|/logs/|/run/|/recalls/|\.log")
    shutil.rmtree(FIXTURES, ignore_errors=True)
    for path in files:
        if left_out.search(str(path)):
            continue
        place = FIXTURES / path.relative_to(world.folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".db":
            place.with_suffix(".db.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            continue
        text = path.read_text(encoding="utf-8").replace(PACKAGE, "@PACKAGE@")
        text = text.replace(sys.executable, "@PYTHON@").replace(str(world.folder), "@FOLDER@")
        place.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
