"""Say where a PostgreSQL server keeps what was deleted, and for how long as far as it knows.

A client reaches tables, indexes and statistics. It cannot reach the write-ahead log, archives,
replicas, backups and the server's own log. The server's settings and its views of replication say
how long some of them last; for the others, somebody has to ask.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ai_smartness.adapters.postgres.postgres_database import PostgresDatabase

__all__ = ["ReplicationSlot", "ServerRetention", "retention_sentences", "server_retention"]

_ASK = "ask whoever runs the server"
_NO_LIMIT = -1
_NUMBERS = (
    *("checkpoint_timeout", "archive_timeout"),  # seconds
    *("max_wal_size", "wal_keep_size", "max_slot_wal_keep_size"),  # megabytes
    "log_min_duration_statement",  # milliseconds
)
_WORDS = ("archive_mode", "log_statement")

_SETTINGS = "SELECT name, setting FROM pg_settings WHERE name IN ({})"
_SLOTS = (
    "SELECT slot_name::text, active::integer, coalesce(pg_wal_lsn_diff(CASE WHEN "
    "pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, "
    "restart_lsn), 0)::bigint FROM pg_replication_slots ORDER BY slot_name"
)
_REPLICAS = "SELECT count(*) FROM pg_stat_replication"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicationSlot:
    """A place that the server keeps its log for, and how much of it."""

    name: str
    is_active: bool
    held_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRetention:
    """The settings of a server that keep deleted rows, its slots, and its connected replicas."""

    checkpoint_seconds: int
    most_wal_mb: int
    kept_wal_mb: int
    most_slot_wal_mb: int
    is_archived: bool
    archive_seconds: int
    statement_log: str
    slow_statement_ms: int
    slots: Sequence[ReplicationSlot] = ()
    replicas: int = 0


def server_retention(database: PostgresDatabase) -> ServerRetention:
    """Ask the server; any role may read all of this."""
    settings, slots, replicas = database.read_together(
        partial(database.all_in, _SETTINGS, [*_NUMBERS, *_WORDS]),
        partial(database.all, _SLOTS),
        partial(database.first_number, _REPLICAS),
    )
    texts: dict[str, str] = dict(settings)
    numbers = {name: int(texts[name]) for name in _NUMBERS}
    return ServerRetention(
        checkpoint_seconds=numbers["checkpoint_timeout"],
        most_wal_mb=numbers["max_wal_size"],
        kept_wal_mb=numbers["wal_keep_size"],
        most_slot_wal_mb=numbers["max_slot_wal_keep_size"],
        is_archived=texts["archive_mode"] != "off",
        archive_seconds=numbers["archive_timeout"],
        statement_log=texts["log_statement"],
        slow_statement_ms=numbers["log_min_duration_statement"],
        slots=[
            ReplicationSlot(name=name, is_active=bool(active), held_bytes=held)
            for name, active, held in slots
        ],
        replicas=replicas,
    )


def retention_sentences(kept: ServerRetention) -> list[str]:
    """Say in plain words where deleted rows may still be, and for how long."""
    return [
        " ".join(_wal_sentences(kept)),
        _archive_sentence(kept),
        _replica_sentence(kept),
        f"backups, snapshots and dumps: the server does not know them; {_ASK} how long they last.",
        _log_sentence(kept),
    ]


def _wal_sentences(kept: ServerRetention) -> Iterator[str]:
    yield (
        "the server's write-ahead log: it is given free at a checkpoint, every "
        f"{_duration(kept.checkpoint_seconds)} at the latest while there is work "
        f"(checkpoint_timeout). About {_size(kept.most_wal_mb)} of it is used again "
        "(max_wal_size), and holds the old words until it is overwritten."
    )
    if kept.kept_wal_mb:
        yield f"The last {_size(kept.kept_wal_mb)} are always kept for replicas (wal_keep_size)."
    if kept.slots:
        limit = (
            "without a limit (max_slot_wal_keep_size is not set)"
            if kept.most_slot_wal_mb == _NO_LIMIT
            else f"{_size(kept.most_slot_wal_mb)} at most (max_slot_wal_keep_size)"
        )
        yield f"Replication slots keep more of it, {limit}: {_slot_list(kept.slots)}."


def _slot_list(slots: Sequence[ReplicationSlot]) -> str:
    return ", ".join(
        f"{slot.name} {_size(slot.held_bytes // 2**20)} now"
        + ("" if slot.is_active else " and nobody reads it")
        for slot in slots
    )


def _archive_sentence(kept: ServerRetention) -> str:
    if not kept.is_archived:
        return (
            "archives of that log: the server makes none (archive_mode is off). Another program "
            f"may copy the log all the same; {_ASK}."
        )
    when = "when a file of it is full"
    if kept.archive_seconds:
        when += f", and after {_duration(kept.archive_seconds)} at the latest (archive_timeout)"
    return (
        f"archives of that log: the server archives it (archive_mode), {when}. It does not know "
        f"how long the archives are kept; {_ASK}."
    )


def _replica_sentence(kept: ServerRetention) -> str:
    if kept.replicas:
        count = "1 is" if kept.replicas == 1 else f"{kept.replicas} are"
        return (
            f"replicas: {count} connected. They delete the rows when they have caught up, and "
            "have a write-ahead log of their own."
        )
    return (
        "replicas: none is connected now. One that is away keeps the rows until it comes back; "
        f"{_ASK} whether there is one."
    )


def _log_sentence(kept: ServerRetention) -> str:
    reasons = []
    if kept.statement_log != "none":
        reasons.append(f"log_statement is {kept.statement_log}")
    if kept.slow_statement_ms != _NO_LIMIT:
        reasons.append(f"log_min_duration_statement is {kept.slow_statement_ms} ms")
    if reasons:
        return (
            f"the server's own log: it writes statements into it ({', '.join(reasons)}); {_ASK} "
            "how long it is kept."
        )
    return "the server's own log: it does not write statements into it, unless one fails."


def _duration(seconds: int) -> str:
    for unit, length in (("hour", 3600), ("minute", 60)):
        if seconds and seconds % length == 0:
            count = seconds // length
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{seconds} second{'' if seconds == 1 else 's'}"


def _size(megabytes: int) -> str:
    gigabytes, rest = divmod(megabytes, 1024)
    return f"{gigabytes} GB" if gigabytes and not rest else f"{megabytes:,} MB"
