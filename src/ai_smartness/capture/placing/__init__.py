"""Say on which thread a message belongs, with the reason and the numbers.

Everything here is a rule over values: no store, no clock. The same messages in
the same order give the same threads, with or without an embedder.
"""

from ai_smartness.capture.placing.board import Board
from ai_smartness.capture.placing.incoming import Incoming, incoming
from ai_smartness.capture.placing.placement import placement, take
from ai_smartness.capture.placing.rules import PlaceRules
from ai_smartness.capture.placing.why import Placement

__all__ = ["Board", "Incoming", "PlaceRules", "Placement", "incoming", "placement", "take"]
