"""Virtual paths: an agent reads `.ai/merge/A/B` and its like, and the memory answers.

A path is a request and its page the answer. If a path is wrong, the page names the next step.
"""
