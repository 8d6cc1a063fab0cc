"""Decide which statement a later one supersedes, and how the two relate.

Precision goes before recall: a wrong decision hides what is true. A question, a suggestion, an
exception for today and a trial that was undone change nothing. A tool never supersedes a person.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ai_smartness.model.bridge import Relation
from ai_smartness.model.statement import Speaker
from ai_smartness.statements.pair_features import (
    ComparedStatement,
    changes_nothing,
    has_changed_value,
    has_other_object,
    names_given_up,
    pair_features,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.statements.heads import LinearHead

__all__ = [
    "is_superseded",
    "may_supersede",
    "plainly_supersedes",
    "superseded_chances",
    "supersession_relation",
]

SHARED_WORDS = 2  # so many shared words show that two statements speak of one thing
LEAST_CHANCE = 0.7  # with them: nine of ten decisions are right on unseen writers' hard pairs
EVIDENT_CHANCE = 0.4  # with them, where the words themselves give up the old value
ONE_WORD_CHANCE = 0.85  # with one shared word only, which is often chance
ONE_WORD_COSINE = 0.85  # and this similarity
GIVEN_UP_COSINE = 0.65  # of two statements where the later names what it gives up
VALUE_COSINE = 0.83  # where it has another value
SAME_COSINE = 0.78  # where it only says that something changes
REPORTED_WORDS = 3  # shared words, where an agent says so
PLAIN_SHARED_PART = 0.5  # without a model, so much of the shorter statement's words


def may_supersede(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Say whether the later statement can change the earlier one at all."""
    is_tool = newer.speaker is Speaker.TOOL
    if is_tool and older.speaker is not Speaker.TOOL:
        return False
    # An agent reports more than it decides: only a report of a change counts.
    gives_up = names_given_up(older, newer)
    is_mere_report = newer.speaker is not Speaker.USER and not (
        newer.is_change or gives_up or has_changed_value(older, newer)
    )
    is_elsewhere = has_other_object(older, newer) and not gives_up
    return not (is_mere_report or is_elsewhere or changes_nothing(newer))


def superseded_chances(
    head: "LinearHead",
    pairs: Sequence[tuple[ComparedStatement, ComparedStatement]],
    cosines: "NDArray[np.float32]",
    newer: "NDArray[np.float32]",
) -> "NDArray[np.float32]":
    """Return the chance of each pair that the later statement supersedes the earlier one.

    `newer` are the vectors of the later statements. A chance of zero says that the evidence is
    too weak.
    """
    import numpy as np

    from ai_smartness.statements.heads import supersede_rows

    features = [
        pair_features(*pair, float(cosine)) for pair, cosine in zip(pairs, cosines, strict=True)
    ]
    chances = head.probabilities(supersede_rows(features, newer))
    decided = [
        is_superseded(*pair, float(cosine), float(chance))
        for pair, cosine, chance in zip(pairs, cosines, chances, strict=True)
    ]
    return np.where(decided, chances, 0).astype(np.float32)


def is_superseded(
    older: ComparedStatement, newer: ComparedStatement, cosine: float, chance: float
) -> bool:
    """Decide by the head's chance, and by the words where they are plain."""
    if not _is_about_same(older, newer, cosine):
        return False
    if len(older.stems & newer.stems) >= SHARED_WORDS:
        return chance >= (EVIDENT_CHANCE if _is_evident(older, newer) else LEAST_CHANCE)
    is_near = bool(older.stems & newer.stems) and cosine >= ONE_WORD_COSINE
    return is_near and chance >= ONE_WORD_CHANCE


def _is_about_same(older: ComparedStatement, newer: ComparedStatement, cosine: float) -> bool:
    """Say whether two statements are near enough to be about one thing.

    Of the many pairs in a memory the head still takes too many: a few shared words are chance.
    What an agent reports must change a value, or share more words.
    """
    shared = len(older.stems & newer.stems)
    if names_given_up(older, newer):
        return shared > 0 and cosine >= GIVEN_UP_COSINE
    if has_changed_value(older, newer) and shared:
        return cosine >= VALUE_COSINE
    if newer.speaker is not Speaker.USER:
        return newer.is_change and shared >= REPORTED_WORDS and cosine >= SAME_COSINE
    near = SAME_COSINE if shared >= SHARED_WORDS else ONE_WORD_COSINE
    return newer.is_change and shared > 0 and cosine >= near


def plainly_supersedes(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Decide without a model: enough shared words, and an old value that is given up."""
    shared = older.stems & newer.stems
    is_same_thing = len(shared) >= PLAIN_SHARED_PART * min(len(older.stems), len(newer.stems))
    return newer.is_change and is_same_thing and _is_evident(older, newer)


def _is_evident(older: ComparedStatement, newer: ComparedStatement) -> bool:
    if len(older.stems & newer.stems) < SHARED_WORDS:
        return False
    is_new_value = newer.is_change and has_changed_value(older, newer)
    return is_new_value or names_given_up(older, newer)


def supersession_relation(older: ComparedStatement, newer: ComparedStatement) -> Relation:
    """Name the relation: the old value is given up, or a change is announced, or neither."""
    if names_given_up(older, newer):
        return Relation.REPLACES
    is_change = newer.is_change or has_changed_value(older, newer)
    return Relation.UPDATES if is_change else Relation.CONTRADICTS
