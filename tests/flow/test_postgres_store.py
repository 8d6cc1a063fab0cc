"""What only a memory on PostgreSQL does: its layout, its locks, lost connections, long words."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace

import psycopg
import pytest

from ai_smartness.adapters.postgres.connections import SharedPool, new_connection
from ai_smartness.adapters.postgres.open_server import LATEST_LAYOUT
from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.search import Chunk, IndexedWords, SearchScope
from builders import a_thread, a_vector, an_event, stored
from engines import POSTGRES, TEMPORARY
from postgres_proxy import started_proxy

DEMO = SearchScope(project="demo")


@pytest.fixture
def url() -> Iterator[str]:
    """Return the address of an empty memory."""
    if reason := POSTGRES.missing():
        pytest.skip(f"{POSTGRES.name} is needed and cannot be had: {reason}")
    yield POSTGRES.url(TEMPORARY)
    POSTGRES.end_test()


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    with closing(PostgresStore.open(url)) as opened:
        yield opened


def run_sql(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def test_a_newer_layout_is_refused_and_left_alone(url: str) -> None:
    PostgresStore.open(url).close()
    run_sql(url, "UPDATE layout SET number = 999")
    try:
        with pytest.raises(StoreError, match=r"newer ai_smartness \(layout 999"):
            PostgresStore.open(url)
        assert run_sql(url, "SELECT number FROM layout") == [(999,)]
    finally:
        run_sql(url, f"UPDATE layout SET number = {LATEST_LAYOUT}")  # noqa: S608 - a number


def test_a_database_of_another_program_is_refused_and_left_alone(url: str) -> None:
    name = "of_another_program"
    run_sql(url, f"CREATE DATABASE {name} TEMPLATE template0")
    other = POSTGRES.server_url(name)
    try:
        run_sql(other, "CREATE TABLE invoices (id INTEGER)")
        with pytest.raises(StoreError, match="tables of another program"):
            PostgresStore.open(other)
        assert run_sql(other, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == [
            ("invoices",)
        ]
    finally:
        run_sql(url, f"DROP DATABASE {name} WITH (FORCE)")


def test_processes_that_open_a_new_database_at_once_all_get_the_same_layout(url: str) -> None:
    name = "opened_at_once"
    run_sql(url, f"CREATE DATABASE {name} TEMPLATE template0")
    fresh, errors = POSTGRES.server_url(name), list[Exception]()

    def open_and_close(number: int) -> None:
        try:
            # Another application name: a pool of its own, as another process has.
            PostgresStore.open(f"{fresh}&application_name=opener{number}").close()
        except StoreError as error:
            errors.append(error)

    try:
        threads = [threading.Thread(target=open_and_close, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        layouts = run_sql(fresh, "SELECT program, number FROM layout")
        assert layouts == [("ai_smartness", LATEST_LAYOUT)]
    finally:
        run_sql(url, f"DROP DATABASE {name} WITH (FORCE)")


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(RefusedError, match=r"~/\.pgpass") as raised:
        PostgresStore.open("postgresql://me:hunter2secret@localhost/memory")

    assert "hunter2secret" not in str(raised.value)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(RefusedError, match="postgresql://host/database"):
        PostgresStore.open("not an address")


def test_a_server_that_is_not_there_is_named_with_the_way_out() -> None:
    with pytest.raises(StoreError, match=r"does not answer.*Check that the server runs"):
        PostgresStore.open("postgresql://ais@/memory?host=/tmp/ais-no-server-is-here")


def test_a_nul_comes_back_where_it_was(store: PostgresStore) -> None:
    odd = "a\0b\ufdd0c\ufdd1\ufdd2"
    thread = replace(a_thread(), title=odd)
    store.threads.save(thread)

    (event,) = store.events.append([an_event(f"m{odd}", thread, odd)])

    assert store.threads.get(thread.id).title == odd
    assert store.events.get("demo", f"m{odd}") == event
    assert store.events.known_ids("demo", [f"m{odd}"]) == {f"m{odd}"}


def test_a_word_too_long_for_an_index_is_found_all_the_same(store: PostgresStore) -> None:
    long, longer = "x" * 5_000, "x" * 5_001
    first, second = stored(store, f"{long} one", f"{longer} two")

    assert [match.seq for match in store.word_index.match(DEMO, [long], 5)] == [first.seq]
    assert [match.seq for match in store.word_index.match(DEMO, [longer], 5)] == [second.seq]


def test_joined_blocks_give_the_same_scores_and_let_go_of_deleted_events(
    store: PostgresStore, url: str
) -> None:
    texts = [f"token store {number % 7} src/auth.py word{number}" for number in range(60)]
    events = stored(store, *texts)
    before = store.word_index.match(DEMO, ["token store", "3", "word5"], 60)

    store.word_index.refresh_index("demo")

    assert store.word_index.match(DEMO, ["token store", "3", "word5"], 60) == before
    assert run_sql(url, "SELECT max(events) FROM posting_blocks") == [(60,)]
    with store.erasure.deletion_allowed(), store.unit():
        store.erasure.remove_events([events[5].seq, events[17].seq])
    left = {match.seq for match in store.word_index.match(DEMO, ["token"], 60)}
    assert left == {event.seq for event in events} - {events[5].seq, events[17].seq}
    assert store.check() == ""
    assert store.erasure.remaining_traces(["word5"]) == []


def test_the_graph_of_a_project_is_used_above_the_limit_and_dropped_below_it(url: str) -> None:
    with closing(PostgresStore.open(url, exact_limit=10)) as store:
        events = stored(store, *["text"] * 30)
        chunks = [Chunk(event.seq, 0, a_vector(event.seq)) for event in events]
        store.vector_index.add("demo", "m@1", chunks, events[-1].seq)
        store.vector_index.refresh_index("demo", "m@1", lambda _done, _total: None)

        assert _graphs(url) == 1
        near = store.vector_index.nearest(DEMO, "m@1", a_vector(events[4].seq), 5)
        assert near.matches[0].seq == events[4].seq

        store.vector_index.clear("demo", "m@1")
        store.vector_index.refresh_index("demo", "m@1", lambda _done, _total: None)
        assert _graphs(url) == 0


def _graphs(url: str) -> int:
    rows = run_sql(url, "SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%USING hnsw%'")
    return int(str(rows[0][0]))


def test_a_statement_goes_on_after_the_server_hung_up(store: PostgresStore, url: str) -> None:
    stored(store, "before")
    end_connections(url)

    assert store.events.count("demo") == 1
    end_connections(url)
    with store.unit("demo"):
        store.events.append([an_event("m1", a_thread(), "after")])

    assert store.events.count("demo") == 2


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux has it")
def test_a_connection_whose_network_is_gone_is_given_up_after_seconds(url: str) -> None:
    with (
        started_proxy(POSTGRES.socket, 0) as proxy,
        closing(new_connection(proxy.url(url))) as connection,
        socket.socket(fileno=os.dup(connection.fileno())) as tcp,
    ):
        unheard = tcp.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
        idle = tcp.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)

    assert 0 < unheard <= 10_000
    assert 0 < idle <= 30


def test_while_one_tries_whether_a_silent_server_is_back_nobody_else_waits() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        pool = SharedPool(f"host=127.0.0.1 port={port} connect_timeout=2", away_seconds=0.0)
        with pytest.raises(psycopg.OperationalError):
            pool.borrow()
        silent.accept()[0].close()
        trying = threading.Thread(target=suppressed, args=(pool.borrow,))
        trying.start()
        one, _ = silent.accept()

        with one, pytest.raises(psycopg.OperationalError):
            pool.borrow()

        silent.settimeout(0.0)
        with pytest.raises(BlockingIOError):  # nobody else has called
            silent.accept()
        trying.join()


def suppressed(call: Callable[[], object]) -> None:
    with suppress(psycopg.OperationalError):
        call()


def test_a_unit_whose_connection_is_lost_leaves_nothing_and_says_so(
    store: PostgresStore, url: str
) -> None:
    stored(store, "before")

    def write() -> None:
        with store.unit("demo"):
            store.events.append([an_event("m1", a_thread(), "never")])
            end_connections(url)
            store.events.append([an_event("m2", a_thread(), "never")])

    with pytest.raises(StoreError, match="Nothing was changed"):
        write()

    assert store.events.count("demo") == 1
    assert store.check() == ""


def end_connections(url: str) -> None:
    run_sql(
        url,
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )


def test_who_waits_too_long_for_a_project_is_told_that_it_is_busy(url: str) -> None:
    with (
        closing(PostgresStore.open(url)) as first,
        closing(PostgresStore.open(url, busy_timeout_ms=100)) as second,
    ):
        stored(first, "before")
        errors = list[StoreError]()

        def write() -> None:
            try:
                with second.unit("demo"):
                    second.events.last_seq("demo")
            except StoreError as error:
                errors.append(error)

        with first.unit("demo"):
            first.events.last_seq("demo")  # the lock is sent with the first statement
            thread = threading.Thread(target=write)
            thread.start()
            thread.join()

        assert [str(error) for error in errors if "is busy" in str(error)]
        with second.unit("other"):
            second.threads.save(a_thread("t2", project="other"))


def test_nothing_is_prepared_and_no_setting_stays_in_a_session(
    store: PostgresStore, url: str
) -> None:
    for number in range(8):
        stored(store, f"words {number}", thread=a_thread(f"t{number}", project=f"p{number}"))

    with store._database._pool.lent_connection() as connection:  # noqa: SLF001 - the session itself
        prepared = connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
        changed = connection.execute(
            "SELECT name FROM pg_settings WHERE source = 'session' AND name NOT IN "
            "('application_name', 'client_encoding', 'DateStyle')"
        ).fetchall()
    assert prepared == (0,)
    assert changed == []
    assert run_sql(url, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [(0,)]


def test_deleted_words_are_gone_from_tables_and_statistics(store: PostgresStore, url: str) -> None:
    events = stored(store, *[f"zanzibar{number % 3} said" for number in range(200)])
    for number in range(20):
        store.threads.save(replace(a_thread(f"t{number}"), title="zanzibarous"))
    run_sql(url, "ANALYZE")
    with store.erasure.deletion_allowed(), store.unit():
        store.erasure.remove_events([event.seq for event in events])
        store.erasure.remove_threads([f"t{number}" for number in range(20)])

    before = {trace.place for trace in store.erasure.remaining_traces(["zanzibarous"])}
    store.erasure.purge_traces(lambda _done, _total: None)

    assert before == {"statistics of the tables"}  # of tables that are empty now
    assert store.erasure.remaining_traces(["zanzibarous", "zanzibar1"]) == []
    stats = run_sql(url, "SELECT concat(most_common_vals, histogram_bounds) FROM pg_stats")
    assert not [row for row in stats if "zanzibar" in str(row)]


def test_words_indexed_twice_count_once(store: PostgresStore) -> None:
    (event,) = stored(store, "alpha beta")

    store.word_index.add("demo", [IndexedWords(event.seq, event.text, "", "")])

    assert len(store.word_index.match(DEMO, ["alpha"], 5)) == 1
    assert store.check() == ""
