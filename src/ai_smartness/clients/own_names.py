"""The exact names under which a client calls our MCP server, its tools and its prompts.

They are compared whole. A name that merely contains ours (`mcp__evil_ai_smartness__ai_recall`)
belongs to somebody else's server. Standard library only: the hook imports this.
"""

__all__ = ["OWN_PROMPTS", "OWN_TOOLS", "is_own_prompt", "is_own_tool", "is_own_tool_anywhere"]

OWN_SERVERS = ("ai_smartness", "plugin_ai-smartness_ai_smartness")
"""As `ais init` registers it, and as `ais plugin` does."""

OWN_TOOLS = frozenset(
    {
        "ai_compact",
        "ai_focus",
        "ai_merge",
        "ai_pin",
        "ai_rate_context",
        "ai_recall",
        "ai_split",
        "ai_statements",
        "ai_status",
        "ai_suggestions",
        "ai_undo",
        "ai_unfocus",
        "ai_unlock",
    }
)
OWN_PROMPTS = frozenset({"handoff", "recall"})


def is_own_tool(name: str) -> bool:
    """Say whether a client's name for a tool is that of a tool of our server."""
    return any(name == f"mcp__{server}__{tool}" for server in OWN_SERVERS for tool in OWN_TOOLS)


def is_own_tool_anywhere(name: str) -> bool:
    """Say whether a tool is named as one of ours, whatever the user called the server.

    For what is recorded only: our own answers are not to be remembered again.
    """
    return name.startswith("mcp__") and name.rpartition("__")[2] in OWN_TOOLS


def is_own_prompt(command: str) -> bool:
    """Say whether a slash command is one of our server's prompts."""
    prompts = OWN_PROMPTS
    return any(command == f"/mcp__{server}__{name}" for server in OWN_SERVERS for name in prompts)
