"""The examples run as their docstrings say."""

import os
import subprocess
import sys
from pathlib import Path

import yaml

from ai_smartness import Memory, Message
from integrations.scripted_api import anthropic_answer, scripted_api

EXAMPLES = Path(__file__).parents[2] / "examples"


def run_example(name: str, *arguments: str, lines: str = "", **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments],
        input=lines,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_agent_of_ones_own_remembers_from_one_session_to_the_next(tmp_path: Path) -> None:
    recall = anthropic_answer(query="deploy the shop")
    recall["content"][0]["name"] = "recall"
    answers = [anthropic_answer("Noted."), recall, anthropic_answer("On Tuesdays.")]
    environment = {
        "ANTHROPIC_API_KEY": "none",
        "AGENT_MEMORY": str(tmp_path / "memory.db"),
        "AIS_HOME": str(tmp_path),
        "AIS_EMBEDDER_MODEL": "none",
    }

    with scripted_api(answers) as (url, requests):
        environment["ANTHROPIC_BASE_URL"] = url
        told = "We deploy the shop on Tuesdays.\n"
        first = run_example("own_agent.py", "one", lines=told, **environment)
        asked = "On which day do we deploy the shop?\n"
        second = run_example("own_agent.py", "two", lines=asked, **environment)

    assert (first, second) == ("Noted.\n", "On Tuesdays.\n")
    before_the_prompt = str(requests[1]["messages"][-1]["content"])
    assert "We deploy the shop on Tuesdays." in before_the_prompt
    assert "We deploy the shop on Tuesdays." in str(requests[2]["messages"][-1]["content"])


def test_a_memory_is_explored_with_pictures(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db", project="demo", home=tmp_path) as memory:
        subjects = ("the login page", "invoices", "the image cache", "deploys of the shop")
        for number, subject in enumerate(subjects * 3):
            memory.capture(Message(text=f"we worked on {subject}, part {number}", session=subject))
        memory.pin("Never deploy on Fridays.", kind="rule")
    pictures = tmp_path / "pictures"

    printed = run_example(
        "explore_memory.py",
        str(pictures),
        str(tmp_path / "memory.db"),
        "demo",
        AIS_HOME=str(tmp_path),
        AIS_EMBEDDER_MODEL="none",
        MPLCONFIGDIR=str(tmp_path),
    )

    names = {"events-by-day.png", "threads-by-weight.png", "map-of-threads.png"}
    assert {path.name for path in pictures.iterdir()} == names
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in pictures.iterdir())
    assert "- rule: Never deploy on Fridays." in printed


def test_the_compose_file_of_the_team_store_is_one() -> None:
    compose = yaml.safe_load((EXAMPLES / "team-store" / "compose.yaml").read_text())

    postgres = compose["services"]["postgres"]
    assert postgres["image"] == "pgvector/pgvector:pg17"
    assert postgres["ports"] == ["127.0.0.1:5432:5432"]
    assert set(compose["volumes"]) == {volume.split(":")[0] for volume in postgres["volumes"]}
