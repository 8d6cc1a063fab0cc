"""People who have a server in common: everything is private until somebody shares it."""

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import psycopg
import pytest

from ai_smartness import Memory, Message
from ai_smartness.adapters.postgres.team_notices import TeamNotices
from ai_smartness.adapters.postgres.team_tables import setup_script
from ai_smartness.model.erasure import Selection
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.testing import HashEmbedder
from builders import said
from two_people import ADMINISTRATOR, Person, SharedServer, shared_server

RULE = "Never log the session id."
PRIVATE = "pangolin"


class Team(NamedTuple):
    """A server, and two people who use it."""

    server: SharedServer
    anna: Person
    ben: Person


@pytest.fixture
def team() -> Iterator[Team]:
    with shared_server() as server:
        yield Team(server, server.added("anna"), server.added("ben"))


def shared_rule(anna: Person) -> str:
    """Have Anna state a rule and share it; return its id in her memory."""
    with anna.memory() as memory:
        memory.pin(RULE, kind="rule")
        statement = memory.statements()[0].id
        memory.share(statement)
    return statement


def shared_thread(anna: Person) -> str:
    """Have Anna talk about invoices and share the thread; return its id in her memory."""
    with anna.memory() as memory:
        memory.capture(
            [
                said("the invoices need a due date", id_="a1", session="s1"),
                Message(id="a2", session="s1", role="assistant", text="the invoices have one now"),
                Message(id="a3", session="s1", role="tool", text=f"$ ls\n{PRIVATE}.txt"),
            ]
        )
        thread = memory.message("a1").thread_id
        memory.share(thread)
    return thread


def statements(memory: Memory) -> list[tuple[str, str, str]]:
    return [(one.text, one.shared_by, one.disputed_by) for one in memory.statements()]


def test_what_one_person_says_is_in_nobody_elses_memory(team: Team) -> None:
    with team.anna.memory() as memory:
        memory.capture(said(f"the {PRIVATE} eats ants", id_="a1"))

    with team.ben.memory() as memory:
        assert memory.search(PRIVATE) == []
        assert memory.projects() == []


def test_every_event_has_its_author_and_its_machine(team: Team) -> None:
    for person in (team.anna, team.ben):
        with person.memory() as memory:
            memory.capture(said("hello there", id_="m1"))

        ((author, machine),) = person.run_sql("SELECT author, machine FROM events")
        assert author == person.name
        assert machine


IN_ANNAS_NAME = (
    "INSERT INTO ais_team.shared (author, machine, project, id, kind, title, messages, content) "
    "VALUES ('anna', '', 'shop', 's_1', 'rule', 'x', 0, '[]')"
)
REFUSED = (
    "SELECT text FROM anna.events",
    "SELECT count(*) FROM anna.events",
    "SELECT last_value FROM anna.events_seq_seq",
    "SELECT nextval('anna.events_seq_seq')",
    "SELECT term FROM anna.posting_blocks",
    "SELECT events, indexed_words FROM anna.projects",
    "INSERT INTO anna.forgotten VALUES ('x')",
    "TRUNCATE anna.events",
    "CREATE TABLE anna.mine (id INTEGER)",
    "SET search_path = anna; SELECT count(*) FROM events",
    "SET row_security = off; SELECT text FROM anna.events",
    "SET ROLE anna",
    "SET SESSION AUTHORIZATION anna",
    "GRANT USAGE ON SCHEMA anna TO ben",
    "CREATE FUNCTION ais_team.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "ALTER TABLE ais_team.shared DISABLE ROW LEVEL SECURITY",
    "INSERT INTO ais_team.members (name) VALUES ('eve')",
    "UPDATE ais_team.shared SET title = 'x'",
    IN_ANNAS_NAME,
)


def test_a_direct_session_of_another_role_is_refused(team: Team) -> None:
    shared_rule(team.anna)

    for statement in REFUSED:
        with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedTable)):
            team.ben.run_sql(statement)


def test_the_statistics_of_another_persons_words_are_hidden(team: Team) -> None:
    with team.anna.memory() as memory:
        memory.capture([said(f"{PRIVATE} {number % 3}", id_=f"a{number}") for number in range(50)])
    team.anna.run_sql("ANALYZE")

    assert team.anna.run_sql("SELECT 1 FROM pg_stats WHERE schemaname = 'anna' LIMIT 1")
    assert not team.ben.run_sql("SELECT 1 FROM pg_stats WHERE schemaname = 'anna' LIMIT 1")


