"""Fit the heads of the statements on `training/`, and say how good they are.

Each head is measured on every writer after fitting on the others, beside the plain rule that
would judge without it. `tests/tables` is never read here.
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

from ai_smartness.adapters.embedders.model_cache import ModelCache
from ai_smartness.adapters.embedders.model_catalogue import DEFAULT_MODEL
from ai_smartness.inject.need import need_rows
from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.ports import Embedder
from ai_smartness.settings.paths import cache_folder
from ai_smartness.statements.heads import (
    FITTED,
    KIND_LABELS,
    NO_STATEMENT,
    LinearHead,
    kind_rows,
    supersede_rows,
)
from ai_smartness.statements.judge import LEAST_CONFIDENCE, sentence_vectors
from ai_smartness.statements.pair_features import ComparedStatement, pair_features
from ai_smartness.statements.plain_rules import plain_kind
from ai_smartness.statements.sentences import Sentence, sentence_after
from ai_smartness.statements.supersede import (
    LEAST_CHANCE,
    is_superseded,
    may_supersede,
    plainly_supersedes,
)

TRAINING = Path(__file__).parents[1] / "training"
KIND_STRENGTH = 1.0  # inverse of the regularisation; .3 and 1 are equal on unseen writers
NEED_STRENGTH = 0.3
NEED_ODDS = (0.0, 0.4, 0.8)  # logarithms: 0 is even
MORE_NEEDED = 700  # questions and requests of the other files, so that more writers are heard
PAIR_STRENGTH = 0.3
MOST_STEPS = 5_000
NEAREST = 12  # the statements near one, of which one is paired with it
NEAR_SHARE = 0.6  # of the unrelated pairs that are mixed in
MIXED_SHARED_WORDS = 2  # pairs that share so many words may be related after all
SEED = 0

Item = dict[str, Any]
Rows = NDArray[np.float32]
Arrays = dict[str, NDArray[Any]]


def training_items(name: str) -> list[Item]:
    """Read one of the files of labelled items."""
    lines = (TRAINING / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def labelled_twice(items: Sequence[Item], key: str) -> tuple[list[int], list[str], list[float]]:
    """Return item numbers, labels and weights; two annotators who differ count half each."""
    numbers, labels, weights = list[int](), list[str](), list[float]()
    for number, item in enumerate(items):
        both = list(dict.fromkeys([str(item[key]), str(item.get("second", item[key]))]))
        for label in both:
            numbers.append(number)
            labels.append(label)
            weights.append(1 / len(both))
    return numbers, labels, weights


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
        rows = self.rows[[numbers[place] for place in kept]]
        model = LogisticRegression(C=KIND_STRENGTH, max_iter=MOST_STEPS)
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

    def arrays(self) -> Arrays:
        """Return the head as it is saved."""
        model = self.fitted(np.ones(len(self.items), bool))
        return {
            "kind_weights": rounded(model.coef_),
            "kind_bias": rounded(model.intercept_),
        }


class NeedFit:
    """Whether a prompt needs the memory of its project."""

    def __init__(self, embedder: Embedder) -> None:
        items = training_items("prompts")
        asked = {i["question"]: i["writer"] for i in training_items("answers") if answers(i)}
        asked |= {i["request"]: i["writer"] for i in training_items("applies") if i["label"]}
        chosen = np.random.default_rng(0).choice(sorted(asked), MORE_NEEDED, replace=False)
        texts = [*(item["text"] for item in items), *map(str, chosen)]
        self.rows = need_rows(texts, [embedder.query(text) for text in texts])
        needed = [*(bool(item["needs"]) for item in items), *(True for _ in chosen)]
        self.needed = np.array(needed)
        self.writers = np.array(
            [*(item["writer"] for item in items), *(asked[str(text)] for text in chosen)]
        )

    def fitted(self, chosen: NDArray[np.bool_]) -> LogisticRegression:
        """Fit on the chosen prompts."""
        model = LogisticRegression(C=NEED_STRENGTH, max_iter=MOST_STEPS, class_weight="balanced")
        return model.fit(self.rows[chosen], self.needed[chosen])

    def report(self) -> None:
        """Print the figures on unseen writers of prompts with both labels."""
        writers = sorted(set(self.writers[~self.needed]))
        odds = np.zeros(len(self.needed))
        for writer in writers:
            model = self.fitted(self.writers != writer)
            odds[self.writers == writer] = model.decision_function(
                self.rows[self.writers == writer]
            )
        seen = np.isin(self.writers, writers)
        area = roc_auc_score(self.needed[seen], odds[seen])
        print(f"need: head AUROC {area:.3f} on {seen.sum()} prompts of {len(writers)} writers")
        for odd in NEED_ODDS:
            passed = odds > odd
            print(
                f"  odds over {odd:+.1f}: {passed[seen & self.needed].mean():.3f} of those that "
                f"need it, {passed[seen & ~self.needed].mean():.3f} of the others"
            )

    def arrays(self) -> Arrays:
        """Return the head as it is saved."""
        model = self.fitted(np.ones(len(self.needed), bool))
        return {"need_weights": rounded(model.coef_), "need_bias": rounded(model.intercept_)}


def answers(item: Item) -> bool:
    """Say whether the line of a pair answers its question."""
    return bool(item["label"] == "answers")


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
        head = LinearHead(*(array.astype(np.float32) for array in kind.arrays().values()))
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
        sentences = [Sentence(item[side]) for item in self.items]
        speakers = [Speaker(item[f"{side}_speaker"]) for item in self.items]
        vectors = np.stack([self.vectors[item[side]] for item in self.items])
        shares = head.probabilities(kind_rows(sentences, speakers, vectors))
        kinds = [tuple(StatementKind)[place] for place in shares[:, :-1].argmax(axis=1)]
        return [
            ComparedStatement(sentence.words, speaker, kind, 1 - float(share))
            for sentence, speaker, kind, share in zip(
                sentences, speakers, kinds, shares[:, -1], strict=True
            )
        ]

    def fitted(self, chosen: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Fit on the chosen pairs; the scale of the features becomes part of the weights."""
        scaler = StandardScaler().fit(self.rows[chosen][:, : self.scaled])
        rows = self.rows[chosen].copy()
        rows[:, : self.scaled] = scaler.transform(rows[:, : self.scaled])
        model = LogisticRegression(C=PAIR_STRENGTH, max_iter=MOST_STEPS)
        model.fit(rows, self.labels[chosen])
        weights = model.coef_.copy()
        weights[:, : self.scaled] /= scaler.scale_
        return weights, model.intercept_ - weights[:, : self.scaled] @ scaler.mean_

    def report(self) -> None:
        """Print the figures on the labelled pairs of unseen writers, and those of the rule."""
        chances = np.zeros(len(self.items))
        for writer in sorted(set(self.writers)):
            weights, bias = self.fitted(self.writers != writer)
            of_writer = self.writers == writer
            scores = (self.rows[of_writer] @ weights.T + bias)[:, 0]
            chances[of_writer] = 1 / (1 + np.exp(-scores))
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
    older, newer = (
        ComparedStatement(text, Speaker.USER, StatementKind.DECISION, 1.0)
        for text in (earlier, later)
    )
    return len(older.stems & newer.stems) >= MIXED_SHARED_WORDS


