"""Find how each error of a log was fixed, and whether it is solved.

An error that a command printed is solved when the command works later. Another one is solved
when the agent says soon afterwards that it is, or when somebody says that it works now.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ai_smartness.condense.tool_calls import call_arguments, paired_calls
from ai_smartness.model.event import Event, EventType
from ai_smartness.text.display import one_line, shortened_text

__all__ = ["ErrorFix", "command_result", "error_fixes"]

FIX_EVENTS = 6  # events after an error that may tell its fix
FIX_CHARACTERS = 120
READ_CHARACTERS = 20_000  # a longer message is a dump

_SOLVED = re.compile(
    r"\b(?:fix|fixed|fixes|solved|resolved|corrigé|résolu|behoben|gelöst|исправ\w*|arreglad\w*)\b",
    re.IGNORECASE,
)
_FIXED = re.compile(rf"{_SOLVED.pattern}|\b(?:because|caused|the cause|instead)\b", re.IGNORECASE)
_GONE = re.compile(
    r"\b(?:works|worked|working|passes|runs) (?:now|again|fine)\b|\bthe \w+ works\b"
    r"|\b(?:that|it|this) (?:works|worked|helped|did it)\b|\b(?:is|are) gone\b"
    r"|\bno longer (?:fails?|happens?|occurs?)\b|\b(?:läuft|funktioniert|geht|klappt) (?:es|jetzt"
    r"|wieder|nun)\b|\b(?:es|das) (?:läuft|funktioniert|klappt)\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not|never|no(?! longer)|nicht|kein\w*|if|whether|once|until|wenn|ob|still)\b|n't\b|\?",
    re.IGNORECASE,
)
_SENTENCE_ENDS = re.compile(r"[.!?](?=\s)|\n")
_SPOKEN_TYPES = frozenset({EventType.USER_MESSAGE, EventType.AGENT_MESSAGE})
_FOLDER_CHANGE = re.compile(r"^cd [^&;|]{1,200}(?:&&|;) *")
_OUTPUT_FILTER = re.compile(r"\s*(?:\d?>|\||;|&&).*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ErrorFix:
    """The sentence that tells an error's fix, if there is one, and whether it is solved."""

    sentence: str
    is_solved: bool


def error_fixes(events: Sequence[Event], errors: Mapping[str, int]) -> dict[str, ErrorFix]:
    """Return the fixes of errors, which are named with the place of the last mention."""
    runs = _command_runs(events)
    fixes = {}
    for name, place in errors.items():
        after = events[place + 1 : place + 1 + FIX_EVENTS]
        sentence, is_solved = _stated_fix(after)
        is_solved = is_solved or _is_said_gone(after)
        if command := runs.get(place, ("", False))[0]:
            is_solved = _works_later(command, place, runs)
        if sentence or is_solved:
            fixes[name] = ErrorFix(sentence, is_solved)
    return fixes


def command_result(result: Event) -> bool | None:
    """Say whether a command worked, if that is known."""
    code, is_error = result.payload.get("exit_code"), result.payload.get("is_error")
    if isinstance(code, int) and not isinstance(code, bool):
        return code == 0
    return not is_error if isinstance(is_error, bool) else None


def _stated_fix(events: Sequence[Event]) -> tuple[str, bool]:
    """Return the agent's first sentence about a fix, and whether it says that it is one."""
    for event in events:
        text = event.text[:READ_CHARACTERS]
        fix = _FIXED.search(text) if event.type is EventType.AGENT_MESSAGE else None
        if fix:
            sentence = _sentence_around(text, fix)
            return shortened_text(sentence, FIX_CHARACTERS), _SOLVED.search(sentence) is not None
    return "", False


def _is_said_gone(events: Sequence[Event]) -> bool:
    """Say whether the user or the agent says of an error that it is gone."""
    spoken = (event for event in events if event.type in _SPOKEN_TYPES)
    for event in spoken:
        text = event.text[:READ_CHARACTERS]
        sentences = (_sentence_around(text, match) for match in _GONE.finditer(text))
        if any(not _DOUBT.search(sentence) for sentence in sentences):
            return True
    return False


def _command_runs(events: Sequence[Event]) -> dict[int, tuple[str, bool]]:
    """Return each command that ended, and whether it worked, by the place of its output."""
    calls = {result: call for call, result in paired_calls(events).items()}
    runs = {}
    for place, event in enumerate(events):
        command = call_arguments(events[calls.get(place, place)]).get("command")
        worked = command_result(event) if event.type is EventType.TOOL_RESULT else None
        if worked is not None and isinstance(command, str):
            runs[place] = (_bare_command(command), worked)
    return runs


def _works_later(command: str, place: int, runs: Mapping[int, tuple[str, bool]]) -> bool:
    """Say whether the last run of a command, or of part of it, worked."""
    later = [run for at, run in sorted(runs.items()) if at > place]
    outcomes = [worked for other, worked in later if _is_same_command(command, other)]
    return bool(outcomes) and outcomes[-1]


def _is_same_command(one: str, other: str) -> bool:
    """Say whether one command is the other with further arguments."""
    shorter, longer = sorted((one.split(), other.split()), key=len)
    return bool(shorter) and longer[: len(shorter)] == shorter


def _bare_command(command: str) -> str:
    """Return a command without the folder it ran in and without filters of its output."""
    return _OUTPUT_FILTER.sub("", _FOLDER_CHANGE.sub("", command.strip())).strip()


def _sentence_around(text: str, match: re.Match[str]) -> str:
    """Return the sentence around a match; a dot inside a name does not end it."""
    begins = max((e.end() for e in _SENTENCE_ENDS.finditer(text, 0, match.start())), default=0)
    ends = _SENTENCE_ENDS.search(text, match.end())
    return one_line(text[begins : ends.start() if ends else len(text)])
