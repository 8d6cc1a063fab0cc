"""Judge how well a message answers a question with a cross-encoder on this machine.

A cross-encoder reads the question and the message together, so it sees more than two vectors do,
and takes tens of milliseconds for each message. Pairs run one by one, as texts do in the embedder.
"""

import math
from typing import TYPE_CHECKING

from ai_smartness.adapters.embedders.calibration import tokenizable_text
from ai_smartness.adapters.embedders.onnx_session import OnnxModel
from ai_smartness.adapters.embedders.text_tokenizer import open_tokenizer
from ai_smartness.model.errors import StoreError
from ai_smartness.ports import Reranker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.adapters.embedders.model_catalogue import ModelRecipe

__all__ = ["OnnxReranker"]

PAIR_TOKENS = 256  # of question and message together; the time grows with them
CHARACTERS_PER_TOKEN = 6  # more than any language has on average
MOST_CLASSES = 2
PROBE = ("Does it work?", "It works.")


class OnnxReranker(Reranker):
    """A reranker that runs a model in this process."""

    def __init__(self, recipe: "ModelRecipe", *, threads: int = 1) -> None:
        self._recipe = recipe
        self._tokenizer = open_tokenizer(recipe.tokenizer)
        self._most_tokens = min(recipe.max_tokens, PAIR_TOKENS)
        self._model = OnnxModel(recipe.model, threads)
        self.score(*PROBE)

    @property
    def name(self) -> str:
        return self._recipe.space

    def score(self, query: str, text: str) -> float:
        most = PAIR_TOKENS * CHARACTERS_PER_TOKEN
        texts = tokenizable_text(query[:most]), tokenizable_text(text[:most])
        tokens, types = self._tokenizer.pair_ids(*texts, self._most_tokens)
        return self._single_score(self._model.run(tokens, types))

    def _single_score(self, output: "NDArray[np.float32]") -> float:
        """Return the only number, or by how much the second class is ahead of the first."""
        if output.ndim > 1 or not 1 <= output.size <= MOST_CLASSES:
            msg = (
                f"cannot rerank with {self._recipe.model}: it gives vectors and no score. Use a "
                "cross-encoder, exported for text classification."
            )
            raise StoreError(msg)
        numbers = output.reshape(-1).tolist()
        score = numbers[-1] - (numbers[0] if len(numbers) == MOST_CLASSES else 0.0)
        if not math.isfinite(score):
            msg = f"{self._recipe.model} gave a score that is no number. `ais doctor` checks it."
            raise StoreError(msg)
        return float(score)
