"""Say what a thread is about, in the words that were said in it."""

from ai_smartness.threads.describe.description import Description, described
from ai_smartness.threads.describe.notebook import Notebook
from ai_smartness.threads.describe.reading import Line
from ai_smartness.threads.describe.weigh import Vocabulary

__all__ = ["Description", "Line", "Notebook", "Vocabulary", "described"]
