"""The one list of clients and of transcript readers, by the names that users type.

Each is named by its module and loaded when it is asked for: the hook imports this file.
"""

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ai_smartness.clients.client import Client
    from ai_smartness.clients.transcript_reader import TranscriptFormat

__all__ = ["CLIENTS", "TOOL_CLIENTS", "TRANSCRIPT_READERS", "load_client", "load_reader"]

CLIENTS = {  # each module has a `CLIENT`; see `client.py`
    "claude-code": "claude_code",
    "codex": "codex",
    "copilot": "copilot",
    "gemini": "gemini",
    "opencode": "opencode",
    "qwen": "qwen",
}

TOOL_CLIENTS = ("cursor", "windsurf", "vscode", "cline", "zed", "claude-desktop", "mcp")
"""The clients that have our tools alone; `mcp_clients.py` describes them."""

DEFAULT_CLIENT = "claude-code"

TRANSCRIPT_READERS = {
    "claude-code": "claude_code.transcripts",
    "codex": "codex.codex_transcripts",
    "gemini": "gemini.gemini_transcripts",
    "copilot": "copilot.copilot_transcripts",
    "specstory": "specstory",
    "claude-mem": "claude_mem",
    "jsonl": "json_lines",
    "notes": "markdown_notes",
    "shared": "shared_statements",
    "export": "exported_messages",
}
"""Each module has a `READER`; see `transcript_reader.TranscriptFormat`."""


def load_client(name: str = DEFAULT_CLIENT) -> "Client":
    """Return a client by its name."""
    if name in TOOL_CLIENTS:
        from ai_smartness.clients.mcp_clients import MCP_CLIENTS

        return MCP_CLIENTS[name]
    module = __import__(f"ai_smartness.clients.{CLIENTS[name]}", fromlist=["CLIENT"])
    client: Client = module.CLIENT
    return client


def load_reader(name: str) -> "TranscriptFormat":
    """Return a transcript reader by its name."""
    module = __import__(f"ai_smartness.clients.{TRANSCRIPT_READERS[name]}", fromlist=["READER"])
    reader: TranscriptFormat = module.READER
    return reader
