"""Every command of `ais` on the corpus: what it prints, as text and as data, and its exit code."""

import re
from collections.abc import Mapping

import click
import pytest

from recorded import Recording
from snapshot_surfaces import World, commands

JSON = "--json"

SCRIPTS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "reading": (
        ("status",),
        ("threads",),
        ("threads", "list", "--limit", "3"),
        ("threads", "list", "--status", "archived"),
        ("threads", "show", "@s1-01"),
        ("threads", "show", "@s1-01", "--full"),
        ("threads", "show", "@s1-01", "--working"),
        ("threads", "show", "@s3-01", "--why"),
        ("threads", "show", "@s3-01", "--at", "2026-03-09 10:06"),
        ("handoff",),
        ("handoff", "--session", "s3"),
        ("why",),
        ("bridges",),
        ("bridges", "list", "@s1-01"),
        ("log",),
        ("recall", "how long does the refresh token live"),
        ("recall", "@s2-01"),
        ("recall", "kubernetes ingress"),
        ("search", "refresh token", "--limit", "4"),
        ("search", "refresh token", "--limit", "4", "--why"),
        ("search", "database", "--words", "--before", "2026-03-09 10:06", "--session", "s3"),
        ("search", "kubernetes"),
        ("statements",),
        ("statements", "--kind", "rule", "--all"),
        ("statements", "--query", "refresh token", "--limit", "3"),
        ("statements", "show", "s_none"),
        ("statements", "correct", "s_none", "--kind", "rule"),
        ("statements", "reject", "s_none"),
        ("suggestions",),
        ("suggestions", "the refresh token of the login"),
        ("compact", "--dry-run"),
        ("compact", "--dry-run", "--strategy", "aggressive"),
        ("redact", "--scan"),
        ("forget", "message", "s1-01", "--dry-run"),
        ("forget", "thread", "@s1-01", "--dry-run"),
        ("forget", "session", "s2", "--dry-run"),
        ("forget", "matching", "Norwegen", "--dry-run"),
        ("forget", "time", "--since", "2026-03-12", "--until", "2026-03-13", "--dry-run"),
        ("forget", "project", "/projects/shop", "--dry-run"),
        ("backup", "list"),
        ("model", "list"),
        ("config", "list"),
        ("config", "show", "inject.floor"),
        ("config", "path"),
        ("daemon", "status"),
        ("daemon", "logs"),
        ("undo", "--dry-run"),
    ),
    "steering": (
        ("focus", "refresh token", "--weight", "0.9"),
        ("focus", "invoices", "--for", "2h", "--session", "s7", JSON),
        ("focus",),
        ("off", "--here"),
        ("on", JSON),
        ("status",),
        ("unfocus", "refresh token"),
        ("unfocus", "--session", "s7", JSON),
        ("unfocus",),
        (
            "pin",
            "We never deploy on a Friday.",
            "--title",
            "No Friday deploys",
            "--topic",
            "deploy",
        ),
        ("pin", "Ana prefers tabs", "--kind", "preference", "--boost", "0.5", JSON),
        ("pin", "We never deploy on a Friday."),
        ("rate", "@s1-01", "--useful", "--reason", "it named the file"),
        ("rate", "@s3-01", "--not-useful", JSON),
        ("threads", "show", "@s1-01"),
        ("log",),
        ("log", JSON),
        ("recall", "Friday"),
    ),
    "tidying": (
        ("threads", "merge", "@s1-01", "@s5-01", "--dry-run"),
        ("threads", "merge", "@s1-01", "@s5-01"),
        ("threads", "merge", "@s1-01", "@s1-14", JSON),
        ("threads", "show", "@s1-01"),
        ("threads", "split", "@s1-01"),
        ("threads", "split", "@s1-01", JSON),
        (
            *("threads", "split", "@s1-01", "--title", "Half an hour", "--messages"),
            *("s5-01,s5-02,s5-03", "--lock", "force", "--dry-run"),
        ),
        (
            *("threads", "split", "@s1-01", "--title", "Half an hour", "--messages"),
            *("s5-01,s5-02,s5-03", "--lock", "force"),
        ),
        ("threads", "merge", "@s1-01", "@s5-01"),
        ("threads", "unlock", "@s5-01"),
        ("threads", "unlock", "@s5-01", "--force", JSON),
        ("threads", "split", "@s2-01", "--accept", JSON),
        ("threads", "rename", "@s3-01", "The orders and their database"),
        ("threads", "kind", "@s1-01", "decision", "--dry-run"),
        ("threads", "kind", "@s1-01", "decision", JSON),
        ("threads", "move", "s3-16", "@s5-09"),
        ("threads", "archive", "@s4-01"),
        ("threads", "suspend", "@s4-10", JSON),
        ("threads", "reactivate", "@s4-10"),
        ("threads", "list", "--status", "archived"),
        ("threads", "condense", "@s1-01", "--with", "digest", "--target", "120", "--dry-run"),
        ("threads", "condense", "@s1-01", "--with", "digest", "--target", "120", JSON),
        ("threads", "show", "@s1-01"),
        ("threads", "restore", "@s1-01", "--before", "%compaction", "--dry-run"),
        ("bridges", "add", "@s1-01", "extends", "@s5-13", "--reason", "both are about tokens"),
        ("bridges", "list", "@s1-01", JSON),
        ("bridges", "follow", "%bridge"),
        ("bridges", "remove", "%bridge", "--dry-run"),
        ("bridges", "remove", "%bridge", JSON),
        ("compact", "--strategy", "aggressive"),
        ("compact", JSON),
        ("log", "-n", "50"),
        ("log", "-n", "50", "--oneline"),
        ("log", "@s1-01"),
        ("log", "-n", "5", JSON),
        ("undo", "--dry-run"),
        ("undo",),
        ("undo", "1"),
        ("undo", "2", JSON),
        ("undo", "999"),
        ("recall", "half an hour"),
        ("status", JSON),
    ),
    "forgetting": (
        ("forget", "matching", "Norwegen", "--yes"),
        ("forget", "message", "s3-01", "s3-02", "--yes", JSON),
        ("forget", "thread", "@s1-01", "--yes"),
        ("forget", "session", "s4", "--yes", JSON),
        ("forget", "time", "--since", "2026-03-16", "--yes"),
        ("search", "Norwegen"),
        ("threads",),
        ("log",),
        ("forget", "project", "/projects/shop", "--yes", JSON),
        ("status",),
        ("threads",),
    ),
    "project": (
        ("project", "show"),
        ("project", "show", JSON),
        ("project", "rename", "shop", "--dry-run"),
        ("project", "rename", "shop"),
        ("project", "rename", "shop"),
        ("status",),
        ("project", "link", "nowhere"),
        ("project", "link"),
        ("project", "unlink", "--dry-run"),
        ("project", "unlink", JSON),
        ("project", "unlink"),
        ("project", "link", "shop", JSON),
        ("share",),
        ("unshare", "s_00000000"),
        ("team",),
        ("team", "add", "ben"),
        ("dispute", "s_00000000"),
    ),
    "settings": (
        ("config", "set", "inject.floor", "0.3"),
        ("config", "set", "search.candidates", "50", "--project"),
        ("config", "set", "place.leave", "0.4"),
        ("config", "set", "bridges.most", "3"),
        ("config", "get", "inject.floor"),
        ("config", "show", "search.candidates"),
        ("config", "show", "inject.floor", JSON),
        ("config", "set", "inject.floor", "much"),
        ("config", "set", "inject.flor", "0.3"),
        ("config", "get", "nothing.here"),
        ("config", "list"),
        ("config", "list", JSON),
        ("config", "path"),
        ("config", "path", JSON),
        ("config", "unset", "inject.floor"),
        ("config", "unset", "inject.floor"),
        ("config", "unset", "search.candidates", "--project"),
        ("model", "list", JSON),
        ("model", "use", "none"),
        ("model", "remove", "arctic-embed-s"),
        ("model", "pull", "nothing-like-it"),
    ),
    "carrying": (
        ("export", "{folder}/out.jsonl"),
        ("export", "{folder}/out.jsonl"),
        ("export", "{folder}/pages", "--format", "markdown", JSON),
        ("import", "{folder}/out.jsonl", "--dry-run"),
        ("import", "{folder}/out.jsonl"),
        ("import", "--trust", "{folder}/out.jsonl", JSON),
        ("import", "{folder}/nothing.jsonl"),
        ("import", "--from", "claude-code", "--dry-run"),
        ("backup",),
        ("backup", "list", JSON),
        ("restore", "latest", "--dry-run"),
        ("restore", "latest", JSON),
        ("restore", "nothing"),
        ("reindex",),
        ("reindex", "--missing"),
        ("threads",),
    ),
    "connecting": (
        ("init", "--dry-run"),
        ("init", "--yes"),
        ("init", "--yes"),
        ("init", "--user", "--yes", "--no-hooks"),
        ("plugin", "{folder}/plugin"),
        ("uninstall", "--dry-run"),
        ("uninstall", "--here", "--yes"),
        ("uninstall", "--yes"),
        ("uninstall", "--yes"),
        ("completion", "bash"),
        ("completion", "zsh"),
        ("completion", "fish"),
        ("help",),
        ("help", "merge"),
        ("tour",),
        ("doctor",),
        ("doctor", JSON),
        ("help", "threads"),
    ),
    "mistakes": (
        ("statsu",),
        ("status", "--project", "x"),
        ("--project", "nowhere", "status"),
        ("threads", "show", "thread_none"),
        ("threads", "show", "thread_2026"),
        ("threads", "merge", "@s1-01", "@s1-01"),
        ("threads", "merge", "@s1-01", "thread_none"),
        ("threads", "split", "@s1-01", "--title", "x", "--messages", "s2-01"),
        ("threads", "split", "@s1-01", "--title", "x"),
        ("threads", "kind", "@s1-01", "poem"),
        ("threads", "move", "s9-99", "@s1-01"),
        ("threads", "move", "s1-01", "thread_none"),
        ("threads", "unlock", "@s1-01"),
        ("threads", "rename", "@s1-01", " "),
        ("threads", "condense", "@s1-01", "--with", "nothing"),
        ("threads", "condense", "@s1-01", "--set", "x=1"),
        ("threads", "restore", "@s1-01", "--before", "s1-02"),
        ("bridges", "add", "@s1-01", "extends", "@s1-01"),
        ("bridges", "remove", "bridge_none"),
        ("recall", " "),
        ("search", " "),
        ("search", "x", "--before", "yesterday-ish"),
        ("focus", " "),
        ("focus", "x", "--weight", "7"),
        ("focus", "x", "--for", "soon"),
        ("unfocus", "nothing"),
        ("pin", " "),
        ("rate", "@s1-01"),
        ("rate", "thread_none", "--useful"),
        ("hide", "m_none", "It is slow."),
        ("handoff", "--session", "s99"),
        ("undo", "7"),
        ("forget", "message", "s9-99", "--yes"),
        ("forget", "matching", "nothing like this", "--yes"),
        ("forget", "message", "s1-01"),
        ("export", "/nowhere/out.jsonl"),
        ("mcp", "--profile", "most"),
    ),
}

