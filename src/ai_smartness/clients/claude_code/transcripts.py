"""The transcripts of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`.

Also of its subagents, in files of their own (`<session>/subagents/agent-<id>.jsonl`) or, as older
versions had it, between the other lines. Seen: 2.1.325 as the client itself writes it; 1.0 to
2.1.197 by what is published of them (no `promptId`, a `stop_reason` of null, sidechains inside).
"""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ai_smartness.clients.transcript_reader import (
    Fields,
    TranscriptFormat,
    message_texts,
    object_field,
    object_list,
    parsed_time,
    read_transcript,
    text_field,
)
from ai_smartness.clients.transcript_turns import SessionTurns
from ai_smartness.ports.transfer import TranscriptFile, TranscriptItem

__all__ = ["FORMAT", "READER"]

FORMAT = "claude-code"

MAX_AGENTS = 32
"""At work at once, in one file, at most."""

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


def transcript_folders(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Name the folders in which the client keeps its transcripts."""
    moved = environ.get("CLAUDE_CONFIG_DIR")
    return [(Path(moved) if moved else home / ".claude") / "projects"]


def is_transcript(path: Path) -> bool:
    """Say whether a file in those folders is a transcript."""
    return path.suffix == ".jsonl" and path.parent.name != "tool-results"


class ClaudeCodeTranscript(SessionTurns):
    """Tells what the lines of a transcript mean."""

    def __init__(self, source: TranscriptFile, state: Fields) -> None:
        super().__init__(FORMAT, state)
        name = source.path.stem.removeprefix("agent-")
        self._own = name.startswith(_OWN_AGENTS)
        self._subagents: dict[str, SessionTurns] = {}
        for agent, known in object_field(state, "agents").items():
            if isinstance(known, dict):
                self._subagents[agent] = SessionTurns(FORMAT, known)
                self._subagents[agent].agent = {"agent_id": agent, "agent_type": known.get("type")}

    @property
    def state(self) -> Fields:
        """Return which session, folder and turn it is, and the same of its latest subagents."""
        latest = list(self._subagents.items())[-MAX_AGENTS:]
        agents = {
            agent: {"turn": turns.turn, "type": turns.agent.get("agent_type")}
            for agent, turns in latest
        }
        return {**super().state, **({"agents": agents} if agents else {})}

    @property
    def is_waiting(self) -> bool:
        """Say whether a result or an answer is to come, of the agent or a subagent."""
        return super().is_waiting or any(each.is_waiting for each in self._subagents.values())

    def skipped_kind(self, start: bytes) -> str:
        """Name the lines that say nothing of what was said or done."""
        found = _TYPE_FIRST.match(start)
        if found and (name := found[1].decode()) not in _KEPT_TYPES:
            return name
        return "attachment" if b'"attachment":{' in start else ""

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Tell what a line means."""
        kind = text_field(fields, "type")
        if kind not in _KEPT_TYPES or self._own:
            self.skipped["the client's own agent" if self._own else kind[:60] or "no type"] += 1
            return []
        # What a session was forked from is told under that session, where it is known already.
        source = object_field(fields, "forkedFrom")
        self.session = text_field(source or fields, "sessionId") or self.session
        self.cwd = text_field(fields, "cwd") or self.cwd
        turns = self._turns_of_line(fields)
        if kind == "user":
            return self._user_line(turns, fields)
        if kind == "assistant":
            return self._assistant_line(turns, fields)
        self.skipped[f"system {text_field(fields, 'subtype')}".strip()] += 1
        return []

    def finish_turn(self) -> list[TranscriptItem]:
        """Tell the answers that were waited for."""
        told = super().finish_turn()
        for each in self._subagents.values():
            told += each.finish_turn()
        return told

    def _turns_of_line(self, fields: Fields) -> SessionTurns:
        """Return whose line it is: the session's own, or one of its subagents'."""
        if fields.get("isSidechain") is not True:
            return self
        agent = text_field(fields, "agentId")
        turns = self._subagents.setdefault(agent, SessionTurns(FORMAT, {}))
        turns.session, turns.cwd = self.session, self.cwd
        turns.turn = text_field(fields, "promptId") or turns.turn or self.turn
        kind = text_field(fields, "attributionAgent") or str(
            turns.agent.get("agent_type", "subagent")
        )
        turns.agent = {"agent_id": agent, "agent_type": kind}
        return turns

    def _user_line(self, turns: SessionTurns, fields: Fields) -> list[TranscriptItem]:
        message = object_field(fields, "message")
        results = [
            each for each in object_list(message, "content") if each.get("type") == "tool_result"
        ]
        if results:
            told = [self._tool_result(turns, each, fields) for each in results]
            return [each for each in told if each is not None]
        if fields.get("isCompactSummary") is True:
            return self._summary_line(fields, message)
        if turns is not self:
            self.skipped["what a subagent was asked"] += 1
            return []
        return self._prompt_line(fields, message)

    def _prompt_line(self, fields: Fields, message: Fields) -> list[TranscriptItem]:
        texts = [
            each
            for each in message_texts(message.get("content"))
            if not each.lstrip().startswith(_CLIENT_TEXTS)
        ]
        turn = text_field(fields, "promptId")
        if fields.get("isMeta") is True or not texts:
            self.skipped["the client's own words"] += 1
            # What follows is an answer to them, and has their turn.
            return self.start_turn(parsed_time(fields.get("timestamp")), "", turn or self.turn)
        return self.start_turn(parsed_time(fields.get("timestamp")), "\n".join(texts), turn)

    def _assistant_line(self, turns: SessionTurns, fields: Fields) -> list[TranscriptItem]:
        message, at = object_field(fields, "message"), parsed_time(fields.get("timestamp"))
        if fields.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
            self.skipped["the client's own words"] += 1
            return []
        told: list[TranscriptItem] = []
        for part in object_list(message, "content"):
            match part.get("type"):
                case "tool_use":
                    turns.note_tool_use(
                        text_field(part, "id"),
                        text_field(part, "name"),
                        object_field(part, "input"),
                    )
                case "text" if message.get("stop_reason") in _FINAL_STOP_REASONS:
                    told += turns.answer_turn(at, text_field(part, "text"))
                case "text":
                    turns.note_answer(at, text_field(part, "text"))
                case kind:
                    self.skipped[str(kind)] += 1
        return told

    def _tool_result(
        self, turns: SessionTurns, result: Fields, fields: Fields
    ) -> TranscriptItem | None:
        call = text_field(result, "tool_use_id")
        use = turns.take_tool_use(call)
        if use is None:
            self.skipped["a result without its tool"] += 1
            return None
        at, printed = (
            parsed_time(fields.get("timestamp")),
            "\n".join(message_texts(result.get("content"))),
        )
        if result.get("is_error") is not True:
            response = _without_files(fields.get("toolUseResult"))
            return turns.tool_event(at, call, *use, response if response is not None else printed)
        if printed.lstrip().startswith(_NEVER_RAN):
            self.skipped["a tool that was not run"] += 1
            return None
        return turns.tool_event(at, call, *use, None, error=printed)

    def _summary_line(self, fields: Fields, message: Fields) -> list[TranscriptItem]:
        self.turn = text_field(fields, "promptId") or self.turn
        whole = "\n".join(message_texts(message.get("content")))
        text = _SUMMARY_ENDS.sub("", _SUMMARY_BEGINS.sub("", whole)).strip()
        return [self.summary_event(parsed_time(fields.get("timestamp")), text, "")]


def _without_files(response: object) -> object:
    """Return what a tool answered without whole files: what changed in them is told apart."""
    if not isinstance(response, dict):
        return response
    return {name: each for name, each in response.items() if name not in _WHOLE_FILES}


def _is_line(fields: Fields) -> bool:
    named = ("sessionId", "parentUuid", "leafUuid")
    return "projectHash" not in fields and any(name in fields for name in named)


READER = TranscriptFormat(
    FORMAT,
    partial(read_transcript, ClaudeCodeTranscript),
    is_transcript,
    transcript_folders,
    is_line=_is_line,
    live=True,
)
