"""A thread summed up by the real client's own model, without a trace of it in the memory."""

import json

from e2e.desk import Desk
from e2e.scripted_model import says, scripted_model

LONG = "We decided to rotate the JWT signing keys every 30 days. " + " ".join(
    f"Step {number} checks vault-{number}." for number in range(80)
)


def test_claude_code_sums_a_thread_up_and_no_hook_of_ours_runs_in_it(desk: Desk) -> None:
    desk.says(LONG, says("Noted: every 30 days, by the job rotate_keys."))
    desk.settle()
    ((thread, events),) = kept(desk)
    runs = (desk.memory / "logs" / "hook.log").read_text()

    with scripted_model(desk.network) as model:
        desk.env |= {"AIS_LLM_PROVIDER": "claude", "ANTHROPIC_BASE_URL": model.url}
        args = ("--with", "llm-summary", "--target", "200")
        said = desk.ais("threads", "condense", thread, *args)
    desk.settle()

    assert "instead" not in said
    assert "ok" in desk.ais("threads", "show", thread, "--working").splitlines()
    assert "Asked claude (claude) to condense" in desk.ais("log")
    assert (desk.memory / "logs" / "hook.log").read_text() == runs
    assert kept(desk) == [(thread, events)]
    assert len(list(desk.config.rglob("projects/*/*.jsonl"))) == 1


def kept(desk: Desk) -> list[tuple[str, int]]:
    """Return the threads of the project, each with how much was said on it."""
    threads = json.loads(desk.ais("threads", "list", "--json"))
    return [(each["id"], len(shown(desk, each["id"]))) for each in threads]


def shown(desk: Desk, thread: str) -> list[object]:
    page = json.loads(desk.ais("threads", "show", thread, "--full", "--json"))
    return [each for each in page["messages"] if each["type"] != "COMPACTION"]
