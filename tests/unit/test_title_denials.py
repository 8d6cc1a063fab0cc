"""A title keeps what was denied, in whatever words."""

import pytest

from ai_smartness.describe.description import thread_description
from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.describe.word_weights import Vocabulary


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The label could not be printed twice", "Label not printed twice"),
        ("the scanner can not read damaged barcodes", "Scanner unable to read damaged barcodes"),
        ("we could not delete the old accounts", "Unable to delete the old accounts"),
        ("labels shouldn't be printed twice", "Labels not printed twice"),
        ("labels mustn't be printed twice", "Labels not printed twice"),
        ("labels may not be printed twice", "Labels not printed twice"),
        ("the printer did not print the labels twice", "Printer not printing the labels twice"),
        ("the printer does not print the labels", "Printer not printing the labels"),
        ("the backup will not start after the upgrade", "Backup not starting after the upgrade"),
        ("the backup wouldn't start after the upgrade", "Backup not starting after the upgrade"),
        ("the login page isn't shown on small screens", "Login page not shown on small screens"),
        ("the coupon has not been applied to the basket", "Coupon not applied to the basket"),
        ("the coupon hasn't been applied to the basket", "Coupon not applied to the basket"),
        ("you mustn't delete the old accounts", "Not deleting the old accounts"),
        ("I wouldn't use redis for the carts", "Not using redis for the carts"),
        ("we won't use redis for the carts", "Not using redis for the carts"),
        ("the coupon hasn't expired in the shop", "Coupon not expired in the shop"),
    ],
)
def test_a_title_never_says_the_opposite_of_what_was_said(text: str, title: str) -> None:
    description = thread_description([ThreadLine("user", text)], Vocabulary(threads=1))

    assert description.title == title
