"""The people of a database and what they share: the schema `ais_team`.

A person is a role with a schema of its own, in which that role alone can do anything. What is
shared stands in tables of the team, whose row-level security goes by the session's user.
"""

import json
import platform
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from ai_smartness.adapters.postgres.postgres_database import PostgresDatabase
from ai_smartness.adapters.postgres.team_notices import SEND_NOTICE
from ai_smartness.adapters.tables.rows import compact_json, from_microseconds, to_microseconds
from ai_smartness.adapters.tables.sql_database import ProjectIds, Row
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.shared_item import (
    COPY_ID_START,
    Dispute,
    SharedDraft,
    SharedItem,
    SharedMessage,
    TeamMember,
)
from ai_smartness.text.trust import SHARED_SOURCE

__all__ = ["TeamTables", "setup_script"]

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_NO_NAMES = ("pg_", "ais_team", "public")
_SCHEMA = Path(__file__).with_name("team_schema.sql")

_ADD_MEMBER = """
DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{name}') THEN
        CREATE ROLE {name} LOGIN;
    END IF;
    -- Somebody who had this database alone has a memory in another schema.
    IF NOT EXISTS (SELECT 1 FROM pg_tables WHERE tablename = 'layout' AND tableowner = '{name}')
        AND NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = '{name}') THEN
        IF session_user <> '{name}' AND NOT pg_has_role(session_user, '{name}', 'SET') THEN
            GRANT {name} TO SESSION_USER;
            CREATE SCHEMA {name} AUTHORIZATION {name};
            REVOKE {name} FROM SESSION_USER;
        ELSE
            CREATE SCHEMA {name} AUTHORIZATION {name};
        END IF;
    END IF;
END $$;

GRANT USAGE ON SCHEMA ais_team TO {name};
GRANT SELECT ON ais_team.members, ais_team.shared, ais_team.disputes TO {name};
GRANT INSERT (machine, project, id, kind, title, messages, content), DELETE
    ON ais_team.shared TO {name};
GRANT INSERT (item, reason), UPDATE (withdrawn) ON ais_team.disputes TO {name};
INSERT INTO ais_team.members (name) VALUES ('{name}') ON CONFLICT DO NOTHING;
"""

_MAY_ADD = (
    "SELECT count(*) FROM pg_roles WHERE rolname = session_user AND (rolsuper OR "
    "(rolcreaterole AND has_database_privilege(current_database(), 'CREATE')))"
)
_ITEMS = (
    "SELECT number, author, machine, project, id, kind, title, messages, "
    "(extract(epoch FROM shared_at) * 1000000)::bigint, author = session_user "
    "FROM ais_team.shared"
)


def setup_script(name: str) -> str:
    """Return the SQL with which an administrator adds a person to a database."""
    return _SCHEMA.read_text(encoding="utf-8") + _ADD_MEMBER.format(name=_checked_name(name))


