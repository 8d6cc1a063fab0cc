"""A title names the subject of the whole thread, in a phrase that can stand alone."""

import pytest

from ai_smartness.describe.description import thread_description
from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.describe.word_weights import Vocabulary


def title_of(*texts: str) -> str:
    """Return the title of a conversation of a user and an agent, in turns."""
    lines = [
        ThreadLine(("user", "assistant")[n % 2], text, by_agent=n % 2 == 1)
        for n, text in enumerate(texts)
    ]
    return thread_description(lines, Vocabulary(threads=1)).title


def test_a_mistyped_verb_of_a_request_is_no_part_of_the_subject() -> None:
    assert title_of("chceck the pallet counts of the depot") == "Pallet counts of the depot"
    assert title_of("spwan a worker to review the coupon rules") == "Coupon rules"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "spawn a worker to move the nightly reports to the archive folder",
            "Moving the nightly reports to the archive folder",
        ),
        (
            "please start a subagent to review the coupon rules of the shop",
            "Coupon rules of the shop",
        ),
    ],
)
def test_who_is_to_do_the_work_is_not_the_subject(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("the scanner cannot read damaged barcodes", "Scanner unable to read damaged barcodes"),
        ("we can't delete the old customer accounts", "Unable to delete the old customer accounts"),
        (
            "i cannot see any parcels in the warehouse dashboard",
            "No parcels in the warehouse dashboard",
        ),
    ],
)
def test_what_cannot_be_done_is_no_decision_against_it(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "The delivery note does not seem to end in the correct currency",
            "Delivery note not ending in the correct currency",
        ),
        (
            "the packing list seems to print every page twice",
            "Packing list printing every page twice",
        ),
        ("the freight total seems to be wrong on Sundays", "Freight total wrong on Sundays"),
        (
            "the label color seems to not resolve to the theme",
            "Label color not resolving to the theme",
        ),
    ],
)
def test_what_only_seems_so_is_told_without_the_seeming(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    "text",
    [
        "I have the impression this makes the label printing slower. Is that so?",
        "that depends on the label printing queue",
        "these still break the label printing queue",
    ],
)
def test_a_title_begins_with_no_finite_verb(text: str) -> None:
    assert title_of(text).startswith("Label printing")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "there are a few complaints about that pallet calculator",
            "Complaints about the pallet calculator",
        ),
        ("delete all of our shipping rules for islands", "Deleting the shipping rules for islands"),
        (
            "the parcel preview works but the page margin is too wide on A5 paper",
            "Page margin too wide on A5 paper",
        ),
        (
            "make the basket modal bigger and put the button at the bottom right corner",
            "Making the basket modal bigger",
        ),
    ],
)
def test_a_title_is_the_complaint_in_words_that_point_nowhere(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("how do we deploy the shop to staging?", "Deploying the shop to staging"),
        ("make sure that the parcel labels fit on A6 paper", "Parcel labels fit on A6 paper"),
        ("the voucher panel should be hidden on phones", "Voucher panel hidden on phones"),
        (
            "The order tour should display the price of each item",
            "Order tour displaying the price of each item",
        ),
        (
            "the log is in labels.log, can we keep old labels when we can't reach the printer?",
            "Old labels when unable to reach the printer",
        ),
    ],
)
def test_a_wish_is_titled_by_what_it_is_about(text: str, title: str) -> None:
    assert title_of(text) == title


def test_what_opened_the_thread_gives_way_to_what_everybody_talks_about() -> None:
    title = title_of(
        "the coffee machine in the lobby is broken again, and the tariff table shows wrong rates",
        "The tariff table reads the rates of last year; the import of the tariff file stopped.",
        "can the tariff import run every night?",
        "Yes: the tariff import runs nightly now and fills the tariff table with new rates.",
        "add a check of the tariff file's date",
        "The tariff import refuses a file with an old date.",
    )

    assert "tariff" in title.casefold()
    assert "coffee" not in title.casefold()


def test_a_bare_address_is_titled_by_the_commit_that_the_agent_reports() -> None:
    title = title_of(
        "https://github.com/acme/shop/issues/77",
        "Fetching the issue.",
        "yes, go on",
        "Committed as `fix(labels): rotate address labels for narrow parcels`. Both label tests on "
        "narrow parcels pass, and the address is readable on the small printer in the warehouse.",
        "push it",
        "Pushed. Address labels of narrow parcels are rotated on every printer now.",
    )

    assert title == "Rotating address labels for narrow parcels (#77)"


def test_a_typing_error_is_corrected_by_the_words_of_the_agent() -> None:
    title = title_of(
        "can you list the shipping artficats of the nightly export?",
        "The nightly export writes three shipping artifacts: labels, invoices and a manifest.",
    )

    assert "shipping artifacts of the nightly export" in title.casefold()


