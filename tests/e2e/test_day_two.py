"""Day two of a small project: what was said on day one stands before the agent, as it holds now."""

from e2e.site import Site
from e2e.told import brief_of

RULE = "Never log the session id of a customer, not even at debug level."
OLD = "We keep the user sessions in Redis with a time to live of one hour."
NEW = "Move the user sessions to Postgres, no more Redis."
WORK = "add a debug line to the login handler that shows which customer came in"


def live_day_one(site: Site) -> None:
    """State a rule and a decision, and reverse the decision in the next session."""
    for prompts in ((RULE, OLD), (NEW,)):
        with site.talk() as talk:
            for prompt in prompts:
                talk.says(prompt)
        site.settle()


def test_a_rule_stands_before_the_work_that_it_applies_to_and_a_reversed_decision_as_reversed(
    site: Site,
) -> None:
    live_day_one(site)

    with site.talk() as talk:
        talk.says(WORK)
        request = talk.model.requests[-1]

    brief = brief_of(request)
    seen = "\n".join([brief, *request.shown])
    assert "Never log the session id" in seen
    assert "sessions to Postgres" in seen
    old = seen.find("sessions in Redis")
    assert old < 0 or "until" in seen[:old] or seen.find("sessions to Postgres") < old
