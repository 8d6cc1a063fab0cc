"""Ask the language model of Claude Code: `claude -p`, with the user's own subscription.

It runs without hooks, tools and MCP servers, leaves no transcript, and works in an empty
folder, so that it sees the prompt and nothing of the project.
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
from ai_smartness.adapters.llm.provider_apis import PROVIDER_APIS, PROVIDER_DEFAULT, quoted_reply
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.ports import Completion
from ai_smartness.settings.schema import LlmSettings

__all__ = ["HOOK_RUNNING", "ClaudeProgram"]

PROGRAM = "claude"

HOOK_RUNNING = "AI_SMARTNESS_HOOK_RUNNING"  # our hooks do nothing where this variable is set

NESTED_VARIABLES = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION")
"""Set by a client for its child processes; a nested client would take itself for one."""

ARGUMENTS = (
    *("-p", "--output-format", "json", "--settings", '{"disableAllHooks":true}'),
    *("--no-session-persistence", "--strict-mcp-config", "--tools", ""),
    *("--system-prompt", "You write what you are asked for, and nothing else."),
)


class ClaudeProgram:
    """Fulfils the port `LanguageModel`."""

    provider = "claude"

    def __init__(self, settings: LlmSettings, environ: Mapping[str, str]) -> None:
        self._model = "" if settings.model == PROVIDER_DEFAULT else settings.model
        self._environ = environ
        self.name = self._model or "claude"
        self.window_tokens = settings.prompt_tokens
        self.seconds = settings.timeout_seconds

    def complete(self, prompt: str, max_tokens: int) -> Completion:  # noqa: ARG002 - it takes no limit
        command = [*self._find_program(), *ARGUMENTS]
        if self._model:
            command += ["--model", self._model]
        with TemporaryDirectory() as folder, TemporaryFile() as stdin, TemporaryFile() as stdout:
            stdin.write(prompt.encode(errors="replace"))
            stdin.seek(0)
            code = self._run_to_end(command, folder, stdin, stdout)
            stdout.seek(0)
            answer = stdout.read(MAX_ANSWER_BYTES + 1)
        if len(answer) > MAX_ANSWER_BYTES:
            why = f"its answer is longer than {MAX_ANSWER_BYTES:,} bytes"
            raise StoreError(self._error_message(why))
        return self._read_answer(answer, code)

    def check(self) -> str:
        """Describe the model without asking it; refuse if it cannot be asked."""
        program = " ".join(self._find_program())
        return f"{program} -p, model {self._model or 'as it is set there'}"

    def _find_program(self) -> list[str]:
        """Find `claude` on the PATH, or the program named by AIS_CLAUDE (empty: none)."""
        try:
            words = shlex.split(self._environ.get("AIS_CLAUDE", PROGRAM))
        except ValueError:
            words = []
        program = shutil.which(words[0], path=self._environ.get("PATH")) if words else None
        if program is None:
            msg = (
                f"cannot ask claude: there is no program {words[0] if words else PROGRAM} on the "
                "PATH. Install Claude Code, name it with AIS_CLAUDE, or choose another with "
                "`ais config set llm.provider NAME`."
            )
            raise RefusedError(msg)
        return [program, *words[1:]]

    def _run_to_end(
        self, command: list[str], folder: str, stdin: IO[bytes], stdout: IO[bytes]
    ) -> int:
        """Run the program; kill it and its children when the time is up."""
        environ = {
            name: text for name, text in self._environ.items() if name not in NESTED_VARIABLES
        }
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env={**environ, HOOK_RUNNING: "1"},
                stdin=stdin,
                stdout=stdout,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            msg = f"cannot ask claude: {command[0]} does not start: {error.strerror}. Repair it."
            raise RefusedError(msg) from error
        end = partial(_kill_process, process)
        # We may be ended ourselves before its time is up.
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
            reply = json.loads([line for line in text.splitlines() if line.startswith("{")][-1])
            result, failed = reply["result"], bool(reply.get("is_error") or code)
            counted = PROVIDER_APIS["anthropic"].read({"content": [], "usage": reply.get("usage")})
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            why = f"it ended with code {code} and no answer{quoted_reply(text)}"
            raise RefusedError(self._error_message(why)) from error
        if failed or not isinstance(result, str):
            spent = counted.tokens_in or counted.tokens_out
            raised = StoreError if spent else RefusedError
            raise raised(self._error_message(f"it could not answer{quoted_reply(result)}"))
        return Completion(result, counted.tokens_in, counted.tokens_out)

    def _error_message(self, why: str) -> str:
        return (
            f"cannot ask {self.name} by `claude -p`: {why}. Run `claude -p hello` to see whether "
            "it works, or choose another with `ais config set llm.provider NAME`."
        )


def _kill_process(process: subprocess.Popen[bytes]) -> None:
    """Kill a program that is still running, with its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
