"""The form of a prompt as numbers: whether it asks, orders work, names a file, quotes an error.

Small models over a prompt's vector take these features beside it. Their order is part of a fit.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ai_smartness.text.keywords import extract_keywords, subject_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PROMPT_FORMS", "form_rows", "prompt_form"]

VECTOR_WEIGHT = 4.0  # of a vector's numbers beside features of 0 and 1
READ_CHARACTERS = 2_000  # of a prompt: a pasted log goes on without telling more
FULL_CHARACTERS = 300
FULL_WORDS = 10
FEW_WORDS = 2
CHORE_CHARACTERS = 120  # a longer prompt says more than the next step
CHORE_FEATURES = 4
KNOWN_PROMPTS = 8  # one prompt is looked at several times, also together with the one before

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

_CHORE = re.compile(
    r"\b(?:(?:re)?commit\w*|push\w*|(?:re|un)?stash\w*|rebase\w*|merge\w*|amend\w*|squash\w*|fixup"
    r"|cherry[- ]?pick\w*|bisect\w*|revert\w*|undo|diffs?|differences|changelog|readme"
    r"|branch(?:es)?|prs?|mrs?|pull request|merge request|review comments?|ci|pipeline|tags?"
    r"|taggen|version\w*|bump\w*|tests?|testsuite|suite|unit tests?|xfail|green|grün|vert|lint\w*"
    r"|mypy|type ?check\w*|format\w*|imports?|builds?|rebuild\w*|compil\w*|recompil\w*|clean\w*"
    r"|tidy|install\w*|reinstall\w*|deps|dependenc\w*|lockfile|snapshots?|re-?run\w*|run|runs"
    r"|execut\w*|restart\w*|bounce|re-?try|repeat|again|once more|try|tries|docs?|documentation"
    r"|typos?|typing error"
    r"|warnings?|debug\w*|prints?|print statements?|log|logs|output|container|docker|npm|dev server"
    r"|server|service|migrations?|wip|step|steps|rename\w*|helper"
    r"|committen|nochmal|noch ?mal|neu (?:bauen|starten)|starte\w*|bauen|laufen|lass|zeig\w*|räum"
    r"|rückgängig|zurücknehmen|löschen|doku|ergänzen|tippfehler|debug-ausgaben|ausführen|führ"
    r"|hochziehen|skript"
    r"|commite\w*|pouss\w*|relanc\w*|lance\w*|redémarr\w*|montre\w*|annul\w*|nettoie|enlève|pareil"
    r"|ouvre|mets à jour|ajoute un test|fais"
    r"|haz|corre|ejecut\w*|vuelve|sube|subir|actualiz\w*|reinici\w*|deshaz|enséñame|otra vez"
    r"|rifai|lancia|fai|esegui)\b",
    re.IGNORECASE,
)
_UNTOLD = re.compile(
    r"\b(?:please|pls|kindly|other|rest|same|last|latest|first|second|third|one|ones|two|three|both|all"
    r"|file|files|function|module|script|thing|part|parts|change\w*|update\w*|add|show|make|open"
    r"|close|delete|remove|fix|check|write|create|start|finish|drop|wait|look|tell|result|now|then"
    r"|good|when|everything|whether|too|well|failing|failed|old|command|process|decent|message"
    r"|datei|andere\w*|bitte|letzte\w*|zeilen|gleiche|jetzt|dann|mach\w*|schreib\w*|autre|fichier"
    r"|dernier\w*|otro|archivo|último|mismo|rama)\b",
    re.IGNORECASE,
)

_PATTERNS = tuple(re.compile(form, re.IGNORECASE | re.MULTILINE) for form in PROMPT_FORMS.values())


def form_rows(
    prompts: Sequence[str], vectors: "Sequence[NDArray[np.float32]]"
) -> "NDArray[np.float32]":
    """Return the input of a model: a row for each prompt."""
    import numpy as np

    features = np.asarray([prompt_form(prompt) for prompt in prompts], np.float32)
    return np.hstack([VECTOR_WEIGHT * np.stack(vectors), features])


def prompt_form(prompt: str) -> tuple[float, ...]:
    """Return what the form of a prompt tells: patterns, and how much it names."""
    return _text_form(prompt[:READ_CHARACTERS])


@lru_cache(KNOWN_PROMPTS)
def _text_form(text: str) -> tuple[float, ...]:
    words = len(subject_words(text))
    return (
        *(float(pattern.search(text) is not None) for pattern in _PATTERNS),
        min(words, FULL_WORDS) / FULL_WORDS,
        float(words < FEW_WORDS),
        float(words <= FEW_WORDS),
        min(len(text), FULL_CHARACTERS) / FULL_CHARACTERS,
        *_chore_form(text),
    )


def _chore_form(text: str) -> list[float]:
    """Tell whether a prompt orders a step of any work, such as a commit, and names little else."""
    without_chores = _CHORE.sub(" ", text)
    if without_chores == text or len(text) > CHORE_CHARACTERS:
        return [0.0] * CHORE_FEATURES
    left = sum(1 for _ in extract_keywords(_UNTOLD.sub(" ", without_chores)))
    return [1.0, float(left == 0), float(left <= 1), min(left, FULL_WORDS) / FULL_WORDS]
