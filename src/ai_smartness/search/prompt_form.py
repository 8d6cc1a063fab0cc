"""The form of a prompt as numbers: whether it asks, orders work, names a file, quotes an error.

Small models over a prompt's vector take these features beside it. Their order is part of a fit.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ai_smartness.text.keywords import subject_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PROMPT_FORMS", "form_rows", "is_work_request", "prompt_form"]

VECTOR_WEIGHT = 4.0  # of a vector's numbers beside features of 0 and 1
READ_CHARACTERS = 2_000  # of a prompt: a pasted log goes on without telling more
FULL_CHARACTERS = 300
FULL_WORDS = 10
FEW_WORDS = 2

PROMPT_FORMS = {
    "general knowledge": r"\b(?:in general|differences? (?:between|of)|explain|meaning|beginner"
    r"|what(?:'s| is| are) an? |how (?:do|does|can) (?:i|you|one)|example"
    r"|in (?:two|three|a few|one|simple) (?:sentences?|words?|paragraph))\b",
    "what both know": r"\b(?:the|our|we|us|that|those|again|still|last|this project|here)\b",
    "the past": r"\b(?:did|was|were|had|again|last (?:time|week|month)|earlier|before|decided"
    r"|agreed|said|used to)\b",
    "a question": r"^(?:and |so |but |ok |hey |hi )*(?:what|which|where|who|when|why|how|whose"
    r"|whats)\b",
    "work": r"^(?:please |pls |can you |could you |now |ok |and |also |then )*(?:add|make|write|fix"
    r"|change|move|rename|put|create|implement|build|run|deploy|update|remove|delete|set|push"
    r"|ship|extend|refactor|bump|send|store|show|let|turn|draft|start|release|prepare|generate"
    r"|import|export|replace|upgrade|switch|expose|wire|port|drain|roll|cut)\b",
    "private matters": r"\b(?:my (?:wife|husband|son|daughter|brother|sister|mom|mum|dad|mother"
    r"|father|landlord|neighbou?r|friend|dog|cat|kids?|garden|birthday)|birthday|recipe|poem|joke"
    r"|present|dinner|lunch|holiday|invitation|letter|weather|farewell)\b",
    "a file or name": r"[\w-]+\.[a-z]{1,5}\b|[\w.-]+/[\w./-]+|`[^`]+`|\w+_\w+|[a-z]+[A-Z]\w+",
    "an error": r"\b(?:error|fail|exception|traceback|fatal|panic|refused|timeout|not found"
    r"|cannot|undefined)",
    "an answer": r"^(?:ok|okay|yes|yep|no|thanks|thank you|good|great|fine|cool|nice|perfect|lovely"
    r"|very well|proceed|continue|go on|next|done|sure|looks good|lgtm|k|ja|oui|si|да)\b",
    "a text to work on": r":\s*$|:\s*\n|\"[^\"]{30,}|:\s+['\"“].{20,}",
    "a question mark": r"\?\s*$",
    "a number": r"\d",
    "several lines": r"\n",
    "a name": r"\S\s+[A-Z]\w",
}
"""What a prompt may be or have, by the pattern that tells it: the first features of its form."""

_PATTERNS = tuple(re.compile(form, re.IGNORECASE | re.MULTILINE) for form in PROMPT_FORMS.values())
_WORK = _PATTERNS[list(PROMPT_FORMS).index("work")]


def is_work_request(prompt: str) -> bool:
    """Say whether a prompt orders work, to which several rules may apply."""
    return _WORK.search(prompt[:READ_CHARACTERS]) is not None


def form_rows(
    prompts: Sequence[str], vectors: "Sequence[NDArray[np.float32]]"
) -> "NDArray[np.float32]":
    """Return the input of a model: a row for each prompt."""
    import numpy as np

    features = np.asarray([prompt_form(prompt) for prompt in prompts], np.float32)
    return np.hstack([VECTOR_WEIGHT * np.stack(vectors), features])


def prompt_form(prompt: str) -> list[float]:
    """Return what the form of a prompt tells: patterns, and how much it names."""
    text = prompt[:READ_CHARACTERS]
    words = len(subject_words(text))
    return [
        *(float(pattern.search(text) is not None) for pattern in _PATTERNS),
        min(words, FULL_WORDS) / FULL_WORDS,
        float(words < FEW_WORDS),
        float(words <= FEW_WORDS),
        min(len(text), FULL_CHARACTERS) / FULL_CHARACTERS,
    ]
