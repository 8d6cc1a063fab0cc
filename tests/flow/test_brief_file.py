"""The brief that is kept ready as a file: for a session that begins while no daemon runs."""

import json
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ai_smartness.clients.project import project_by_path
from ai_smartness.entrypoints.daemon.drain import InboxDrain
from ai_smartness.entrypoints.daemon.memory_pool import MemoryPool
from ai_smartness.memory import Memory
from ai_smartness.model.erasure import Selection
from ai_smartness.model.event import Message
from ai_smartness.model.statement import StatementKind
from ai_smartness.settings.paths import HomePaths
from command_line import ais
from daemons import asked, captured, record, running
from flow.test_brief import RULE, stated
from hooking import an_event, hooked, kept_in, log_of

KEYS = "the JWT signing keys live in vault, see config/jwt_keys.yaml"
QUESTION = "where do the JWT signing keys live?"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    (folder / "config.toml").write_text('[embedder]\nmodel = "none"\n')
    return folder


@pytest.fixture
def memory(home: Path, project: Path) -> Iterator[Memory]:
    """Give a memory of three days ago, with a rule and a fact."""
    with Memory.open(project=project, home=home) as memory:
        at = datetime.now(UTC) - timedelta(days=3)
        memory.capture(Message(id="keys", text=KEYS, session="old", at=at))
        memory.capture(Message(id="done", text="the printer is out of paper", session="x", at=at))
        stated(memory, "keys", KEYS, kind=StatementKind.ENVIRONMENT)
        yield memory


def brief_file(home: Path, project: Path) -> Path:
    return Path(HomePaths(str(home)).brief_file(project_by_path(str(project)).name))


def begun(home: Path, project: Path, source: str = "startup") -> str:
    event = an_event("SessionStart", source=source, cwd=str(project), session_id="new")
    return str(hooked(home, event).output["additionalContext"])


@pytest.mark.parametrize("source", ["startup", "resume"])
def test_a_cold_start_has_the_whole_brief_without_a_daemon(
    home: Path, project: Path, memory: Memory, source: str
) -> None:
    memory.renew_brief()

    text = begun(home, project, source)

    assert text == memory.greeting("another", source)
    assert KEYS in text
    assert "Last session 3 days ago" in text
    assert "Where the last session stood" in text
    assert log_of(home)[-1]["by"].endswith(",brief")


def test_after_a_clear_it_has_what_holds_and_not_where_the_session_stood(
    home: Path, project: Path, memory: Memory
) -> None:
    memory.renew_brief()

    text = begun(home, project, "clear")

    assert KEYS in text
    assert "The context was cleared" in text
    assert "Where the last session stood" not in text


def test_after_a_clear_before_there_is_a_brief_the_note_says_so_too(
    home: Path, project: Path
) -> None:
    text = begun(home, project, "clear")

    assert "It is waking up" in text
    assert "The context was cleared" in text
    assert "The context was cleared" not in begun(home, project, "startup")


def test_after_a_compaction_it_stands_beside_the_handoff(
    home: Path, project: Path, memory: Memory
) -> None:
    memory.renew_brief()
    prompt = an_event("UserPromptSubmit", prompt="stream the rows", cwd=str(project))
    hooked(home, {**prompt, "session_id": "new"})

    text = begun(home, project, "compact")

    assert "stream the rows" in text
    assert KEYS in text
    assert "Where the last session stood" not in text


@pytest.mark.parametrize("damage", ["", "[]", '{"lasting": 7}', '{"first": "x", "last": "y"}'])
def test_a_damaged_file_is_no_reason_to_fail(
    home: Path, project: Path, memory: Memory, damage: str
) -> None:
    memory.renew_brief()
    brief_file(home, project).write_text(damage)

    assert ".ai/recall/" in begun(home, project)


def test_the_file_is_readable_only_by_its_owner(home: Path, project: Path, memory: Memory) -> None:
    memory.renew_brief()

    path = brief_file(home, project)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]


def test_it_is_written_again_only_after_a_change(memory: Memory) -> None:
    assert memory.renew_brief()
    assert not memory.renew_brief()

    stated(memory, "done", RULE)

    assert memory.renew_brief()


def test_a_rejected_statement_leaves_the_file_at_once(
    home: Path, project: Path, memory: Memory
) -> None:
    memory.capture(Message(text=RULE, session="x"))
    memory.capture(Message(text="the printer is out of ink", session="y"))
    memory.tell()
    (rule,) = memory.statements("rule")
    memory.renew_brief()
    before = begun(home, project)

    memory.reject_statement(rule.id)

    assert RULE in before
    assert RULE not in begun(home, project)


def test_forgetting_removes_the_file_until_it_is_renewed(
    home: Path, project: Path, memory: Memory
) -> None:
    memory.renew_brief()

    result = memory.forget(Selection(messages=("keys",)))

    assert str(brief_file(home, project)) in result.files
    assert not brief_file(home, project).exists()
    memory.renew_brief()
    assert "vault" not in begun(home, project)
    assert "vault" not in brief_file(home, project).read_text()


