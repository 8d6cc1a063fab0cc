"""The memory in other people's frameworks: one module each, with the framework as an extra.

`pip install 'ai-smartness[langgraph]'` brings what `ai_smartness.integrations.langgraph` needs.
"""
