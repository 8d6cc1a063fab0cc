# ruff: noqa: RUF001 - the examples are in several languages

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.describe.description import Description, ThreadDescriber, thread_description
from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.describe.request_words import FAILURES
from ai_smartness.describe.word_weights import Vocabulary
from hang import no_hang

MEGABYTE = 1_000_000

OPENINGS = [
    (
        "can you please look at the JWT refresh in src/auth/middleware.py? It fails.",
        "JWT refresh in src/auth/middleware.py",
    ),
    (
        "Could you fix the JWT refresh? It is in the file src/auth/middleware.py",
        "JWT refresh in src/auth/middleware.py",
    ),
    ("hey, I think we should drop support for MySQL", "Dropping support for MySQL"),
    (
        "Implement the following plan:\n\n# Plan: Show totals & averages\n\n## Context\n\nNone.",
        "Showing totals & averages",
    ),
    ("# Fix the rounding of totals in invoices\n\nThey drift.", "Rounding of totals in invoices"),
    ("We should not display the token in logs", "Not displaying the token in logs"),
    (
        "Peux-tu corriger le rafraîchissement du jeton dans src/auth.py s'il te plaît ?",
        "Rafraîchissement du jeton dans src/auth.py",
    ),
    (
        "Kannst du bitte die Anmeldung mit zweitem Faktor über SMS reparieren?",
        "Anmeldung mit zweitem Faktor über SMS",
    ),
    (
        "¿Puedes arreglar la exportación de facturas a PDF? Los acentos salen mal.",
        "Exportación de facturas a PDF",
    ),
    (
        "Пожалуйста, исправь утечку памяти в кэше изображений. Она появляется к вечеру.",
        "Утечка памяти в кэше изображений",
    ),
    ("请帮我修复登录页面的验证码刷新问题，图片不显示。", "登录页面的验证码刷新问题"),
    ("請求書のPDF出力を修正してください。", "請求書の PDF 出力"),
    ("修改src/auth/jwt.py文件里的JWT刷新逻辑，谢谢", "src/auth/jwt.py 文件里的 JWT 刷新逻辑"),
    ("कृपया लॉगिन पृष्ठ की त्रुटि ठीक करें", "लॉगिन पृष्ठ की त्रुटि"),
]

REQUESTS = [
    (
        "can you please delete the old login page and add tests",
        "Deleting the old login page and adding",
    ),
    (
        "Delete the stale feature flags from the config loader",
        "Deleting stale feature flags from config loader",
    ),
    ("rename the customer table to accounts", "Renaming the customer table to accounts"),
    ("Add rate limiting to the upload endpoint", "Rate limiting in the upload endpoint"),
    ("we need to come up with a retry policy for webhooks", "Retry policy for webhooks"),
    ("is there an easy fix for the flaky checkout test?", "Flaky checkout test"),
    ("how does the cache invalidation work with read replicas?", "Cache invalidation with read"),
    ("The nightly backup job is still failing", "Failing nightly backup job"),
    ("the avatar images are not rendered in dark mode", "Avatar images not rendered in dark mode"),
    ("investigate why the payment webhook fails on Sundays", "Failing payment webhook on Sundays"),
    ("the importer has a memory leak", "Memory leak in the importer"),
    ("the latency panel has gaps at night", "Gaps at night in the latency panel"),
    ("I want you to analyse the onboarding flow", "Onboarding flow"),
    ("can't we reuse the parser of the query language?", "Reusing the parser of the query"),
    (
        "theres a batch of new complaints from the printing house",
        "New complaints from the printing",
    ),
    ("I got these errors when importing the ledger", "Errors when importing the ledger"),
    ('# Fix: "Print Invoice" button prints drafts', '"Print Invoice" button prints drafts'),
    ("Le logo est encore trop petit sur mobile.", "Logo trop petit sur mobile"),
    ("# Plan: Block uploads of huge files", "Blocking uploads of huge files"),
    ("Re-run the nightly import from the admin page", "Re-running the nightly import from"),
    ("# Auto-expand the latest order", "Auto-expanding the latest order"),
    ("Is it possible to create a striped progress bar?", "Striped progress bar"),
    ("How can we support Fish, yet another shell?", "Supporting Fish"),
    ("Never store the password in a cookie", "Never storing the password in a cookie"),
    ("There are no integration tests for refunds", "No integration tests for refunds"),
    ("the footer is too small to read on phones", "Footer too small to read on phones"),
    ("publish to the registry failed", "Publishing to the registry failing"),
]

WEAK_OPENINGS = [
    "continue",
    "https://github.com/acme/shop/issues/4711",
    "analyse this issue: https://github.com/acme/shop/issues/4711",
    "https://github.com/acme/shop/issues/4711 analyze and implement this feature request.",
    "3 but apply the changes to this branch",
]

