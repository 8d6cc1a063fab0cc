"""What a session has in sight is not told twice; what it lost sight of comes back."""

from e2e.screen import screen
from e2e.scripted_model import says, uses
from e2e.site import Site
from e2e.told import DECISION, FACT, QUESTION, UNRELATED, brief_of, decide, shorten_briefs

AGAIN = "and the JWT signing keys, are they rotated on vault-2 by that job?"
LOGO = "We decided that the header of the shop carries the small heron logo, in teal."
WHICH_LOGO = "which logo does the header of the shop carry?"


def test_what_was_shown_is_not_shown_again_until_it_is_compacted_away(site: Site) -> None:
    shorten_briefs(site)
    decide(site)

    with site.talk() as talk:
        talk.says(QUESTION)
        talk.says(AGAIN)
        before = talk.model.requests[-1]
        talk.says("/compact")
        talk.says(UNRELATED)
        unrelated = talk.model.requests[-1]
        talk.says(QUESTION)
        after = talk.model.requests[-1]

    assert len(before.shown) == 1
    assert FACT in before.shown[0]
    assert len(before.greetings) == 1
    assert len(unrelated.greetings) == 1
    assert unrelated.shown == []
    (shown,) = after.shown
    assert DECISION in shown


def test_the_brief_says_what_was_decided_at_the_start_and_again_after_a_compaction(
    site: Site,
) -> None:
    decide(site)

    with site.talk() as talk:
        talk.says(QUESTION)
        first = talk.model.requests[-1]
        talk.says("/compact")
        talk.says(UNRELATED)
        after = talk.model.requests[-1]

    for request in (first, after):
        assert FACT in brief_of(request)
        assert request.shown == []


def test_what_was_said_before_a_compaction_comes_back_when_it_is_asked_for(
    site: Site,
) -> None:
    with site.talk() as talk:
        talk.says(LOGO)
        site.settle()
        talk.says(WHICH_LOGO)
        in_sight = talk.model.requests[-1]
        talk.says("/compact")
        site.settle()
        talk.says(WHICH_LOGO)
        lost = talk.model.requests[-1]

    assert in_sight.shown == []
    assert "heron logo" in lost.text


def test_a_session_that_is_resumed_is_not_told_again_what_it_has_in_sight(
    site: Site,
) -> None:
    shorten_briefs(site)
    decide(site)
    with site.talk() as talk:
        talk.says(QUESTION)
    site.settle()

    model = site.says(AGAIN, says("Yes."), args=("--resume", talk.session))

    (request,) = model.requests
    assert QUESTION in request.text
    assert len(request.shown) == 1
    assert len(request.greetings) == 1


def test_a_cleared_session_knows_nothing_and_is_told_again(site: Site) -> None:
    shorten_briefs(site)
    decide(site)

    with screen(site, says("Every 30 days."), says("Every 30 days.")) as client:
        client.says(QUESTION)
        client.commands("/clear")
        client.says(QUESTION)
        client.leaves()

    first, second = client.model.requests
    assert not any(each["role"] == "assistant" for each in second.messages)
    for each in (first, second):
        assert len(each.greetings) == 1
        (shown,) = each.shown
        assert FACT in shown


def test_what_an_agent_said_before_the_tool_that_ended_the_session_is_kept(site: Site) -> None:
    words = "I take port 8443 because 8080 belongs to the old shop."
    args = ("--allowedTools", "Bash", "--max-turns", "1")

    site.says("Set up the server.", says(words) + uses("Bash", command="echo hi"), args=args)
    site.settle()

    assert words in site.ais("search", "which port does the server take?")