def print_kinds(name: str, labels: NDArray[Any], chosen: NDArray[Any], more: str = "") -> None:
    """Print how well statements are told from other sentences, and kinds from each other."""
    right, found = labels != NO_STATEMENT, chosen != NO_STATEMENT
    hits = (right & found).sum()
    macro = f1_score(labels, chosen, average="macro", labels=KIND_LABELS)
    print(
        f"{name}: statements precision {hits / found.sum():.3f}, recall {hits / right.sum():.3f}; "
        f"macro F1 of the kinds {macro:.3f}{more}"
    )


def rounded(weights: NDArray[Any]) -> NDArray[np.float16]:
    """Return weights in two bytes: the same on machines whose sums differ in the last digit."""
    return np.round(weights, 3).astype(np.float16)


def main(arguments: Sequence[str]) -> None:
    """Fit, report, and write the data file unless it is a dry run."""
    embedder = ModelCache(cache_folder(os.environ) / "models").load_embedder(
        DEFAULT_MODEL, max_chunks=1
    )
    if embedder is None:
        sys.exit(f"The model is not here. `ais model pull {DEFAULT_MODEL}` downloads it.")
    kind = KindFit(embedder)
    fits = (kind, SupersedeFit(embedder, kind), NeedFit(embedder))
    arrays: Arrays = {"space": np.array(embedder.space)}
    for fit in fits:
        fit.report()
        arrays |= fit.arrays()
    if "--dry-run" in arguments:
        return
    FITTED.mkdir(exist_ok=True)
    path = FITTED / f"{DEFAULT_MODEL}.npz"
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    print(f"{path.relative_to(TRAINING.parent)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
