"""A project whose memory knows two facts among much else, for hooks that are asked about them."""

from pathlib import Path

import pytest

from ai_smartness import Memory, Message

__all__ = ["FACTS", "FILLER", "home", "project"]

FACTS = (
    "We decided: the Solana devnet validator listens on port 8899, never on 8900.",
    "The invoices are rendered with WeasyPrint because wkhtmltopdf breaks Arabic.",
)
FILLER = [
    f"{verb} the {thing} {where}."
    for verb in ("Please check", "I have changed", "We should move", "Look at")
    for thing in ("button", "parser", "cache", "colour scheme", "changelog", "queue")
    for where in ("on the first page", "before the release", "in the settings", "for the demo")
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "code"
    (root / ".git").mkdir(parents=True)
    return root


@pytest.fixture
def home(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    home = tmp_path / "home"
    with Memory.open(project=project, home=home) as memory:
        memory.capture(Message(text=text, session="old") for text in (*FILLER, *FACTS))
    return home
