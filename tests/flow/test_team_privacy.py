"""Nothing private of one person appears to another, not even by a count.

Ben does the same twice: beside an Anna who only shares a rule and a thread, and beside an Anna who
has also said, pinned, condensed and linked a lot that she does not share. Every verb, tool, path,
command and page must give him the same answer both times. The calls come from
`foreign_ids.py` and `foreign_pages.py`. What has to be in them is read from the program: a verb,
tool, path, command or page that nobody has listed fails a test here. What copies a memory, and
the page that follows one, are in `test_team_privacy_copies.py`.
"""

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import get_args
from urllib.parse import urlencode

import click
import pytest

from ai_smartness import Memory
from ai_smartness.entrypoints.tools.call import call_tool
from ai_smartness.entrypoints.tools.definitions import RESOURCES, TOOLS
from ai_smartness.entrypoints.web.memories import project_address
from ai_smartness.model.errors import AisError
from ai_smartness.model.link import Link
from builders import said
from command_line import ais, standing_in_a_project
from foreign_ids import (
    COMMANDS,
    OTHER_COMMANDS,
    PATHS,
    TOOL_CALLS,
    TOOLS_OF_ANY_TEXT,
    UNREFUSED,
    VERBS,
    WHOLE_MEMORY,
    WITHOUT_IDS,
)
from foreign_pages import (
    FORMS,
    QUERIES,
    THREAD_CHANGES,
    actions_in_code,
    asked_forms,
    pages_in_code,
    thread_changes_in_code,
)
from snapshot_surfaces import commands
from two_people import SHOP, Person, shared_server
from two_projects import PANGOLIN, Ids, filled
from web_pages import ServedPage, serving

Verb = Callable[[Memory, Ids, Ids], object]
ToolArguments = Callable[[Ids, Ids], dict[str, object]]

WORKSHOP = "workshop"
PRIVATE_PROJECT = "the secret project"

_CHANGING = re.compile(
    r"20\d\d-\d\d-\d\d([T ]\d\d[:%\dA.+-]*)?|[0-9a-f]{6,}|took(_ms)?\W+[\d.]+"
    r"|[\d.,]+ ?(ms|bytes|B|KB|MB|GB)\b|\d\d:\d\d(:\d\d\S*)?|\d{5,}|\d+\.\d+"
)
_BUSY = re.compile(r"the server is \d+ ms away[^.\n<]*")  # on a busy machine only


@dataclass(frozen=True)
class World:
    """Ben beside Anna: his ids, and the ids of what she does not share, which may not exist."""

    ben: Person
    mine: Ids
    theirs: Ids


@pytest.fixture(scope="module")
def worlds() -> Iterator[tuple[World, World]]:
    """Return Ben beside an Anna with private memories, and beside one without any."""
    with ExitStack() as stack:
        servers = [stack.enter_context(shared_server()) for _ in range(2)]
        theirs: Ids | None = None
        made = []
        for server in servers:
            anna, ben = server.added("anna"), server.added("ben")
            with anna.memory() as memory:
                if theirs is None:
                    theirs = filled(memory, PANGOLIN)
                    filled(memory.seen_from(PRIVATE_PROJECT), f"{PANGOLIN}s")
                _share_something(memory)
            with ben.memory(WORKSHOP) as memory:
                memory.capture(said("the lathe needs oil", id_="w1"))
            with ben.memory() as memory:
                made.append(World(ben, filled(memory, "zebra"), theirs))
        yield made[0], made[1]


def _share_something(anna: Memory) -> None:
    anna.pin("Never log the session id.", kind="rule")
    (rule,) = anna.statements(query="session id")[:1]
    anna.share(rule.id)
    anna.capture(said("the invoices need a due date", id_="i1", session="invoices"))
    anna.share(anna.message("i1").thread_id)


def words_of(answer: str) -> Counter[str]:
    """Return the words of an answer without random ids and times, however they are ordered."""
    return Counter(re.findall(r"\w+|#", _CHANGING.sub("#", _BUSY.sub("", answer))))


def answer_of(call: Callable[[], object]) -> str:
    try:
        return repr(call())
    except AisError as error:
        return f"{type(error).__name__}: {error}"


def without_ids(answer: str, ids: Ids) -> str:
    """Leave out the ids that the caller named."""
    for value in (ids.session, ids.message, f"{PANGOLIN}-0", f"{ids.thread} {PANGOLIN}?"):
        answer = answer.replace(value, "")
    return answer


