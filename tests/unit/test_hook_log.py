"""The hook's log: how long its runs took, and who answered the prompts."""

import pytest

from ai_smartness.clients.hook_log import (
    counted_prompts,
    logged_runs,
    percentile,
    prompts_json,
    prompts_text,
)


def test_the_log_is_read_and_what_is_no_run_is_passed_over() -> None:
    lines = [
        "ms=12 cut off in the middle",
        "2026-11-16T03:18:01Z event=UserPromptSubmit took_ms=21.4 by=daemon kept=1 shown=812",
        "2026-11-16T03:18:02Z event=Stop took_ms=9.0 trouble_keep=OSError:_disk_full",
        "",
    ]

    first, second = logged_runs(lines)

    assert (first.event, first.took_ms, first.error) == ("UserPromptSubmit", 21.4, "")
    assert (second.at, second.error) == ("2026-11-16T03:18:02Z", "OSError:_disk_full")


def test_a_percentile_is_one_of_the_numbers() -> None:
    assert percentile([5.0], 95) == 5.0
    assert percentile([float(number) for number in range(1, 101)], 50) == 50
    assert percentile([float(number) for number in range(1, 101)], 95) == 95


def prompt_line(words: str) -> str:
    return f"2026-11-16T03:18:01Z event=UserPromptSubmit took_ms=9.0 kept=1 {words}"


@pytest.mark.parametrize(
    ("words", "answerer", "reason"),
    [
        ("answered=812 by=words:late", "keywords", "late"),
        ("answered=812 by=words:absent started=True", "keywords", "absent"),
        ("answered=812 by=words:gone", "keywords", "absent"),
        ("answered=812 by=words:absent started=False", "keywords", "starting"),
        ("answered=812 by=words:the_memory_is_busy", "keywords", "error"),
        ("by=daemon", "silent", "nothing_matched"),
        ("in_sight=True by=daemon", "silent", "in_sight"),
        ("unneeded=True by=daemon", "silent", "unneeded"),
        ("by=words:absent started=True", "silent", "nothing_matched"),
        ("by=words:late", "silent", "late"),
        ("by=words:absent,late", "silent", "late"),
        ("by=nobody:late", "silent", "late"),
        ("by=words:garbled", "silent", "error"),
        ("by=words:absent trouble_answer=DatabaseError:_damaged", "silent", "error"),
        ("trouble_answer=ImportError:_no_module", "silent", "error"),
    ],
)
def test_a_prompt_counts_for_who_answered_it_and_why(
    words: str, answerer: str, reason: str
) -> None:
    counts = prompts_json(counted_prompts(logged_runs([prompt_line(words)])))

    reasons = counts[answerer]
    assert isinstance(reasons, dict)
    assert reasons[reason] == 1
    assert counts["total"] == 1


def test_other_events_and_the_clients_own_prompts_do_not_count() -> None:
    lines = [prompt_line("by=nobody"), "2026-11-16T03:18:01Z event=Stop took_ms=9.0 by=daemon"]

    assert prompts_text(counted_prompts(logged_runs(lines))) == "none yet"


def test_the_counts_are_said_in_words() -> None:
    words = ["answered=8 by=daemon", "answered=8 by=words:late", "by=words:late", "by=daemon"]
    words += [*2 * ["in_sight=True by=daemon"], "unneeded=True by=daemon"]

    text = prompts_text(counted_prompts(logged_runs(map(prompt_line, words))))

    assert text == (
        "7 in the log: 1 answered by the daemon, 1 by keywords (the daemon was late: 1), "
        "5 silent (nothing matched: 1, the prompt did not look like it needs memory: 1, "
        "the session has the answer already: 2, the answer was late: 1)"
    )