ELSEWHERE = {
    "mcp": "test_tools.py",
    "web": "tests/web",
    "move": "needs a server; tests/flow/test_server_store_cli.py",
    "daemon run": "a process; tests/flow/test_daemon.py",
    "daemon start": "a process; tests/flow/test_cli_daemon.py",
    "daemon restart": "a process; tests/flow/test_cli_daemon.py",
    "daemon stop": "a process; tests/flow/test_cli_daemon.py",
}
"""Commands that are not run here, and where they are."""


def shown(world: World, *args: str) -> str:
    given = [each.replace("{folder}", str(world.folder)) for each in args]
    ran = world.ais(*given)
    told = f"[exit {ran.exit_code}]\n{ran.stdout}"
    return f"{told}\n[stderr]\n{ran.stderr}" if ran.stderr else told


def test_help(shop: World, recording: Recording) -> None:
    for path, _ in commands():
        recording.add(" ".join(("ais", *path)), shown(shop, *path, "--help"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_commands(shop: World, recording: Recording, script: str) -> None:
    for args in SCRIPTS[script]:
        recording.add(" ".join(("ais", *args)), shown(shop, *args))
        takes_json = script == "reading" and JSON not in args
        if takes_json:
            recording.add(" ".join(("ais", *args, JSON)), shown(shop, *args, JSON))


def test_every_command_is_recorded() -> None:
    leaves = [path for path, found in commands() if not isinstance(found, click.Group)]
    run = {args for script in SCRIPTS.values() for args in script}

    missing = [
        " ".join(path)
        for path in leaves
        if not any(args[: len(path)] == path or args[:1] == path[:1] == args for args in run)
    ]

    assert [path for path in missing if path not in ELSEWHERE] == []


def test_exported_pages(shop: World, recording: Recording) -> None:
    shop.ais("export", str(shop.folder / "out.jsonl"))
    shop.ais("export", str(shop.folder / "pages"), "--format", "markdown")

    recording.add("out.jsonl", (shop.folder / "out.jsonl").read_text())
    for page in sorted((shop.folder / "pages").rglob("*")):
        if page.is_file():
            name = str(page.relative_to(shop.folder))
            recording.add(name, page.read_text())


def test_installed_files(shop: World, recording: Recording) -> None:
    shop.ais("init", "--yes")
    shop.ais("plugin", str(shop.folder / "plugin"))

    made = [*(shop.folder / "plugin").rglob("*"), *(shop.project / ".claude").rglob("*")]
    made += [*(shop.folder / "claude").rglob("*"), shop.home / "installed.json"]
    for path in sorted(made):
        if path.is_file():
            # The checksum is of a text with the folder in it.
            text = re.sub('"written": "[0-9a-f]{64}"', '"written": "<sha256>"', path.read_text())
            recording.add(str(path.relative_to(shop.folder)), text)
