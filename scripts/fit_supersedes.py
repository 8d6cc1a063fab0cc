"""Fit the head that tells whether a later statement supersedes an earlier one."""

from collections.abc import Sequence

import numpy as np
from fit_data import (
    SEED,
    Arrays,
    Item,
    Weights,
    compared_lines,
    rounded,
    scaled_fit,
    scored_chances,
    training_items,
)
from fit_kind import KindFit
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from ai_smartness.ports import Embedder
from ai_smartness.statements.heads import NO_STATEMENT, LinearHead, supersede_rows
from ai_smartness.statements.judge import sentence_vectors
from ai_smartness.statements.pair_features import ComparedStatement, ComparedText, pair_features
from ai_smartness.statements.supersede import (
    LEAST_CHANCE,
    is_superseded,
    may_supersede,
    plainly_supersedes,
)

PAIR_STRENGTH = 0.3  # inverse of the regularisation
NEAREST = 12  # the statements near one, of which one is paired with it
NEAR_SHARE = 0.6  # of the unrelated pairs that are mixed in
MIXED_SHARED_WORDS = 2  # pairs that share so many words may be related after all


class SupersedeFit:
    """Does a later statement supersede an earlier one."""

    def __init__(self, embedder: Embedder, kind: KindFit) -> None:
        items = training_items("supersedes")
        texts = sorted({text for item in (*items, *kind.items) for text in item_texts(item)})
        self.vectors = dict(zip(texts, sentence_vectors(embedder, texts), strict=True))
        self.items = [*items, *self.mixed_pairs(items, kind.items)]
        self.is_mixed = np.array([bool(item.get("mixed")) for item in self.items])
        self.labels = np.array([item["label"] == "supersedes" for item in self.items])
        self.writers = np.array([item["writer"] for item in self.items])
        head = kind.head()
        older, newer = (self.compared(side, head) for side in ("earlier", "later"))
        self.pairs = list(zip(older, newer, strict=True))
        self.cosines = [self.cosine(item) for item in self.items]
        features = [
            pair_features(*pair, cosine)
            for pair, cosine in zip(self.pairs, self.cosines, strict=True)
        ]
        later = np.stack([self.vectors[item["later"]] for item in self.items])
        self.rows = supersede_rows(features, later)
        self.scaled = len(features[0])

    def mixed_pairs(self, items: Sequence[Item], others: Sequence[Item]) -> list[Item]:
        """Pair every later statement with one of its project that is near it, or with any other.

        In a real memory nearly all pairs are unrelated, and the near ones are compared first.
        Those that share words are left out: some of them are related after all.
        """
        random = np.random.default_rng(SEED)
        pairs: list[Item] = []
        for item in items:
            spoken = project_statements(item["project"], items, others)
            texts = list(spoken)
            cosines = np.stack([self.vectors[text] for text in texts]) @ self.vectors[item["later"]]
            nearest = np.argsort(-cosines)[1 : NEAREST + 1]
            place = (
                random.choice(nearest)
                if random.random() < NEAR_SHARE
                else random.choice(len(texts))
            )
            earlier = texts[place]
            if not _may_be_related(earlier, item["later"]):
                unrelated = {"earlier": earlier, "earlier_speaker": spoken[earlier]}
                pairs.append({**item, **unrelated, "label": "unrelated", "mixed": True})
        return pairs

    def cosine(self, item: Item) -> float:
        """Return how alike the two statements are."""
        return float(self.vectors[item["earlier"]] @ self.vectors[item["later"]])

    def compared(self, side: str, head: LinearHead) -> list[ComparedStatement]:
        """Return one side of every pair, judged by the kind head."""
        spoken = [(item[side], item[f"{side}_speaker"]) for item in self.items]
        vectors = np.stack([self.vectors[text] for text, _ in spoken])
        return compared_lines(head, spoken, vectors)

    def fitted(self, chosen: NDArray[np.bool_]) -> Weights:
        """Fit on the chosen pairs."""
        rows, labels = self.rows[chosen], self.labels[chosen]
        return scaled_fit(rows, labels, PAIR_STRENGTH, self.scaled, None)

    def report(self) -> None:
        """Print the figures on the labelled pairs of unseen writers, and those of the rule."""
        chances = np.zeros(len(self.items))
        for writer in sorted(set(self.writers)):
            of_writer = self.writers == writer
            chances[of_writer] = scored_chances(self.rows[of_writer], self.fitted(~of_writer))
        allowed = np.array([may_supersede(*pair) for pair in self.pairs])
        plain = np.array([plainly_supersedes(*pair) for pair in self.pairs])
        area = roc_auc_score(self.labels[~self.is_mixed], chances[~self.is_mixed])
        print(f"supersedes: head: AUROC {area:.3f} on hard pairs")
        self.print_pairs("supersedes: head", chances >= LEAST_CHANCE)
        decided = np.array(
            [
                is_superseded(*pair, cosine, chance)
                for pair, cosine, chance in zip(self.pairs, self.cosines, chances, strict=True)
            ]
        )
        self.print_pairs("supersedes: head and evidence", allowed & decided)
        self.print_pairs("supersedes: plain rule", allowed & plain)

    def print_pairs(self, name: str, claimed: NDArray[np.bool_]) -> None:
        """Print precision and recall on labelled pairs, and the share of random ones claimed."""
        hard = ~self.is_mixed
        hits = (claimed & self.labels & hard).sum()
        print(
            f"{name}: precision {hits / (claimed & hard).sum():.3f}, "
            f"recall {hits / self.labels.sum():.3f}, "
            f"of random pairs {claimed[self.is_mixed].mean():.4f}"
        )

    def arrays(self) -> Arrays:
        """Return the head as it is saved."""
        weights, bias = self.fitted(np.ones(len(self.items), bool))
        return {"supersedes_weights": rounded(weights), "supersedes_bias": rounded(bias)}


def item_texts(item: Item) -> list[str]:
    """Return the texts of a pair, or of a labelled sentence that is a statement."""
    if "later" in item:
        return [item["earlier"], item["later"]]
    return [item["text"]] if item["kind"] != NO_STATEMENT else []


def project_statements(
    project: str, pairs: Sequence[Item], sentences: Sequence[Item]
) -> dict[str, str]:
    """Return the statements of a project, each with its speaker."""
    spoken = {
        item["text"]: item["speaker"]
        for item in sentences
        if item["project"] == project and item["kind"] != NO_STATEMENT
    }
    earlier = {
        item["earlier"]: item["earlier_speaker"] for item in pairs if item["project"] == project
    }
    return {**spoken, **earlier}


def _may_be_related(earlier: str, later: str) -> bool:
    shared = ComparedText(earlier).stems & ComparedText(later).stems
    return len(shared) >= MIXED_SHARED_WORDS
