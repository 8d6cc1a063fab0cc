"""The ledger keeps the text that the hook printed, as it was printed, until a deletion."""

from pathlib import Path

import pytest

from ai_smartness import Memory
from ai_smartness.model.erasure import Selection
from daemons import asked, here
from hooking import HOOK, an_event, hooked
from validator_memory import home, project

__all__ = ["home", "project"]

QUESTION = "on which port does the solana validator listen?"
ALL_THE_TIME = {"AIS_HOOK_DEADLINE_MS": "30000"}


def printed(home: Path, project: Path, client: str, event: str, **fields: object) -> str:
    """Run the hook of a client while a daemon answers, and return what the agent gets to read."""
    command = [*HOOK, "--client", client]
    whole = an_event(event, cwd=str(project), session_id="new", **fields)
    with here(home):
        ran = hooked(home, whole, environ=ALL_THE_TIME, command=command)
        # The daemon answers the next question of a session after it has recorded the last one.
        asked(home, "read", cwd=str(project), session="new", path=".ai/help")
    return str(ran.output["additionalContext"])


def sent_block(home: Path, project: Path) -> str:
    with Memory.open(project=project, home=home) as memory:
        return memory.why("new")[0].block


@pytest.mark.parametrize("client", ["claude-code", "qwen"])
def test_the_ledger_has_the_very_text_that_was_printed_before_a_prompt(
    home: Path, project: Path, client: str
) -> None:
    text = printed(home, project, client, "UserPromptSubmit", prompt=QUESTION)

    assert text
    assert sent_block(home, project) == text


@pytest.mark.parametrize("client", ["claude-code", "qwen"])
def test_the_ledger_has_the_very_text_that_a_session_began_with(
    home: Path, project: Path, client: str
) -> None:
    text = printed(home, project, client, "SessionStart", source="startup")

    assert text
    assert sent_block(home, project) == text


def test_a_deletion_empties_what_was_sent(home: Path, project: Path) -> None:
    printed(home, project, "claude-code", "UserPromptSubmit", prompt=QUESTION)

    with Memory.open(project=project, home=home) as memory:
        message = memory.search("solana validator port")[0]
        memory.forget(Selection(project=memory.project, messages=(message.id,)))

        assert [page.block for page in memory.why("new")] == [""]
