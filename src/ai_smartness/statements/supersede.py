"""Decide which statement a later one supersedes, and how the two relate.

Precision goes before recall: a wrong decision hides what is true. A question, a suggestion, an
exception for today and a trial that was undone change nothing. A tool never supersedes a person.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ai_smartness.model.bridge import Relation
from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.statements.change_words import HYPOTHESIS
from ai_smartness.statements.labels import is_done
from ai_smartness.statements.pair_features import (
    ComparedStatement,
    ComparedText,
    PairSurroundings,
    announces_change,
    changes_nothing,
    drops_named_thing,
    has_changed_value,
    has_other_object,
    has_other_owner,
    has_other_setting,
    keeps_all_words,
    leaves_other_facts,
    names_given_up,
    pair_features,
    subject_stems,
    told_subject,
    word_stem,
)
from ai_smartness.statements.sentences import own_words, says_only_value
from ai_smartness.statements.typed_values import differing_sorts, typed_values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.statements.heads import LinearHead

__all__ = [
    "DOUBTFUL_CHANCE",
    "LIKELY_CHANCE",
    "NESTING_CHANCE",
    "ComparedPair",
    "closes_task",
    "is_superseded",
    "least_doubt",
    "may_be_changed",
    "may_supersede",
    "plainly_supersedes",
    "sets_new_value",
    "supersession_chances",
    "supersession_relation",
    "tells_other_detail",
]

SHARED_WORDS = 2  # so many shared words show that two statements speak of one thing
LEAST_CHANCE = 0.5  # chosen, as those below, on whole projects of unseen writers
EVIDENT_CHANCE = 0.3  # where the words themselves give up the old value
PLAIN_CHANGE_CHANCE = 0.15  # where a person says in few words that a near thing changes
NESTING_CHANCE = 0.3  # from here on the older statement is shown only below the newer one
LIKELY_CHANCE = 0.15  # from here on the older statement is shown only beside the newer one
DOUBTFUL_CHANCE = 0.02  # from here on it is in doubt that the older statement holds
FOREIGN_DEVIATION = 2.0  # of the nearest statement, by the model for other languages
SAME_SUBJECT_DEVIATION = 2.5  # from here on it is about the same, also without a word of change
FEW_WORDS = 12  # keywords of one short sentence
FIRST_RANKS = 2  # the most similar of the earlier statements
TASK_SHARED_PART = 0.34  # of the words of an open task, in a sentence that says it is done
ALIKE_CHARACTERS = 5  # words that begin with so many of the same letters are of one family
PLAIN_SHARED_PART = 0.5  # without a model, so much of the shorter statement's words


_ANY_TASK = frozenset(map(word_stem, ("build", "test", "tests", "task", "page", "work", "change")))
"""What nearly every report of an agent names: alone it says nothing of a task."""


class ComparedPair(NamedTuple):
    """A statement, a later one, and how the two stand out among the others."""

    older: ComparedStatement
    newer: ComparedStatement
    around: PairSurroundings

    @property
    def features(self) -> list[float]:
        """The features of the pair."""
        return pair_features(*self)


def closes_task(
    older: ComparedStatement, newer: ComparedStatement, context: ComparedText | None = None
) -> bool:
    """Say whether the later statement tells that the open task of the earlier one is done.

    "The conversion is finished" has one word of the task; `context`, which was said around it, may
    have the others.
    """
    if older.kind is not StatementKind.OPEN_TASK or newer.speaker is Speaker.TOOL:
        return False
    if not is_done(newer.text):
        return False
    least = max(SHARED_WORDS, TASK_SHARED_PART * len(older.stems))
    if len(older.stems & newer.stems) >= least:
        return True
    if context is None or not _alike_stems(older.stems, newer.stems) - _ANY_TASK:
        return False
    return len(_alike_stems(older.stems, context.stems)) >= least


def _alike_stems(stems: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Return the stems that another one begins like: "convert" and "conversion"."""
    beginnings = {other[:ALIKE_CHARACTERS] for other in others if len(other) >= ALIKE_CHARACTERS}
    return frozenset(
        stem for stem in stems if stem in others or stem[:ALIKE_CHARACTERS] in beginnings
    )


