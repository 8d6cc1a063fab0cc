"""An agent of your own in one file, with a memory.

    pip install 'ai-smartness[anthropic]'
    python own_agent.py SESSION

Type a prompt on each line. The agent gets what is relevant before it answers, asks the memory
itself with the tool `recall`, and everything that is said is there in the next session.
`ANTHROPIC_API_KEY` is your key, `ANTHROPIC_BASE_URL` another server, `AGENT_MODEL` another model.
"""

import os
import sys
from typing import Any

from anthropic import Anthropic

from ai_smartness import Memory

MODEL = os.environ.get("AGENT_MODEL", "claude-sonnet-5-5")
SYSTEM = "You help with a software project. Answer in one or two sentences."
RECALL = {
    "name": "recall",
    "description": "Search what was said, done and decided in earlier sessions.",
    "input_schema": {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
    },
}


def main(session: str) -> None:
    """Answer the lines of the standard input."""
    client = Anthropic()
    with Memory.open(os.environ.get("AGENT_MEMORY"), project="own-agent") as memory:
        history: list[dict[str, Any]] = []
        for line in sys.stdin:
            print(answer(client, memory, history, line.strip(), session), flush=True)


def answer(
    client: Anthropic, memory: Memory, history: list[dict[str, Any]], prompt: str, session: str
) -> str:
    """Return the answer to a prompt; the history grows by all that was said and done."""
    # The block of memory goes before the last prompt of this request, and not into the history.
    asked = memory.with_memory([*history, {"role": "user", "content": prompt}], session=session)
    new: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    while True:
        reply = client.messages.create(
            model=MODEL,
            max_tokens=1_000,
            system=SYSTEM,
            messages=[*asked, *new[1:]],
            tools=[RECALL],
        )
        new.append({"role": "assistant", "content": [block.to_dict() for block in reply.content]})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            break
        results = [
            {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": memory.recall(str(call.input["query"])).text,
            }
            for call in calls
        ]
        new.append({"role": "user", "content": results})
    memory.capture(new, session=session)
    history += new
    return "".join(block.text for block in reply.content if block.type == "text")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "first")
