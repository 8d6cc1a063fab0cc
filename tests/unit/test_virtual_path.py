"""A path is read as a request, in whatever form a client hands it on."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ai_smartness.model.link import (
    HandoffLink,
    Link,
    MergeLink,
    RecallLink,
    SplitLink,
    SplitProposalLink,
    StatementsLink,
    StatusLink,
    SuggestionsLink,
    UnlockLink,
)
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import SplitLock
from ai_smartness.text.virtual_path import percent_decoded, percent_encoded
from ai_smartness.views.links import link_path
from ai_smartness.virtual.path import (
    HelpRequest,
    IncompleteRequest,
    UnknownRequest,
    is_virtual,
    parsed_request,
)
from hang import no_hang

texts = st.text(st.characters(exclude_categories=["Cs"]))
ids = texts.filter(bool)
parts_of_a_split = st.lists(
    st.builds(SplitPart, texts, st.lists(ids, max_size=4).map(tuple)),
    min_size=1,
    max_size=5,
).map(tuple)


def why(path: str) -> str:
    request = parsed_request(path)
    assert isinstance(request, IncompleteRequest)
    return request.problem


@pytest.mark.parametrize(
    "path",
    [
        ".ai/merge/a/b",
        "./.ai/merge/a/b",
        "/.ai/merge/a/b",
        "/home/u/proj/.ai/merge/a/b",
        "/home/u/my proj?/.ai/merge/a/b",
        "/home/u/.ai/proj/.ai/merge/a/b",
        r"C:\Users\u\proj\.ai\merge\a\b",
        r"C:\Users\u\proj/.ai/merge/a/b",
        r".ai\merge\a\b",
        ".ai//merge///a/b",
        ".ai/./merge/a/b",
        ".ai/unlock/../merge/a/b",
        ".ai/merge/a/b/",
        "  .ai/merge/a/b\n",
        ".ai/merge/%61/b",
    ],
)
def test_every_form_of_a_path_asks_for_the_same(path: str) -> None:
    assert parsed_request(path) == MergeLink("a", "b")
    assert is_virtual(path)


@pytest.mark.parametrize(
    "name",
    [
        *("two words", "two  spaces", "a&b=c", "100%", "a#b", "*", "[x]", "{x}", "it's", '"q"'),
        *("`x`", "$HOME", "a|b", "<x>", "a:b", "né", "ne\u0301", "🦀", "a\tb", "a\nb", "x" * 300),
    ],
)
def test_what_a_client_lets_through_arrives_as_it_was_written(name: str) -> None:
    assert parsed_request(f"/home/u/.ai/unlock/{name}") == UnlockLink(name)
    assert parsed_request(f".ai/split/t/confirm?titles={name.replace('&', '%26')}&msgs_0=m") == (
        SplitLink("t", (SplitPart(name, ("m",)),))
    )


def test_a_split_is_asked_for_in_two_steps() -> None:
    query = "titles=Hooks V4,Solana&msgs_0=msg_001,msg_002&msgs_1=msg_003&lock=agent_release"

    assert parsed_request(".ai/split/thread_x") == SplitProposalLink("thread_x")
    assert parsed_request(f".ai/split/thread_x/confirm?{query}") == SplitLink(
        "thread_x",
        (SplitPart("Hooks V4", ("msg_001", "msg_002")), SplitPart("Solana", ("msg_003",))),
        SplitLock.AGENT_RELEASE,
    )


@pytest.mark.parametrize("form", [r"C:\proj\.ai\split\t\confirm?{}", "/p/.ai//split/t/confirm?{}/"])
def test_the_second_step_is_read_in_every_form(form: str) -> None:
    query = "lock=force&msgs_1=c&msgs_0=a, b,&titles=One, Two"

    request = parsed_request(form.format(query))

    parts = (SplitPart("One", ("a", "b")), SplitPart("Two", ("c",)))
    assert request == SplitLink("t", parts, SplitLock.FORCE)


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("a%2Cb", "a,b"),
        ("R%26D", "R&D"),
        ("a%3Db", "a=b"),
        ("a=b", "a=b"),
        ("C++", "C++"),
        ("what?", "what?"),
        ("src/a.py", "src/a.py"),
        (r"src\a.py", r"src\a.py"),
        ("..", ".."),
        ("100%", "100%"),
        ("%zz%4", "%zz%4"),
        ("%FF%C3", "%FF%C3"),
        ("%C3%A9t%c3%a9", "été"),
        ("%2541", "%41"),
        ("see /.ai/merge/a/b", "see /.ai/merge/a/b"),
        ("\ud83e\udd80", "🦀"),
        ("\ud83e", "\ufffd"),
        ("%20x%20", " x "),
        (" x ", "x"),
    ],
)
def test_a_title_is_decoded_after_the_path_is_taken_apart(written: str, title: str) -> None:
    request = parsed_request(f".ai/split/t/confirm?titles={written}&msgs_0=m")

    assert request == SplitLink("t", (SplitPart(title, ("m",)),))


@given(texts.filter(lambda text: text not in ("", ".", "..", ".ai")), parts_of_a_split)
@example("t", (SplitPart('a,b&c%/?="\n🦀 \\', ("m,1", "m&2")), SplitPart("", ())))
@example("t", (SplitPart("/.ai/merge/a/b", ("..", "/")),))
def test_a_written_path_reads_back_as_what_was_written(
    thread: str,
    parts: tuple[SplitPart, ...],
) -> None:
    splits = [SplitLink(thread, parts, lock) for lock in SplitLock]
    requests: list[Link] = [
        MergeLink(thread, "b"),
        SplitProposalLink(thread),
        UnlockLink(thread),
        *splits,
    ]

    for request in requests:
        assert parsed_request(link_path(request)) == request
        assert parsed_request(f"/home/u/{link_path(request)}") == request


@given(texts)
def test_what_is_encoded_parts_no_path_and_ends_no_quotation(text: str) -> None:
    assert not set(percent_encoded(text)) & set("/\\?&=,\" '\n`")
    assert percent_decoded(percent_encoded(text)) == text


@given(st.text())
def test_anything_can_be_read_as_a_path(text: str) -> None:
    parsed_request(text)
    parsed_request(f".ai/{text}")
    parsed_request(f".ai/split/t/confirm?{text}")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (".ai/merge", "two threads, and what is named is none"),
        (".ai/merge/a", "two threads, and what is named is a"),
        (".ai/merge/a/b/c", "two threads, and what is named is a and b and c"),
        (".ai/split/", "one thread, and what is named is none"),
        (".ai/split/t/list", "one thread, and what is named is t and list"),
        (".ai/unlock", "one thread, and what is named is none"),
        (".ai/unlock/t?force=1", "takes no parameters, and 'force=1' is given"),
        (".ai/split/t/confirm", "no titles are given"),
        (".ai/split/t/confirm?msgs_0=m", "no titles are given"),
        (".ai/split/t/confirm?titles=A", "there are 1 titles and 0 groups"),
        (".ai/split/t/confirm?titles=A,B&msgs_0=m", "there are 2 titles and 1 groups"),
        (".ai/split/t/confirm?titles=A&msgs_0=m&msgs_1=n", "there are 1 titles and 2 groups"),
        (".ai/split/t/confirm?titles=A,B&msgs_1=m&msgs_2=n", "msgs_0 is missing"),
        (".ai/split/t/confirm?titles=A,B&msgs_0=m&msgs_2=n", "msgs_1 is missing"),
        (".ai/split/t/confirm?titles=R & D&msgs_0=m", "no parameter 'D'"),
        (".ai/split/t/confirm?titles=A&msgs_00=m", "no parameter 'msgs_00'"),
        (".ai/split/t/confirm?titles=A&msgs_99999999999999=m", "no parameter 'msgs_9999"),
        (".ai/split/t/confirm?titles=A&msgs_0=m&msgs_0=n", "msgs_0 is given 2 times"),
        (".ai/split/t/confirm?titles=A&titles=B&msgs_0=m", "titles is given 2 times"),
        (
            ".ai/split/t/confirm?titles=A&msgs_0=m&lock=ever",
            "no lock 'ever', only compaction, agent_release, force",
        ),
        (".ai/split/t/confirm?titles=A&msgs_0=m&lock=", "no lock ''"),
    ],
)
def test_what_is_missing_or_too_much_is_named(path: str, said: str) -> None:
    assert said in why(path)
    assert is_virtual(path)


@pytest.mark.parametrize("path", [".ai", ".ai/", ".ai/help", "/p/.ai/help/", ".ai/help/me"])
def test_help_can_be_asked_for(path: str) -> None:
    assert parsed_request(path) == HelpRequest()
    assert is_virtual(path)


def test_a_question_may_hold_any_path() -> None:
    asked = parsed_request("/home/u/.ai/recall/how does /.ai/merge/a/b work")

    assert asked == RecallLink("how does /.ai/merge/a/b work")


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        (".ai/suggestions", SuggestionsLink()),
        ("/home/u/.ai/suggestions/", SuggestionsLink()),
        (".ai/suggestions/%20", SuggestionsLink()),
        (".ai/statements", StatementsLink()),
        (".ai/statements/open_task/", StatementsLink("open_task")),
        (".ai/statements/the refresh/token", StatementsLink("the refresh/token")),
        (".ai/suggestions/working%20on auth", SuggestionsLink("working on auth")),
        (".ai/suggestions/read /.ai/merge/a/b?", SuggestionsLink("read /.ai/merge/a/b?")),
        (r"C:\proj\.ai\suggestions\auth", SuggestionsLink("auth")),
        (".ai/handoff", HandoffLink()),
        ("/home/u/.ai/handoff/", HandoffLink()),
        (".ai/handoff/0b1c-7", HandoffLink("0b1c-7")),
        (".ai/status", StatusLink()),
        ("/p/.ai/status/", StatusLink()),
        (".ai/status?all=1", StatusLink()),
    ],
)
def test_what_there_is_and_what_could_be_done_can_be_asked_for(path: str, asked: Link) -> None:
    assert parsed_request(path) == asked
    assert is_virtual(path)


@given(texts.map(str.strip).filter(bool))
@example(".")
@example("..")
def test_a_context_reads_back_as_it_was_written(context: str) -> None:
    assert parsed_request(link_path(SuggestionsLink(context))) == SuggestionsLink(context)
    assert parsed_request(link_path(SuggestionsLink())) == SuggestionsLink()
    assert parsed_request(link_path(HandoffLink(context))) == HandoffLink(context)
    assert parsed_request(link_path(HandoffLink())) == HandoffLink()
    assert parsed_request(link_path(StatusLink())) == StatusLink()


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        (".ai/recall/solana%20validators?limit=2", RecallLink("solana validators", 2)),
        (".ai/recall/100% of a/b?", RecallLink("100% of a/b?")),
        (".ai/recall/thread_2026", RecallLink("thread_2026")),
    ],
)
def test_a_question_is_read_as_it_is_written(path: str, asked: RecallLink) -> None:
    assert parsed_request(path) == asked


@pytest.mark.parametrize("path", [".ai/recall", ".ai/recall/", ".ai/recall/%20"])
def test_an_empty_question_says_what_is_missing(path: str) -> None:
    assert "no question" in why(path)


@pytest.mark.parametrize(
    ("path", "verb"),
    [
        (".ai/notes.md", "notes.md"),
        (".ai/merged/a/b", "merged"),
        (".ai/recall/../x", "x"),
        ("src/ai/merge/a/b", None),
        ("my.ai/merge/a/b", None),
        (".ai.md", None),
        (".ai/../src/split.py", None),
        ("", None),
    ],
)
def test_what_is_not_ours_is_left_to_its_owner(path: str, verb: str | None) -> None:
    assert parsed_request(path) == UnknownRequest(verb)
    assert not is_virtual(path)


@pytest.mark.parametrize("piece", ["/", "../", ".ai/", "%41", "%", "&", "a,", "msgs_0=", "?"])
def test_an_endless_path_is_read_at_once(piece: str) -> None:
    with no_hang():
        parsed_request(f".ai/split/t/confirm?titles={piece * 200_000}")
        parsed_request(piece * 200_000)