@pytest.mark.parametrize("word", ["contracts", "manifold"])
def test_a_word_that_somebody_else_uses_too_is_no_typing_error(word: str) -> None:
    title = title_of(
        f"can you list the {word} of the nightly export?",
        f"The nightly export has contacts, a manifest and {word}.",
    )

    assert word in title


@pytest.mark.parametrize(
    "opening",
    [
        "useBasket returned undefined",
        "the build passed everything yesterday",
        "npm run start --watch",
        "<skill> <name>packer</name> <path>/skills/packer.md</path> Packs parcels.",
    ],
)
def test_a_sentence_a_command_or_a_pasted_document_is_no_title(opening: str) -> None:
    title = title_of(
        opening,
        "I'll look into it.",
        "the basket total of guests is wrong",
        "The basket total of guests ignored the voucher; it is applied before taxes now.",
        "and a test for the basket total",
        "Added a test of the basket total of guests.",
    )

    assert "basket total" in title.casefold()


@pytest.mark.parametrize("report", ["All 40 checks green.", "Build clean.", "Six replies posted."])
def test_how_the_work_went_is_no_title(report: str) -> None:
    title = title_of(
        "continue",
        report,
        "ok",
        "The coupon validator compares expiry dates as text, so that vouchers of October expire "
        "before those of September. It parses both dates now, and the coupon tests cover the "
        "turn of the year as well.",
        "thanks",
        report,
    )

    assert report.rsplit(maxsplit=1)[-1].strip(".").casefold() not in title.casefold()


@pytest.mark.parametrize(
    ("texts", "title"),
    [
        (
            ["Update the home page so that it mentions that it's free software."],
            "Home page mentioning free software",
        ),
        (
            ["# Importer Update: Slow Suppliers and Their Timeouts"],
            "Slow Suppliers and Their Timeouts",
        ),
    ],
)
def test_a_general_title_is_joined_with_what_makes_it_particular(
    texts: list[str], title: str
) -> None:
    assert title_of(*texts) == title


def test_a_title_does_not_run_into_a_sentence_that_is_quoted() -> None:
    title = title_of(
        'Change the welcome sentence "Scan a parcel or type its number here" of the kiosk'
    )

    assert not title.startswith("Welcome sentence scan")


def test_a_title_of_more_than_eight_words_loses_its_articles() -> None:
    title = title_of("move the stamped manifests of the parcels to the archive of the depot")

    assert title == "Moving stamped manifests of parcels to archive of depot"[: len(title)]
    assert len(title.split()) <= 8


def test_the_number_of_an_option_is_no_issue() -> None:
    title = title_of("go with option #3, the parcel counter per warehouse")

    assert "#3" not in title


def test_what_is_asked_about_is_no_half_sentence() -> None:
    title = title_of("find out whether the depot limits parallel deliveries")

    assert title == "Depot limiting parallel deliveries"