def test_only_the_author_takes_something_back(team: Team) -> None:
    shared_rule(team.anna)

    team.ben.run_sql("DELETE FROM ais_team.shared")
    with team.ben.memory() as memory, pytest.raises(RefusedError, match="only anna"):
        memory.unshare("1")

    assert team.ben.run_sql("SELECT count(*) FROM ais_team.shared") == [(1,)]


def test_the_owner_of_the_tables_shares_in_no_other_name(team: Team) -> None:
    administrator = team.server.person(ADMINISTRATOR)
    administrator.run_sql("CREATE ROLE team_owner LOGIN")
    try:
        administrator.run_sql("ALTER SCHEMA ais_team OWNER TO team_owner")
        administrator.run_sql("ALTER TABLE ais_team.shared OWNER TO team_owner")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            team.server.person("team_owner").run_sql(IN_ANNAS_NAME)
    finally:
        administrator.run_sql("REASSIGN OWNED BY team_owner TO ais")
        administrator.run_sql("DROP ROLE team_owner")


def test_a_role_outside_of_the_team_reads_nothing(team: Team) -> None:
    shared_rule(team.anna)
    administrator = team.server.person(ADMINISTRATOR)
    administrator.run_sql("CREATE ROLE stranger LOGIN")
    try:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            team.server.person("stranger").run_sql("SELECT title FROM ais_team.shared")
    finally:
        administrator.run_sql("DROP ROLE stranger")


def test_a_shared_statement_shows_its_author(team: Team) -> None:
    shared_rule(team.anna)

    with team.ben.memory() as memory:
        assert statements(memory) == [(RULE, "anna", "")]
        assert f"shared by anna: {RULE}" in memory.recall("what may we log?").text
        assert f"shared by anna: {RULE}" in memory.greeting("s1")
    with team.anna.memory() as memory:
        assert statements(memory) == [(RULE, "", "")]


def test_a_shared_thread_is_read_without_the_output_of_tools(team: Team) -> None:
    shared_thread(team.anna)

    with team.ben.memory() as memory:
        (thread,) = memory.threads()
        texts = [event.text for event in memory.events(thread.id)]
        page = memory.recall("which date do invoices need?").text
        assert memory.search(PRIVATE) == []

    assert texts == ["the invoices need a due date", "the invoices have one now"]
    assert "shared by anna" in page


def test_what_is_said_later_stays_private_until_the_thread_is_shared_again(team: Team) -> None:
    thread = shared_thread(team.anna)
    with team.anna.memory() as memory:
        memory.append(thread, said("the due date of invoices is 30 days", id_="a4"))
    with team.ben.memory() as memory:
        assert "30 days" not in repr(memory.search("invoices"))

    with team.anna.memory() as memory:
        memory.share(thread)

    with team.ben.memory() as memory:
        (copy,) = memory.threads()
        assert len(memory.events(copy.id)) == 3
        assert "30 days" in repr(memory.search("invoices"))


def test_sharing_reaches_only_the_project_of_that_name(team: Team) -> None:
    shared_rule(team.anna)

    with team.ben.memory("another") as memory:
        assert memory.statements() == []
        assert memory.projects() == []


def test_unsharing_deletes_the_copies_of_the_others(team: Team) -> None:
    rule, thread = shared_rule(team.anna), shared_thread(team.anna)
    with team.ben.memory() as memory:
        assert len(memory.threads()) == 2

    with team.anna.memory() as memory:
        memory.unshare(rule)
        memory.unshare(thread)

    with team.ben.memory() as memory:
        assert memory.threads() == []
        assert memory.statements() == []
        assert memory.search("invoices") == []
        assert memory.check() == ""
    with team.anna.memory() as memory:
        assert len(memory.statements()) == 1


def test_opening_again_copies_nothing_twice(team: Team) -> None:
    shared_rule(team.anna)
    shared_thread(team.anna)
    with team.ben.memory() as memory:
        before = memory.status()

    with team.ben.memory() as memory:
        assert memory.update_shared().copied == 0
        assert memory.status() == before


def test_forgetting_says_that_the_words_are_still_shared(team: Team) -> None:
    thread = shared_thread(team.anna)
    with team.anna.memory() as memory:
        left = memory.forget(Selection(thread=thread)).left
        memory.unshare(thread)
        assert "what you share with your team (`ais unshare`)" in {trace.place for trace in left}

        memory.capture(said("a zanzibar of its own", id_="a9"))
        assert memory.forget(Selection(matching="zanzibar")).left == ()


