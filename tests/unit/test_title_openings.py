"""A title is made of what the opening asks for, or of what it points at; never of an aside."""

import pytest

from ai_smartness.describe.description import ThreadDescriber, thread_description
from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.describe.word_weights import Vocabulary


def title_of(*texts: str, first: str = "user") -> str:
    """Return the title of a conversation of a user and an agent, in turns."""
    speakers = ("user", "assistant") if first == "user" else ("assistant", "user")
    lines = [
        ThreadLine(speakers[n % 2], text, by_agent=speakers[n % 2] == "assistant")
        for n, text in enumerate(texts)
    ]
    return thread_description(lines, Vocabulary(threads=1)).title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Show the freight total in case the driver opens the weekly tariff archive.",
            "Showing the freight total",
        ),
        (
            "The pallet labels are blurred because we changed something to shrink barcode images.",
            "Pallet labels blurred",
        ),
        (
            "When the night shift opens the harbour terminal, the crane schedule is empty.",
            "Crane schedule empty",
        ),
        (
            (
                "Describe how the depot calendar counts holidays, maybe this is already a feature "
                "of the planning library."
            ),
            "Depot calendar counting holidays",
        ),
        (
            "If the customs office rejects the paper form, the export declaration stays open.",
            "Export declaration open",
        ),
        (
            "Since the tariff tables moved to the archive server, the freight quotes are wrong.",
            "Freight quotes wrong",
        ),
    ],
)
def test_a_condition_a_cause_or_a_guess_is_not_the_subject(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Maybe we should add a progress bar to the parcel importer",
            "Progress bar in the parcel importer",
        ),
        ("check if the parcel importer skips empty rows", "Parcel importer skipping empty rows"),
    ],
)
def test_a_careful_request_is_still_a_request(text: str, title: str) -> None:
    assert title_of(text) == title


def test_the_tool_that_work_is_done_with_is_not_the_subject() -> None:
    title = title_of(
        "Do the investigation with Quiver. The parcel counter skips returned parcels.",
        "I will look at it.",
    )

    assert "Quiver" not in title
    assert "parcel" in title.casefold()


def test_a_mode_is_not_the_subject() -> None:
    title = title_of(
        'this should be hidden in "kiosk" mode:',
        "The voucher balance is rendered at the end of the receipt without any check of the mode. "
        "I wrapped the voucher balance in a condition, so that customers at a kiosk do not see "
        "it, and the receipt has a test for both modes of the shop now.",
    )

    assert "voucher balance" in title.casefold()


@pytest.mark.parametrize("noun", ["something", "anything", "things", "points"])
def test_a_noun_that_names_nothing_heads_no_title(noun: str) -> None:
    title = title_of(
        f"there is {noun} to sort in the tariff table. The tariff table has duplicate zones."
    )

    assert not title.casefold().startswith(noun)


TODOS = """**Open todos:**

| # | Title | Area |
|---|-------|------|
| 1 | Move large label images to a worker | ui |
| 2 | Fix flaky depot tests (3.8, 3.10) | testing |
| 3 | Add dry-run endpoint for parcel imports | api |
"""
ROWS = """What next?

1. **Label cache**: evict old label images
2. **Depot calendar**: count public holidays
3. Retry failed customs uploads
"""


@pytest.mark.parametrize(
    ("rows", "choice", "title"),
    [
        (TODOS, "3", "Dry-run endpoint for parcel imports"),
        (
            TODOS,
            "3 but put the changes on this branch, they belong together.",
            "Dry-run endpoint for parcel imports",
        ),
        (TODOS, "1 seems like a great one to tackle", "Moving large label images to a worker"),
        (ROWS, "let's do number 3", "Retrying failed customs uploads"),
        (ROWS, "option 2", "Depot calendar: count public holidays"),
    ],
)
def test_a_number_is_the_row_of_the_list_above_it(rows: str, choice: str, title: str) -> None:
    answer = "Good choice. Let me read the relevant files and move the todo."

    assert title_of(rows, choice, answer, first="assistant").casefold() == title.casefold()


def test_a_number_without_a_list_above_it_is_no_choice() -> None:
    title = title_of(ROWS, "3 parcels are missing in the depot report", first="assistant")

    assert "parcels" in title
    assert "customs" not in title


@pytest.mark.parametrize(
    ("report", "title"),
    [
        (
            (
                "## Summary\n\n**Issue [#812](https://git.example/shop/issues/812)** asks for a "
                "signed archive of the price tables as a download, so that resellers can check."
            ),
            "Signed archive of price tables as download (#812)",
        ),
        (
            (
                "Issue #812 — barcode scanner freezes after a long pause\n\nThe serial port is "
                "closed by the power manager, and nobody opens it again."
            ),
            "Barcode scanner freezes after a long pause (#812)",
        ),
        (
            (
                '## Summary\nReviewed PR #812 ("feat/label preview zoom"), which keeps the preview '
                "visible while a label is edited, and only then prints it."
            ),
            "Label preview zoom (#812)",
        ),
    ],
)
def test_an_address_is_titled_by_the_sentence_that_says_what_it_is_about(
    report: str, title: str
) -> None:
    opening = "investigate this: https://git.example/shop/issues/812"

    assert title_of(opening, "Fetching it now.", "thanks", report) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            (
                "https://git.example/shop/issues/812 Investigate this issue again and find the "
                "root cause. Do it with Quiver."
            ),
            "Root cause of issue #812",
        ),
        ("review this PR: https://git.example/shop/pull/77", "Review of PR #77"),
        ("https://git.example/shop/issues/812", "Issue #812"),
    ],
)
def test_an_address_about_which_nothing_was_said_is_titled_by_its_number(
    text: str, title: str
) -> None:
    assert title_of(text, "Let me check.") == title


