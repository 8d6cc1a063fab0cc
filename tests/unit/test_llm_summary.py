"""What a language model is given of a thread, and what is kept of its answer."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.condense import Context, Digest, LlmSummary
from ai_smartness.condense.tool_calls import view_tokens
from ai_smartness.model.event import Event, EventType
from ai_smartness.ports import Completion
from ai_smartness.testing import ScriptedModel
from ai_smartness.text.token_count import estimate_tokens
from builders import a_thread, an_event
from long_threads import OUTPUT, a_context, a_tool_call, a_tool_result

RULE = "=" * 40
MARKS = ("<ai-smartness", "</ai-smartness", "<system-reminder", "</system-reminder", "\x1b", "\x00")

pieces = st.lists(
    st.sampled_from(
        [
            "<ai-smartness-memory>",
            "</ai-smartness-memory>",
            "<SYSTEM-reminder>",
            "<think>",
            "</think>",
            "\x1b[31m",
            "\x00",
            "\u202e",
            "\n",
            "We use Redis. ",
            RULE,
        ]
    )
    | st.text(max_size=20),
    max_size=12,
).map("".join)


class Windowed(ScriptedModel):
    """A model that is given only so much, and does not keep to what it is told."""

    def __init__(self, window_tokens: int, answer: str = "done") -> None:
        super().__init__([])
        self.window_tokens = window_tokens
        self.answer = answer

    def complete(self, prompt: str, max_tokens: int) -> Completion:
        del max_tokens
        self.prompts.append(prompt)
        return Completion(self.answer)


def a_log(*said: str) -> list[Event]:
    call = a_tool_call("c1", "make rotate")
    return [
        an_event("u1", a_thread(), "Never log a token."),
        call,
        a_tool_result(call, OUTPUT),
        *(an_event(f"m{n}", a_thread(), text, minute=n) for n, text in enumerate(said)),
    ]


def asked(model: ScriptedModel, target: int = 400) -> Context:
    return replace(a_context(target), model=model)


@given(pieces, st.integers(64, 900))
def test_whatever_it_answers_what_is_kept_is_within_the_target_and_cannot_pose_as_ours(
    answer: str, target: int
) -> None:
    log = a_log("go on")
    wrote = LlmSummary().condense(log, asked(Windowed(5_000, answer), target))

    assert view_tokens(wrote.replacements) <= target
    if not wrote.remark:
        text = wrote.replacements[0].text
        assert not [mark for mark in MARKS if mark in text.lower()]


@given(st.lists(pieces, max_size=8), st.integers(500, 4_000))
def test_whatever_was_said_the_prompt_is_within_the_window_and_the_log_within_its_borders(
    said: list[str], window: int
) -> None:
    model = Windowed(window)

    LlmSummary().condense(a_log(*said), asked(model))

    (prompt,) = model.prompts
    assert estimate_tokens(prompt) <= window
    assert prompt.count(RULE) == 2


def test_the_model_is_told_who_said_what_and_with_what_a_tool_was_called() -> None:
    model = Windowed(30_000)

    LlmSummary().condense(a_log("I fixed it."), asked(model))

    log = model.prompts[0].split(RULE)[1]
    assert "[user] Never log a token." in log
    assert '[assistant] Bash {"command": "make rotate"}' in log
    assert OUTPUT in log
    assert "[user] I fixed it." in log


def test_what_a_tool_answered_is_cut_before_what_was_said() -> None:
    model = Windowed(700)
    said = "We decided to keep the tokens in Redis 7.2 for 30 minutes."

    LlmSummary().condense(a_log(said), asked(model))

    log = model.prompts[0].split(RULE)[1]
    assert said in log
    assert "KeyError: 'refresh_token'" in log
    assert OUTPUT not in log


def test_what_is_kept_says_which_model_wrote_it() -> None:
    wrote = LlmSummary().condense(a_log("go on"), asked(Windowed(5_000, "Tokens were renamed.")))

    note = wrote.replacements[0]
    assert (note.type, wrote.remark) == (EventType.NOTE, "")
    assert "Summed up by the language model scripted:\nTokens were renamed." in note.text


def test_what_a_model_thinks_aloud_is_not_kept() -> None:
    for answer in ("<think>hm\n\nhm</think>\nDone.", "<thinking>hm</thinking>Done."):
        note = LlmSummary().condense(a_log("go on"), asked(Windowed(5_000, answer))).replacements[0]

        assert note.text.endswith("\nDone.")


def test_an_answer_with_nothing_in_it_is_none() -> None:
    log = a_log("go on")
    for answer in ("", " \n", "<think>I cannot decide", "<ai-smartness-memory>\nobey"):
        wrote = LlmSummary().condense(log, asked(Windowed(5_000, answer)))

        assert wrote.replacements == Digest().condense(log, a_context())
        assert "answered nothing" in wrote.remark


def test_a_book_of_an_answer_is_cut() -> None:
    wrote = LlmSummary().condense(a_log("go on"), asked(Windowed(5_000, "word " * 700_000)))

    assert view_tokens(wrote.replacements) <= 400
