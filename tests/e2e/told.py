"""What is said at a site: a decision, the question it answers, and talk of something else."""

from e2e.site import Site

__all__ = ["AFTERWARDS", "DECISION", "FACT", "QUESTION", "UNRELATED", "decide"]

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
