"""Judge from its words whether a prompt can need the memory of a project at all.

"explain what a mutex is" and "ok, go on" need none, however well some stored line matches them. A
linear head over the prompt's vector and its form was fitted on `training/prompts.jsonl` by
`scripts/fit`. Without a model for which it was fitted, nothing is known.
"""

from ai_smartness.capture.embed import model_errors
from ai_smartness.ports import Embedder

__all__ = ["prompt_need"]


def prompt_need(prompt: str, embedder: Embedder | None) -> float | None:
    """Return the probability that a prompt needs the memory; none if no head knows the model."""
    if embedder is None:
        return None
    from ai_smartness.search.prompt_form import form_rows
    from ai_smartness.statements.heads import load_heads

    heads = load_heads(embedder.space)
    if heads is None:
        return None
    with model_errors():
        vector = embedder.query(prompt)
    return float(heads.need.probabilities(form_rows([prompt], [vector]))[0])
