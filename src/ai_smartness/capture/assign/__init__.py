"""Assign each message to a thread: decide, with the reason and the numbers, then record.

The rules take values and return values: no store, no clock. The same messages in the same order
give the same threads, with or without an embedder. `ThreadAssigner` keeps their state in step
with the store.
"""

from ai_smartness.capture.assign.assigner import decide_placement, record_placement
from ai_smartness.capture.assign.message import IncomingMessage, incoming_message
from ai_smartness.capture.assign.scoring import Placement
from ai_smartness.capture.assign.state import AssignmentState
from ai_smartness.capture.assign.weights import AssignWeights

__all__ = [
    "AssignWeights",
    "AssignmentState",
    "IncomingMessage",
    "Placement",
    "decide_placement",
    "incoming_message",
    "record_placement",
]
