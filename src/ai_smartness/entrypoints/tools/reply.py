"""Answer a call of a tool, whatever comes of it: what the memory refuses is an answer too."""

from contextlib import AbstractContextManager

from ai_smartness.entrypoints.tools.asked import Call, Reply
from ai_smartness.entrypoints.tools.call import call
from ai_smartness.entrypoints.tools.refusal import refused
from ai_smartness.memory import Memory
from ai_smartness.model.errors import AisError
from ai_smartness.model.journal import Actor

__all__ = ["replied"]


def replied(asked: Call, opened: AbstractContextManager[Memory]) -> Reply:
    """Do what is asked, with a memory that is opened for it."""
    try:
        with opened as memory:
            hands = memory.used_by(Actor("agent", asked.client))
            said = call(hands, asked.name, asked.arguments, asked.session, reads=asked.reads)
    except AisError as error:
        return Reply(refused(error), is_error=True)
    return Reply(said.text, said.structure)