def test_a_phrase_with_a_word_that_nobody_repeats_gives_way_in_a_long_thread() -> None:
    title = title_of(
        "set up the enviromnt and ledger please, the tax report must print",
        "The tax report needs the rates of this year.",
        "then load the rates for the tax report",
        "The tax report prints with the rates now.",
        "add the tax report to the menu",
        "The menu shows the tax report.",
        "is the tax report tested?",
        "Yes, the tax report has four tests.",
        "good, show the tax report to auditors only",
        "Only auditors see the tax report.",
    )

    assert "tax report" in title.casefold()
    assert "enviromnt" not in title.casefold()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "ask the search server whether the courier limits parallel pickups",
            "Courier limiting parallel pickups",
        ),
        (
            "spawn a worker to use the old notes to see whether the depot should drop night shifts",
            "Depot dropping night shifts",
        ),
        ("please confirm the label export still works, a colleague asked", "Label export working"),
        (
            "spawn an agent to research https://registry.example.com/package/@acme/parcel-map .",
            "Researching @acme/parcel-map",
        ),
        (
            "use the depot handbook, then add delivery windows to the checkout page",
            "Delivery windows in the checkout page",
        ),
    ],
)
def test_what_is_to_be_found_out_is_the_subject(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "can it be used to set up the loading dock and drivers can use the scanner",
            "Loading dock",
        ),
        (
            "we are going to get rid of Redis and replace sessions with signed cookies",
            "Removing Redis and replacing sessions with signed cookies",
        ),
        (
            "I get that our biggest problem is label printer flakiness on Mondays",
            "Label printer flakiness on Mondays",
        ),
        (
            "So the most private option is obviously just using the customer's parcel code",
            "Customer's parcel code",
        ),
        ("when i tap on parcels, it opens the depot map", "Opening the depot map"),
        ("improve the picking instructions and link it to the demo", "Improving the picking"),
        ("but the depot currently does pallet tracking right?", "Pallet tracking in the depot"),
        (
            "the highlight is a bit too strong if you look at smaller parcels",
            "Highlight a bit too strong",
        ),
        (
            "we should not show in the driver app the possibility to choose the loading ramp",
            "Choosing the loading ramp",
        ),
        (
            "remove the legacy courier plugin no longer needed",
            "Removing the legacy courier plugin",
        ),
        (
            "add this to the manual of the parcel counter as Examples",
            "Manual of the parcel counter",
        ),
    ],
)
def test_a_title_ends_where_its_clause_ends(text: str, title: str) -> None:
    assert title_of(text).startswith(title)
    assert "drivers" not in title_of(text)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("review recent tickets on the board", "Reviewing recent tickets on the board"),
        ("research courier", "Researching courier"),
        (
            "# Plan: Add Courier Support (Labels + Pickups)",
            "Adding Courier Support (Labels + Pickups)",
        ),
    ],
)
def test_a_title_that_says_too_little_keeps_the_verb_or_the_brackets(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_title_is_never_joined_of_phrases_from_two_messages() -> None:
    title = title_of(
        "is the tariff table in use?",
        "Yes, by the checkout.",
        "the courier lookup is broken",
        "The courier lookup reads the wrong zone.",
        "fix it",
        "Fixed the courier lookup.",
    )

    assert " and " not in title


def test_a_pasted_log_does_not_title_a_thread() -> None:
    title = title_of(
        "I've run the nightly import with Oracle but got these errors:\n"
        "[Import Job] Plan-first loading: 5 errors, 6 hints\n"
        "[13:35:30.101] [Import Job] passing idleTimeout to the courier gateway",
        "The import job passes a flag that Oracle does not know.",
    )

    assert title == "Nightly import with Oracle"


def test_a_thread_without_a_named_subject_is_titled_by_the_commit_of_the_agent() -> None:
    title = title_of(
        "are you sure? look at http://localhost:3000/depot?tab=parcels",
        "The colours do not show. Let me check if the style classes were compiled into the output.",
        "ok now it works",
        "Maybe the page needed a hard refresh in the browser.",
        "commit",
        'Committed as `19780ba` - "Add coloured parcel badges to the depot header".',
    )

    assert title == "Coloured parcel badges in the depot header"


def test_the_role_that_a_prompt_gives_to_the_agent_is_no_title() -> None:
    title = title_of(
        "You are the fresh depot coordinator taking over from an older context.\n"
        "Move the pallet reports to the archive bucket.",
        "I'll look at the pallet reports first.",
    )

    assert title == "Moving the pallet reports to the archive bucket"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("environmt", "Environment"), ("oltp intake", "OTLP intake"), ("meadia stock", "Media stock")],
)
def test_a_typing_error_is_written_as_the_agent_writes_the_word(typed: str, meant: str) -> None:
    title = title_of(
        f"set up the {typed} of the parcel scanner",
        f"The {meant} of the parcel scanner is ready.",
    )

    assert title == f"{meant} of the parcel scanner"


def test_a_failing_run_is_titled_with_the_number_of_its_pull_request() -> None:
    title = title_of("pipeline fails now: https://git.example.com/acme/depot/actions/runs/9?pr=76")

    assert title == "Failing pipeline (#76)"


def test_what_an_agent_announces_is_no_title() -> None:
    title = title_of(
        "continue",
        "Waiting on the other couriers before writing the report.",
        "ok",
        "The map caches plaintext addresses.",
        "go on",
        "Waiting on the other couriers still.",
    )

    assert "couriers" not in title


def test_a_late_side_request_does_not_title_the_thread() -> None:
    title = title_of(
        "share parcels with other depots by their public code",
        "A depot pastes the public code of another one to share parcels with it.",
        "and how would I find out the public code of a depot?",
        "The settings of a depot show its public code with a copy button.",
        "can you please draw the new mockups in pencil before we go on?",
        "The new mockups in pencil show the share dialog with the public code.",
        "ok, commit this",
        "Committed the mockups of the share dialog.",
    )

    assert "mockups" not in title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "I've added the logos for trucks, vans and cargo ships in assets/fleet",
            "Logos for trucks, vans and cargo ships",
        ),
        (
            "update the depot handbook with pallets, gantry cranes, cold storage and tickets",
            "Depot handbook with pallets",
        ),
        ("# Analysis: issue #12 — sizes of express parcels", "Sizes of express parcels"),
    ],
)
def test_a_list_is_titled_as_a_whole_or_by_its_beginning(text: str, title: str) -> None:
    assert title_of(text).startswith(title)


def test_a_phrase_about_how_the_work_is_done_is_no_title() -> None:
    title = title_of(
        "create a branch off the latest main, then let couriers cancel their pickups",
        "Couriers cancel their pickups in the app now.",
    )

    assert "branch" not in title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("there is no mention of pallet weights", "No mention of pallet weights"),
        (
            "this brings up the question of why the parcel sscs entry key is fixed",
            "Parcel sscs entry key fixed",
        ),
    ],
)
def test_a_noun_is_not_taken_for_a_verb(text: str, title: str) -> None:
    assert title_of(text) == title