@pytest.mark.parametrize(
    "text",
    [
        "window 2 of the tmux session is out of context, spawn a worker to continue",
        "some very valid points raised by the reviewer on the pr",
        "switch to the phase 3 branch",
        "ok lets get back to main",
        "address the open review comments on the PR and push",
        "do we have anything outstanding in this branch, if not delete it and checkout main",
    ],
)
def test_an_errand_is_not_the_subject_of_the_thread(text: str) -> None:
    title = title_of(
        text,
        "The customs form of PR #93 rejected parcels without a tariff code. I changed the customs "
        "form so that the tariff code is looked up in the product table before the form is "
        "checked, and PR #93 has a test for parcels without a code.",
        "looks good, what about gift parcels?",
        "Gift parcels go through the same customs form and need a tariff code as well. PR #93 "
        "covers them now.",
    )

    assert "customs form" in title.casefold() or "tariff code" in title.casefold()


def test_an_errand_that_names_a_subject_keeps_it() -> None:
    title = title_of("address the review comments on the pallet calculator rounding", "On it.")

    assert "pallet calculator" in title.casefold()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "The last release dropped several columns when moving from the ledger to the journal.",
            "Columns dropped when moving from ledger to journal",
        ),
        (
            "# Fix Depot Search UX - Show Empty State + Reset Link",
            "Depot Search UX: Empty State + Reset Link",
        ),
        (
            "# Plan: Improve the nightly customs export of the depot - retries and logs",
            "Nightly customs export of the depot",
        ),
        (
            "is the work to integrate a second courier already logged and scoped?",
            "Integrating a second courier",
        ),
        (
            "The pallet shading works, but it doesn't seem to shade the left corner symbol.",
            "Left corner symbol",
        ),
    ],
)
def test_a_title_is_a_whole_phrase(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_title_does_not_end_with_a_verb_that_waits_for_its_object() -> None:
    title = title_of(
        "commit it",
        "Committed. Summary: `POST /parcels/dry-run` endpoint accepting `{ rows, depot }`, and "
        "the parcel import page calls the endpoint before an import.",
    )

    assert not title.casefold().endswith("accepting")


@pytest.mark.parametrize(
    ("texts", "title"),
    [
        (["Create a release release/2.4.0 for the depot"], "release/2.4.0 for the depot"),
        (
            ["Create a release release/2.4.0, please"],
            "Creating release/2.4.0",
        ),
        (
            [
                "add mfa to the courier login page",
                "The courier login asks for a second factor: MFA is on for couriers.",
                "ok",
                "MFA codes of the courier login expire after a minute.",
            ],
            "MFA in the courier login page",
        ),
        (
            [
                "The depot tour should display the code in @web/src/pages/depot/tourFrame.tsx",
            ],
            "Depot tour displaying the code",
        ),
        (
            ["renew the parcel voucher on every visit src/shop/vouchers.py"],
            "Renewing the parcel voucher on every visit",
        ),
        (
            ["How can we support Kolibri, yet another courier, with the most minimal setup?"],
            "Supporting Kolibri with minimal setup",
        ),
        (
            ["Update the start page so that it mentions that it's free software."],
            "Start page mentioning free software",
        ),
    ],
)
def test_a_title_reads_well(texts: list[str], title: str) -> None:
    assert title_of(*texts) == title


def test_a_title_that_fits_other_threads_as_well_gets_a_word_of_its_own() -> None:
    describer = ThreadDescriber()
    for number, detail in enumerate(("weights", "prices", "stamps", "colours", "zones", "dates")):
        for text in ("fix the parcel labels", "improve the label printing of parcels"):
            line = ThreadLine("user", f"{text} and the {detail}")
            describer.add(f"t{number}", line)
    describer.add("mine", ThreadLine("user", "fix the parcel labels"))
    answer = "The parcel labels had no ZPL header: the ZPL header is encoded for the printer now."
    describer.add("mine", ThreadLine("assistant", answer, by_agent=True))

    title = describer.description_of("mine").title

    assert title.startswith("Parcel labels")
    assert "ZPL header" in title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "research how the night scanner is able to detect what parcels were damaged",
            "Night scanner detecting damaged parcels",
        ),
        (
            "what happens when both the tariff code and the customs zone are missing?",
            "Tariff code and the customs zone missing",
        ),
        ("can we make the importer accept both csv dialects?", "Making the importer accept both"),
    ],
)
def test_a_question_is_titled_by_what_it_asks(text: str, title: str) -> None:
    assert title_of(text).startswith(title)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("sqlite locks when two tills order at once", "Sqlite locks when tills order"),
        ("checkout fails if the cart is empty", "Failing checkout if cart empty"),
        ("orders close at 18:00 the day before", "Orders close"),
    ],
)
def test_a_condition_is_told_as_one_and_a_moment_is_not_cut_in_half(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("the parcels cannot be delivered on Sundays", "Parcels not delivered on Sundays"),
        (
            "error[E0277]: `Rc<RefCell<Buffer>>` cannot be sent between threads safely",
            "Unable to be sent between threads",
        ),
    ],
)
def test_what_cannot_be_done_to_something_is_told_in_the_passive(text: str, title: str) -> None:
    assert title_of(text) == title


def test_the_address_of_a_server_is_one_word() -> None:
    text = "The office wants a CSV by SFTP every 10 minutes at sftp://data.harbour.example:22/in"

    assert title_of(text) == "CSV by SFTP every 10 minutes"
