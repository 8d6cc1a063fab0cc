"""The transcripts of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`.

Also of its subagents, in files of their own (`<session>/subagents/agent-<id>.jsonl`) or, as older
versions had it, between the other lines. Seen: 2.1.325 as the client itself writes it; 1.0 to
2.1.197 by what is published of them (no `promptId`, a `stop_reason` of null, sidechains inside).
"""

import re
from collections.abc import Mapping
from pathlib import Path

from ai_smartness.adapters.transcripts.fields import (
    Fields,
    inner,
    listed,
    moment,
    text_of,
    texts_in,
)
from ai_smartness.adapters.transcripts.turns import Turns
from ai_smartness.ports.history import Source, Told

__all__ = ["FORMAT", "ClaudeCode", "folders", "is_one"]

FORMAT = "claude-code"

MOST_AGENTS = 32
"""At work at once, in one file, at most."""

_TYPE_FIRST = re.compile(rb'\{"type":"([a-z-]+)"')
_KEPT = frozenset({"user", "assistant", "system"})
_ENDS = frozenset({"end_turn", "stop_sequence", "max_tokens", "refusal"})
_CLIENTS_WORDS = (
    "<command-",
    "<local-command-",
    "<bash-",
    "<system-reminder>",
    "<task-notification>",
    "Caveat: The messages below",
    "[Request interrupted",
)
_OWN_AGENTS = ("acompact", "aprompt_suggestion", "aside_question")
_NEVER_RAN = ("<tool_use_error>", "The user doesn't want to", "Permission to use")
_WHOLE_FILES = frozenset({"originalFile", "oldString", "newString"})
_SUMMARY_BEGINS = re.compile(r"\A.*?^(?:Summary:|<summary>)\s*", re.DOTALL | re.MULTILINE)
_SUMMARY_ENDS = re.compile(
    r"(?:</summary>|^If you need specific details from before compaction"
    r"|^Please continue the conversation|^Continue the conversation from where).*\Z",
    re.DOTALL | re.MULTILINE,
)


def folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Name the folders in which the client keeps its transcripts."""
    moved = environ.get("CLAUDE_CONFIG_DIR")
    return [(Path(moved) if moved else home / ".claude") / "projects"]


def is_one(path: Path) -> bool:
    """Say whether a file in those folders is a transcript."""
    return path.suffix == ".jsonl" and path.parent.name != "tool-results"


class ClaudeCode(Turns):
    """Tells what the lines of a transcript mean."""

    def __init__(self, source: Source, state: Fields) -> None:
        super().__init__(FORMAT, state)
        name = source.path.stem.removeprefix("agent-")
        self._own = name.startswith(_OWN_AGENTS)
        self._side: dict[str, Turns] = {}
        for agent, known in inner(state, "agents").items():
            if isinstance(known, dict):
                self._side[agent] = Turns(FORMAT, known)
                self._side[agent].agent = {"agent_id": agent, "agent_type": known.get("type")}

    @property
    def state(self) -> Fields:
        """Return which session, folder and turn it is, and the same of its latest subagents."""
        latest = list(self._side.items())[-MOST_AGENTS:]
        agents = {
            agent: {"turn": turns.turn, "type": turns.agent.get("agent_type")}
            for agent, turns in latest
        }
        return {**super().state, **({"agents": agents} if agents else {})}

    @property
    def waits(self) -> bool:
        """Say whether a result or an answer is to come, of the agent or a subagent."""
        return super().waits or any(each.waits for each in self._side.values())

    def passes_over(self, start: bytes) -> str:
        """Name the lines that say nothing of what was said or done."""
        found = _TYPE_FIRST.match(start)
        if found and (name := found[1].decode()) not in _KEPT:
            return name
        return "attachment" if b'"attachment":{' in start else ""

    def line(self, fields: Fields) -> list[Told]:
        """Tell what a line means."""
        kind = text_of(fields, "type")
        if kind not in _KEPT or self._own:
            self.skipped["the client's own agent" if self._own else kind[:60] or "no type"] += 1
            return []
        # What a session was forked from is told under that session, where it is known already.
        source = inner(fields, "forkedFrom")
        self.session = text_of(source or fields, "sessionId") or self.session
        self.cwd = text_of(fields, "cwd") or self.cwd
        turns = self._whose(fields)
        if kind == "user":
            return self._user(turns, fields)
        if kind == "assistant":
            return self._assistant(turns, fields)
        self.skipped[f"system {text_of(fields, 'subtype')}".strip()] += 1
        return []

    def end(self) -> list[Told]:
        """Tell the answers that were waited for."""
        told = super().end()
        for each in self._side.values():
            told += each.end()
        return told

    def _whose(self, fields: Fields) -> Turns:
        """Return whose line it is: the session's own, or one of its subagents'."""
        if fields.get("isSidechain") is not True:
            return self
        agent = text_of(fields, "agentId")
        turns = self._side.setdefault(agent, Turns(FORMAT, {}))
        turns.session, turns.cwd = self.session, self.cwd
        turns.turn = text_of(fields, "promptId") or turns.turn or self.turn
        kind = text_of(fields, "attributionAgent") or str(turns.agent.get("agent_type", "subagent"))
        turns.agent = {"agent_id": agent, "agent_type": kind}
        return turns

    def _user(self, turns: Turns, fields: Fields) -> list[Told]:
        message = inner(fields, "message")
        results = [each for each in listed(message, "content") if each.get("type") == "tool_result"]
        if results:
            told = [self._result(turns, each, fields) for each in results]
            return [each for each in told if each is not None]
        if fields.get("isCompactSummary") is True:
            return self._summary(fields, message)
        if turns is not self:
            self.skipped["what a subagent was asked"] += 1
            return []
        return self._prompt(fields, message)

    def _prompt(self, fields: Fields, message: Fields) -> list[Told]:
        texts = [
            each
            for each in texts_in(message.get("content"))
            if not each.lstrip().startswith(_CLIENTS_WORDS)
        ]
        turn = text_of(fields, "promptId")
        if fields.get("isMeta") is True or not texts:
            self.skipped["the client's own words"] += 1
            # What follows is an answer to them, and has their turn.
            return self.prompted(moment(fields.get("timestamp")), "", turn or self.turn)
        return self.prompted(moment(fields.get("timestamp")), "\n".join(texts), turn)

    def _assistant(self, turns: Turns, fields: Fields) -> list[Told]:
        message, at = inner(fields, "message"), moment(fields.get("timestamp"))
        if fields.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
            self.skipped["the client's own words"] += 1
            return []
        told: list[Told] = []
        for part in listed(message, "content"):
            match part.get("type"):
                case "tool_use":
                    turns.uses(text_of(part, "id"), text_of(part, "name"), inner(part, "input"))
                case "text" if message.get("stop_reason") in _ENDS:
                    told += turns.answered(at, text_of(part, "text"))
                case "text":
                    turns.may_answer(at, text_of(part, "text"))
                case kind:
                    self.skipped[str(kind)] += 1
        return told

    def _result(self, turns: Turns, result: Fields, fields: Fields) -> Told | None:
        call = text_of(result, "tool_use_id")
        use = turns.used(call)
        if use is None:
            self.skipped["a result without its tool"] += 1
            return None
        at, printed = moment(fields.get("timestamp")), "\n".join(texts_in(result.get("content")))
        if result.get("is_error") is not True:
            response = _without_files(fields.get("toolUseResult"))
            return turns.ran(at, call, *use, response if response is not None else printed)
        if printed.lstrip().startswith(_NEVER_RAN):
            self.skipped["a tool that was not run"] += 1
            return None
        return turns.ran(at, call, *use, None, error=printed)

    def _summary(self, fields: Fields, message: Fields) -> list[Told]:
        self.turn = text_of(fields, "promptId") or self.turn
        whole = "\n".join(texts_in(message.get("content")))
        text = _SUMMARY_ENDS.sub("", _SUMMARY_BEGINS.sub("", whole)).strip()
        return [self.summarized(moment(fields.get("timestamp")), text, "")]


def _without_files(response: object) -> object:
    """Return what a tool answered without whole files: what changed in them is told apart."""
    if not isinstance(response, dict):
        return response
    return {name: each for name, each in response.items() if name not in _WHOLE_FILES}
