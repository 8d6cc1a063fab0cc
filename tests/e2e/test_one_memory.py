"""One memory for every agent: what is said to one client is known to the next."""

from collections.abc import Callable

from e2e.other_clients import OtherClient, OtherSite
from e2e.scripted_model import says
from e2e.test_other_clients import memory_in
from e2e.told import DECISION, FACT, QUESTION

CHANGE = "The JWT signing keys are rotated every 7 days from now on, no longer every 30."


def test_a_decision_made_in_claude_code_reaches_codex_and_its_change_reaches_opencode(
    other_site: OtherSite, other_client: Callable[[str], OtherClient]
) -> None:
    site = other_site
    site.ais("init", "--yes", "--client", "claude-code")
    with site.talk() as talk:
        talk.says(DECISION)
    site.settle()

    for name in ("codex", "opencode"):
        site.use(other_client(name))
        site.write_settings()
        site.ais("init", "--yes", "--client", name)
    site.use(other_client("codex"))
    in_codex = memory_in(site.asks(QUESTION, says("Every 30 days.")).requests[0])
    site.asks(CHANGE, says("Understood."))
    site.settle()
    site.use(other_client("opencode"))
    in_opencode = memory_in(site.asks(QUESTION, says("Every 7 days.")).requests[-1])
    site.settle()

    assert FACT in in_codex
    assert "every 7 days" in in_opencode
    exported = site.folder / "export.jsonl"
    site.ais("export", str(exported))
    events = exported.read_text()
    assert '"client":"codex"' in events
    assert '"client":"opencode"' in events