def drain_inbox(home: Path) -> None:
    pool = MemoryPool(str(home))
    inbox = HomePaths(str(home)).inbox
    InboxDrain(inbox, pool, lambda: datetime.now(UTC), lambda: None, lambda _: None).run()
    pool.close()


def test_what_the_hook_printed_is_not_repeated_before_a_prompt(
    home: Path, project: Path, memory: Memory
) -> None:
    memory.renew_brief()
    begun(home, project)
    assert [kept["mark"] for kept in kept_in(home)] == ["brief"]

    drain_inbox(home)

    assert memory.inject(QUESTION, session="new").text == ""
    assert KEYS in memory.inject(QUESTION, session="untold").text


@pytest.mark.parametrize("renewals", [0, 1, 3])
def test_what_was_printed_counts_as_shown_though_the_brief_has_changed_since(
    home: Path, project: Path, memory: Memory, renewals: int
) -> None:
    memory.renew_brief()
    begun(home, project)

    memory.capture(Message(text="the new printer stands on the second floor", session="y"))
    for number in range(renewals):
        memory.capture(
            Message(text=f"printer {number} has a drum of its own", session=f"y{number}")
        )
        assert memory.renew_brief()
    drain_inbox(home)

    (page,) = memory.why("new")
    assert KEYS in [line.text for entry in page.shown for line in entry.lines]
    assert memory.inject(QUESTION, session="new").text == ""


def test_a_message_that_is_gone_does_not_count_as_shown(
    home: Path, project: Path, memory: Memory
) -> None:
    memory.renew_brief()
    text = brief_file(home, project).read_text()
    begun(home, project)
    memory.forget(Selection(messages=("keys",)))
    # As if the file had been written by a daemon that had read the messages before.
    brief_file(home, project).write_text(text)

    drain_inbox(home)
    memory.capture(Message(text="the printer has a new drum", session="y"))
    memory.renew_brief()

    assert memory.why("new") == []
    assert "vault" not in brief_file(home, project).read_text()


@pytest.mark.parametrize("damage", ["", "[]", '{"printed": 7}', '{"printed": {"DIGEST": [{}]}}'])
def test_a_damaged_file_counts_nothing_as_shown(
    home: Path, project: Path, memory: Memory, damage: str
) -> None:
    memory.renew_brief()
    begun(home, project)
    (digest,) = json.loads(brief_file(home, project).read_text())["printed"]
    brief_file(home, project).write_text(damage.replace("DIGEST", digest))

    assert not memory.record_brief("new", digest)
    assert memory.renew_brief()


def test_a_brief_that_nobody_wrote_does_not_count_as_shown(memory: Memory) -> None:
    memory.renew_brief()

    assert not memory.record_brief("new", "of another brief")
    assert memory.why("new") == []


@pytest.mark.parametrize("folder", ["work", "elsewhere"])
def test_the_next_brief_keeps_to_a_setting_that_was_just_changed(
    tmp_path: Path, home: Path, project: Path, memory: Memory, folder: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    config = "--home", str(home), "--project", str(tmp_path / folder), "config"
    memory.renew_brief()
    assert KEYS in begun(home, project)

    assert ais(*config, "set", "inject.brief_tokens", "100").exit_code == 0
    short = begun(home, project)
    assert ais(*config, "unset", "inject.brief_tokens").exit_code == 0

    assert "Memory of this project" in short
    assert KEYS not in short
    assert KEYS in begun(home, project)


@pytest.mark.parametrize("setting", ["[inject]\nbrief_tokens = 100", "inject.brief_tokens = 100"])
def test_a_brief_of_before_a_hand_edit_of_the_settings_is_not_printed(
    home: Path, project: Path, memory: Memory, setting: str
) -> None:
    memory.renew_brief()
    settings = home / "config.toml"
    table = settings.read_text()
    settings.write_text(f"{table}\n{setting}\n" if "[" in setting else f"{setting}\n{table}")

    outdated = begun(home, project)
    with Memory.open(project=project, home=home) as edited:
        edited.renew_brief()
    renewed = begun(home, project)

    assert KEYS not in outdated
    assert ".ai/recall" in outdated
    assert "(ai_smartness): dated" in renewed


def test_an_edit_of_other_settings_leaves_the_brief_as_it_is(
    home: Path, project: Path, memory: Memory
) -> None:
    memory.renew_brief()
    settings = home / "config.toml"
    settings.write_text(f"# mine\n{settings.read_text()}\n[decay]\nhalf_life_days = 90\n")

    assert KEYS in begun(home, project)
    assert not memory.renew_brief()


def test_the_settings_of_the_project_count_too(home: Path, project: Path, memory: Memory) -> None:
    memory.renew_brief()
    (project / ".ai").mkdir()
    (project / ".ai" / "config.toml").write_text("[inject]\nlines = 1\n")

    assert KEYS not in begun(home, project)


def test_the_daemon_keeps_the_file_ready(home: Path, project: Path) -> None:
    with running(home):
        captured(home, record(project, "m1", KEYS))
        asked(home, "greet", cwd=str(project), session="s2", source="startup")
        asked(home, "drain", seconds=30)
        # A second round has gone by: what follows the first drain is done.
        asked(home, "drain", seconds=30)

    assert "vault" in json.loads(brief_file(home, project).read_text())["stood"]
