"""What is said at a site: a decision, the question it answers, and talk of something else."""

import re

from e2e.model_request import ModelRequest
from e2e.site import Site

__all__ = [
    "AFTERWARDS",
    "DECISION",
    "FACT",
    "QUESTION",
    "UNRELATED",
    "brief_of",
    "decide",
    "shorten_briefs",
    "threads_in",
]

FACT = "every 30 days"
DECISION = (
    f"We decided that the JWT signing keys are rotated {FACT} by the job rotate_keys on vault-2."
)
QUESTION = "how often are the JWT signing keys rotated, and by which job?"
AFTERWARDS = "now draw a taller heron for the logo on the login page"
"""The next session is told where this one stood: by then it stands elsewhere."""

UNRELATED = "write a haiku about rain on an autumn morning"


def decide(site: Site, *more: str, args: tuple[str, ...] = ()) -> None:
    """Hold a session in which the decision is made, more is said, and then something else."""
    with site.talk(args=args) as talk:
        for prompt in (DECISION, *more, AFTERWARDS):
            talk.says(prompt)
    site.settle()


def shorten_briefs(site: Site) -> None:
    """Leave a brief no room for statements: what a prompt needs is then put before it."""
    site.ais("config", "set", "inject.brief_tokens", "100")


def brief_of(request: ModelRequest) -> str:
    """Return the brief that a request begins with."""
    (told,) = request.greetings
    return told.partition("</ai-smartness-memory>")[0]


def threads_in(text: str) -> list[str]:
    """Name the threads that an answer names, by their ids or short ids."""
    ids = re.findall(r"thread_\w+|(?<=\()[0-9a-f]{6}(?=[,)])", text)
    return list(dict.fromkeys(ids))
