"""Ask the language model of Claude Code: `claude -p`, with the user's own subscription.

It is guarded against itself: no hook of anybody's runs in it, no tool and no server is
loaded, it leaves no transcript, and it works in an empty folder, so that it sees the
prompt and nothing of the project.
"""

import atexit
import json
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping
from functools import partial
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from ai_smartness.adapters.http import MAX_ANSWER_BYTES
from ai_smartness.adapters.llm.provider_apis import PROVIDER_APIS
from ai_smartness.adapters.llm.served_model import SHOWN_CHARACTERS, ModelLimits
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.ports import Completion
from ai_smartness.redact import redacted_text
from ai_smartness.text.display import one_line, shortened_text

__all__ = ["HOOK_RUNNING", "ClaudeProgram"]

PROGRAM = "claude"

HOOK_RUNNING = "AI_SMARTNESS_HOOK_RUNNING"
"""What our hooks look for: where it is set they do nothing."""

NESTED_VARIABLES = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION")
"""What a client sets for all it starts; another one would take itself for a part of it."""

ARGUMENTS = (
    "-p",
    "--output-format",
    "json",
    "--settings",
    '{"disableAllHooks":true}',
    "--no-session-persistence",
    "--strict-mcp-config",
    "--tools",
    "",
    "--system-prompt",
    "You write what you are asked for, and nothing else.",
)


class ClaudeProgram:
    """Fulfils the port `LanguageModel`."""

    provider = "claude"

    def __init__(self, model: str, limits: ModelLimits, environ: Mapping[str, str]) -> None:
        self._model = model
        self._environ = environ
        self.name = model or "claude"
        self.window_tokens = limits.window_tokens
        self.seconds = limits.seconds

    def complete(self, prompt: str, max_tokens: int) -> Completion:  # noqa: ARG002 - it takes no limit
        command = [*self._find_program(), *ARGUMENTS]
        if self._model:
            command += ["--model", self._model]
        with TemporaryDirectory() as folder, TemporaryFile() as given, TemporaryFile() as said:
            given.write(prompt.encode(errors="replace"))
            given.seek(0)
            code = self._run_to_end(command, folder, given, said)
            said.seek(0)
            answer = said.read(MAX_ANSWER_BYTES + 1)
        if len(answer) > MAX_ANSWER_BYTES:
            raise StoreError(
                self._error_message(f"its answer is longer than {MAX_ANSWER_BYTES:,} bytes")
            )
        return self._read_answer(answer, code)

    def check(self) -> str:
        """Say that it can be asked, without asking it; refuse to where it cannot be."""
        program = " ".join(self._find_program())
        return f"{program} -p, model {self._model or 'as it is set there'}"

    def _find_program(self) -> list[str]:
        """Find the program: on the PATH, or what AIS_CLAUDE names (nothing: none)."""
        try:
            named = shlex.split(self._environ.get("AIS_CLAUDE", PROGRAM))
        except ValueError:
            named = []
        program = shutil.which(named[0], path=self._environ.get("PATH")) if named else None
        if program is None:
            msg = (
                f"cannot ask claude: there is no program {named[0] if named else PROGRAM} on the "
                "PATH. Install Claude Code, name it with AIS_CLAUDE, or choose another with "
                "`ais config set llm.provider NAME`."
            )
            raise RefusedError(msg)
        return [program, *named[1:]]

    def _run_to_end(
        self, command: list[str], folder: str, given: IO[bytes], said: IO[bytes]
    ) -> int:
        """Run it to its end, or end it and all it started when its time is up."""
        environ = {
            name: text for name, text in self._environ.items() if name not in NESTED_VARIABLES
        }
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env={**environ, HOOK_RUNNING: "1"},
                stdin=given,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            msg = f"cannot ask claude: {command[0]} does not start: {error.strerror}. Repair it."
            raise RefusedError(msg) from error
        end = partial(_kill_process, process)
        # Somebody may lose patience before we do, and end us.
        atexit.register(end)
        try:
            return process.wait(self.seconds)
        except subprocess.TimeoutExpired:
            why = f"there was no whole answer within {self.seconds:g} seconds"
            raise StoreError(self._error_message(why)) from None
        finally:
            end()
            atexit.unregister(end)

    def _read_answer(self, answer: bytes, code: int) -> Completion:
        text = answer.decode(errors="replace")
        try:
            found = json.loads([line for line in text.splitlines() if line.startswith("{")][-1])
            result, failed = found["result"], bool(found.get("is_error") or code)
            counted = PROVIDER_APIS["anthropic"].read({"content": [], "usage": found.get("usage")})
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            why = f"it ended with code {code} and no answer{_shown_answer(text)}"
            raise RefusedError(self._error_message(why)) from error
        if failed or not isinstance(result, str):
            spent = counted.tokens_in or counted.tokens_out
            raised = StoreError if spent else RefusedError
            raise raised(self._error_message(f"it could not answer{_shown_answer(result)}"))
        return Completion(result, counted.tokens_in, counted.tokens_out)

    def _error_message(self, why: str) -> str:
        return (
            f"cannot ask {self.name} by `claude -p`: {why}. Run `claude -p hello` to see whether "
            "it works, or choose another with `ais config set llm.provider NAME`."
        )


def _kill_process(process: subprocess.Popen[bytes]) -> None:
    """End a program that is still at it, with all it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _shown_answer(said: object) -> str:
    text = shortened_text(redacted_text(one_line(str(said))), SHOWN_CHARACTERS).rstrip(".")
    return f" ({text})" if text else ""
