"""The programs on the pages of docs/integrations run."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "integrations").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_program_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL) or ["pass"]
    if "claude_agent_sdk" in program and find_spec("claude_agent_sdk") is None:
        pytest.skip("claude-agent-sdk is not installed: scripts/test installs it")

    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:__main__", "-c", program],
        cwd=tmp_path,
        env={**os.environ, "AIS_HOME": str(tmp_path), "OPENAI_API_KEY": "none"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
