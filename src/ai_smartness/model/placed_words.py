"""Say why a message is on its thread, in the words of a person."""

from collections.abc import Sequence

__all__ = ["why_placed"]

MENTIONED = 0.05
"""A weight that would be written as 0.0 says nothing to a reader."""

_SAID: dict[str, str] = {
    "explicit": "is on the thread that was named",
    "answers": "answers on the session's thread",
    "continues": "continues the session's thread",
    "returns": "goes back to an older thread",
    "opens": "opens a thread",
    "pinned": "was pinned, on a thread of its own",
}

_OVER: dict[str, str] = {
    "continues": "a new one",
    "returns": "what was needed",
    "opens": "any other",
}

_WORDS = {
    "leave": "readiness to leave",
    "length": "length",
    "untold": "words not heard yet",
    "cover": "words already heard",
    "shared": "shared rare words",
    "last": "like the last message",
    "near": "like a recent message",
    "subject": "like its subject",
    "current": "the talk is here",
    "recent": "messages since",
    "gap": "time since",
    "answers": "was asked here",
    "spoke": "speaker was here last",
    "takes_part": "speaker takes part",
    "told": "speaker was spoken to here",
    "spoken_to": "addressee was here last",
    "partner": "addressee takes part",
    "stranger": "addressee is not here",
    "talked": "these two talked here",
    "new": "readiness to open",
    "new_length": "length",
    "new_by_agent": "agents answer",
    "new_speaker": "speaker is new",
    "new_to_all": "speaks to nobody",
    "kinship": "kinship",
}


def why_placed(
    reason: str,
    score: float,
    margin: float,
    evidence: Sequence[tuple[str, float]],
    *,
    held: bool = False,
    takes_held: bool = False,
) -> str:
    """Say in one sentence where a message went and on what grounds."""
    numbers = f" (score {_number(score)}, {_number(margin)} over {_OVER.get(reason, 'any other')})"
    parts = [_SAID.get(reason, reason), numbers if evidence else "", _grounds(evidence)]
    if held:
        parts.append("; held until the next message tells whether the subject changed")
    elif takes_held:
        parts.append("; takes along what was held before it")
    return "".join(parts)


def _grounds(evidence: Sequence[tuple[str, float]]) -> str:
    weighed = [(name, value) for name, value in evidence if abs(value) >= MENTIONED]
    weighed.sort(key=lambda each: -abs(each[1]))
    listed = ", ".join(
        f"{_WORDS.get(name, name)} {_number(value, plus='+')}" for name, value in weighed
    )
    return f": {listed}" if listed else ""


def _number(value: float, plus: str = "") -> str:
    return f"{'−' if value < 0 else plus}{abs(value):.1f}"  # noqa: RUF001 - a minus people read
