import subprocess
import sys
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.describe.description import ThreadDescriber
from ai_smartness.describe.parse_message import ThreadLine

IN_A_PROCESS = """
from ai_smartness.describe.description import ThreadDescriber
from ai_smartness.describe.parse_message import ThreadLine
describer, titles = ThreadDescriber(), {}
for number in range(60):
    thread = f"t{number % 7}"
    text = f"fix the cache of page{number % 5} in src/p{number % 7}.py. Слово 缓存刷新问题"
    if describer.add(thread, ThreadLine("user", text, by_agent=number % 3 == 0)):
        found = describer.description_of(thread, titles.get(thread, ""), set(titles.values()))
        titles[thread] = found.title
        print(ascii(found))
"""


def test_a_thread_is_due_at_its_first_messages_and_then_at_every_two_fifths_more() -> None:
    describer = ThreadDescriber()

    due = [n for n in range(1, 200) if describer.add("t", ThreadLine("user", "rotate the keys"))]

    assert due == [1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 79, 111, 156]
    assert all(after >= before * 1.4 for before, after in pairwise(due[2:]))


def test_a_describer_counts_its_threads() -> None:
    describer = ThreadDescriber()
    assert len(describer) == 0

    for thread in ("a", "b", "a"):
        describer.add(thread, ThreadLine("user", "rotate the keys"))

    assert len(describer) == 2


def test_a_thread_never_heard_of_has_nothing_to_say() -> None:
    found = ThreadDescriber().description_of("t1")

    assert (found.title, found.topics, found.summary) == ("untitled", (), "")


def test_the_beginning_and_the_latest_messages_of_a_long_thread_are_remembered() -> None:
    describer = ThreadDescriber()
    for number in range(200):
        describer.add(
            "t", ThreadLine("user", f"Consider item{number}a together with item{number}b please.")
        )

    summary = describer.description_of("t").summary

    assert "item0a" in summary
    assert any(f"item{number}a" in summary for number in range(160, 200))
    assert not any(f"item{number}a" in summary for number in range(40, 160))


def test_only_the_beginning_of_a_long_message_is_remembered() -> None:
    describer = ThreadDescriber()
    describer.add(
        "t", ThreadLine("user", "Rotate the signing keys now. " * 70 + "Never mention giraffes.")
    )

    assert "giraffes" not in describer.description_of("t").summary


messages = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from(
            ["rotate the JWT keys", "fix the PDF font", "thanks", "", "src/app.py 缓存"]
        ),
    ),
    min_size=1,
    max_size=30,
)


@given(messages)
def test_asking_for_descriptions_does_not_change_later_ones(told: list[tuple[str, str]]) -> None:
    asked, silent = ThreadDescriber(), ThreadDescriber()
    for thread, text in told:
        line = ThreadLine("user", text)
        assert asked.add(thread, line) == silent.add(thread, line)
        asked.description_of(thread)

    for thread, _ in told:
        assert asked.description_of(thread) == silent.description_of(thread)


def test_nothing_depends_on_the_hash_seed() -> None:
    def output(seed: str) -> bytes:
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}
        return subprocess.run(
            [sys.executable, "-c", IN_A_PROCESS], env=env, check=True, capture_output=True
        ).stdout

    first = output("1")

    assert first.count(b"Description(") > 20
    assert first == output("2")


def test_a_thread_that_is_left_out_again_was_never_there() -> None:
    plain, other = ThreadDescriber(), ThreadDescriber()
    for describer in (plain, other):
        describer.add("a", ThreadLine("user", "rotate the login token every fifteen minutes"))
    other.add("b", ThreadLine("user", "rotate the tomatoes, and the token of the greenhouse"))
    other.add("b", ThreadLine("user", "water the tomatoes"))

    other.forget("b")
    other.forget("unknown")

    assert len(other) == 1
    assert other.description_of("a") == plain.description_of("a")
    for describer in (plain, other):
        describer.add("c", ThreadLine("user", "tomatoes and the greenhouse"))
    assert other.description_of("c") == plain.description_of("c")
