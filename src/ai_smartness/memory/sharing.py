"""The verbs of a team: share, unshare, dispute, see what is shared, and copy it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai_smartness.memory.base import MemoryBase
from ai_smartness.model.errors import NotFoundError, RefusedError

if TYPE_CHECKING:
    from ai_smartness.model.shared_item import SharedDraft, SharedItem, TeamMember, TeamUpdate
    from ai_smartness.ports.team_store import Team

__all__ = ["TeamVerbs"]

REASON_CHARACTERS = 500


class TeamVerbs(MemoryBase):
    """People who have a server in common share threads and statements."""

    def share(self, id_: str, *, dry_run: bool = False) -> SharedDraft:
        """Share a thread or a statement with the team, and return what the others can read.

        It is a copy: what is said on the thread later stays private until you share it again. A
        secret stops the sharing.
        """
        from ai_smartness.transfer.team_copies import shared_statement_draft, shared_thread_draft

        team = self._team()
        if id_.startswith("s_"):
            statement = self._store.statements.get(self.project, id_)
            draft = shared_statement_draft(statement, self.project)
        else:
            thread = self._store.threads.get(id_)
            events = self._store.events.of_thread(thread.id)
            draft = shared_thread_draft(thread, events, self.project)
        if not dry_run:
            team.share(draft)
        return draft

    def unshare(self, id_: str, *, dry_run: bool = False) -> SharedItem:
        """Take back what you shared; the others' copies are deleted when they next connect."""
        team = self._team()
        event_id = self._copied_event(id_)
        items = [item for item in team.items() if _names_item(id_, item, event_id)]
        item = _own_item(id_, items)
        if not dry_run:
            team.unshare(item.number)
        return item

    def dispute(self, id_: str, reason: str = "", *, withdraw: bool = False) -> SharedItem:
        """Say that something shared by a teammate is wrong, or withdraw that.

        Everybody sees it as disputed, and by whom.
        """
        from ai_smartness.redact import redacted_text

        team = self._team()
        others = [item for item in team.items() if not item.is_own]
        event_id = self._copied_event(id_)
        item = _chosen_item(id_, [one for one in others if _names_item(id_, one, event_id)])
        if withdraw:
            team.withdraw_dispute(item.number)
        elif team.own_name not in item.disputed_by:
            team.dispute(item.number, redacted_text(reason.strip()[:REASON_CHARACTERS]))
        return next(one for one in team.items() if one.number == item.number)

    def shared_items(self) -> list[SharedItem]:
        """Return what the team shares, in all projects, the oldest first."""
        return self._team().items()

    def team_members(self) -> list[TeamMember]:
        """Return the people of the team, by name."""
        return self._team().members()

    def update_shared(self) -> TeamUpdate:
        """Copy what teammates share in this project, and delete copies of what they took back."""
        from ai_smartness.model.shared_item import TeamUpdate
        from ai_smartness.transfer.team_copies import CopyWriter, update_copies

        team = self._store.team
        if team is None or not team.is_set_up:
            return TeamUpdate()
        writer = CopyWriter(self._capture_messages, self._delete_copies)
        return update_copies(self._store, team, self.project, writer)

    def _delete_copies(self, ids: tuple[str, ...]) -> None:
        from ai_smartness.forget.forget import ErasureRequest, forget
        from ai_smartness.model.erasure import Selection
        from ai_smartness.model.journal import Actor

        selection = Selection(project=self.project, messages=ids)
        who = Actor("team", "server")
        forget(self._parts.store, ErasureRequest(selection=selection, who=who, now=self._clock()))
        for name in ("_assign_state", "_describer"):  # they have read the copies
            self.__dict__.pop(name, None)

    def add_team_member(self, name: str) -> bool:
        """Add a person to the server, and say whether it is a new one.

        Your role must be allowed to create roles. A member gets all rights of a member again.
        """
        return self._server_team().add_member(name)

    def _team(self) -> Team:
        team = self._server_team()
        if not team.is_set_up:
            msg = (
                "this server has no team, or you do not belong to it. Whoever looks after the "
                "server runs `ais team add NAME`; docs/team.md says how."
            )
            raise RefusedError(msg)
        return team

    def _server_team(self) -> Team:
        if self._store.team is None:
            msg = (
                "this memory is a file of your own, without a team. `ais share --git` shares "
                "through the repository; docs/team.md says how to use a server."
            )
            raise RefusedError(msg)
        return self._store.team

    def _copied_event(self, id_: str) -> str:
        """Return the id of the message that a statement or a thread copied from a teammate has."""
        try:
            if id_.startswith("s_"):
                self._embed_pending()  # the statement of a new copy may not be there yet
                seq = self._store.statements.get(self.project, id_).seq
                return self._store.events.by_seq([seq])[seq].id
            thread = self._store.threads.get(id_)
            return self._store.events.of_thread(thread.id)[0].id
        except (NotFoundError, IndexError):
            return ""


def _names_item(id_: str, item: SharedItem, event_id: str = "") -> bool:
    from ai_smartness.transfer.team_copies import copy_ids

    if id_.lstrip("#").isdigit() and len(id_) < len("000000"):
        return item.number == int(id_.lstrip("#"))
    return item.id.startswith(id_) or item.id.endswith(f"_{id_}") or event_id in copy_ids(item)


def _own_item(id_: str, items: list[SharedItem]) -> SharedItem:
    own = [item for item in items if item.is_own]
    if own:
        return _chosen_item(id_, own)
    if not items:
        msg = f"you share nothing with the id {id_}. `ais team` lists what is shared, and by whom."
        raise NotFoundError(msg)
    item = items[0]
    msg = (
        f"{id_} is shared by {item.author}, and only {item.author} can take it back. "
        f"`ais dispute {item.number}` says that it is wrong."
    )
    raise RefusedError(msg)


def _chosen_item(id_: str, items: list[SharedItem]) -> SharedItem:
    if len(items) == 1:
        return items[0]
    count = f"{len(items)} shared things have" if items else "nothing shared has"
    msg = f"{count} the id {id_}. `ais team` lists what is shared, and by whom."
    raise NotFoundError(msg)