def assert_same(worlds: tuple[World, World], ask: Callable[[Memory, World], object]) -> None:
    """See that both worlds give the same answer, and that it says nothing private."""
    answers = []
    for world in worlds:
        with world.ben.memory() as memory:
            answers.append(without_ids(answer_of(lambda: ask(memory, world)), world.theirs))  # noqa: B023
    beside_private, alone = answers
    assert PANGOLIN not in beside_private
    assert words_of(beside_private) == words_of(alone)


NO_ANSWER = {"close", "embedder", "open", "register", "seen_from", "used_by", "window_tokens"}
"""They say nothing of what is stored."""


def _rename_and_back(memory: Memory) -> None:
    memory.rename_project(PRIVATE_PROJECT)
    memory.seen_from(PRIVATE_PROJECT).rename_project(SHOP)


def _lines(export: Callable[[Callable[[str], object]], object]) -> list[str]:
    lines: list[str] = []
    export(lines.append)
    return lines


PLAIN: dict[str, Callable[[Memory], object]] = {
    "add_team_member": lambda m: m.add_team_member("eve"),
    "begun_at": lambda m: m.begun_at(),
    "brief": lambda m: m.brief(),
    "check": lambda m: m.check(),
    "clients": lambda m: m.clients(),
    "compact": lambda m: m.compact(dry_run=True),
    "condensers": lambda m: [type(one).__name__ for one in m.condensers()],
    "create": lambda m: m.create("a thread"),
    "dispute": lambda m: m.dispute("s_0"),
    "document": lambda m: m.document("notes"),
    "documents": lambda m: m.documents(),
    "drop_vectors": lambda m: m.drop_vectors(but=None),
    "embed": lambda m: m.embed(),
    "list_threads": lambda m: m.list_threads(),
    "pin": lambda m: m.pin("Tabs, not spaces."),
    "redaction_counts": lambda m: m.redaction_counts(),
    "rejected_statements": lambda m: m.rejected_statements(),
    "reindex": lambda m: m.reindex(),
    "remove_documents": lambda m: m.remove_documents(["notes"]),
    "rename_documents": lambda m: m.rename_documents({"notes": "more notes"}),
    "rename_project": _rename_and_back,
    "renew_brief": lambda m: m.renew_brief(),
    "settle_injection": lambda m: m.inject("which keys rotate?", session="s9"),
    "share": lambda m: m.share(m.statements(query="zebra")[0].id, dry_run=True),
    "shared_items": lambda m: [(one.number, one.title, one.author) for one in m.shared_items()],
    "status": lambda m: m.status(),
    "subagent_brief": lambda m: m.subagent_brief(),
    "team_members": lambda m: [one.name for one in m.team_members()],
    "tell": lambda m: m.tell(),
    "threads": lambda m: m.threads(),
    "tokens_today": lambda m: m.tokens_today(),
    "unshare": lambda m: m.unshare("1"),
    "update_shared": lambda m: m.update_shared(),
    "write_document": lambda m: m.write_document("list", "one, two").said,
    "export": lambda m: _lines(m.export),
    "finish_forgetting": lambda m: m.finish_forgetting(),
    "import_history": lambda m: m.projects(),
    "kept_secrets": lambda m: m.kept_secrets(),
    "pages": lambda m: [page.text for page in m.pages()],
    "projects": lambda m: m.projects(),
    "take_in": lambda m: m.take_in([], dry_run=True),
    "unembedded": lambda m: m.unembedded(),
}


def test_every_verb_is_asked() -> None:
    verbs = {name for name, _ in inspect.getmembers(Memory) if not name.startswith("_")}

    assert {*VERBS, *UNREFUSED, *PLAIN} == verbs - NO_ANSWER
    assert {*PLAIN} == {*WITHOUT_IDS, *WHOLE_MEMORY} - NO_ANSWER


def _ask_verb(verb: Verb, memory: Memory, world: World) -> object:
    return verb(memory, world.mine, world.theirs)


def _ask_plainly(verb: Callable[[Memory], object], memory: Memory, _world: World) -> object:
    return verb(memory)


def _ask_tool(name: str, given: ToolArguments, memory: Memory, world: World) -> str:
    return call_tool(memory, name, given(world.mine, world.theirs), None).text


