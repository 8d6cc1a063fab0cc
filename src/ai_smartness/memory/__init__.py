"""`Memory`, the one door: one short method for each verb.

Commands, hooks, agents' tools and your own programs all go through here. The verbs are
grouped by subject: `messages`, `browse`, `threads`, `statements`, `steering`, `recall`, `brief`,
`agent_log`, `documents`, `upkeep` and `sharing`.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from ai_smartness.memory.agent_log import AgentLogVerbs
from ai_smartness.memory.brief import BriefVerbs
from ai_smartness.memory.browse import BrowseVerbs
from ai_smartness.memory.documents import DocumentVerbs
from ai_smartness.memory.messages import MessageVerbs
from ai_smartness.memory.parts import MemoryParts
from ai_smartness.memory.recall import RecallVerbs
from ai_smartness.memory.sharing import TeamVerbs
from ai_smartness.memory.statements import StatementVerbs
from ai_smartness.memory.steering import SteeringVerbs
from ai_smartness.memory.threads import ThreadVerbs
from ai_smartness.memory.upkeep import UpkeepVerbs
from ai_smartness.model.status import MemoryStatus

if TYPE_CHECKING:
    from types import TracebackType

    from ai_smartness.model.journal import Actor

__all__ = ["Memory", "MemoryParts", "MemoryStatus"]


class Memory(
    MessageVerbs,
    BrowseVerbs,
    ThreadVerbs,
    StatementVerbs,
    SteeringVerbs,
    RecallVerbs,
    BriefVerbs,
    AgentLogVerbs,
    DocumentVerbs,
    UpkeepVerbs,
    TeamVerbs,
):
    """A memory, seen from one project."""

    @classmethod
    def open(
        cls,
        path: Path | str | None = None,
        *,
        project: str | Path | None = None,
        home: Path | str | None = None,
    ) -> Memory:
        """Open a memory: the named file, or the user's own.

        `project` is a name, or a folder: a `Path`, or a text that is spelled like one (`.`,
        `../shop`, `/work/shop`). The default is the project of the current folder.
        """
        from ai_smartness.wiring import open_memory

        return open_memory(path, project=project, home=home)

    def seen_from(self, project: str) -> Memory:
        """Return the same memory seen from another project; it is closed with this one."""
        return self._seen_from(project)

    def used_by(self, who: Actor) -> Memory:
        """Return the same memory in somebody else's hands: the journal says who did what."""
        if who not in self._other_hands:
            self._other_hands[who] = Memory(self._parts, self.project, self._settings, who)
        return self._other_hands[who]

    @cached_property
    def _other_hands(self) -> dict[Actor, Memory]:
        """Keep what others have loaded."""
        return {}

    def read_virtual(self, path: str, session: str | None = None) -> str:
        """Carry out the request of a virtual path, and return the answer as an agent reads it."""
        from ai_smartness.virtual.answer import answer_path

        return answer_path(self, path, self._clock(), session)

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
