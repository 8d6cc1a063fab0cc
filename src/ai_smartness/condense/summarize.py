"""Summarize a thread by counts and names, then reload its most important files.

It uses no language model. Files are read as they are now; the summary names those that
cannot be read.
"""

from collections.abc import Iterator, Mapping, Sequence

from ai_smartness.condense.condenser import Context
from ai_smartness.condense.digest import digest_text
from ai_smartness.condense.digest_items import DigestMaterial, ItemKind, gathered_material
from ai_smartness.condense.tool_calls import EVENT_TOKENS, view_tokens
from ai_smartness.condense.trim import trimmed_output
from ai_smartness.model.condensation import Replacement
from ai_smartness.model.event import Event, EventType
from ai_smartness.text.token_count import truncated_middle

__all__ = ["SummarizeAndReload"]

MAX_RELOADED_FILES = 5  # as many as one can keep in mind
RELOAD_SHARE = 0.5  # share of the target for files, if they can be read
MIN_FILE_TOKENS = 40  # the least part of a file that is worth reading
CHARACTERS_A_TOKEN = 3
EDIT_WEIGHT = 4  # how many mentions an edit counts for: changed files matter more than read ones

NOT_RELOADED = "Not reloaded"


class SummarizeAndReload:
    """A summary of the work, and the files it was done on."""

    id = "summarize-and-reload"
    version = "1"
    parameters: Mapping[str, object] = {"files": MAX_RELOADED_FILES}  # the most `files` to reload

    def condense(self, events: Sequence[Event], context: Context) -> list[Replacement]:
        """Return a summary, and a tool call with its result for each reloaded file."""
        material = gathered_material(events, context)
        most = context.parameters.get("files", MAX_RELOADED_FILES)
        wanted = _important_files(material)[: most if isinstance(most, int) else MAX_RELOADED_FILES]
        reloaded = list(_reloaded_files(wanted, events[-1], context))
        lost = [path for path in wanted if path not in {str(r.payload["path"]) for r in reloaded}]
        room = context.target - view_tokens(reloaded) - EVENT_TOKENS
        text = _summary_text(material, lost, room, context, reloads=bool(reloaded))
        summary = Replacement(
            type=EventType.AGENT_MESSAGE, role="assistant", text=text, at=events[0].at
        )
        return [summary, *reloaded] if text else reloaded


def _summary_text(
    material: DigestMaterial, lost: Sequence[str], room: int, context: Context, *, reloads: bool
) -> str:
    start = "\n".join(["## Session Summary", *_activity_lines(material)])
    end = [f"{NOT_RELOADED}: {', '.join(lost)}"] if lost else []
    end += ["## Important Files Reloaded:"] if reloads else []
    frame = "\n".join([start, *end])
    left = room - context.tokens(frame) - 2
    if left < 0:
        return truncated_middle(frame, max(0, room), context.tokens)
    digest = digest_text(material, left, context, "", frame)
    return "\n".join(filter(None, [start, digest, *end]))


def _activity_lines(material: DigestMaterial) -> Iterator[str]:
    commands = material.items_of(ItemKind.COMMAND)
    failed = [item for item in commands if item.note.startswith("failed")]
    messages = sum(event.type is EventType.USER_MESSAGE for event in material.events)
    counts = {
        f"- {messages} messages of the user": messages,
        f"- Read {_listed_files(list(material.reads))}": len(material.reads),
        f"- Changed {_listed_files(list(material.edits))}": len(material.edits),
        f"- Ran {len(commands)} commands, {len(failed)} of which failed": len(commands),
        f"- Met {len(material.items_of(ItemKind.ERROR))} errors": len(
            material.items_of(ItemKind.ERROR)
        ),
    }
    return (line for line, count in counts.items() if count)


def _listed_files(paths: Sequence[str]) -> str:
    names = ", ".join(paths[:3])
    noun = "1 file" if len(paths) == 1 else f"{len(paths)} files"
    return f"{noun} ({names}{', …' if len(paths) > len(paths[:3]) else ''})"


def _important_files(material: DigestMaterial) -> list[str]:
    weights = {item.name: float(item.count) for item in material.items_of(ItemKind.FILE)}
    for path in material.edits:
        weights[path] = weights.get(path, 0) + EDIT_WEIGHT
    last = {item.name: item.last for item in material.items_of(ItemKind.FILE)}
    files = [path for path in weights if "." in path.rpartition("/")[2]]
    return sorted(files, key=lambda path: (-weights[path], -last.get(path, 0), path))


def _reloaded_files(paths: Sequence[str], like: Event, context: Context) -> Iterator[Replacement]:
    """Yield a tool call and its result for each file that can be read and fits."""
    if context.read_file is None:
        return
    room = int(context.target * RELOAD_SHARE)
    for number, path in enumerate(paths):
        content = context.read_file(path)
        share = room // (len(paths) - number)
        if content is None or share < MIN_FILE_TOKENS:
            continue
        pair = _call_and_result(path, content, share, like, number)
        yield from pair
        room -= view_tokens(pair)


def _call_and_result(
    path: str, content: str, share: int, like: Event, number: int
) -> list[Replacement]:
    ids = {"call_id": f"reload_{number + 1}", "tool": "read_file", "path": path}
    call = Replacement(
        type=EventType.TOOL_CALL,
        role="assistant",
        text=f"Read {path}",
        at=like.at,
        payload={**ids, "args": {"path": path}},
    )
    room = share - view_tokens([call]) - EVENT_TOKENS
    text = trimmed_output(content, room * CHARACTERS_A_TOKEN)
    result = Replacement(
        type=EventType.TOOL_RESULT,
        role="tool",
        text=truncated_middle(text, max(1, room)),
        at=like.at,
        payload=ids,
    )
    return [call, result]
