"""Serve a client with the official SDK: the server's tools, resources and prompts."""

import json
import logging
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from io import TextIOBase
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

import anyio
import anyio.to_thread
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from ai_smartness.entrypoints.mcp.first_answers import (
    REPLAYED_ID,
    SERVER_NAME,
    installed_version,
    server_instructions,
    tool_list,
)
from ai_smartness.entrypoints.mcp.stdio import ServerOptions, StdioPipe
from ai_smartness.entrypoints.mcp.tool_caller import ToolCaller
from ai_smartness.entrypoints.tools.definitions import Profile, ToolCall, ToolReply, offered_tools

if TYPE_CHECKING:
    from queue import SimpleQueue

    from mcp.server.context import ServerRequestContext

__all__ = ["build_server", "serve_session"]

_LOG = logging.getLogger(__name__)

THREADS_URI, THREAD_URI_PREFIX = "memory://threads", "memory://thread/"

MAX_CONCURRENT_CALLS = 16  # calls that run at the same time; further ones wait their turn

EXTRA_ARGUMENTS = tuple(f"word_{number}" for number in range(2, 13))
"""Further arguments of the recall prompt: Claude Code passes each word as one argument."""

CallTool: TypeAlias = Callable[[ToolCall], ToolReply]
RequestContext: TypeAlias = "ServerRequestContext[Any, Any]"