def _ask_path(path: Callable[[Ids, Ids], str], memory: Memory, world: World) -> str:
    return memory.read_virtual(f".ai/{path(world.mine, world.theirs)}")


def test_no_verb_tells_of_another_persons_memories(worlds: tuple[World, World]) -> None:
    for plain in PLAIN.values():
        assert_same(worlds, partial(_ask_plainly, plain))
    for verb in (*(call for calls in VERBS.values() for call in calls), *UNREFUSED.values()):
        assert_same(worlds, partial(_ask_verb, verb))


def test_no_tool_tells_of_another_persons_memories(worlds: tuple[World, World]) -> None:
    calls = [(name, given) for name, table in TOOL_CALLS.items() for given in table]
    calls += [(name, partial(_second, given)) for name, given in TOOLS_OF_ANY_TEXT.items()]

    for name, given in calls:
        assert_same(worlds, partial(_ask_tool, name, given))


def _second(
    given: Callable[[Ids], dict[str, object]], _mine: Ids, theirs: Ids
) -> dict[str, object]:
    return given(theirs)


def test_no_path_tells_of_another_persons_memories(worlds: tuple[World, World]) -> None:
    for path in PATHS.values():
        assert_same(worlds, partial(_ask_path, path))


READING: dict[str, list[str]] = {
    "status": ["", "--json"],
    "statements list": ["", "--json", "--query pangolin"],
    "threads list": ["", "--json", "--status archived"],
    "why": ["", "--session session-pangolin"],
    "search": ["pangolin", "keys --why", "pangolin --json"],
    "suggestions": ["", "--json"],
    "compact": ["--dry-run", "--dry-run --json"],
    "redact": ["", "--json"],
    "project show": ["", "--json"],
    "doctor": ["", "--json"],
    "unfocus": [""],
    "pin": ["Spaces, not tabs."],
    "export": [""],
    "forget matching": ["pangolin --dry-run"],
    "forget session": ["session-pangolin --dry-run"],
    "forget project": ["secret --dry-run", "shop --dry-run"],
    "forget time": ["--since 2020-01-01 --everywhere --dry-run"],
    "reindex": ["--missing"],
    "team list": ["", "--json"],
    "dispute": ["1 wrong", "2", "3", "s_0"],
    "unshare": ["1", "2", "3", "thread_2"],
    "backup list": [""],
    "config list": [""],
    "config show": [""],
    "daemon status": [""],
}
"""By command: the arguments that it is called with."""

ELSEWHERE = ("--project * threads list", "--project workshop threads list")
UNCALLED = {
    *("init", "tour", "completion", "help", "plugin", "mcp", "off", "on", "uninstall"),
    *("config get", "config path", "config set", "config unset"),
    *("model list", "model pull", "model remove", "model use"),
    *("daemon logs", "daemon restart", "daemon run", "daemon start", "daemon stop"),
    *("project link", "project rename", "project unlink"),
    *("team add", "web", "backup", "restore", "move", "import"),
}
"""They print nothing of a memory: settings, programs, and copies of one's own files and tables.

What is in the copies is seen in `test_team_privacy_copies.py`.
"""


def test_every_command_is_called() -> None:
    leaves = {
        " ".join(path)
        for path, command in commands()
        if path and not (isinstance(command, click.Group) and not command.params)
    }

    assert {*COMMANDS, *READING, *UNCALLED} == leaves
    assert not UNCALLED & {*COMMANDS, *READING}
    assert {*READING, *UNCALLED} == OTHER_COMMANDS


def test_every_page_part_and_action_is_asked() -> None:
    assert set(QUERIES) == pages_in_code()
    assert {*FORMS, "threads/preview", "threads/change"} == actions_in_code()
    assert set(THREAD_CHANGES) == thread_changes_in_code()


def test_every_tool_and_path_is_asked() -> None:
    assert {*TOOLS, *RESOURCES} == {*TOOL_CALLS, *TOOLS_OF_ANY_TEXT}
    assert set(get_args(Link)) == set(PATHS)


def command_calls(world: World) -> Iterator[list[str]]:
    """Yield the commands with their arguments."""
    for name, lines in READING.items():
        yield from ([*name.split(), *line.split()] for line in lines)
    for name, table in COMMANDS.items():
        yield from ([*name.split(), *named(world.mine, world.theirs)] for named in table)
    yield from (line.split() for line in ELSEWHERE)


