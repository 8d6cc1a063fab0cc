"""Decide when an agent's context window is full enough to condense: at two breakpoints.

Each is reported once, and again only after the window was well below it or was compacted.
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
"""At the first there is time to condense; soon after the second the client compacts itself."""

RESET_MARGIN = 0.05  # share of the window: small changes around a breakpoint are one crossing
EMERGENCY_DIVISOR = 4  # in an emergency a thread may take a quarter of its usual target


class BreakpointCrossing(NamedTuple):
    """The breakpoint that was just passed, if any, and the one to remember as passed."""

    crossed: float | None
    remembered: float


def breakpoint_crossing(share: float, before: float) -> BreakpointCrossing:
    """Return the highest breakpoint that is newly passed."""
    passed = _passed_breakpoint(share)
    if passed > before:
        return BreakpointCrossing(passed, passed)
    return BreakpointCrossing(None, min(before, _passed_breakpoint(share + RESET_MARGIN)))


def window_share(used: object, window: object) -> float:
    """Return the used share of a window; refuse values that are no numbers of tokens."""
    if isinstance(used, int | float) and isinstance(window, int | float):
        numbers = not isinstance(used, bool) and not isinstance(window, bool)
        if numbers and used >= 0 and window > 0:
            return float(used / window)
    msg = (
        f"cannot tell the pressure of {used!r} in a window of {window!r}: both are numbers of "
        "tokens, and a window has at least one."
    )
    raise RefusedError(msg)


def condense_target(crossed: float, target: int) -> int:
    """Return the tokens that a thread's working view may take after a breakpoint."""
    return max(1, target // EMERGENCY_DIVISOR) if crossed >= EMERGENCY else target


def _passed_breakpoint(share: float) -> float:
    return max((point for point in BREAKPOINTS if share >= point), default=0.0)
