"""Load the statements that a brief is chosen from, and keep them until they change.

A project may have many thousands of statements. Only the best can stand in a brief, so only
these are kept, with their vectors and with what they superseded. In real sessions most of what
is found as a rule or a decision is an order of the moment: a second head, fitted on such
sessions, tells how likely each of the best holds beyond its turn.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ai_smartness.inject.brief_lines import GUIDING_KINDS, BriefCandidates, ranked_statements
from ai_smartness.model.statement import ReviewState, Statement
from ai_smartness.model.thread import Origin, Status
from ai_smartness.ports import ThreadStore
from ai_smartness.statements.agreed_proposals import is_agreed
from ai_smartness.statements.sentences import Sentence
from ai_smartness.statements.supersede import LIKELY_CHANCE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["BriefStatements"]

MAX_CANDIDATES = 150
"""Of rules and preferences, and of all others: several times as many as a brief has lines."""

MAX_COMPARED = 600  # of each, of which those are chosen that are likeliest to last


class BriefStatements:
    """The candidates of one memory; read again when the statements have changed."""

    def __init__(self) -> None:
        self._version: tuple[object, ...] = ()
        self._candidates = BriefCandidates()

    def current_candidates(
        self, store: ThreadStore, projects: Sequence[str], space: str | None
    ) -> BriefCandidates:
        """Return the best statements of these projects."""
        version = (space, *(store.statements.revision(project) for project in projects))
        if version != self._version:
            loaded = [_project_candidates(store, project, space) for project in projects]
            self._candidates = BriefCandidates(
                statements=tuple(one for part in loaded for one in part.statements),
                superseded={id_: old for part in loaded for id_, old in part.superseded.items()},
                vectors={id_: row for part in loaded for id_, row in part.vectors.items()},
                messages={seq: text for part in loaded for seq, text in part.messages.items()},
                of_one_statement=frozenset(seq for part in loaded for seq in part.of_one_statement),
                possible_changes={
                    id_: change for part in loaded for id_, change in part.possible_changes.items()
                },
            )
            self._version = version
        return self._candidates


def _project_candidates(store: ThreadStore, project: str, space: str | None) -> BriefCandidates:
    groups = _ranked_groups(store.statements.all(project, superseded=False))
    compared = [one for group in groups for one in group[:MAX_COMPARED]]
    vectors = _statement_vectors(store, project, space, compared)
    weighed = _ranked_groups(_weighed_statements(compared, vectors, space))
    best = [one for group in weighed for one in _first_in_use(store, group)]
    ids, seqs = [one.id for one in best], {one.seq for one in best}
    stated = store.statements.of_events(sorted(seqs))
    events = store.events.by_seq(seqs)
    return BriefCandidates(
        statements=tuple(best),
        superseded=store.statements.superseding(project, ids),
        vectors={id_: vectors[id_] for id_ in ids if id_ in vectors},
        messages={seq: event.text for seq, event in events.items()},
        # What else a message states may be outdated, or stands in a line of its own. Of what a
        # person agreed to, the rest is the agent's.
        of_one_statement=frozenset(
            seq
            for seq in seqs
            if len(stated.get(seq, ())) == 1 and not is_agreed(stated[seq][0], events[seq])
        ),
        possible_changes={
            id_: changes[0]
            for id_, changes in store.statements.possible_changes(project, ids).items()
            if changes[0].chance >= LIKELY_CHANCE and changes[0].newer.holds
        },
    )


def _ranked_groups(statements: Iterable[Statement]) -> tuple[list[Statement], list[Statement]]:
    """Return rules and preferences, and all others, each with those that matter most first."""
    ranked = ranked_statements(statements)
    guiding = [one for one in ranked if one.kind in GUIDING_KINDS]
    return guiding, [one for one in ranked if one.kind not in GUIDING_KINDS]


def _statement_vectors(
    store: ThreadStore, project: str, space: str | None, statements: Sequence[Statement]
) -> "dict[str, NDArray[np.float32]]":
    if not space or not statements:
        return {}
    known, rows = store.statements.vectors(project, space, [one.id for one in statements])
    return dict(zip(known, rows, strict=True))


def _weighed_statements(
    statements: Sequence[Statement],
    vectors: "Mapping[str, NDArray[np.float32]]",
    space: str | None,
) -> list[Statement]:
    """Return the statements with less confidence the less likely they hold beyond their turn.

    What a person has reviewed is certain, and without a fitted head nothing is known.
    """
    guessed = [one for one in statements if one.review is ReviewState.PROPOSED]
    guessed = [one for one in guessed if one.id in vectors]
    if not space or not guessed:
        return list(statements)
    import numpy as np

    from ai_smartness.statements.heads import kind_rows, load_heads

    heads = load_heads(space)
    if heads is None:
        return list(statements)
    sentences = [Sentence(one.text) for one in guessed]
    rows = np.stack([vectors[one.id] for one in guessed])
    shares = heads.lasting.probabilities(
        kind_rows(sentences, [one.speaker for one in guessed], rows)
    )
    lasting = {one.id: 1.0 - float(share[-1]) for one, share in zip(guessed, shares, strict=True)}
    return [
        replace(one, confidence=one.confidence * lasting.get(one.id, 1.0)) for one in statements
    ]


def _first_in_use(store: ThreadStore, statements: Iterable[Statement]) -> list[Statement]:
    """Return the first statements that are not those of a pin that was taken back."""
    chosen: list[Statement] = []
    for statement in statements:
        if len(chosen) >= MAX_CANDIDATES:
            break
        thread = store.threads.get(statement.thread_id)
        if thread.status is not Status.ARCHIVED or thread.origin is not Origin.PIN:
            chosen.append(statement)
    return chosen