@dataclass(frozen=True)
class Standing:
    """Where Ben stands in each world: a folder that is linked to the project, and a home."""

    root: Path
    homes: tuple[Path, Path]


@pytest.fixture
def standing(
    worlds: tuple[World, World], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Standing:
    root = standing_in_a_project(tmp_path, monkeypatch)
    homes = (tmp_path / "home0", tmp_path / "home1")
    for home, world in zip(homes, worlds, strict=True):
        world.ben.write_settings(home)
        monkeypatch.setenv("AIS_HOME", str(home))
        linked = ais("project", "link", SHOP)
        assert linked.exit_code == 0, linked.output
    return Standing(root, homes)


def test_no_command_tells_of_another_persons_memories(
    worlds: tuple[World, World], standing: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[list[tuple[str, str]]] = []
    for home, world in zip(standing.homes, worlds, strict=True):
        monkeypatch.setenv("AIS_HOME", str(home))
        printed.append([(" ".join(call), ais(*call).output) for call in command_calls(world)])

    assert_all_same(worlds, printed)


def test_no_page_tells_of_another_persons_memories(
    worlds: tuple[World, World], standing: Standing
) -> None:
    shown: list[list[tuple[str, str]]] = []
    for home, world in zip(standing.homes, worlds, strict=True):
        with serving(standing.root, home) as page:
            shown.append(list(page_answers(page, world)))

    assert_all_same(worlds, shown)


def page_answers(page: ServedPage, world: World) -> Iterator[tuple[str, str]]:
    """Ask every page, part and action; yield what was asked and the answer."""
    cookie, base = page.opened(), f"/{project_address(SHOP).key}"
    assert "zebra pages" in page.ask(f"{base}/threads", Cookie=cookie)[1]
    form_page = page.ask(f"{base}/safety", Cookie=cookie)[1]
    (csrf,) = set(re.findall(r'name="csrf" value="([^"]+)"', form_page))

    def ask(path: str, form: dict[str, str] | None = None) -> str:
        status, text, _ = (
            page.ask(path, Cookie=cookie)
            if form is None
            else page.ask(
                path,
                method="POST",
                body=urlencode({**form, "csrf": csrf}),
                Cookie=cookie,
                Content_Type="application/x-www-form-urlencoded",
            )
        )
        assert status < 500, (path, form, text)
        return f"{status} {text}".replace(csrf, "").replace(str(page.port), "")

    for path in ("/projects", "/secret-project", "/the-secret-project-00000000/threads"):
        yield path, ask(path)
    for name, table in QUERIES.items():
        for named in table:
            query = named(world.mine, world.theirs)
            yield f"{name} {[*query]}", ask(f"{base}/{name}?{urlencode(query)}")
    undo = {"number": str(world.theirs.change)}
    yield "undo", ask(f"{base}/undo", undo)
    for name, named in asked_forms():
        form = named(world.mine, world.theirs)
        yield f"{name} {[*form]}", ask(f"{base}/{name}", form)


def assert_all_same(worlds: tuple[World, World], answers: list[list[tuple[str, str]]]) -> None:
    """See that both worlds have given the same answers, and that they say nothing private."""
    for (name, beside_private), (_, alone) in zip(*answers, strict=True):
        shown, expected = (
            without_ids(text.replace("home0", "home1"), worlds[0].theirs)
            for text in (beside_private, alone)
        )
        assert words_of(shown) == words_of(expected), name


READABLE = (
    "SELECT c.oid::regclass::text FROM pg_class c WHERE c.relkind IN ('r', 'v', 'm', 'p') "
    "AND has_schema_privilege(c.relnamespace, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') "
    "AND c.relnamespace <> 'ben'::regnamespace "
    "AND c.relname NOT IN ('pg_hba_file_rules', 'pg_ident_file_mappings', 'pg_file_settings')"
)


def test_no_other_table_or_view_that_ben_can_read_has_a_private_word(
    worlds: tuple[World, World],
) -> None:
    ben = worlds[0].ben
    names = [str(row[0]) for row in ben.run_sql(READABLE)]

    texts = {name: repr(ben.run_sql(f"SELECT t::text FROM {name} t")) for name in names}  # noqa: S608

    assert "invoices" in texts["ais_team.shared"]
    assert [name for name, text in texts.items() if PANGOLIN in text.casefold()] == []
