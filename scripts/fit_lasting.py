"""Fit the head that tells which statements are worth a place in the brief of a busy project.

The kind head is fitted on made-up sentences. In real sessions it takes orders of the moment for
rules and decisions: two of three sentences that it finds hold nothing beyond their turn. This head
has the same input and labels, and counts sentences of real sessions most. It finds fewer of the
made-up statements, so it only orders what the kind head found.
"""

from collections.abc import Sequence

import numpy as np
from fit_data import MOST_STEPS, Arrays, Item, Rows, rounded
from fit_kind import KIND_TOLERANCE, KindFit, labelled_twice
from fit_real_lines import REPORTED_REPOSITORY
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from ai_smartness.model.statement import Speaker
from ai_smartness.ports import Embedder
from ai_smartness.statements.heads import KIND_LABELS, NO_STATEMENT, kind_rows
from ai_smartness.statements.judge import LEAST_CONFIDENCE, sentence_vectors

REAL_WEIGHT = 4.0  # of a sentence of a real session beside a made-up one
STRENGTH = 0.1  # inverse of the regularisation


class LastingFit:
    """Whether a sentence of a real session holds beyond its turn."""

    def __init__(self, embedder: Embedder, kind: KindFit, real: Sequence[Item]) -> None:
        self.kind = kind
        sentences = [item["sentence"] for item in real]
        speakers = [Speaker(item["speaker"]) for item in real]
        vectors = sentence_vectors(embedder, [one.judged_text for one in sentences])
        self.real_rows = kind_rows(sentences, speakers, vectors)
        self.real = real
        self.repositories = np.array([item["conversation"] for item in real])

    def fitted(self, chosen: NDArray[np.bool_]) -> LogisticRegression:
        """Fit on all made-up sentences and on the chosen real ones."""
        numbers, labels, weights = labelled_twice(self.kind.items, "kind")
        places = np.flatnonzero(chosen)
        rows = np.concatenate([self.kind.rows[numbers], self.real_rows[places]]).astype(np.float64)
        labels += [self.real[int(place)]["kind"] for place in places]
        weights += [REAL_WEIGHT] * len(places)
        model = LogisticRegression(C=STRENGTH, max_iter=MOST_STEPS, tol=KIND_TOLERANCE)
        codes = [KIND_LABELS.index(label) for label in labels]
        return model.fit(rows, codes, sample_weight=weights)

    def report(self) -> None:
        """Print how well each repository's statements are ordered after a fit on the others."""
        is_stated = np.array([is_called_statement(item) for item in self.real])
        found = 1 - self.kind.head().probabilities(self.real_rows)[:, -1]
        for repository in sorted(set(self.repositories)):
            here = self.repositories == repository
            model = self.fitted(~here & (self.repositories != REPORTED_REPOSITORY))
            lasting = lasting_shares(model, self.real_rows[here])
            for name, scores in (("kind head", found[here]), ("with this", found[here] * lasting)):
                print_order(f"lasting: {repository}, {name}", scores, is_stated[here], found[here])

    def arrays(self) -> Arrays:
        """Return the head as it is saved, fitted without the repository for reporting."""
        model = self.fitted(self.repositories != REPORTED_REPOSITORY)
        return {
            "lasting_weights": rounded(model.coef_),
            "lasting_bias": rounded(model.intercept_),
        }


def is_called_statement(item: Item) -> bool:
    """Say whether one of its annotators calls a sentence a statement."""
    return {item["kind"], item.get("second", NO_STATEMENT)} != {NO_STATEMENT}


def lasting_shares(model: LogisticRegression, rows: Rows) -> NDArray[np.float64]:
    """Return the chance of each sentence that it holds beyond its turn."""
    return np.asarray(1 - model.predict_proba(rows)[:, -1])


def print_order(
    name: str,
    scores: NDArray[np.floating],
    is_stated: NDArray[np.bool_],
    found: NDArray[np.floating],
) -> None:
    """Print how well scores put statements first, of all sentences and of those found."""
    taken = found >= LEAST_CONFIDENCE
    print(
        f"{name}: of {len(scores)} sentences {is_stated.sum()} are statements: "
        f"AUROC {roc_auc_score(is_stated, scores):.3f}, "
        f"average precision {average_precision_score(is_stated, scores):.3f}; "
        f"of the {taken.sum()} found {is_stated[taken].mean():.2f} are: "
        f"AUROC {roc_auc_score(is_stated[taken], scores[taken]):.3f}, "
        f"average precision {average_precision_score(is_stated[taken], scores[taken]):.3f}"
    )