class TeamTables:
    """Fulfils the port `Team`."""

    def __init__(self, database: PostgresDatabase, projects: ProjectIds) -> None:
        self._database = database
        self._projects = projects

    @cached_property
    def is_set_up(self) -> bool:
        return bool(
            self._database.first_number(
                "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                "WHERE n.nspname = 'ais_team' AND c.relname = 'shared' "
                "AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')"
            )
        )

    @cached_property
    def own_name(self) -> str:
        return str(self._database.all("SELECT session_user::text")[0][0])

    def members(self) -> list[TeamMember]:
        rows = self._database.all(
            "SELECT name, (extract(epoch FROM added_at) * 1000000)::bigint "
            "FROM ais_team.members ORDER BY name"
        )
        return [TeamMember(name, from_microseconds(at)) for name, at in rows]

    def items(self, project: str | None = None) -> list[SharedItem]:
        condition, values = ("", ()) if project is None else (" WHERE project = ?", (project,))
        rows = self._database.all(f"{_ITEMS}{condition} ORDER BY number", values)
        disputes = self._disputes([row[0] for row in rows])
        return [_item(row, disputes.get(row[0], [])) for row in rows]

    def _disputes(self, numbers: Sequence[int]) -> dict[int, list[Dispute]]:
        disputes: dict[int, list[Dispute]] = {}
        for item, *fields in self._database.all_in(
            "SELECT item, number, author, reason, withdrawn FROM ais_team.disputes "
            "WHERE item IN ({}) ORDER BY number",
            numbers,
        ):
            disputes.setdefault(item, []).append(Dispute(*fields))
        return disputes

    def messages(self, numbers: Sequence[int]) -> dict[int, list[SharedMessage]]:
        rows = self._database.all_in(
            "SELECT number, content FROM ais_team.shared WHERE number IN ({})", numbers
        )
        return {number: _read_content(content) for number, content in rows}

    def own_texts(self) -> Iterator[str]:
        """Yield the texts that this person shares."""
        if self.is_set_up:
            for title, content in self._database.all(
                "SELECT title, content FROM ais_team.shared WHERE author = session_user"
            ):
                yield title
                yield from (message.text for message in _read_content(content))

    def share(self, draft: SharedDraft) -> None:
        self._require_team()
        content = compact_json(
            [[one.role, one.text, to_microseconds(one.at)] for one in draft.messages]
        )
        with self._database.unit():
            if self._is_shared(draft, content):
                return
            self._database.run(
                "DELETE FROM ais_team.shared "
                "WHERE project = ? AND id = ? AND author = session_user",
                (draft.project, draft.id),
            )
            self._database.run(
                "INSERT INTO ais_team.shared (machine, project, id, kind, title, messages, content)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    *(platform.node(), draft.project, draft.id, draft.kind, draft.title),
                    *(len(draft.messages), content),
                ),
            )
            self._database.run(SEND_NOTICE)

    def _is_shared(self, draft: SharedDraft, content: str) -> bool:
        """Say whether exactly this is shared: then a dispute of it stays."""
        return bool(
            self._database.first_number(
                "SELECT count(*) FROM ais_team.shared WHERE project = ? AND id = ? "
                "AND author = session_user AND kind = ? AND title = ? AND content = ?",
                (draft.project, draft.id, draft.kind, draft.title, content),
            )
        )

    def unshare(self, number: int) -> None:
        rows = self._database.all(
            "DELETE FROM ais_team.shared WHERE number = ? AND author = session_user RETURNING id",
            (number,),
        )
        if not rows:
            msg = f"you share nothing under {number}. `ais team` lists what is shared."
            raise NotFoundError(msg)
        self._database.run(SEND_NOTICE)

    def dispute(self, number: int, reason: str) -> None:
        self._database.run(
            "INSERT INTO ais_team.disputes (item, reason) VALUES (?, ?)", (number, reason)
        )
        self._database.run(SEND_NOTICE)

    def withdraw_dispute(self, number: int) -> None:
        self._database.run(
            "UPDATE ais_team.disputes SET withdrawn = true "
            "WHERE item = ? AND author = session_user AND NOT withdrawn",
            (number,),
        )
        self._database.run(SEND_NOTICE)

    def copied_ids(self, project: str) -> set[str]:
        rows = self._database.all(
            "SELECT id FROM events WHERE project_id = ? AND id >= ? AND id < ? AND source = ?",
            (
                *(self._projects.find_id(project), COPY_ID_START, f"{COPY_ID_START}~"),
                SHARED_SOURCE,
            ),
        )
        return {row[0] for row in rows}

    def add_member(self, name: str) -> bool:
        script = setup_script(name)
        self._require_rights(name)
        is_new = not self.is_set_up or all(member.name != name for member in self.members())
        with self._database.unit():
            self._database.run_script(script)
            # Whoever adds others to a database with a memory of their own is one of them.
            self._database.run(
                "INSERT INTO ais_team.members (name) SELECT session_user "
                "WHERE EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema() "
                "AND tablename = 'layout') ON CONFLICT DO NOTHING"
            )
        self.__dict__.pop("is_set_up", None)
        return is_new

    def _require_rights(self, name: str) -> None:
        if self._database.first_number(_MAY_ADD):
            return
        msg = (
            "your role may not create roles and schemas on this server, so nobody was added. "
            f"`ais team add {name} --sql` prints the SQL for an administrator."
        )
        raise RefusedError(msg)

    def _require_team(self) -> None:
        if not self.is_set_up:
            msg = (
                "this server has no team, or you do not belong to it. "
                "Whoever looks after it runs `ais team add NAME`; docs/team.md says how."
            )
            raise RefusedError(msg)


def _item(row: Row, disputes: Sequence[Dispute]) -> SharedItem:
    number, author, machine, project, id_, kind, title, messages, shared_at, is_own = row
    return SharedItem(
        number=number,
        author=author,
        machine=machine,
        project=project,
        id=id_,
        kind=kind,
        title=title,
        messages=messages,
        shared_at=from_microseconds(shared_at),
        is_own=is_own,
        disputes=tuple(disputes),
    )


def _read_content(content: str) -> list[SharedMessage]:
    """Return the messages of an item; none if a teammate wrote something else there."""
    try:
        return [
            SharedMessage(str(role), str(text), from_microseconds(at))
            for role, text, at in json.loads(content)
        ]
    except (ValueError, TypeError, OverflowError, RecursionError):
        return []


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name) or name.startswith(_NO_NAMES):
        msg = (
            f"{name!r} cannot be a person's name on the server: use small letters, digits and _, "
            "and begin with a letter."
        )
        raise RefusedError(msg)
    return name
