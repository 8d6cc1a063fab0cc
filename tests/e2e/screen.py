"""The client at a real screen, with a keyboard: what cannot be done without one."""

import json
import os
import pty
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager

from e2e.scripted_model import ScriptedModel, Step, scripted_model
from e2e.site import KEY, Site
from terminal import Terminal

__all__ = ["Screen", "screen"]

IDLE = "\x1b]0;✳"
"""The client begins the title of its window with this when it waits for its user."""

ENTER_SECONDS = 15.0

PROMPT = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"


class Screen:
    """A client that is typed to, and the model it asks."""

    def __init__(self, terminal: Terminal, model: ScriptedModel) -> None:
        self._terminal = terminal
        self.model = model

    def says(self, line: str) -> None:
        """Type a line and Enter, and wait until the model was asked and the client is idle."""
        asked = len(self.model.requests)
        self._type(line)
        if not self.model.was_asked(asked + 1, ENTER_SECONDS):
            # A client that is still clearing its screen takes the words and drops the Enter.
            self._terminal.press(b"\r")
        self.model.until(asked + 1)
        self._terminal.until(IDLE)

    def commands(self, line: str) -> None:
        """Type a command of the client's; what is typed next waits until it is carried out."""
        self._type(line)

    def leaves(self) -> None:
        """Leave the client, and wait for its end."""
        self._type("/exit")
        self._terminal.end()

    def _type(self, line: str) -> None:
        self._terminal.press(line.encode())
        # Words are put on the screen one by one; with the last of them all are there. Of a
        # command its letters after the / are.
        self._terminal.until(line.rsplit(maxsplit=1)[-1].lstrip("/"))
        self._terminal.press(b"\r")


@contextmanager
def screen(site: Site, *steps: Step) -> Iterator[Screen]:
    """Run the client at a screen, in a project that its user trusts."""
    _trust(site)
    keyboard, shown = pty.openpty()
    termios.tcsetwinsize(shown, (40, 120))
    with scripted_model(site.network, *steps) as model:
        process = site.network.run(
            subprocess.Popen,
            [str(site.client.program)],
            cwd=site.project,
            env={**site.env, "TERM": "xterm-256color", "ANTHROPIC_BASE_URL": model.url},
            stdin=shown,
            stdout=shown,
            stderr=shown,
            start_new_session=True,
        )
        os.close(shown)
        terminal = Terminal(keyboard, process)
        try:
            terminal.until(PROMPT)
            yield Screen(terminal, model)
        finally:
            process.kill()
            process.wait()
            os.close(keyboard)


def _trust(site: Site) -> None:
    """Answer what the client asks its user the first time."""
    trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    known = {
        "hasCompletedOnboarding": True,
        "lastOnboardingVersion": site.client.version,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": {str(site.project): trusted},
    }
    (site.config / ".claude.json").write_text(json.dumps(known))