def test_a_secret_stops_the_sharing(team: Team) -> None:
    with team.anna.memory() as memory:
        memory.capture(said("invoices go out on Monday", id_="a1"))
        thread = memory.message("a1").thread_id
        memory.pin("The deploy host is app-1, password: hunter2-Xy9!", kind="environment")
        (statement,) = memory.statements()
        # As a former version stored it, which did not recognise the secret.
        team.anna.run_sql("ALTER TABLE events DISABLE TRIGGER events_never_change")
        team.anna.run_sql("UPDATE events SET text = 'password: hunter2-Xy9!' WHERE id = 'a1'")
        for id_ in (statement.id, thread):
            with pytest.raises(RefusedError, match="has a secret in it, so nothing was shared"):
                memory.share(id_)

    assert team.ben.run_sql("SELECT count(*) FROM ais_team.shared") == [(0,)]


def test_a_dispute_is_seen_by_everybody_and_can_be_withdrawn(team: Team) -> None:
    shared_rule(team.anna)
    carl = team.server.added("carl")
    with team.ben.memory() as memory:
        copy = memory.statements()[0].id
        memory.dispute(copy, "we need it for support")

    for person in (team.ben, carl):
        with person.memory() as memory:
            assert statements(memory) == [(RULE, "anna", "ben")]
            assert f"shared by anna, disputed by ben: {RULE}" in memory.greeting("s1")
            assert "shared by anna, disputed by ben" in memory.recall("what may we log?").text
    with team.anna.memory() as memory:
        (item,) = memory.shared_items()
        assert item.disputed_by == ("ben",)
        assert item.disputes[0].reason == "we need it for support"

    with team.ben.memory() as memory:
        memory.dispute(memory.statements()[0].id, withdraw=True)
    with carl.memory() as memory:
        assert statements(memory) == [(RULE, "anna", "")]


def test_a_dispute_is_withdrawn_by_the_id_that_it_was_made_with(team: Team) -> None:
    shared_rule(team.anna)
    shared_thread(team.anna)
    with team.ben.memory() as memory:
        for id_ in (memory.statements()[0].id, memory.search("invoices")[0].thread_id):
            disputed = memory.dispute(id_, "it changed")
            memory.update_shared()
            withdrawn = memory.dispute(id_, withdraw=True)
            memory.update_shared()

            assert disputed.disputed_by == ("ben",)
            assert (withdrawn.number, withdrawn.disputed_by) == (disputed.number, ())
            assert memory.dispute(id_, withdraw=True).number == disputed.number


def test_what_was_copied_a_moment_ago_is_disputed_by_the_id_that_it_will_have(team: Team) -> None:
    shared_rule(team.anna)
    with team.ben.memory(model=HashEmbedder()) as memory:
        copy = memory.statements()[0].id
        memory.dispute(copy, "it changed")
    with team.ben.memory(model=HashEmbedder()) as memory:  # copies the disputed one
        assert memory.dispute(copy, withdraw=True).disputed_by == ()
    with team.ben.memory(model=HashEmbedder()) as memory, pytest.raises(RefusedError):
        memory.unshare(copy)


def test_sharing_the_same_again_leaves_a_dispute_of_it(team: Team) -> None:
    rule = shared_rule(team.anna)
    with team.ben.memory() as memory:
        memory.dispute(memory.statements()[0].id, "we need it for support")

    with team.anna.memory() as memory:
        memory.share(rule)

        (item,) = memory.shared_items()
        assert item.disputed_by == ("ben",)


def test_only_the_author_is_told_how_to_take_something_back(team: Team) -> None:
    shared_rule(team.anna)

    with team.ben.memory() as memory:
        with pytest.raises(RefusedError, match=r"shared by anna.*`ais dispute 1`"):
            memory.unshare("1")
        with pytest.raises(RefusedError, match="only anna can take it back"):
            memory.unshare(memory.statements()[0].id)
        with pytest.raises(NotFoundError, match="you share nothing with the id s_1"):
            memory.unshare("s_1")


