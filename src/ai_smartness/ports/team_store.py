"""What a store offers to several people: who they are, and what they share."""

from collections.abc import Sequence
from typing import Protocol

from ai_smartness.model.shared_item import SharedDraft, SharedItem, SharedMessage, TeamMember

__all__ = ["Team"]


class Team(Protocol):
    """The people of a server, and what they share.

    Each has a memory of their own, which no other can read. The store itself knows who is logged
    in: nobody shares, unshares or disputes in another's name.
    """

    @property
    def is_set_up(self) -> bool:
        """Say whether the server has a team, and this person belongs to it."""

    @property
    def own_name(self) -> str:
        """The name of the person who is logged in."""

    def members(self) -> list[TeamMember]:
        """Return the people of the team, by name."""

    def items(self, project: str | None = None) -> list[SharedItem]:
        """Return what is shared, in one project or in all, the oldest first."""

    def messages(self, numbers: Sequence[int]) -> dict[int, list[SharedMessage]]:
        """Return the messages of shared items, by the number of the item."""

    def share(self, draft: SharedDraft) -> None:
        """Share something, in place of what this person shared under the same id."""

    def unshare(self, number: int) -> None:
        """Delete an item that this person shared."""

    def dispute(self, number: int, reason: str) -> None:
        """Dispute an item."""

    def withdraw_dispute(self, number: int) -> None:
        """Withdraw this person's disputes of an item."""

    def copied_ids(self, project: str) -> set[str]:
        """Return the ids of the copies of shared messages that this memory has of a project."""

    def add_member(self, name: str) -> bool:
        """Add a person, and say whether it is a new one.

        This role must be allowed to create roles and schemas.
        """