def serve_session(
    options: ServerOptions,
    pipe: StdioPipe,
    unanswered: Iterable[bytes],
    lines: "SimpleQueue[bytes]",
) -> None:
    """Serve until the client hangs up: first the unanswered lines, then those that arrive."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    anyio.run(_serve_streams, options, _InputLines(unanswered, lines), _OutputLines(pipe))


def build_server(options: ServerOptions, call_tool: CallTool) -> "Server[Any]":
    """Return a server that runs its tool calls with `call_tool`, in worker threads."""
    requests = _ServerRequests(options, call_tool)
    return Server(
        SERVER_NAME,
        version=installed_version(),
        instructions=server_instructions(requests.tool_names),
        on_list_tools=requests.list_tools,
        on_call_tool=requests.call_tool,
        on_list_resources=requests.list_resources,
        on_list_resource_templates=requests.list_resource_templates,
        on_read_resource=requests.read_resource,
        on_list_prompts=requests.list_prompts,
        on_get_prompt=requests.get_prompt,
    )


class _ServerRequests:
    """The handlers of the SDK's server, one for each kind of request."""

    def __init__(self, options: ServerOptions, call_tool: CallTool) -> None:
        self._options = options
        self._profile = Profile(options.profile)
        self._call_tool = call_tool
        self._turns = anyio.CapacityLimiter(MAX_CONCURRENT_CALLS)
        self.tool_names = offered_tools(self._profile)

    async def list_tools(self, _ctx: RequestContext, _params: object) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": tool_list(self._profile)})

    async def call_tool(
        self, ctx: RequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name in self.tool_names:
            reply = await self._ask_memory(ctx, params.name, params.arguments or {})
        else:
            names = ", ".join(self.tool_names)
            unknown = f"Not found: there is no tool {params.name[:40]!r}. There are {names}."
            reply = ToolReply(unknown, is_error=True)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=reply.text)],
            structured_content=reply.structure,
            is_error=reply.is_error,
        )

    async def list_resources(
        self, _ctx: RequestContext, _params: object
    ) -> types.ListResourcesResult:
        threads = types.Resource(
            uri=THREADS_URI,
            name="threads",
            description="The project's threads: id, status, weight, title.",
            mime_type="text/plain",
        )
        return types.ListResourcesResult(resources=[threads])

    async def list_resource_templates(
        self, _ctx: RequestContext, _params: object
    ) -> types.ListResourceTemplatesResult:
        thread = types.ResourceTemplate(
            uri_template=THREAD_URI_PREFIX + "{id}",
            name="thread",
            description="One thread: its title, what is known of it, its messages.",
            mime_type="text/plain",
        )
        return types.ListResourceTemplatesResult(resource_templates=[thread])

    async def read_resource(
        self, ctx: RequestContext, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri == THREADS_URI:
            reply = await self._ask_memory(ctx, "threads", {})
        elif uri.startswith(THREAD_URI_PREFIX):
            thread = uri.removeprefix(THREAD_URI_PREFIX)
            reply = await self._ask_memory(ctx, "thread", {"thread": thread})
        else:
            known = f"{THREADS_URI} and {THREAD_URI_PREFIX}ID"
            reply = ToolReply(f"there is no {uri[:200]}, only {known}.", is_error=True)
        text = _text_or_error(reply)
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, text=text, mime_type="text/plain")]
        )

    async def list_prompts(self, _ctx: RequestContext, _params: object) -> types.ListPromptsResult:
        query = types.PromptArgument(name="query", description="What to recall", required=True)
        more = [types.PromptArgument(name=name) for name in EXTRA_ARGUMENTS]
        recall = types.Prompt(
            name="recall", description="What the memory knows of it.", arguments=[query, *more]
        )
        handoff = types.Prompt(name="handoff", description="Where the session before stood.")
        return types.ListPromptsResult(prompts=[recall, handoff])

    async def get_prompt(
        self, ctx: RequestContext, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        match params.name:
            case "recall":
                question = _prompt_question(params.arguments or {})
                reply = await self._ask_memory(ctx, "ai_recall", question)
            case "handoff":
                reply = await self._ask_memory(ctx, "handoff", {})
            case name:
                unknown = f"there is no prompt {name[:40]!r}, only recall and handoff."
                reply = ToolReply(unknown, is_error=True)
        content = types.TextContent(type="text", text=_text_or_error(reply))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def _ask_memory(
        self, ctx: RequestContext, name: str, arguments: Mapping[str, object]
    ) -> ToolReply:
        client = ctx.session.client_params
        call = ToolCall(
            name=name,
            arguments=arguments,
            client=client.client_info.name if client else SERVER_NAME,
            session=self._options.session,
            reads=self._profile is Profile.READONLY,
        )
        # Abandoned when the client cancels or leaves: a change is made whole or not at all.
        return await anyio.to_thread.run_sync(
            partial(self._safe_reply, call), abandon_on_cancel=True, limiter=self._turns
        )

    def _safe_reply(self, call: ToolCall) -> ToolReply:
        try:
            return self._call_tool(call)
        except Exception as error:  # noqa: BLE001 - an agent's turn must not fail with its memory
            _LOG.exception("%s was not answered", call.name)
            text = f"Not done: {type(error).__name__} in the memory itself: {error}"
            return ToolReply(text, is_error=True)


def _prompt_question(arguments: Mapping[str, str]) -> dict[str, str]:
    """Join the words of a question that came in several arguments."""
    words = [arguments[name] for name in ("query", *EXTRA_ARGUMENTS) if arguments.get(name)]
    others = {name: value for name, value in arguments.items() if name not in EXTRA_ARGUMENTS}
    return {**others, "query": " ".join(words)} if words else others


def _text_or_error(reply: ToolReply) -> str:
    if reply.is_error:
        raise MCPError(code=types.INVALID_PARAMS, message=reply.text)
    return reply.text


async def _serve_streams(
    options: ServerOptions, incoming: "_InputLines", outgoing: "_OutputLines"
) -> None:
    server = build_server(options, ToolCaller(options).call_tool)
    stdin = anyio.wrap_file(cast("IO[str]", incoming))
    stdout = anyio.wrap_file(cast("IO[str]", outgoing))
    async with stdio_server(stdin, stdout) as (read, write):
        await server.run(read, write, server.create_initialization_options())


class _InputLines(TextIOBase):
    """The client's messages as a file that is read line by line."""

    def __init__(self, unanswered: Iterable[bytes], lines: "SimpleQueue[bytes]") -> None:
        self._unanswered = deque(unanswered)
        self._lines = lines

    def readline(self, _size: int = -1, /) -> str:  # type: ignore[override] # always a whole one
        line = self._unanswered.popleft() if self._unanswered else self._lines.get()
        return line.decode(errors="replace")


class _OutputLines(TextIOBase):
    """The server's messages as a file; an answer that the client already has is left out."""

    def __init__(self, pipe: StdioPipe) -> None:
        self._pipe = pipe

    def write(self, text: str, /) -> int:
        if REPLAYED_ID not in text or json.loads(text).get("id") != REPLAYED_ID:
            self._pipe.send_line(text.encode())
        return len(text)
