"""What `ais forget` says of places on a server that it cannot reach."""

from dataclasses import replace

from ai_smartness.adapters.postgres.retention import (
    ReplicationSlot,
    ServerRetention,
    retention_sentences,
)

PLAIN = ServerRetention(
    checkpoint_seconds=300,
    most_wal_mb=1024,
    kept_wal_mb=0,
    most_slot_wal_mb=-1,
    is_archived=False,
    archive_seconds=0,
    statement_log="none",
    slow_statement_ms=-1,
)


def sentence_about(subject: str, kept: ServerRetention) -> str:
    (found,) = [one for one in retention_sentences(kept) if one.startswith(subject)]
    return found


def test_the_log_of_a_plain_server_lasts_until_its_checkpoints_have_used_it_again() -> None:
    log = sentence_about("the server's write-ahead log", PLAIN)

    assert "every 5 minutes at the latest" in log
    assert "About 1 GB" in log
    assert "wal_keep_size" not in log
    assert "slots" not in log


def test_a_log_that_is_kept_for_replicas_says_how_much_of_it() -> None:
    log = sentence_about("the server's write-ahead log", replace(PLAIN, kept_wal_mb=1500))

    assert "The last 1,500 MB are always kept for replicas (wal_keep_size)." in log


def test_slots_that_hold_the_log_back_are_named_with_what_they_hold_and_their_limit() -> None:
    slots = [
        ReplicationSlot(name="standby", is_active=True, held_bytes=34 << 20),
        ReplicationSlot(name="old", is_active=False, held_bytes=9 << 30),
    ]
    unlimited = replace(PLAIN, slots=slots)

    log = sentence_about("the server's write-ahead log", unlimited)
    limited = sentence_about("the server's write-ahead log", replace(unlimited, most_slot_wal_mb=2))

    assert "without a limit" in log
    assert "standby 34 MB now, old 9 GB now and nobody reads it" in log
    assert "2 MB at most (max_slot_wal_keep_size)" in limited


def test_nobody_but_an_administrator_knows_how_long_archives_are_kept() -> None:
    none = sentence_about("archives", PLAIN)
    some = sentence_about("archives", replace(PLAIN, is_archived=True, archive_seconds=60))

    assert "archive_mode is off" in none
    assert "after 1 minute at the latest (archive_timeout)" in some
    assert "ask whoever runs the server" in some


def test_replicas_that_are_connected_are_counted() -> None:
    assert "none is connected now" in sentence_about("replicas", PLAIN)
    assert "1 is connected" in sentence_about("replicas", replace(PLAIN, replicas=1))
    assert "3 are connected" in sentence_about("replicas", replace(PLAIN, replicas=3))


def test_the_servers_own_log_is_named_with_the_setting_that_fills_it() -> None:
    silent = sentence_about("the server's own log", PLAIN)
    talkative = sentence_about(
        "the server's own log", replace(PLAIN, statement_log="all", slow_statement_ms=0)
    )

    assert "does not write statements" in silent
    assert "log_statement is all, log_min_duration_statement is 0 ms" in talkative


def test_backups_are_always_to_be_asked_about() -> None:
    assert "ask whoever runs the server" in sentence_about("backups", PLAIN)
