"""What the README shows is run, word for word."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_library_example_runs_as_it_is_printed(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    environment = {**os.environ, "AIS_HOME": str(tmp_path), "AIS_EMBEDDER_MODEL": "none"}

    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert "Drop JWT" in done.stdout.splitlines()[0]
