"""Say what a thread is about, in the words that were said in it."""

from ai_smartness.describe.description import Description, ThreadDescriber, thread_description
from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.describe.word_weights import Vocabulary

__all__ = ["Description", "ThreadDescriber", "ThreadLine", "Vocabulary", "thread_description"]
