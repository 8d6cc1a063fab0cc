"""The transcripts of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`.

Subagents have their own files (`<session>/subagents/agent-<id>.jsonl`); older versions put their
lines between the others. Tested with files that 2.1.325 wrote, and with the published formats of
1.0 to 2.1.197 (no `promptId`, a `stop_reason` of null, sidechains in the same file).
"""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ai_smartness.clients.transcript_reader import (
    Fields,
    TranscriptFormat,
    configured_folder,
    message_texts,
    object_field,
    object_list,
    parsed_time,
    read_transcript,
    text_field,
)
from ai_smartness.clients.transcript_turns import SessionTurns
from ai_smartness.ports.transfer import TranscriptFile, TranscriptItem

__all__ = ["READER"]

MAX_AGENTS = 32  # subagents at work at once, in one file, at most

_TYPE_FIRST = re.compile(rb'\{"type":"([a-z-]+)"')
_KEPT_TYPES = frozenset({"user", "assistant", "system"})
_FINAL_STOP_REASONS = frozenset({"end_turn", "stop_sequence", "max_tokens", "refusal"})
_CLIENT_TEXTS = (
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


class ClaudeCodeTranscript(SessionTurns):
    """Reads the lines of a transcript."""

    def __init__(self, file: TranscriptFile, state: Fields) -> None:
        super().__init__("claude-code", state)
        self._is_own_agent = file.path.stem.removeprefix("agent-").startswith(_OWN_AGENTS)
        self._subagents: dict[str, SessionTurns] = {}
        for agent, known in object_field(state, "agents").items():
            if isinstance(known, dict):
                turns = self._subagents[agent] = SessionTurns(self.client, known)
                turns.agent = {"agent_id": agent, "agent_type": known.get("type")}

    @property
    def state(self) -> Fields:
        """Return the session, folder and turn, and the turns of its latest subagents."""
        latest = list(self._subagents.items())[-MAX_AGENTS:]
        agents = {
            agent: {"turn": turns.turn, "type": turns.agent.get("agent_type")}
            for agent, turns in latest
        }
        return {**super().state, "agents": agents} if agents else super().state

    @property
    def is_waiting(self) -> bool:
        """Say whether a result or an answer is still to come, of the agent or a subagent."""
        return super().is_waiting or any(turns.is_waiting for turns in self._subagents.values())

    def skipped_kind(self, start: bytes) -> str:
        """Name the kinds of lines that hold no message and no tool use."""
        kind = _TYPE_FIRST.match(start)
        if kind and (name := kind[1].decode()) not in _KEPT_TYPES:
            return name
        return "attachment" if b'"attachment":{' in start else ""

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Return the items that this line completes."""
        kind = text_field(fields, "type")
        if self._is_own_agent or kind not in _KEPT_TYPES:
            reason = "the client's own agent" if self._is_own_agent else kind[:60] or "no type"
            self.skipped[reason] += 1
            return []
        # Lines of the session that this one was forked from belong to that session.
        origin = object_field(fields, "forkedFrom")
        self.session = text_field(origin or fields, "sessionId") or self.session
        self.cwd = text_field(fields, "cwd") or self.cwd
        turns = self._turns_of_line(fields)
        if kind == "user":
            return self._user_line(turns, fields)
        if kind == "assistant":
            return self._assistant_line(turns, fields)
        self.skipped[f"system {text_field(fields, 'subtype')}".strip()] += 1
        return []

    def finish_turn(self) -> list[TranscriptItem]:
        """Return the answers that were waiting."""
        items = super().finish_turn()
        for turns in self._subagents.values():
            items += turns.finish_turn()
        return items

    def _turns_of_line(self, fields: Fields) -> SessionTurns:
        """Return the turns that a line belongs to: the session's own, or a subagent's."""
        if fields.get("isSidechain") is not True:
            return self
        agent = text_field(fields, "agentId")
        turns = self._subagents.setdefault(agent, SessionTurns(self.client, {}))
        turns.session, turns.cwd = self.session, self.cwd
        turns.turn = text_field(fields, "promptId") or turns.turn or self.turn
        known_kind = str(turns.agent.get("agent_type", "subagent"))
        kind = text_field(fields, "attributionAgent") or known_kind
        turns.agent = {"agent_id": agent, "agent_type": kind}
        return turns

    def _user_line(self, turns: SessionTurns, fields: Fields) -> list[TranscriptItem]:
        message = object_field(fields, "message")
        parts = object_list(message, "content")
        results = [part for part in parts if part.get("type") == "tool_result"]
        if results:
            items = (self._tool_result(turns, result, fields) for result in results)
            return [item for item in items if item is not None]
        if fields.get("isCompactSummary") is True:
            return self._summary_line(fields, message)
        if turns is not self:
            self.skipped["what a subagent was asked"] += 1
            return []
        return self._prompt_line(fields, message)

    def _prompt_line(self, fields: Fields, message: Fields) -> list[TranscriptItem]:
        texts = message_texts(message.get("content"))
        texts = [text for text in texts if not text.lstrip().startswith(_CLIENT_TEXTS)]
        at, turn = parsed_time(fields.get("timestamp")), text_field(fields, "promptId")
        if fields.get("isMeta") is True or not texts:
            self.skipped["the client's own words"] += 1
            # The answer that follows belongs to this turn.
            return self.start_turn(at, "", turn or self.turn)
        return self.start_turn(at, "\n".join(texts), turn)

    def _assistant_line(self, turns: SessionTurns, fields: Fields) -> list[TranscriptItem]:
        message, at = object_field(fields, "message"), parsed_time(fields.get("timestamp"))
        if fields.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
            self.skipped["the client's own words"] += 1
            return []
        items: list[TranscriptItem] = []
        for part in object_list(message, "content"):
            text = text_field(part, "text")
            match part.get("type"):
                case "tool_use":
                    call, tool = text_field(part, "id"), text_field(part, "name")
                    turns.note_tool_use(call, tool, object_field(part, "input"))
                case "text" if text_field(message, "stop_reason") in _FINAL_STOP_REASONS:
                    items += turns.answer_turn(at, text)
                case "text":
                    turns.note_answer(at, text)
                case kind:
                    self.skipped[str(kind)] += 1
        return items

    def _tool_result(
        self, turns: SessionTurns, result: Fields, fields: Fields
    ) -> TranscriptItem | None:
        call = text_field(result, "tool_use_id")
        use = turns.take_tool_use(call)
        if use is None:
            self.skipped["a result without its tool"] += 1
            return None
        at = parsed_time(fields.get("timestamp"))
        output = "\n".join(message_texts(result.get("content")))
        if result.get("is_error") is not True:
            response = _without_files(fields.get("toolUseResult"))
            return turns.tool_event(at, call, use, output if response is None else response)
        if output.lstrip().startswith(_NEVER_RAN):
            self.skipped["a tool that was not run"] += 1
            return None
        return turns.failure_event(at, call, use, output)

    def _summary_line(self, fields: Fields, message: Fields) -> list[TranscriptItem]:
        self.turn = text_field(fields, "promptId") or self.turn
        whole = "\n".join(message_texts(message.get("content")))
        text = _SUMMARY_ENDS.sub("", _SUMMARY_BEGINS.sub("", whole)).strip()
        return [self.summary_event(parsed_time(fields.get("timestamp")), text)]


def _without_files(response: object) -> object:
    """Return a tool's response without whole files: their changes have fields of their own."""
    if not isinstance(response, dict):
        return response
    return {name: value for name, value in response.items() if name not in _WHOLE_FILES}


def _is_line(fields: Fields) -> bool:
    names = ("sessionId", "parentUuid", "leafUuid")
    return "projectHash" not in fields and any(name in fields for name in names)


def _folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    return [configured_folder(environ, "CLAUDE_CONFIG_DIR", home / ".claude") / "projects"]


READER = TranscriptFormat(
    "claude-code",
    partial(read_transcript, ClaudeCodeTranscript),
    lambda path: path.suffix == ".jsonl" and path.parent.name != "tool-results",
    _folders,
    is_line=_is_line,
    live=True,
)
