"""The application behind the view: pages, news of a group as server-sent events, and files below its folder."""

from __future__ import annotations

import asyncio
import hmac
import json
import math
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from mlebench.base.versions import versions
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.files.regular import is_folder, is_regular
from mlebench.page.document import page_policy, page_script, render, stylesheet
from mlebench.page.facts import gather
from mlebench.page.markup import Markup
from mlebench.page.quantities import moment
from mlebench.page.run_facts import LiveState
from mlebench.page.sections.runs import run_article
from mlebench.page.templating import template
from mlebench.results.estimates import UNFINISHED
from mlebench.results.names import AGENT_LOG, GROUP_FILE, RUN_FILE
from mlebench.view.control import ACTIONS, Action, control
from mlebench.view.reading import TAIL, blocks, open_below, read_piece, search
from mlebench.view.watching import PAGE, SHOWN, Groups, Row, Standing, Watched, is_shown

_STATIC = Path(__file__).parent / "static"
_FRESH = 5.0  # seconds for which a report that was rendered is good enough
_PAUSE = 1.0  # seconds between two looks at a group
_FILE_POLICY = "default-src 'none'; sandbox"
_LONGEST_FORM = 4096
_FEW = 40  # runs; of more, those are listed first that are under way or ended badly
_TEXT = frozenset(
    ".bash .c .cfg .cpp .csv .ini .ipynb .json .jsonl .log .md .py .r .sh .sql .toml .tsv .txt .yaml .yml".split()
)
Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class ViewSettings:
    """What the view shows and allows."""

    groups: Groups
    registry: Registry
    allow_control: bool = False
    form_key: str = field(default_factory=lambda: secrets.token_urlsafe(32))


def view_app(settings: ViewSettings) -> Starlette:
    """The application; who may use it is not its business."""
    view = _View(settings)
    routes = [
        Route("/", _with_sentences(view.groups)),
        Route("/static/{name}", view.static),
        Route("/g/{group}", _with_sentences(view.group)),
        Route("/g/{group}/events", _with_sentences(view.events)),
        Route("/g/{group}/report", _with_sentences(view.report)),
        Route("/g/{group}/control", _with_sentences(view.control), methods=["POST"]),
        Route("/g/{group}/{run}", _with_sentences(view.run)),
        Route("/g/{group}/{run}/{path:path}", _with_sentences(view.file)),
    ]
    return Starlette(routes=routes, exception_handlers={404: _not_found, 500: _broken})


def _with_sentences(handler: Handler) -> Handler:
    """The same, with a page that has one sentence where something is wrong with a group."""

    async def answering(request: Request) -> Response:
        try:
            return await handler(request)
        except MlebenchError as error:
            return _sentence(str(error), 404)
        except OSError as error:
            return _sentence(f"It cannot be read: {error.strerror or error}.", 404)

    return answering


def _sentence(sentence: str, status: int = 200, *, back: str | None = None) -> Response:
    """A page with one sentence, and a link to a group or to all of them."""
    return HTMLResponse(str(template("live/sentence.html", title="mlebench", sentence=sentence, back=back)), status)


async def _not_found(_: Request, __: Exception) -> Response:
    return _sentence("There is no such page.", 404)


async def _broken(_: Request, error: Exception) -> Response:
    return _sentence(f"mlebench made a mistake here ({type(error).__name__}); the rest of the view goes on.", 500)


