"""The memory as an MCP server: which tools, resources and prompts there are, and who answers."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
import anyio.to_thread
from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from ai_smartness.entrypoints.mcp.instructions import instructions
from ai_smartness.entrypoints.mcp.setting import Setting
from ai_smartness.entrypoints.tools.asked import Call, Reply
from ai_smartness.entrypoints.tools.catalogue import TOOLS, Profile, Tool, offered

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

__all__ = ["NAME", "server_of"]

_LOG = logging.getLogger(__name__)

NAME = "ai_smartness"
THREADS, THREAD = "memory://threads", "memory://thread/"

AT_ONCE = 16
"""Calls that are waited for; others wait their turn."""

MORE_WORDS = tuple(f"word_{number}" for number in range(2, 13))
"""Of a question typed behind a prompt: Claude Code hands over one word for each argument."""

Asks: TypeAlias = Callable[[Call], Reply]
Context: TypeAlias = "ServerRequestContext[Any, Any]"


def server_of(setting: Setting, ask: Asks) -> "Server[Any]":
    """Return a server whose calls are answered by `ask`, on threads beside."""
    answers = _Answers(setting, ask)
    return Server(
        NAME,
        version=_installed(),
        instructions=instructions(answers.tools),
        on_list_tools=answers.list_tools,
        on_call_tool=answers.call_tool,
        on_list_resources=answers.list_resources,
        on_list_resource_templates=answers.list_resource_templates,
        on_read_resource=answers.read_resource,
        on_list_prompts=answers.list_prompts,
        on_get_prompt=answers.get_prompt,
    )


class _Answers:
    """What the server answers, request by request."""

    def __init__(self, setting: Setting, ask: Asks) -> None:
        self._setting = setting
        self._ask = ask
        self._reads = setting.profile == Profile.READONLY
        self.tools = {name: TOOLS[name] for name in offered(Profile(setting.profile))}
        self._turns = anyio.CapacityLimiter(AT_ONCE)

    async def list_tools(self, _ctx: Context, _params: object) -> types.ListToolsResult:
        tools = (replace(each, reads=self._reads or each.reads) for each in self.tools.values())
        return types.ListToolsResult(
            tools=[_described(*each) for each in zip(self.tools, tools, strict=True)]
        )

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in self.tools:
            names = ", ".join(self.tools)
            reply = Reply(f"Not found: there is no tool {params.name[:40]!r}. There are {names}.")
            reply = reply._replace(is_error=True)
        else:
            reply = await self._asked(ctx, params.name, params.arguments or {})
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=reply.text)],
            structured_content=reply.structure,
            is_error=reply.is_error,
        )

    async def list_resources(self, _ctx: Context, _params: object) -> types.ListResourcesResult:
        about = "The project's threads: id, status, weight, title."
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=THREADS, name="threads", description=about, mime_type="text/plain"
                )
            ]
        )

    async def list_resource_templates(
        self, _ctx: Context, _params: object
    ) -> types.ListResourceTemplatesResult:
        about = "One thread: its title, what is known of it, its messages."
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=THREAD + "{id}",
                    name="thread",
                    description=about,
                    mime_type="text/plain",
                )
            ]
        )

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri == THREADS:
            reply = await self._asked(ctx, "threads", {})
        elif uri.startswith(THREAD):
            reply = await self._asked(ctx, "thread", {"thread": uri.removeprefix(THREAD)})
        else:
            reply = Reply(f"there is no {uri[:200]}, only {THREADS} and {THREAD}ID.", is_error=True)
        text = _or_raised(reply)
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, text=text, mime_type="text/plain")]
        )

    async def list_prompts(self, _ctx: Context, _params: object) -> types.ListPromptsResult:
        about = "What the memory knows of it."
        query = types.PromptArgument(name="query", description="What to recall", required=True)
        more = [types.PromptArgument(name=each) for each in MORE_WORDS]
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(name="recall", description=about, arguments=[query, *more]),
                types.Prompt(name="handoff", description="Where the session before stood."),
            ]
        )

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        match params.name:
            case "recall":
                reply = await self._asked(ctx, "ai_recall", _question(params.arguments or {}))
            case "handoff":
                reply = await self._asked(ctx, "handoff", {})
            case name:
                reply = Reply(f"there is no prompt {name[:40]!r}, only recall and handoff.")
                reply = reply._replace(is_error=True)
        content = types.TextContent(type="text", text=_or_raised(reply))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def _asked(self, ctx: Context, name: str, arguments: dict[str, Any]) -> Reply:
        params = ctx.session.client_params
        call = Call(
            name=name,
            arguments=arguments,
            client=params.client_info.name if params else NAME,
            session=self._setting.session,
            reads=self._reads,
        )
        # Abandoned when the client cancels or leaves: what is done for it is done or undone whole.
        return await anyio.to_thread.run_sync(
            partial(self._replied, call), abandon_on_cancel=True, limiter=self._turns
        )

    def _replied(self, call: Call) -> Reply:
        try:
            return self._ask(call)
        except Exception as error:  # noqa: BLE001 - an agent's turn must not fail with its memory
            _LOG.exception("%s was not answered", call.name)
            said = f"Not done: {type(error).__name__} in the memory itself: {error}"
            return Reply(said, is_error=True)


def _described(name: str, tool: Tool) -> types.Tool:
    return types.Tool(
        name=name,
        description=tool.about,
        input_schema=tool.schema,
        annotations=types.ToolAnnotations.model_validate(tool.hints),
    )


def _question(given: Mapping[str, str]) -> dict[str, str]:
    """Return the question of a prompt whole, however many arguments it came in."""
    words = [given[name] for name in ("query", *MORE_WORDS) if given.get(name)]
    others = {name: value for name, value in given.items() if name not in MORE_WORDS}
    return {**others, "query": " ".join(words)} if words else others


def _or_raised(reply: Reply) -> str:
    if reply.is_error:
        raise MCPError(code=types.INVALID_PARAMS, message=reply.text)
    return reply.text


def _installed() -> str:
    try:
        return version("ai-smartness")
    except PackageNotFoundError:
        return "0"
