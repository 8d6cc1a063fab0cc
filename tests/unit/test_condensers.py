"""What each condenser keeps of a thread, and that no call is parted from its result."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.condense import (
    Condenser,
    CondenserRegistry,
    Digest,
    LlmSummary,
    SummarizeAndReload,
    TrimToolResults,
    Wrote,
)
from ai_smartness.condense.tool_calls import paired_calls, unanswered_calls, view_tokens
from ai_smartness.condense.trim import TRUNCATED, trimmed_output
from ai_smartness.model.condensation import Replacement
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.text.token_count import estimate_tokens, truncated_middle
from builders import a_thread, an_event
from long_threads import OUTPUT, LineByLine, a_context, a_tool_call, a_tool_result


def asked(id_: str, text: str, minute: float = 0) -> Event:
    return an_event(id_, a_thread(), text, minute=minute)


def answered(id_: str, text: str, minute: float = 0) -> Event:
    event = an_event(id_, a_thread(), text, minute=minute)
    return replace(event, type=EventType.AGENT_MESSAGE, role="assistant")


def a_log() -> list[Event]:
    call, other = a_tool_call("c1", "pytest -q"), a_tool_call("c2", "make build")
    edit = replace(
        a_tool_call("c3"),
        payload={"tool": "Edit", "path": "src/auth/token.py", "added": 12, "removed": 3},
    )
    return [
        asked("u1", "Please make the refresh token live 30 minutes."),
        answered("a1", "I will look at `src/auth/token.py` and `refreshToken` first."),
        asked("u2", "You must never log a token. We decided to use Redis 7.2 for sessions."),
        call,
        a_tool_result(call, OUTPUT, exit_code=1),
        answered("a2", "Done. I fixed token.py: the field was renamed. Next?"),
        edit,
        other,
        a_tool_result(other, "built\n" * 80, exit_code=0),
        answered("a3", "- [ ] write the changelog\n- [x] rename the field\nSee https://a.dev/x"),
        asked("u3", "Fine, go on with the changelog."),
        answered("a4", "The changelog is written."),
    ]


def test_a_digest_keeps_rules_decisions_tasks_files_commands_errors_and_the_last_exchange() -> None:
    note, *last = Digest().condense(a_log(), a_context())

    for kept in (
        "Goal: Please make the refresh token live 30 minutes.",
        "You must never log a token.",
        "We decided to use Redis 7.2",
        "- write the changelog",
        "src/auth/token.py (changed +12 -3)",
        "pytest -q (failed, exit code 1)",
        "make build (worked)",
        "KeyError: 'refresh_token'",
        "(→ I fixed token.py: the field was renamed)",
        "refreshToken",
        "https://a.dev/x",
        "30 minutes",
    ):
        assert kept in note.text
    assert "rename the field" not in note.text
    assert [each.text for each in last] == [
        "Fine, go on with the changelog.",
        "The changelog is written.",
    ]


@given(st.integers(64, 900))
def test_a_digest_stays_within_its_target(target: int) -> None:
    assert view_tokens(Digest().condense(a_log(), a_context(target))) <= target


RULE = "You must never log a token."
DECISION = "We decided to use Redis 7.2 for sessions."


def a_log_full_of_names() -> list[Event]:
    named = " ".join(f"`refreshToken{number}` in src/auth/token_{number}.py" for number in range(9))
    talk = [answered(f"a{number}", f"{named} and `helper{number}`") for number in range(30)]
    return [
        asked("u0", "Please make tokens live longer."),
        asked("u1", RULE),
        *talk[:20],
        asked("u2", DECISION),
        *talk[20:],
    ]


def test_a_log_in_which_nobody_spoke_can_be_digested() -> None:
    calls = [a_tool_call(f"c{number}", f"make step{number}") for number in range(20)]
    log = [each for call in calls for each in (call, a_tool_result(call, OUTPUT, exit_code=0))]

    assert Digest().condense(log, a_context(400))


@pytest.mark.parametrize("target", [64, 80, 120, 214, 400, 900])
def test_what_the_user_stated_is_the_last_thing_to_go(target: int) -> None:
    made = Digest().condense(a_log_full_of_names(), a_context(target))

    text = "\n".join(each.text for each in made)
    assert RULE in text
    assert DECISION in text


def test_of_a_rule_that_is_too_long_there_is_as_much_as_fits() -> None:
    rule = f"You must never log a token, {'nor any part of it, ' * 12}not even once."
    log = [asked("u0", "Please go on."), asked("u1", rule), *a_log_full_of_names()[2:22]]

    note, *_ = Digest().condense(log, a_context(64))

    assert "You must never log a token" in note.text
    assert "not even once." in note.text


def test_what_is_left_of_the_room_goes_to_the_last_exchange() -> None:
    answer = "The changelog is written, and here is every word of it. " * 12
    log = [*a_log()[:-1], answered("a4", answer)]

    *_, last = Digest().condense(log, a_context(900))

    assert last.text == answer


def test_a_file_that_is_named_in_full_is_not_named_by_its_last_part_too() -> None:
    log = [
        asked("u1", "Look at token.py again, at token.py."),
        answered("a1", "That is src/auth/token.py, token.py for short."),
        *a_log_full_of_names(),
    ]

    note, *_ = Digest().condense(log, a_context(400))

    files = next(line for line in note.text.splitlines() if line.startswith("Files: "))
    assert "src/auth/token.py" in files
    assert " token.py" not in files


@given(st.integers(64, 900))
def test_a_summary_with_files_stays_within_its_target(target: int) -> None:
    context = replace(a_context(target), read_file=lambda path: f"# {path}\n" * 200)

    assert view_tokens(SummarizeAndReload().condense(a_log(), context)) <= target


def test_a_summary_reads_the_important_files_again_as_a_call_and_its_result() -> None:
    files = {"src/auth/token.py": "LIFETIME = 30\n"}
    context = replace(a_context(), read_file=files.get)

    summary, call, result = SummarizeAndReload().condense(a_log(), context)

    assert summary.text.startswith("## Session Summary\n- 3 messages of the user\n")
    assert "Ran 2 commands, 1 of which failed" in summary.text
    assert summary.text.endswith("## Important Files Reloaded:")
    assert (call.type, call.payload["args"]) == ("TOOL_CALL", {"path": "src/auth/token.py"})
    assert (result.type, result.text) == ("TOOL_RESULT", "LIFETIME = 30\n")
    assert paired_calls([summary, call, result]) == {1: 2}


def test_where_no_file_can_be_read_it_says_so() -> None:
    (summary,) = SummarizeAndReload().condense(a_log(), a_context())

    assert "Not reloaded: src/auth/token.py" in summary.text


def test_trimming_keeps_the_flow_and_cuts_what_tools_answered() -> None:
    log = a_log()

    kept = TrimToolResults().condense(log, a_context(600))

    assert [each.type for each in kept] == [event.type for event in log]
    assert [e.text for e in kept if e.type is not EventType.TOOL_RESULT] == [
        e.text for e in log if e.type is not EventType.TOOL_RESULT
    ]
    output = kept[4].text
    assert len(output) < len(OUTPUT)
    assert output.startswith("collected 412 items")
    assert "KeyError: 'refresh_token' in src/auth/token.py:88" in output
    assert "1 failed, 411 passed" in output
    assert output.endswith(TRUNCATED)


@given(st.text(max_size=3_000), st.integers(0, 500))
def test_what_is_trimmed_is_never_longer(text: str, characters: int) -> None:
    assert len(trimmed_output(text, characters)) <= max(len(text), characters + len(TRUNCATED) + 1)


@given(st.text(), st.integers(0, 200))
def test_what_is_cut_to_fit_fits(text: str, room: int) -> None:
    assert estimate_tokens(truncated_middle(text, room)) <= room


@pytest.mark.parametrize("condenser", list(CondenserRegistry()), ids=lambda each: str(each.id))
@pytest.mark.parametrize("target", [80, 200, 400])
def test_the_same_events_always_give_the_same_and_no_call_is_parted(
    condenser: Condenser, target: int
) -> None:
    log = a_log()
    given_before = list(log)

    once, twice = (list(_made(condenser, log, target)) for _ in range(2))

    assert once == twice
    assert log == given_before
    calls = [
        each for each in once if each.type is EventType.TOOL_CALL and "call_id" in each.payload
    ]
    assert len(paired_calls(once)) == len(calls)


def _made(condenser: Condenser, log: Sequence[Event], target: int) -> Sequence[Replacement]:
    made = condenser.condense(log, a_context(target))
    return made.replacements if isinstance(made, Wrote) else made


def test_without_a_model_a_digest_stands_in_and_says_why() -> None:
    wrote = LlmSummary().condense(a_log(), a_context())

    assert wrote.replacements == Digest().condense(a_log(), a_context())
    assert "no language model is configured" in wrote.remark


def test_a_call_and_its_result_are_known_by_their_id_or_by_standing_together() -> None:
    first, second = a_tool_call("c1"), a_tool_call("c2")
    nameless = replace(a_tool_call("c3"), payload={"tool": "Read"})
    log = [
        first,
        second,
        a_tool_result(second, "two"),
        a_tool_result(first, "one"),
        nameless,
        replace(a_tool_result(first, "three"), payload={"tool": "Read"}),
        nameless,
        replace(a_tool_result(first, "four"), payload={"tool": "Bash"}),
        a_tool_call("c4"),
    ]

    assert paired_calls(log) == {0: 3, 1: 2, 4: 5}
    assert unanswered_calls(log) == [8]


def test_a_plugin_is_loaded_when_its_name_is_asked_for_and_never_hides_one_of_ours() -> None:
    loads: list[int] = []

    def plugins() -> list[Condenser]:
        loads.append(1)
        mine = LineByLine([])
        posing = LineByLine([])
        posing.id = "digest"
        return [mine, posing]

    condensers = CondenserRegistry(plugins)

    assert condensers.by_name("digest").version == Digest.version
    assert not loads
    assert condensers.by_name("line-by-line").version == "7"
    assert len(list(condensers)) == 5
    assert len(loads) == 1


def test_a_name_that_cannot_be_typed_is_refused() -> None:
    odd = LineByLine([])
    odd.id = "No Name"

    with pytest.raises(RefusedError, match="cannot name a condenser"):
        CondenserRegistry().register(odd)


def test_a_digest_has_no_number_without_a_word_that_says_what_it_counts() -> None:
    call = a_tool_call("c1", "./measure")
    table = "\n".join(f"{n * 17} | {n * 1.37:.2f} | {n * 911}" for n in range(10, 40))
    events = [
        asked("u1", "Measure it."),
        call,
        a_tool_result(call, f"{table}\nmedian 4711 ms", exit_code=0),
        answered("a1", "It is measured."),
        asked("u2", "Good."),
    ]

    text = Digest().condense(events, a_context(400))[0].text

    assert "Numbers: median 4711 ms" in text
