"""How full an agent's window is, and what was done about it."""

from dataclasses import dataclass

from ai_smartness.model.condensed import CondenseOutcome

__all__ = ["Pressure"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressure:
    """The share of a window that is used, and what came of it.

    `crossed` is the breakpoint that was just passed, once for each time; `condensed` the threads
    of the session that were said in few words for it, `refused` why others were not.
    """

    session: str
    share: float
    crossed: float | None = None
    condensed: tuple[CondenseOutcome, ...] = ()
    refused: tuple[str, ...] = ()
