"""A memory behind PgBouncer, which lends a connection for one transaction and then to others."""

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import psycopg
import pytest

from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.model.search import SearchMatch, SearchScope
from dozen_sessions import QUESTIONS, DozenSessions
from engines import POSTGRES, TEMPORARY

PORT = 6432  # only the name of the socket has it
SETTINGS = """
[databases]
* = host={server} user=ais
[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = 2
logfile = {folder}/log
"""


@pytest.fixture
def url() -> Iterator[str]:
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is needed and not installed: apt-get install pgbouncer")
    if missing := POSTGRES.missing():
        pytest.skip(f"no PostgreSQL: {missing}")
    folder = Path(tempfile.mkdtemp(prefix="ais-pgbouncer-", dir="/tmp"))
    user = "nobody" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    settings = SETTINGS.format(server=POSTGRES.socket.parent, port=PORT, folder=folder)
    (folder / "pgbouncer.ini").write_text(settings)
    bouncer = subprocess.Popen([program, "-q", str(folder / "pgbouncer.ini")], user=user, cwd="/")
    server_url, _, _ = POSTGRES.url(TEMPORARY).partition("?")
    address = f"{server_url}?host={folder}&port={PORT}"
    try:
        wait_for(address, bouncer)
        yield address
    finally:
        bouncer.terminate()
        bouncer.wait()
        shutil.rmtree(folder, ignore_errors=True)
        POSTGRES.end_test()


def wait_for(url: str, program: "subprocess.Popen[bytes]") -> None:
    """Return as soon as it answers."""
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            assert program.poll() is None
            threading.Event().wait(0.02)
        else:
            return


def test_verbs_work_behind_a_pooler_of_transactions(url: str) -> None:
    site = DozenSessions(PostgresStore.open(url))
    with closing(site.memory):
        for message in site.live_messages():
            site.memory.capture(message)
        for question in QUESTIONS:
            site.memory.recall(question)
            site.memory.inject(question, session="new")

        first, second, *_ = site.memory.threads()
        site.memory.merge(first.id, second.id)
        site.memory.undo()

        assert site.memory.search("tokens of src/auth/x3.py")
        assert site.memory.status().events > len(QUESTIONS)
        assert site.memory.check() == ""


def test_many_who_share_two_connections_do_not_mix(url: str) -> None:
    words = ("token", "invoice", "mail", "src", "decided", "zebra")
    with closing(PostgresStore.open(url)) as store, ThreadPoolExecutor(8) as pool:
        DozenSessions(store)
        expected = {word: matches(store, word) for word in words}
        asked = [word for word in words for _ in range(8)]

        found = list(pool.map(partial(matches, store), asked))

        assert found == [expected[word] for word in asked]
        assert any(expected.values())


def matches(store: PostgresStore, word: str) -> list[SearchMatch]:
    """Return the messages with a word."""
    return store.word_index.match(SearchScope(project="demo"), [word], 20)
