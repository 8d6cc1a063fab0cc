"""The memory as files that are not there: `.ai/merge/A/B` and its like, read by an agent.

A path is a request, and the text that is read is its answer. Whatever was wrong
with a path, the answer names the next step.
"""