def may_supersede(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Say whether the later statement can change the earlier one at all."""
    is_tool = newer.speaker is Speaker.TOOL
    if is_tool and older.speaker is not Speaker.TOOL:
        return False
    if closes_task(older, newer):
        return True
    # An agent reports more than it decides: only a report of a change counts.
    gives_up = names_given_up(older, newer)
    is_mere_report = newer.speaker is not Speaker.USER and not (
        newer.is_change or gives_up or has_changed_value(older, newer)
    )
    is_elsewhere = has_other_object(older, newer) and not drops_named_thing(older, newer)
    is_elsewhere |= _only_speaks_of_changes(newer) and not gives_up
    return not (
        is_mere_report or is_elsewhere or changes_nothing(newer) or keeps_all_words(older, newer)
    )


def may_be_changed(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Say whether the later statement can leave it in doubt that the earlier one holds."""
    is_tool = newer.speaker is Speaker.TOOL and older.speaker is not Speaker.TOOL
    is_other = has_other_owner(older, newer) or _only_speaks_of_changes(newer)
    return not (is_tool or is_other or changes_nothing(newer) or keeps_all_words(older, newer))


def _only_speaks_of_changes(newer: ComparedStatement) -> bool:
    """Say whether the head would take a noun for a word of change."""
    return newer.is_change and not announces_change(newer)


def tells_other_detail(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Say whether the later statement only adds a detail to an earlier one of several facts.

    "Host db1, user shop" changes nothing of "a shop for cheese, Django and Postgres".
    """
    is_change = newer.is_change or names_given_up(older, newer) or has_changed_value(older, newer)
    return not is_change and leaves_other_facts(older, newer)


def supersession_chances(
    head: "LinearHead", pairs: Sequence[ComparedPair], newer: "NDArray[np.float32]"
) -> "NDArray[np.float32]":
    """Return the chance of each pair that the later statement supersedes the earlier one.

    `newer` is the vector of the later statement.
    """
    import numpy as np

    from ai_smartness.statements.heads import supersede_rows

    repeated = np.repeat(newer[None], len(pairs), axis=0)
    return head.probabilities(supersede_rows([pair.features for pair in pairs], repeated))


def is_superseded(pair: ComparedPair, chance: float) -> bool:
    """Decide by the head's chance, which may be lower where the words are plain."""
    if closes_task(pair.older, pair.newer, pair.around.context):
        return True
    if sets_new_value(pair):
        return True
    if _is_plain_change(pair):
        return chance >= PLAIN_CHANGE_CHANCE
    is_evident = _is_evident(pair.older, pair.newer)
    return chance >= (EVIDENT_CHANCE if is_evident else LEAST_CHANCE)


def least_doubt(pair: ComparedPair) -> float:
    """Return the chance that a pair has at least, whatever the head says.

    The head knows little of other languages. What a person says there of the same thing on
    another day may change it.
    """
    around = pair.around
    is_near = around.is_foreign_nearest and around.foreign_deviation >= SAME_SUBJECT_DEVIATION
    is_later = pair.newer.speaker is Speaker.USER and not around.is_same_session
    return LIKELY_CHANCE if is_near and is_later else 0.0


def sets_new_value(pair: ComparedPair) -> bool:
    """Say whether the later statement plainly gives the same thing another value.

    A name of code that is set to something else, a person's other amount, time or date of the same
    thing, or a person's change in another language of the nearest statement, with another value or
    a word in common.
    """
    older, newer, around = pair
    if says_only_value(own_words(newer.text)):
        return _gives_value_asked_for(pair)
    if changes_nothing(newer) or HYPOTHESIS.search(own_words(newer.text)):
        return False
    if has_other_setting(older, newer):
        return True
    is_here = around.is_same_session or has_other_object(older, newer)
    if newer.speaker is not Speaker.USER or not newer.is_change or is_here:
        return False
    has_other_value = bool(differing_sorts(older.text, newer.text))
    if around.is_foreign_nearest and around.foreign_deviation >= FOREIGN_DEVIATION:
        # Nearness alone is no proof: in a small project something is always nearest.
        return has_other_value or bool(older.stems & newer.stems)
    return has_other_value and bool(told_subject(older, newer))


def _gives_value_asked_for(pair: ComparedPair) -> bool:
    """Say whether a person's bare value replaces the one that was just spoken of.

    "Make it 12 then", right after "is 8 seeds per test enough?", changes "8 seeds per dish".
    """
    older, newer, around = pair
    if newer.speaker is not Speaker.USER or changes_nothing(newer):
        return False
    spoken_of = typed_values(around.context.text)
    numbers = ComparedText(own_words(newer.text)).all_values
    return bool(older.stems & around.context.stems) and any(
        sort and values & spoken_of.get(sort, frozenset()) and not values & numbers
        for sort, values in typed_values(older.text).items()
    )


def _is_plain_change(pair: ComparedPair) -> bool:
    """Say whether a person says in few words, in another session, that a near thing changes.

    If another statement shares as many words with what is said, it may be about that one.
    """
    newer, around = pair.newer, pair.around
    is_person = newer.speaker is Speaker.USER and pair.older.speaker is Speaker.USER
    is_nearest = around.rank < FIRST_RANKS and not around.is_same_session
    shared = len(subject_stems(pair.older, newer))
    is_nearest_by_words = shared > around.others_share or (shared > 0 and around.rank == 0)
    is_about_it = newer.is_change and is_nearest_by_words
    return is_person and is_nearest and is_about_it and len(newer.stems) <= FEW_WORDS


def plainly_supersedes(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Decide without a model: enough shared words, and an old value that is given up."""
    shared = older.stems & newer.stems
    is_same_thing = len(shared) >= PLAIN_SHARED_PART * min(len(older.stems), len(newer.stems))
    is_new_value = newer.is_change and is_same_thing and _is_evident(older, newer)
    return is_new_value or closes_task(older, newer)


def _is_evident(older: ComparedStatement, newer: ComparedStatement) -> bool:
    if len(older.stems & newer.stems) < SHARED_WORDS:
        return False
    is_new_value = newer.is_change and has_changed_value(older, newer)
    return is_new_value or names_given_up(older, newer)


def supersession_relation(older: ComparedStatement, newer: ComparedStatement) -> Relation:
    """Name the relation: the old value is given up, or a change is announced, or neither."""
    if names_given_up(older, newer) or closes_task(older, newer):
        return Relation.REPLACES
    is_change = newer.is_change or has_changed_value(older, newer)
    return Relation.UPDATES if is_change else Relation.CONTRADICTS
