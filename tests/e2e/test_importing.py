"""What the real client wrote down is brought in, and what hooks captured of it is not doubled."""

import json

from e2e.scripted_model import says, uses
from e2e.site import Site
from e2e.told import AFTERWARDS, DECISION, QUESTION


def test_the_first_prompt_of_a_fresh_session_gets_what_was_decided_before_there_was_a_memory(
    bare_site: Site,
) -> None:
    with bare_site.talk() as talk:
        for prompt in (DECISION, AFTERWARDS):
            talk.says(prompt)
    imported = json.loads(bare_site.ais("import", "--json"))
    bare_site.ais("init", "--yes")

    model = bare_site.says(QUESTION, says("Every 30 days."))

    assert (imported["sessions"], imported["not_read"]) == (1, [])
    # In the brief or before the prompt: that depends on what the daemon has judged by then.
    assert DECISION in model.requests[0].text


def test_what_hooks_captured_is_known_when_the_transcript_tells_of_it(
    bare_site: Site,
) -> None:
    site = bare_site
    site.ais("init", "--yes")
    # The daemon would have read the transcript by itself.
    site.ais("config", "set", "history.keep_up", "false")
    (site.project / "rotate.py").write_text("DAYS = 90\nOTHER = 1\n")
    with site.talk(
        uses("Read", file_path="rotate.py"),
        uses("Edit", file_path="rotate.py", old_string="90", new_string="30"),
        [*says("Now I run it."), *uses("Bash", command="echo rotated; exit 3")],
        uses("Agent", description="look", prompt="Look at it.", subagent_type="general-purpose"),
        args=("--allowedTools", "Bash,Edit,Agent"),
    ) as talk:
        talk.says("shorten the rotation <private>hush</private>")
        talk.says("/compact")
        talk.says("and now?")
    site.settle()

    imported = json.loads(site.ais("import", "--from", "claude-code", "--json"))

    (given,) = imported["projects"].values()
    assert given["added"] == 0
    assert given["known"] >= 8
    assert imported["not_read"] == []
