"""A subagent gets the brief only if the user wants that, and its session has not seen it then."""

from pathlib import Path

import pytest

from daemons import asked, here
from validator_memory import home, project

__all__ = ["home", "project"]


@pytest.mark.parametrize("is_wanted", [False, True])
def test_a_subagent_gets_the_brief_if_that_is_switched_on(
    home: Path, project: Path, *, is_wanted: bool
) -> None:
    (home / "config.toml").write_text(f"[inject]\nsubagents = {str(is_wanted).lower()}\n")
    with here(home):
        where = {"cwd": str(project), "session": "new"}
        subagent = asked(home, "greet", **where, source="subagent")
        session = asked(home, "greet", **where, source="startup")

    assert bool(subagent["text"]) is is_wanted
    assert "Memory of this project" in str(session["text"])