INVOICES = [
    "The invoice PDF breaks when a customer's name has an umlaut, see billing/render.py",
    "I'll look at billing/render.py and how renderInvoice() picks its font.",
    "does the invoice PDF embed the font at all?",
    "No: renderInvoice() asks for Helvetica, which has no umlaut glyphs in this PDF library.",
    "then embed DejaVu Sans in the invoice",
    "Done, the invoice PDF embeds DejaVu Sans now and the umlaut test passes.",
    "add a test with a Turkish name to the invoice tests",
    "Added a test with a dotless i; the invoice PDF renders it.",
]
SEARCH = [
    "Now the search page: typing fires a request per key, debounce it in SearchBox.tsx",
    "SearchBox.tsx now waits 300 ms after the last key before the search request.",
    "and cancel the search request that is still running when a new one starts",
    "SearchBox.tsx aborts the running search request with an AbortController.",
    "highlight the matching part in each search result, also in SearchBox.tsx",
    "Search results are highlighted by SearchBox.tsx with a mark element.",
]


def thread(texts: list[str]) -> list[ThreadLine]:
    """Return a conversation of a user and an assistant, in turns."""
    return [
        ThreadLine(("user", "assistant")[n % 2], t, by_agent=n % 2 == 1)
        for n, t in enumerate(texts)
    ]


def alone(*texts: str, by_agent: bool = False, former: str = "") -> Description:
    lines = [ThreadLine("tool" if by_agent else "user", text, by_agent) for text in texts]
    return thread_description(lines, Vocabulary(threads=1), former)


@pytest.mark.parametrize(("text", "title"), OPENINGS)
def test_one_message_is_enough_for_a_title(text: str, title: str) -> None:
    assert alone(text).title == title


@pytest.mark.parametrize(("text", "beginning"), REQUESTS)
def test_a_title_is_the_object_of_the_request_and_not_its_verb(text: str, beginning: str) -> None:
    assert alone(text).title.startswith(beginning)


@pytest.mark.parametrize("opening", WEAK_OPENINGS)
def test_an_opening_that_names_no_subject_is_titled_by_the_answer(opening: str) -> None:
    lines = thread(
        [
            opening,
            "Let me check the issue first.",
            "go on",
            "The coupon validator accepts expired vouchers because it compares dates as text.",
            "ok",
            "Expired vouchers are rejected now: the coupon validator parses both dates.",
        ]
    )

    title = thread_description(lines, Vocabulary(threads=1)).title

    assert "coupon validator" in title.casefold() or "expired vouchers" in title.casefold()
    assert "analy" not in title.casefold()


def test_an_issue_that_a_thread_is_about_stands_behind_the_subject() -> None:
    lines = thread(
        [
            "analyse https://github.com/acme/shop/issues/4711",
            "The coupon validator accepts expired vouchers.",
        ]
    )

    assert thread_description(lines, Vocabulary(threads=1)).title.endswith("(#4711)")


@pytest.mark.parametrize(
    "remark",
    [
        "Still not absolutely perfect.",
        "still too hard",
        "hmm, it does not look right yet",
        "yes, delete them",
        "I agree with both of them, go ahead",
    ],
)
def test_a_remark_in_a_chat_is_no_title(remark: str) -> None:
    lines = thread(
        [remark, "I will soften the gradient of the status bar.", "ok", "The gradient is softer."]
    )

    title = thread_description(lines, Vocabulary(threads=1)).title

    assert "gradient" in title.casefold()
    assert ":" not in title


@pytest.mark.parametrize(
    "texts", [["fix login"], ["colours"], ["Where is Redis?", "On port 6380."]]
)
def test_a_short_title_is_not_filled_up_with_keywords(texts: list[str]) -> None:
    assert ":" not in thread_description(thread(texts), Vocabulary(threads=1)).title


def test_the_subject_of_a_commit_that_is_quoted_is_no_title() -> None:
    found = alone(
        'On branch `themes`, commit 5cf09a5f ("refactor(web): give the menu a lighter arrow") '
        "added two stray scratch files to the repository. Remove the scratch files again."
    )

    assert "scratch files" in found.title
    assert "arrow" not in found.title


@pytest.mark.parametrize("texts", [INVOICES, SEARCH, INVOICES + SEARCH])
def test_a_title_has_at_most_eight_words(texts: list[str]) -> None:
    assert len(thread_description(thread(texts), Vocabulary(threads=1)).title.split()) <= 8


