"""Fit the head that tells whether a prompt needs the memory."""

import numpy as np
from fit_data import MOST_STEPS, SEED, Arrays, Item, rounded, training_items
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from ai_smartness.ports import Embedder
from ai_smartness.search.prompt_form import form_rows
from ai_smartness.text.translate import english_wording

NEED_STRENGTH = 0.3  # inverse of the regularisation
NEED_ODDS = (0.0, 0.4, 0.8)  # logarithms: 0 is even
MORE_NEEDED = 700  # questions and requests of the other files, so that more writers are heard


class NeedFit:
    """Whether a prompt needs the memory of its project."""

    def __init__(self, embedder: Embedder) -> None:
        items = training_items("prompts")
        asked = {i["question"]: i["writer"] for i in training_items("answers") if answers(i)}
        asked |= {i["request"]: i["writer"] for i in training_items("applies") if i["label"]}
        chosen = np.random.default_rng(SEED).choice(sorted(asked), MORE_NEEDED, replace=False)
        texts = [*(item["text"] for item in items), *map(str, chosen)]
        # As the gate reads them.
        texts = [english_wording(text) or text for text in texts]
        self.rows = form_rows(texts, [embedder.query(text) for text in texts])
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
