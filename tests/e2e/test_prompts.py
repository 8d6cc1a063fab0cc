"""What stands before a turn: the brief, and what the memory knows about the prompt."""

from e2e.scripted_model import says, uses
from e2e.site import Site
from e2e.told import DECISION, FACT, QUESTION, UNRELATED, decide, shorten_briefs


def test_the_model_is_told_at_the_start_that_there_is_a_memory_and_how_to_ask_it(
    site: Site,
) -> None:
    model = site.says(UNRELATED, says("Drops on the old roof."))

    (request,) = model.requests
    (greeting,) = request.greetings
    assert ".ai/recall/" in greeting
    assert request.shown == []


def test_a_prompt_gets_the_decision_that_an_earlier_session_made(site: Site) -> None:
    shorten_briefs(site)
    decide(site)

    model = site.says(QUESTION, says("Every 30 days."))

    (shown,) = model.requests[0].shown
    assert DECISION in shown


def test_an_unrelated_prompt_gets_nothing(site: Site) -> None:
    decide(site)

    model = site.says(UNRELATED, says("Drops on the old roof."))

    (request,) = model.requests
    assert request.shown == []
    assert UNRELATED in request.last_text


def test_what_the_agent_did_is_remembered_too(site: Site) -> None:
    (site.project / "rotate.py").write_text("DAYS = 90\n")
    command = uses("Bash", command="echo rotated 3 keys on vault-2; exit 3")
    edit = uses("Edit", file_path="rotate.py", old_string="90", new_string="30")
    seen = uses("Read", file_path="rotate.py")

    site.says(
        "shorten the key rotation",
        seen,
        edit,
        command,
        says("The key rotation now takes place every 30 days; see rotate.py."),
        args=("--allowedTools", "Bash,Edit"),
    )
    site.settle()

    kept = site.ais("search", "rotation rotate.py vault-2")
    assert "shorten the key rotation" in kept
    assert "now takes place every 30 days" in kept
    assert "rotated 3 keys on vault-2" in kept


def test_what_is_private_reaches_the_model_and_never_the_disk(site: Site) -> None:
    prompt = "sign in to the staging vault with <private>hunter2-heron</private> please"

    model = site.says(prompt, says("Signed in."))
    site.settle()
    site.leave()

    assert "hunter2-heron" in model.requests[0].last_text
    kept = b"".join(each.read_bytes() for each in site.memory.rglob("*") if each.is_file())
    assert b"staging vault" in kept
    assert b"hunter2" not in kept


def test_a_first_session_is_greeted_without_a_daemon_and_starts_one(site: Site) -> None:
    site.leave()

    model = site.says(QUESTION, says("I do not know."))

    assert len(model.requests[0].greetings) == 1
    assert len(site.at_work()) == 1


def test_without_a_daemon_a_prompt_is_answered_by_its_words(site: Site) -> None:
    # A daemon that starts meanwhile would not repeat what the brief says.
    shorten_briefs(site)
    decide(site)
    site.leave()

    model = site.says(QUESTION, says("Every 30 days."))

    (shown,) = model.requests[0].shown
    assert FACT in shown
