"""Route a request to its page, and answer with it, with an error, or with what was changed.

A page runs in a worker thread with the memory of its project; only this module is asynchronous.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ai_smartness.entrypoints.web.guard import Guard, GuardSecrets, is_own_form
from ai_smartness.entrypoints.web.live import turn_events
from ai_smartness.entrypoints.web.memories import project_address
from ai_smartness.entrypoints.web.page import PageRequest, Rendered
from ai_smartness.entrypoints.web.page_table import PAGES
from ai_smartness.entrypoints.web.rendering import STATIC_FOLDER, rendered_page
from ai_smartness.model.errors import AisError, NotFoundError, RefusedError
from ai_smartness.model.journal import Outcome

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp

    from ai_smartness.entrypoints.web.memories import OpenMemories, ProjectAddress
    from ai_smartness.entrypoints.web.page import PageAnswer, PageFunction

__all__ = ["create_app"]

MAX_FORM_BYTES = 200_000
CHANGED_EVENT = "ais-changed"  # tells the page that it shows something old
FIRST_PAGE = next(iter(PAGES))


def create_app(memories: OpenMemories, own: GuardSecrets) -> ASGIApp:
    """Return the application, with its guard in front."""
    site = _Site(memories, own)
    routes = [
        Mount("/static", StaticFiles(directory=STATIC_FOLDER)),
        Route("/", site.go_to_first_page),
        Route("/projects", site.list_projects),
        Route("/{project}", site.go_to_first_page),
        Route("/{project}/live", site.follow_turns),
        Route("/{project}/undo", site.run_undo, methods=["POST"]),
        Route("/{project}/{page}", site.show_page),
        Route("/{project}/{page}/{part}", site.show_page),
        Route("/{project}/{page}/{action}", site.run_action, methods=["POST"]),
    ]
    handlers = {404: site.answer_unknown_address, 405: site.answer_unknown_address}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), own)


@dataclass(frozen=True, slots=True)
class _Site:
    memories: OpenMemories
    own: GuardSecrets

    async def go_to_first_page(self, request: Request) -> Response:
        key = request.path_params.get("project")
        key = key or project_address(self.memories.first_project).key
        return RedirectResponse(f"/{key}/{FIRST_PAGE}", 303)

    async def list_projects(self, request: Request) -> Response:
        counts = await run_in_threadpool(self.memories.projects)
        rows = [(project_address(count.project), count) for count in counts]
        template = "projects_menu.html" if _is_part(request) else "projects.html"
        return self._page(request, Rendered(template, {"rows": rows}))

    async def show_page(self, request: Request) -> Response:
        name, part = request.path_params["page"], request.path_params.get("part")
        function = _page_function(name, part, "PARTS")
        return await self._answer(request, name, function, {})

    async def run_action(self, request: Request) -> Response:
        name, action = request.path_params["page"], request.path_params["action"]
        function = _page_function(name, action, "ACTIONS")
        return await self._answer(request, name, function, await _form_of(request))

    async def run_undo(self, request: Request) -> Response:
        return await self._answer(request, FIRST_PAGE, _undo, await _form_of(request))

    async def follow_turns(self, request: Request) -> Response:
        try:
            project = self.memories.project_at(request.path_params["project"])
        except AisError as error:
            return self._error(request, error)
        events = turn_events(self.memories, project.name)
        return StreamingResponse(events, media_type="text/event-stream")

    async def answer_unknown_address(self, request: Request, _error: Exception) -> Response:
        error = NotFoundError("there is no such page. The menu lists all of them.")
        return self._error(request, error)

    async def _answer(
        self,
        request: Request,
        page: str,
        function: PageFunction | None,
        form: Mapping[str, Sequence[str]],
    ) -> Response:
        try:
            if function is None:
                msg = "there is no such page. The menu lists all of them."
                raise NotFoundError(msg)
            if request.method == "POST" and not is_own_form(self.own, form):
                return self._error(request, _foreign_form_error(), 403)
            return await run_in_threadpool(self._run, request, page, function, form)
        except AisError as error:
            return self._error(request, error)

    def _run(
        self,
        request: Request,
        page: str,
        function: PageFunction,
        form: Mapping[str, Sequence[str]],
    ) -> Response:
        project = self.memories.project_at(request.path_params["project"])
        with self.memories.memory_of(project.name) as memory:
            asked = PageRequest(
                memory=memory,
                memories=self.memories,
                project=project,
                page=page,
                query=dict(request.query_params),
                form=form,
            )
            answer = function(asked)
            return self._response(request, answer, asked)

    def _response(self, request: Request, answer: PageAnswer, asked: PageRequest) -> Response:
        if isinstance(answer, Outcome):
            return self._changed(request, answer, asked)
        return self._page(request, answer, asked.project, asked.page)

    def _changed(self, request: Request, outcome: Outcome, asked: PageRequest) -> Response:
        values = {
            "number": outcome.number,
            "sentence": asked.sentence(outcome),
            "error": "",
            "back": request.headers.get("referer", "/"),
        }
        template = "notice.html" if _is_part(request) else "notice_page.html"
        response = self._page(request, Rendered(template, values), asked.project, asked.page)
        response.headers["HX-Trigger"] = CHANGED_EVENT
        return response

    def _error(self, request: Request, error: AisError, status: int | None = None) -> Response:
        values = {"error": str(error), "back": "/"}
        template = "notice.html" if _is_part(request) else "notice_page.html"
        return self._page(request, Rendered(template, values, status or _status_of(error)))

    def _page(
        self,
        request: Request,
        answer: Rendered,
        project: ProjectAddress | None = None,
        page: str = "",
    ) -> Response:
        key = request.path_params.get("project", "")
        values = {
            "pages": PAGES,
            "page": page,
            "project": project,
            "base": f"/{project.key if project else key}",
            "csrf": self.own.form,
            "path": request.url.path,
            "is_part": _is_part(request),
            **answer.values,
        }
        return HTMLResponse(rendered_page(answer.template, values), answer.status)


def _page_function(page: str, name: str | None, table: str) -> PageFunction | None:
    """Return the function of a page, or one of its parts or actions; None if there is none."""
    if page not in PAGES:
        return None
    module = import_module(f"{__package__}.pages.{page}_page")
    if name is None:
        function: PageFunction = module.show
        return function
    functions: Mapping[str, PageFunction] = getattr(module, table, {})
    return functions.get(name)


def _undo(request: PageRequest) -> Outcome:
    """Undo one change of the project."""
    number = request.value("number")
    if not number.isascii() or not number.isdecimal():
        msg = f"cannot undo {number[:40]!r}: a change has a number."
        raise RefusedError(msg)
    return request.memory.undo(int(number))


async def _form_of(request: Request) -> Mapping[str, Sequence[str]]:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            return {}
    return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)


def _is_part(request: Request) -> bool:
    """Say whether htmx asks for a part of the page that is open."""
    return request.headers.get("hx-request") == "true"


def _foreign_form_error() -> RefusedError:
    msg = "nothing was changed: the form is not of this page, or too long. Load the page again."
    return RefusedError(msg)


def _status_of(error: AisError) -> int:
    match error:
        case NotFoundError():
            return 404
        case RefusedError():
            return 409
    return 503
