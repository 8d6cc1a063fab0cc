"""A thread summed up by the real client's own model, without a trace of it in the memory."""

import json

from e2e.scripted_model import says, scripted_model
from e2e.site import Site

LONG = "We decided to rotate the JWT signing keys every 30 days. " + " ".join(
    f"Step {number} checks vault-{number}." for number in range(80)
)


def test_claude_code_sums_a_thread_up_and_no_hook_of_ours_runs_in_it(site: Site) -> None:
    site.says(LONG, says("Noted: every 30 days, by the job rotate_keys."))
    site.settle()
    ((thread, events),) = kept(site)
    runs = (site.memory / "logs" / "hook.log").read_text()

    with scripted_model(site.network) as model:
        site.env |= {"AIS_LLM_PROVIDER": "claude", "ANTHROPIC_BASE_URL": model.url}
        args = ("--with", "llm-summary", "--target", "200")
        said = site.ais("threads", "condense", thread, *args)
    site.settle()

    assert "instead" not in said
    assert "ok" in site.ais("threads", "show", thread, "--working").splitlines()
    assert "Asked claude (claude) to condense" in site.ais("log")
    assert (site.memory / "logs" / "hook.log").read_text() == runs
    assert kept(site) == [(thread, events)]
    assert len(list(site.config.rglob("projects/*/*.jsonl"))) == 1


def kept(site: Site) -> list[tuple[str, int]]:
    """Return the threads of the project, each with how much was said on it."""
    threads = json.loads(site.ais("threads", "list", "--json"))
    return [(each["id"], len(shown(site, each["id"]))) for each in threads]


def shown(site: Site, thread: str) -> list[object]:
    page = json.loads(site.ais("threads", "show", thread, "--full", "--json"))
    return [each for each in page["messages"] if each["type"] != "COMPACTION"]
