import subprocess
import sys
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.threads.describe import Line, Notebook

IN_A_PROCESS = """
from ai_smartness.threads.describe import Line, Notebook
notebook, titles = Notebook(), {}
for number in range(60):
    thread = f"t{number % 7}"
    text = f"fix the cache of page{number % 5} in src/p{number % 7}.py. Слово 缓存刷新问题"
    if notebook.add(thread, Line("user", text, by_agent=number % 3 == 0)):
        found = notebook.description(thread, titles.get(thread, ""), set(titles.values()))
        titles[thread] = found.title
        print(ascii(found))
"""


def test_a_thread_is_due_at_its_first_messages_and_then_at_every_three_quarters_more() -> None:
    notebook = Notebook()

    due = [n for n in range(1, 200) if notebook.add("t", Line("user", "rotate the keys"))]

    assert due == [1, 2, 4, 7, 13, 23, 41, 72, 126]
    assert all(after >= before * 1.75 for before, after in pairwise(due[2:]))


def test_a_notebook_knows_how_many_threads_it_has_heard_of() -> None:
    notebook = Notebook()
    assert len(notebook) == 0

    for thread in ("a", "b", "a"):
        notebook.add(thread, Line("user", "rotate the keys"))

    assert len(notebook) == 2


def test_a_thread_never_heard_of_has_nothing_to_say() -> None:
    found = Notebook().description("t1")

    assert (found.title, found.topics, found.summary) == ("untitled", (), "")


def test_the_beginning_and_the_latest_messages_of_a_long_thread_are_remembered() -> None:
    notebook = Notebook()
    for number in range(200):
        notebook.add(
            "t", Line("user", f"Consider item{number}a together with item{number}b please.")
        )

    summary = notebook.description("t").summary

    assert "item0a" in summary
    assert any(f"item{number}a" in summary for number in range(160, 200))
    assert not any(f"item{number}a" in summary for number in range(40, 160))


def test_only_the_beginning_of_a_long_message_is_remembered() -> None:
    notebook = Notebook()
    notebook.add(
        "t", Line("user", "Rotate the signing keys now. " * 70 + "Never mention giraffes.")
    )

    assert "giraffes" not in notebook.description("t").summary


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
    asked, silent = Notebook(), Notebook()
    for thread, text in told:
        line = Line("user", text)
        assert asked.add(thread, line) == silent.add(thread, line)
        asked.description(thread)

    for thread, _ in told:
        assert asked.description(thread) == silent.description(thread)


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
    plain, other = Notebook(), Notebook()
    for notebook in (plain, other):
        notebook.add("a", Line("user", "rotate the login token every fifteen minutes"))
    other.add("b", Line("user", "rotate the tomatoes, and the token of the greenhouse"))
    other.add("b", Line("user", "water the tomatoes"))

    other.forget("b")
    other.forget("unknown")

    assert len(other) == 1
    assert other.description("a") == plain.description("a")
    for notebook in (plain, other):
        notebook.add("c", Line("user", "tomatoes and the greenhouse"))
    assert other.description("c") == plain.description("c")
