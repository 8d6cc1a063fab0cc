"""The memory as an MCP server: its tools, resources and prompts, for any agent."""