class _View:
    """The pages."""

    def __init__(self, settings: ViewSettings) -> None:
        self._settings, self._groups = settings, settings.groups
        self._rendering = asyncio.Lock()
        self._rendered: dict[str, tuple[float, str]] = {}

    async def static(self, request: Request) -> Response:
        """The style and the script of the live pages."""
        name = request.path_params["name"]
        if name == "view.css":
            style = stylesheet() + (_STATIC / "live.css").read_text(encoding="utf-8")
            return Response(style, media_type="text/css")
        if name == "view.js":
            live = (_STATIC / "live.js").read_text(encoding="utf-8")
            return Response(page_script(live), media_type="text/javascript")
        return _sentence("There is no such page.", 404)

    async def groups(self, request: Request) -> Response:
        """All groups, the newest first."""
        page = max(1, min(_number(request.query_params.get("page", "")) or 1, 10**9))
        found, count = await run_in_threadpool(self._groups.page, page - 1)
        html = template(
            "live/list.html",
            title="Run groups",
            groups=found,
            count=count,
            page=page,
            pages=max(1, -(-count // PAGE)),
            folder=str(self._groups.runs_dir),
            version=versions()["mlebench"],
        )
        return HTMLResponse(str(html))

    async def group(self, request: Request) -> Response:
        """One group, live."""
        watched, name = self._watched(request)
        return HTMLResponse(await run_in_threadpool(self._group, watched, name, request.query_params.get("show", "")))

    def _group(self, watched: Watched, name: str, show: str) -> str:
        standing, results = watched.results()
        chosen = show if show in SHOWN else "all" if len(standing.rows) <= _FEW else "now"
        html = template(
            "live/group.html",
            title=watched.record.agent,
            name=name,
            created=moment(watched.record.created_at),
            standing=standing,
            ended=sum(row.status not in UNFINISHED for row in standing.rows),
            rows=[row for row in standing.rows if is_shown(row, chosen)],
            choices=SHOWN,
            chosen=chosen,
            notices=results.notices,
            summary=Markup(results.summary),
            matrix=Markup(watched.matrix()),
            actions=self._actions(standing),
            form_key=self._form_key(name),
        )
        return str(html)

    def _watched(self, request: Request) -> tuple[Watched, str]:
        name = request.path_params["group"]
        return self._groups.watched(name), name

    def _actions(self, standing: Standing) -> dict[Action, str]:
        """What can be done with a group now, with what it means."""
        unfinished = any(standing.counts.get(status) for status in (*UNFINISHED, "cancelled"))
        possible = ("drain", "stop") if standing.is_running else ("resume",) if unfinished else ()
        if not self._settings.allow_control:
            return {}
        return {action: words for action, words in ACTIONS.items() if action in possible}

    def _form_key(self, name: str) -> str:
        key = self._settings.form_key.encode()
        return hmac.new(key, name.encode("utf-8", "surrogateescape"), "sha256").hexdigest()

    async def events(self, request: Request) -> Response:
        """News of a group: the rows that changed, as server-sent events."""
        watched, _ = self._watched(request)
        since = request.headers.get("last-event-id") or request.query_params.get("since", "")
        news = _news(watched, _number(since) or 0, request.query_params.get("run"))
        return StreamingResponse(news, media_type="text/event-stream")

    async def report(self, request: Request) -> Response:
        """The page that `mlebench report` writes, as it is now."""
        watched, name = self._watched(request)

        def rendered() -> str:
            return render(gather([watched.folder], self._settings.registry, partial=True), watched.folder)

        async with self._rendering:  # one at a time: each takes seconds of the machine that runs agents
            made_at, html = self._rendered.get(name, (-math.inf, ""))
            if time.monotonic() - made_at > _FRESH:
                html = await run_in_threadpool(rendered)
                self._rendered = {name: (time.monotonic(), html)}
        return HTMLResponse(html, headers={"content-security-policy": page_policy(is_served=True)})

    async def control(self, request: Request) -> Response:
        """Drain, stop or resume a group, after it was confirmed."""
        if not self._settings.allow_control:
            return _sentence("This view is read-only. Start it with --allow-control to control groups from here.", 403)
        watched, name = self._watched(request)
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _LONGEST_FORM:
                return _sentence("The form is too long.", 413)
        from urllib.parse import parse_qs

        form = {key: values[0] for key, values in parse_qs(body.decode("utf-8", "replace")).items()}
        if not hmac.compare_digest(form.get("key", "").encode(), self._form_key(name).encode()):
            return _sentence("This form is not of this view. Load the page of the group again.", 403)
        action = next((action for action in ACTIONS if action == form.get("action")), None)
        if action is None or form.get("confirmed") != "yes":
            return _sentence("Nothing was done: confirm what is to be done with the group.", 400)
        try:
            done = await run_in_threadpool(control, watched.folder, action)
        except MlebenchError as error:
            return _sentence(str(error), 409, back=name)
        return _sentence(done, back=name)

    async def run(self, request: Request) -> Response:
        """One run: its state, its log as it grows, and what it left; or a file of the group."""
        watched, name = self._watched(request)
        run = request.path_params["run"]
        planned = next((planned for planned in watched.record.plan if planned.folder == run), None)
        if planned is None:
            return await self._served(watched.folder, [run])
        folder, log = watched.folder / run, (run, AGENT_LOG)
        if "log" in request.query_params:
            start, end = (_number(request.query_params.get(name, "")) for name in ("log", "to"))
            most = TAIL if start is None or end is None else min(TAIL, max(0, end - start))
            piece = await run_in_threadpool(
                partial(read_piece, watched.folder, log, start, most, is_aligned=end is not None)
            )
            return JSONResponse({"text": piece.text, "start": piece.start, "end": piece.end, "size": piece.size})
        if wanted := request.query_params.get("search", "")[:200]:
            found = await run_in_threadpool(lambda: list(search(watched.folder, log, wanted)))
            return PlainTextResponse(
                "\n".join(f"{number}: {line}" for number, line in found) or "No line has this text."
            )
        standing = await run_in_threadpool(watched.standing)
        row = next(row for row in standing.rows if row.run == run)
        piece = await run_in_threadpool(read_piece, watched.folder, log)
        html = template(
            "live/run.html",
            title=f"{planned.competition_id}, seed {planned.seed}",
            name=name,
            version=standing.version,
            row=row,
            piece=piece,
            article=await run_in_threadpool(self._article, watched, folder, row if standing.is_running else None),
        )
        return HTMLResponse(str(html))

    def _article(self, watched: Watched, folder: Path, row: Row | None) -> Any:
        """What the page tells about a run, or in a sentence why it cannot; of one under way with where it stands."""
        if not is_folder(folder) or not is_regular(folder / RUN_FILE):
            return None
        try:
            facts = gather([folder], self._settings.registry, partial=True)
        except MlebenchError as error:
            return str(error)
        run = facts.runs[0]
        if row is not None and not run.run.record.has_ended:
            run = replace(run, live=LiveState("waiting" if row.state == "waiting" else "running"))
        return run_article(run, facts, watched.folder, facts.competitions[0], with_log=False)

    async def file(self, request: Request) -> Response:
        """A file below the folder of a run, as text or to be saved: never as a page."""
        watched, _ = self._watched(request)
        parts = [request.path_params["run"], *request.path_params["path"].rstrip("/").split("/")]
        return await self._served(watched.folder, parts)

    async def _served(self, folder: Path, parts: list[str]) -> Response:
        file = await run_in_threadpool(open_below, folder, parts)
        is_text = Path(parts[-1]).suffix.lower() in _TEXT
        headers = {"content-security-policy": _FILE_POLICY}
        if not is_text:
            headers["content-disposition"] = "attachment"
        kind = "text/plain; charset=utf-8" if is_text else "application/octet-stream"
        return StreamingResponse(blocks(file), media_type=kind, headers=headers)


def _number(text: str) -> int | None:
    """A number of an address; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


async def _news(watched: Watched, version: int, run: str | None) -> AsyncIterator[str]:
    """What has changed in a group, or in one run of it, since a version, until nobody listens or it is gone."""
    last: str | None = None
    while True:
        if not is_regular(watched.folder / GROUP_FILE):
            yield f"event: gone\ndata: {json.dumps('This run group was moved or removed.')}\n\n"
            return
        news = await run_in_threadpool(_news_since, watched, version, run)
        version, values = news
        found = json.dumps(values)
        if found != last:
            yield f"id: {version}\ndata: {found}\n\n"
        else:
            yield ": nothing new\n\n"  # whoever has gone is noticed
        last = found
        await asyncio.sleep(_PAUSE)


def _news_since(watched: Watched, version: int, run: str | None) -> tuple[int, dict[str, Any]]:
    """(the version now, what is newer than a version); of one run only its row."""
    if run is not None:
        standing = watched.standing()
        return standing.version, {"rows": [row.to_dict() for row in standing.rows_since(version) if row.run == run]}
    standing, results = watched.results()
    values = {
        "sentence": standing.sentence,
        "left": standing.left,
        "counts": standing.counts_in_words,
        "ended": sum(row.status not in UNFINISHED for row in standing.rows),
        "rows": [row.to_dict() for row in standing.rows_since(version)],
    }
    return standing.version, values | results.since(version)
