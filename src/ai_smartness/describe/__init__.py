"""Describe threads from their messages, without a language model.

Title, topics, summary and kind of a thread, and the bridges that link it to others.
"""