def test_what_no_version_of_ours_would_share_does_no_harm(team: Team) -> None:
    shared_rule(team.anna)
    with psycopg.connect(team.anna.url, autocommit=True) as connection:
        for content in ("{", "[]", "[1]", '[["user", "x", 1e99]]', '[["\\u0007", "", 1]]'):
            connection.execute(
                "INSERT INTO ais_team.shared (machine, project, id, kind, title, messages, content)"
                " VALUES ('', 'shop', md5(%s), 'thread', E'a\\nb', 7, %s)",
                (content, content),
            )

    with team.ben.memory() as memory:
        assert statements(memory) == [(RULE, "anna", "")]
        assert memory.check() == ""


def test_a_copy_is_made_again_if_the_project_that_has_it_gets_another_name(team: Team) -> None:
    shared_thread(team.anna)
    with team.ben.memory() as memory:
        memory.rename_project("archive")

    with team.ben.memory() as memory:
        assert len(memory.threads()) == 1


def test_one_person_disputes_in_no_other_name(team: Team) -> None:
    shared_rule(team.anna)
    with team.ben.memory() as memory:
        memory.dispute("1")

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        team.anna.run_sql(
            "INSERT INTO ais_team.disputes (item, author, reason) VALUES (1, 'ben', '')"
        )
    team.anna.run_sql("UPDATE ais_team.disputes SET withdrawn = true")

    assert team.ben.run_sql("SELECT author, withdrawn FROM ais_team.disputes") == [("ben", False)]


def test_without_a_team_nothing_can_be_shared_and_nothing_is_asked() -> None:
    with shared_server() as server, server.person(ADMINISTRATOR).memory() as memory:
        memory.pin(RULE, kind="rule")

        assert memory.update_shared().copied == 0
        with pytest.raises(RefusedError, match="this server has no team"):
            memory.share(memory.statements()[0].id)


def test_whoever_had_the_database_alone_keeps_that_memory(team: Team) -> None:
    administrator = team.server.person(ADMINISTRATOR)
    with administrator.memory() as memory:
        memory.capture(said("I was here first", id_="m1"))

    team.server.added(ADMINISTRATOR)

    with administrator.memory() as memory:
        assert len(memory.search("first")) == 1
        assert [member.name for member in memory.team_members()] == ["ais", "anna", "ben"]
    with team.ben.memory() as memory:
        assert memory.search("first") == []


def test_somebody_who_may_create_roles_and_schemas_adds_people() -> None:
    with shared_server() as server:
        root = server.person(ADMINISTRATOR)
        root.run_sql("CREATE EXTENSION vector")
        root.run_sql("CREATE ROLE lead LOGIN CREATEROLE")
        try:
            root.run_sql(f"GRANT CREATE ON DATABASE {server.database} TO lead")
            root.run_sql("CREATE SCHEMA lead AUTHORIZATION lead")
            with server.person("lead").memory() as memory:
                memory.add_team_member("dora")
            with server.person("dora").memory() as memory:
                memory.capture(said("hello", id_="m1"))
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                server.person("lead").run_sql("SELECT text FROM dora.events")
        finally:
            root.run_sql("DROP OWNED BY dora CASCADE")
            root.run_sql("DROP ROLE dora")
            root.run_sql("DROP OWNED BY lead CASCADE")
            root.run_sql("DROP ROLE lead")


def test_a_name_that_would_need_quotes_is_refused() -> None:
    for name in ("Anna", "a b", "pg_x", "public", "ais_team", "x; DROP", ""):
        with pytest.raises(RefusedError, match="cannot be a person's name"):
            setup_script(name)


def test_a_notice_comes_when_a_teammate_shares_disputes_or_takes_back(team: Team) -> None:
    with (
        closing(TeamNotices(team.anna.url)) as to_anna,
        closing(TeamNotices(team.ben.url)) as to_ben,
    ):
        assert not to_ben.wait(0)
        assert not to_anna.wait(0)

        statement = shared_rule(team.anna)
        assert to_ben.wait(60)
        with team.ben.memory() as memory:
            memory.dispute(str(memory.shared_items()[0].number), "we log its hash")
        assert to_ben.wait(60)  # of his own
        assert to_anna.wait(60)
        with team.anna.memory() as memory:
            memory.unshare(statement)
        assert to_ben.wait(60)


def test_what_is_not_shared_gives_no_notice(team: Team) -> None:
    with closing(TeamNotices(team.ben.url)) as to_ben:
        assert not to_ben.wait(0)
        with team.anna.memory() as memory:
            memory.capture(said(f"the {PRIVATE} sleeps", id_="p1"))
            memory.pin("Tabs, not spaces.")

        assert not to_ben.wait(0)