@pytest.mark.parametrize(
    "text", ["", " \n\t", "…", "!!!", "🎉🎉", "```\n```", "-", "\x00", "https://?"]
)
def test_a_thread_in_which_nothing_was_said_is_untitled(text: str) -> None:
    assert alone(text).title == "untitled"
    assert alone(text, former="Rotate the keys").title == "Rotate the keys"


def test_a_message_that_is_all_code_is_named_by_its_names() -> None:
    found = alone("```python\ndef rotate_keys(store):\n    return store.rotate()\n```")

    assert "rotate_keys" in found.title
    assert "rotate_keys" in found.topics


def test_a_thread_of_tool_lines_only_is_named_by_what_they_name() -> None:
    found = alone(
        "FAIL TestRotateKeys: expected 3 keys, got 4 (rotate_test.go:17)",
        "ok billing 0.31s, ok search 1.02s",
        "FAIL TestRotateKeys: expected 3 keys, got 4 (rotate_test.go:17)",
        by_agent=True,
    )

    assert "TestRotateKeys" in found.title


def test_small_talk_never_changes_a_description() -> None:
    lines = thread(INVOICES)
    before = thread_description(lines, Vocabulary(threads=1))

    for talk in (
        "thanks",
        "ok go on",
        "yes please do",
        "merci, parfait",
        "danke, weiter",
        "👍",
        "",
    ):
        lines.append(ThreadLine("user", talk))
        assert thread_description(lines, Vocabulary(threads=1)) == before


def test_a_thread_keeps_its_title_while_it_grows_to_forty_messages() -> None:
    describer = ThreadDescriber()
    titles: list[str] = []
    for number, line in enumerate(thread(INVOICES * 5)):
        describer.add("invoices", line)
        former = titles[-1] if titles else ""
        titles.append(describer.description_of("invoices", former).title)
        assert number < 1 or titles[-1] == titles[1]

    assert "invoice pdf" in titles[-1].casefold()


def test_a_title_gives_way_when_the_subject_has_clearly_changed() -> None:
    lines = thread(["quick question about the logo", "Sure.", *SEARCH * 6])

    found = thread_description(
        lines, Vocabulary(threads=1), former_title="Quick question about the logo"
    )

    assert "search" in found.title.casefold()


def test_two_threads_about_one_thing_get_different_titles() -> None:
    vocabulary = Vocabulary(threads=2)
    taken: set[str] = set()

    for _ in range(12):
        title = thread_description(thread(INVOICES), vocabulary, taken_titles=taken).title
        assert title not in taken
        taken.add(title)


def test_a_thread_may_keep_its_own_title_though_it_is_taken_by_itself() -> None:
    first = thread_description(thread(INVOICES), Vocabulary(threads=1)).title

    again = thread_description(thread(INVOICES), Vocabulary(threads=1), first, {first, "Another"})

    assert again.title == first


def test_what_every_thread_says_names_none() -> None:
    describer = ThreadDescriber()
    for number, subject in enumerate(["umlauts", "discounts", "reminders", "refunds"] * 8):
        describer.add(
            f"t{number}", ThreadLine("user", f"invoice service again: {subject} are broken")
        )

    assert "umlauts" in describer.description_of("t0").title.casefold()
    assert "invoice" not in describer.description_of("t0").topics


@pytest.mark.parametrize("texts", [INVOICES, SEARCH, INVOICES + SEARCH])
def test_every_word_of_a_title_was_said(texts: list[str]) -> None:
    said = set(re.findall(r"\w+", " ".join(texts).casefold()))

    title = thread_description(thread(texts), Vocabulary(threads=1)).title

    assert set(re.findall(r"\w+", title.casefold())) <= said | set(FAILURES.values())


lines = st.lists(
    st.builds(ThreadLine, st.text(max_size=8), st.text(max_size=300), st.booleans()), max_size=8
)


@given(lines, st.text(max_size=40), st.sets(st.text(max_size=40), max_size=3))
def test_whatever_was_said_the_description_is_short_and_always_the_same(
    said: list[ThreadLine], former: str, taken: set[str]
) -> None:
    found = thread_description(said, Vocabulary(), former[:20], taken)

    assert found == thread_description(said, Vocabulary(), former[:20], taken)
    assert 0 < len(found.title) <= 120
    assert len(found.topics) <= 6
    assert len(found.summary.splitlines()) <= 5
    assert all(len(topic) <= 120 for topic in found.topics)


@pytest.mark.parametrize(
    "piece",
    ["a", "a.", "a/", "<a>", "`", "- ", "字", "한", "а-", "http://", "a b ", "# ", ".?!", "\u0301"],
)
def test_a_hostile_megabyte_does_not_hang(piece: str) -> None:
    text = piece * (MEGABYTE // len(piece))

    with no_hang():
        found = alone(text, text, text)

    assert len(found.title) <= 120
