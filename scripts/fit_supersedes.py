"""Fit the head that tells whether a later statement supersedes an earlier one.

It is fitted on the labelled pairs, each among the statements of its project, and on all pairs of
whole projects, where a reversal is as rare as in real work.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from fit_data import (
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
from fit_projects import START, LabelledProject, labelled_projects
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from ai_smartness.model.statement import Speaker, Statement
from ai_smartness.ports import Embedder
from ai_smartness.statements.heads import (
    NO_STATEMENT,
    Heads,
    LinearHead,
    supersede_rows,
)
from ai_smartness.statements.in_force import StatementsInForce
from ai_smartness.statements.judge import SentenceJudge, sentence_vectors
from ai_smartness.statements.supersede import (
    ComparedPair,
    is_superseded,
    may_supersede,
    plainly_supersedes,
)

PAIR_STRENGTH = 0.1  # inverse of the regularisation
WRITTEN_WEIGHT = 0.2  # of a labelled pair and of those around it, beside one of a whole project
MIXED_SHARED_WORDS = 2  # pairs that share so many words may be related after all
WRITTEN, MIXED, PROJECT = range(3)
TOTALS = 7  # figures of a project

FitPair = tuple[ComparedPair, NDArray[np.float32], bool, int, str]
"""A pair, the vector of its later statement, its label, its source and its writer."""


class SupersedeFit:
    """Does a later statement supersede an earlier one."""

    def __init__(self, embedder: Embedder, kind: KindFit) -> None:
        self.embedder = embedder
        items = training_items("supersedes")
        texts = sorted({text for item in (*items, *kind.items) for text in item_texts(item)})
        self.vectors = dict(zip(texts, sentence_vectors(embedder, texts), strict=True))
        self.heads = judging_heads(embedder, kind)
        judge = SentenceJudge(embedder)
        judge.heads = self.heads
        self.projects = labelled_projects(judge)
        self.pairs: list[ComparedPair] = []
        features, newer, labels, sources, writers = [], [], [], [], []
        for pair, vector, label, source, writer in chain(
            self.written_pairs(items, kind), self.project_pairs()
        ):
            self.pairs.append(pair)
            features.append(pair.features)  # at once: rarities change with the next statement
            newer.append(vector)
            labels.append(label)
            sources.append(source)
            writers.append(writer)
        self.labels, self.sources = np.array(labels), np.array(sources)
        self.writers = np.array(writers)
        self.rows = supersede_rows(features, np.stack(newer))
        self.scaled = len(features[0])

    def written_pairs(self, items: Sequence[Item], kind: KindFit) -> Iterator[FitPair]:
        """Compare every later statement with its partner and with the others of its project.

        In a real memory nearly all pairs are unrelated. Others that share words are left out: some
        of them are related after all.
        """
        head = kind.head()
        for project in sorted({item["project"] for item in items}):
            spoken = project_statements(project, items, kind.items)
            in_force = StatementsInForce(self.heads, self.embedder)
            for text, speaker in spoken.items():
                in_force.add(self.statement(head, text, speaker, seq=0), self.vectors[text])
            labels = {
                (item["earlier"], item["later"]): item
                for item in items
                if item["project"] == project
            }
            later = {item["later"]: item for item in labels.values()}
            for text, item in later.items():
                newer = self.statement(head, text, item["later_speaker"], seq=1)
                in_force.add(newer, self.vectors[text])
                for older, pair in in_force.compared_pairs(newer.id):
                    labelled = labels.get((older.text, text))
                    if older.seq or not (labelled or _is_unrelated(pair)):
                        continue
                    is_reversal = labelled is not None and labelled["label"] == "supersedes"
                    source = WRITTEN if labelled else MIXED
                    yield pair, self.vectors[text], is_reversal, source, item["writer"]
                in_force.forget(newer.id)

    def statement(self, head: LinearHead, text: str, speaker: str, seq: int) -> Statement:
        """Return a labelled text as a statement, judged by the kind head."""
        line = compared_lines(head, [(text, speaker)], self.vectors[text][None])[0]
        return Statement(
            id=f"{seq} {text}",
            project="",
            seq=seq,
            thread_id="",
            session=f"{seq}",
            speaker=Speaker(speaker),
            at=START,
            kind=line.kind,
            text=text,
            confidence=line.confidence,
        )

    def project_pairs(self) -> Iterator[FitPair]:
        """Compare every statement of a whole project with all earlier ones."""
        for project in self.projects:
            for pair, vector, label in project.all_pairs(self.heads):
                if label is not None:
                    yield pair, vector, label, PROJECT, project.writer

    def fitted(self, chosen: NDArray[np.bool_]) -> Weights:
        """Fit on the chosen pairs."""
        shares = np.where(self.sources == PROJECT, 1.0, WRITTEN_WEIGHT)[chosen]
        rows, labels = self.rows[chosen], self.labels[chosen]
        return scaled_fit(rows, labels, PAIR_STRENGTH, self.scaled, shares)

    def report(self) -> None:
        """Print the figures on pairs and projects of unseen writers, and those of the rule."""
        chances = np.zeros(len(self.pairs))
        totals = np.zeros(TOTALS, int)
        for writer in sorted(set(self.writers)):
            of_writer = self.writers == writer
            weights = self.fitted(~of_writer)
            chances[of_writer] = scored_chances(self.rows[of_writer], weights)
            totals += self.replayed(writer, weights)
        written = self.sources == WRITTEN
        area = roc_auc_score(self.labels[written], chances[written])
        print(f"supersedes: head: AUROC {area:.3f} on hard pairs")
        allowed = np.array([may_supersede(pair.older, pair.newer) for pair in self.pairs])
        plain = np.array([plainly_supersedes(pair.older, pair.newer) for pair in self.pairs])
        decided = np.array(
            [is_superseded(pair, one) for pair, one in zip(self.pairs, chances, strict=True)]
        )
        self.print_pairs("supersedes: head and evidence", allowed & decided)
        self.print_pairs("supersedes: plain rule", allowed & plain)
        reversals, found, links, right, doubted, doubts, right_doubts = totals
        print(
            f"supersedes: whole projects of unseen writers: {found} of {reversals} reversals, "
            f"{right} of {links} links are right; in doubt {doubted} more, "
            f"{right_doubts} of {doubts} doubts are right"
        )

    def replayed(self, writer: str, weights: Weights) -> NDArray[np.int_]:
        """Decide on the projects of a writer, and count as `_replayed_project` does."""
        head = LinearHead(*(array.astype(np.float32) for array in weights))
        heads = replace(self.heads, supersedes=head)
        totals = np.zeros(TOTALS, int)
        for project in self.projects:
            if project.writer == writer:
                totals += _replayed_project(project, heads)
        return totals

    def print_pairs(self, name: str, claimed: NDArray[np.bool_]) -> None:
        """Print precision and recall on labelled pairs, and the share of the others claimed."""
        hard, mixed = self.sources == WRITTEN, self.sources == MIXED
        hits = (claimed & self.labels & hard).sum()
        print(
            f"{name}: precision {hits / max(1, (claimed & hard).sum()):.3f}, "
            f"recall {hits / (self.labels & hard).sum():.3f}, "
            f"of random pairs {claimed[mixed].mean():.4f}"
        )

    def arrays(self) -> Arrays:
        """Return the head as it is saved."""
        weights, bias = self.fitted(np.ones(len(self.pairs), bool))
        return {"supersedes_weights": rounded(weights), "supersedes_bias": rounded(bias)}


def judging_heads(embedder: Embedder, kind: KindFit) -> Heads:
    """Return heads that tell kinds as they were just fitted, and nothing else."""
    blank = LinearHead(np.zeros((1, 0), np.float32), np.zeros(1, np.float32))
    return Heads(
        space=embedder.space,
        version="",
        kind=kind.head(),
        lasting=blank,
        supersedes=blank,
        need=blank,
    )


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


def _is_unrelated(pair: ComparedPair) -> bool:
    return len(pair.older.stems & pair.newer.stems) < MIXED_SHARED_WORDS


def _replayed_project(project: LabelledProject, heads: Heads) -> NDArray[np.int_]:
    """Count reversals, those found, links and right ones, those in doubt, doubts and right ones."""
    links, doubts = project.found_changes(heads)
    counts = [len(project.item["supersedes"])]
    for pairs in (links, doubts):
        right = sum(project.is_right(*pair) for pair in pairs)
        counts += [project.found_count(pairs), len(pairs), right]
    return np.array(counts)
