"""Fit the head that tells the kind of a sentence."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from fit_data import MOST_STEPS, Arrays, Item, rounded, training_items
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score

from ai_smartness.model.statement import Speaker
from ai_smartness.ports import Embedder
from ai_smartness.statements.heads import KIND_LABELS, NO_STATEMENT, LinearHead, kind_rows
from ai_smartness.statements.judge import LEAST_CONFIDENCE, sentence_vectors
from ai_smartness.statements.plain_rules import plain_kind
from ai_smartness.statements.sentences import sentence_after

CONVERSATION_WEIGHT = 2.0  # of a sentence of a whole conversation: most that is read is such
KIND_STRENGTH = 1.0  # inverse of the regularisation; .3 and 1 are equal on unseen writers
KIND_TOLERANCE = 1e-3  # of the fit: 1e-4 takes four times as long and is no better


class KindFit:
    """The kind of a sentence."""

    def __init__(self, embedder: Embedder) -> None:
        self.items = training_items("statements")
        self.sentences = [sentence_after(item["before"], item["text"]) for item in self.items]
        self.speakers = [Speaker(item["speaker"]) for item in self.items]
        vectors = sentence_vectors(embedder, [one.judged_text for one in self.sentences])
        self.rows = kind_rows(self.sentences, self.speakers, vectors)
        self.labels = np.array([item["kind"] for item in self.items])
        self.writers = np.array([item["writer"] for item in self.items])

    def fitted(self, chosen: NDArray[np.bool_]) -> LogisticRegression:
        """Fit on the chosen items."""
        numbers, labels, weights = labelled_twice(self.items, "kind")
        kept = [place for place, number in enumerate(numbers) if chosen[number]]
        rows = self.rows[[numbers[place] for place in kept]].astype(np.float64)
        model = LogisticRegression(C=KIND_STRENGTH, max_iter=MOST_STEPS, tol=KIND_TOLERANCE)
        codes = [KIND_LABELS.index(labels[place]) for place in kept]
        return model.fit(rows, codes, sample_weight=[weights[place] for place in kept])

    def report(self) -> None:
        """Print the figures on unseen writers, and those of the plain rules."""
        shares = np.zeros((len(self.items), len(KIND_LABELS)))
        for writer in sorted(set(self.writers)):
            model = self.fitted(self.writers != writer)
            shares[self.writers == writer] = model.predict_proba(self.rows[self.writers == writer])
        labels = np.array(KIND_LABELS)
        none = labels == NO_STATEMENT
        confidence = 1 - shares[:, none][:, 0]
        best = labels[:-1][shares[:, ~none].argmax(axis=1)]
        chosen = np.where(confidence >= LEAST_CONFIDENCE, best, NO_STATEMENT)
        area = roc_auc_score(self.labels != NO_STATEMENT, confidence)
        print_kinds("kind: head", self.labels, labels[shares.argmax(axis=1)], f", AUROC {area:.3f}")
        print_kinds(f"kind: head from {LEAST_CONFIDENCE}", self.labels, chosen)
        judged = [plain_kind(*pair) for pair in zip(self.sentences, self.speakers, strict=True)]
        plain = np.array([str(kind[0]) if kind else NO_STATEMENT for kind in judged])
        print_kinds("kind: plain rules", self.labels, plain)
        whole = np.array([bool(item.get("conversation")) for item in self.items])
        print_kinds("kind: head, in whole conversations", self.labels[whole], chosen[whole])

    @cached_property
    def whole_fit(self) -> LogisticRegression:
        """Fit on all items."""
        return self.fitted(np.ones(len(self.items), bool))

    def head(self) -> LinearHead:
        """Return the head as it judges."""
        return LinearHead(*(array.astype(np.float32) for array in self.arrays().values()))

    def arrays(self) -> Arrays:
        """Return the head as it is saved."""
        model = self.whole_fit
        return {
            "kind_weights": rounded(model.coef_),
            "kind_bias": rounded(model.intercept_),
        }


def labelled_twice(items: Sequence[Item], key: str) -> tuple[list[int], list[str], list[float]]:
    """Return item numbers, labels and weights; two annotators who differ count half each."""
    numbers, labels, weights = list[int](), list[str](), list[float]()
    for number, item in enumerate(items):
        both = list(dict.fromkeys([str(item[key]), str(item.get("second", item[key]))]))
        weight = CONVERSATION_WEIGHT if item.get("conversation") else 1.0
        for label in both:
            numbers.append(number)
            labels.append(label)
            weights.append(weight / len(both))
    return numbers, labels, weights


def print_kinds(name: str, labels: NDArray[Any], chosen: NDArray[Any], more: str = "") -> None:
    """Print how well statements are told from other sentences, and kinds from each other."""
    right, found = labels != NO_STATEMENT, chosen != NO_STATEMENT
    hits = (right & found).sum()
    macro = f1_score(labels, chosen, average="macro", labels=KIND_LABELS)
    print(
        f"{name}: statements precision {hits / found.sum():.3f}, recall {hits / right.sum():.3f}; "
        f"macro F1 of the kinds {macro:.3f}{more}"
    )
