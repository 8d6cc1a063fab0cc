"""When an agent's window is full enough for something to be done: at two breakpoints.

Each is told once. It is told again only after the window was well below it meanwhile,
or was compacted.
"""

from typing import NamedTuple

from ai_smartness.model.errors import RefusedError

__all__ = [
    "BREAKPOINTS",
    "EMERGENCY",
    "BreakpointCrossing",
    "breakpoint_crossing",
    "condense_target",
    "window_share",
]

EMERGENCY = 0.9
BREAKPOINTS = (0.6, EMERGENCY)
"""At the first there is room left to condense in peace; after the second the client compacts."""

RESET_MARGIN = 0.05
"""Of the window: a little up and down about a breakpoint is one crossing."""

EMERGENCY_DIVISOR = 4
"""In an emergency a thread may take the fourth part of what it may take else."""


class BreakpointCrossing(NamedTuple):
    """The breakpoint that was just passed, if one was, and the one to remember as passed."""

    crossed: float | None
    remembered: float


def breakpoint_crossing(share: float, before: float) -> BreakpointCrossing:
    """Tell which breakpoint is passed that was not before; several at once are the highest."""
    now = _passed_breakpoint(share)
    if now > before:
        return BreakpointCrossing(now, now)
    return BreakpointCrossing(None, min(before, _passed_breakpoint(share + RESET_MARGIN)))


def window_share(used: object, window: object) -> float:
    """Return the share of a window that is used; refuse what is neither."""
    whole = isinstance(window, int | float) and not isinstance(window, bool) and window > 0
    part = isinstance(used, int | float) and not isinstance(used, bool) and used >= 0
    if not whole or not part:
        msg = (
            f"cannot tell the pressure of {used!r} in a window of {window!r}: both are numbers of "
            "tokens, and a window has at least one."
        )
        raise RefusedError(msg)
    return float(used / window)  # type: ignore[operator] # numbers, as just seen


def condense_target(crossed: float, target: int) -> int:
    """Return how many tokens a thread's working view may take from a breakpoint on."""
    return max(1, target // EMERGENCY_DIVISOR) if crossed >= EMERGENCY else target


def _passed_breakpoint(share: float) -> float:
    return max((each for each in BREAKPOINTS if share >= each), default=0.0)
