"""Put each message on the thread it belongs to.

It continues the session's current thread, goes back to an older one or opens a
new one. A message always gets a thread: none is dropped for being different.
"""

from ai_smartness.capture.placing.alone import placed_alone
from ai_smartness.capture.placing.board import Board
from ai_smartness.capture.placing.company import placed_in_company
from ai_smartness.capture.placing.incoming import Incoming
from ai_smartness.capture.placing.measures import Case
from ai_smartness.capture.placing.returning import returned
from ai_smartness.capture.placing.rules import PlaceRules
from ai_smartness.capture.placing.why import Placement

__all__ = ["placement", "take"]


def placement(message: Incoming, board: Board, rules: PlaceRules) -> Placement:
    """Decide which thread a message belongs to."""
    if message.thread is not None:
        return Placement(message.thread, "explicit")
    seat = board.seat(message.session)
    if message.by_agent and message.session is not None and seat.current is not None:
        # An agent answers whoever it works for, so two sessions at once never get mixed up.
        return Placement(seat.current, "answers", held=bool(seat.held))
    case = Case(message, board, seat, rules, board.told(message.terms))
    if message.session is None or message.speaker is not None:
        return placed_in_company(case)
    if back := returned(case):
        return back
    return Placement(None, "opens") if seat.current is None else placed_alone(case, seat.current)


def take(board: Board, message: Incoming, decided: Placement, new_id: str) -> str:
    """Bring the board up to date with a decision and return the thread's id.

    What the session held back is settled with it: on the thread it was held
    on, or along with this message where `takes_held` says so.
    """
    thread_id = decided.thread if decided.thread is not None else new_id
    if decided.held:
        board.hold(message, thread_id)
        return thread_id
    held_on = board.seat(message.session).current
    board.settle(message.session, thread_id if decided.takes_held or held_on is None else held_on)
    board.add(message, thread_id)
    return thread_id
