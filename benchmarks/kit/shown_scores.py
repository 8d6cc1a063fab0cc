"""Print what recall was measured to be."""

from typing import Any

from kit.scores import MEASURES
from kit.timing import print_table

__all__ = ["LEVELS", "show", "show_gate", "show_updates"]

LEVELS = ("message", "session", "single-session")
"""Where an answer is looked for; the last are the questions that exactly one session answers."""


def show(name: str, found: dict[str, Any]) -> None:
    """Print one set's scores, how ours stands, and the updates."""
    scores = found["scores"]
    for level in LEVELS:
        _show_level(name, level, scores)
    _show_verdicts(name, found["verdicts"])
    if "updates" in found:
        show_updates(name, found["updates"])


def show_updates(name: str, updates: dict[str, Any]) -> None:
    """Print how often what is true now stands above what was."""
    print_table(
        f"{name}: what is true now stands above what was; half a point where neither is found",
        ["", "newest above"],
        [[way, _interval(value)] for way, value in updates.items()],
    )


def _show_level(name: str, level: str, scores: dict[str, Any]) -> None:
    ways = [way for way in scores if f"{level} questions" in scores[way]]
    if not ways:
        return
    columns = [f"{level} {measure}" for measure in MEASURES]
    print_table(
        f"{name}: {scores[ways[0]][f'{level} questions']} questions with {level}s that answer",
        ["", *columns],
        [[way, *(_interval(scores[way][column]) for column in columns)] for way in ways],
    )


def _show_verdicts(name: str, verdicts: list[dict[str, Any]]) -> None:
    print_table(
        f"{name}: ours beside the better of BM25 and FTS5, the difference on the same questions",
        ["", "measure", "the better", "it has", "ours", "difference", "misses removed"],
        [
            [
                each["way"],
                each["measure"],
                each["best plain"],
                f"{each['plain']:.3f}",
                f"{each['ours']:.3f}",
                _interval(each["difference"], sign="+"),
                "" if each["misses removed"] is None else f"{each['misses removed']:.0%}",
            ]
            for each in verdicts
        ],
    )


def show_gate(name: str, gate: dict[str, Any]) -> None:
    """Print how well a gate tells prompts that need memory from the others."""
    print_table(
        f"{name}: which prompts get memory (recall / false)",
        ["", "AUROC", "false at 80 % recall", "over the floor", "given memory"],
        [
            [
                way,
                _interval(each["AUROC"]),
                _interval(each["false at 80 % recall"]),
                _pair(each.get("at the floor")),
                _pair(each.get("given memory")),
            ]
            for way, each in gate.items()
        ],
    )


def _interval(value: tuple[float, float, float], sign: str = "") -> str:
    return f"{value[0]:{sign}.3f} [{value[1]:{sign}.3f} {value[2]:{sign}.3f}]"


def _pair(value: tuple[float, float] | None) -> str:
    return f"{value[0]:.2f} / {value[1]:.2f}" if value else ""
