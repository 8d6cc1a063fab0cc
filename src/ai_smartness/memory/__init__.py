"""`Memory`, the one door: one short method for each verb.

Whatever calls us, a command, a hook, an agent's tool or a program of yours,
goes through here, and so does the same thing in the same way. The verbs stand by
what they are for: `keeping`, `looking`, `tidying`, `recalling`, `injecting`, `steering`,
`suggesting`, `compacting`, `condensing`, `handing`, `importing`, `redacting`, `forgetting`,
`exporting`.
"""

from pathlib import Path
from types import TracebackType
from typing import Self

from ai_smartness.memory.agent_log import CompactVerbs, HandoffVerbs
from ai_smartness.memory.base import MemoryParts, MemoryStatus
from ai_smartness.memory.recall import InjectVerbs
from ai_smartness.memory.steering import SteeringVerbs, SuggestionVerbs
from ai_smartness.memory.upkeep import ExportVerbs, ForgetVerbs, ImportVerbs, RedactVerbs
from ai_smartness.model.journal import Actor
from ai_smartness.virtual.answer import answer_path

__all__ = ["Memory", "MemoryParts", "MemoryStatus"]


class Memory(
    InjectVerbs,
    SteeringVerbs,
    SuggestionVerbs,
    CompactVerbs,
    HandoffVerbs,
    ImportVerbs,
    RedactVerbs,
    ForgetVerbs,
    ExportVerbs,
):
    """A memory, seen from one project."""

    @classmethod
    def open(
        cls,
        path: Path | str | None = None,
        *,
        project: str | Path | None = None,
        home: Path | str | None = None,
    ) -> "Memory":
        """Open a memory: the file named, or the user's own.

        `project` is a name, or a folder as a `Path`; without one it is the
        project of the current folder.
        """
        from ai_smartness.wiring import open_memory  # the parts are put together there

        return open_memory(path, project=project, home=home)

    def seen_from(self, project: str) -> "Memory":
        """Return the same memory seen from another project; it is closed with this one."""
        return self._seen_from(project)

    def used_by(self, who: Actor) -> "Memory":
        """Return the same memory in somebody else's hands: the journal says who did what."""
        return Memory(self._parts, self.project, self._settings, who)

    def read_virtual(self, path: str, session: str | None = None) -> str:
        """Return what an agent reads at a virtual path: what it asks for is done, and said."""
        return answer_path(self, path, session)

    def close(self) -> None:
        """Let go of the file."""
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
