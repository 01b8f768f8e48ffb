"""The server of a study: every request passes one door, which knows who asks, from where, how much and how often.

A handler below gets a `Visit` and returns what is sent; it cannot forget a check. Names in addresses are numbers or
signed tokens: a number is a place in what this rater is shown, and leads to a blob that the study names.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from lookaway.errors import LookawayError, UsageError
from lookaway.limits import ANSWER_BODY_BYTES, SEAT_HOURS
from lookaway.people.desk import StudyDesk
from lookaway.people.entry import Gatekeeper, Refused, erase, secret_of
from lookaway.people.folder import StudyFolder
from lookaway.people.pace import RequestPace
from lookaway.sessions.visitors import unwelcome

PAGE = Path(__file__).with_name("study_page")
JOIN_KEY = re.compile("[0-9a-f]{32}")
HTML, SCRIPT, STYLE = "text/html; charset=utf-8", "text/javascript; charset=utf-8", "text/css; charset=utf-8"
JSON, TEXT, VIDEO, LINES = "application/json", "text/plain; charset=utf-8", "video/mp4", "application/x-ndjson"
COOKIE, WORD = "lookaway_seat", "x-lookaway-word"
SAFE = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "media-src blob:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}
Who = Literal["invited", "rater", "admin"]


class Visit(NamedTuple):
    """One request that was let in."""

    desk: StudyDesk
    keeper: Gatekeeper
    rater: str  # who asks; empty: somebody with an invite, who has not joined
    secret: str  # that their browser keeps; empty before they join
    named: Mapping[str, str]  # parts of the address
    body: Mapping[str, Any]
    home: str  # how the server is called, such as http://127.0.0.1:8000


class Sent(NamedTuple):
    content: bytes
    kind: str = JSON
    code: int = 200
    seat: str | None = None  # a secret for the browser to keep


class Turned(Exception):
    """A request that is not answered."""

    def __init__(self, code: int, why: str) -> None:
        self.code, self.why = code, why


class Way(NamedTuple):
    """An address, who may use it, and what it does."""

    method: Literal["GET", "POST"]
    path: str
    who: Who
    does: Callable[[Visit], Sent]


def _json(value: Any) -> Sent:
    return Sent(json.dumps(value).encode())


def _file(name: str, kind: str) -> Callable[[Visit], Sent]:
    content = (PAGE / name).read_bytes()
    return lambda visit: Sent(content, kind)


def consent_text(visit: Visit) -> Sent:
    _, role, rater = visit.keeper.opened(visit.named["token"])
    study = visit.desk.study
    return _json({"title": study.title, "consent": study.consent, "role": role, "known": rater is not None})


def join(visit: Visit) -> Sent:
    if visit.body.get("consent") is not True:
        raise Turned(400, "nobody takes part without consent")
    key = visit.body.get("key")
    if not (key is None or (isinstance(key, str) and JOIN_KEY.fullmatch(key))):
        raise Turned(400, "a key is 32 hexadecimal digits")
    seat, secret = visit.keeper.take(visit.named["token"], key)
    if seat.role == "rater":
        visit.desk.consent(seat.rater)
    return Sent(json.dumps({"role": seat.role}).encode(), seat=secret)


def state(visit: Visit) -> Sent:
    return _json({**visit.desk.page_content(visit.rater), "word": visit.keeper.word_of(visit.secret)})


def clip(visit: Visit) -> Sent:
    number, place = _number(visit.named["number"]), _number(visit.named["place"])
    return Sent(visit.desk.media(visit.rater, number, place).read_bytes(), VIDEO)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise Turned(404, "no such clip")
    return int(text)


def answer(visit: Visit) -> Sent:
    return _json({"kept": visit.desk.keep(visit.rater, dict(visit.body))})


def undo(visit: Visit) -> Sent:
    taken = visit.desk.undo(visit.rater, str(visit.body.get("submission")))
    return _json({"undone": taken})


def elsewhere(visit: Visit) -> Sent:
    """A link by which the same rater goes on in another browser, within the hour."""
    token = visit.keeper.invite("rater", 1.0, visit.rater, visit.rater)
    return _json({"link": f"{visit.home}/i/{token}/"})


def leave(visit: Visit) -> Sent:
    gone = erase(visit.desk.book, visit.rater, visit.rater)
    visit.desk.forget(visit.rater)
    return _json({"erased": gone})


def admin_state(visit: Visit) -> Sent:
    book = visit.desk.book
    invites = book.rows("SELECT id, role, expires_at, used_by, withdrawn_at FROM invites ORDER BY made_at")
    audit = book.rows("SELECT at, who, what, about FROM audit ORDER BY seq DESC LIMIT 200")
    return _json(
        {
            "title": visit.desk.study.title,
            "items": len(visit.desk.folder.main_items),
            "raters": [row._asdict() for row in visit.desk.progress()],
            "invites": [dict(row) for row in invites],
            "audit": [dict(row) for row in audit],
            "word": visit.keeper.word_of(visit.secret),
        }
    )


def admin_invite(visit: Visit) -> Sent:
    token = visit.keeper.invite("rater", _hours(visit.body.get("hours", 72)), visit.rater)
    return _json({"link": f"{visit.home}/i/{token}/"})


def _hours(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise Turned(400, "hours must be a number")
    return float(value)


def admin_withdraw(visit: Visit) -> Sent:
    visit.keeper.withdraw(str(visit.body.get("invite")), visit.rater)
    return _json({})


def admin_erase(visit: Visit) -> Sent:
    gone = erase(visit.desk.book, str(visit.body.get("rater")), visit.rater)
    visit.desk.forget(str(visit.body.get("rater")))
    return _json({"erased": gone})


def admin_labels(visit: Visit) -> Sent:
    visit.desk.book.note(visit.rater, "downloaded labels")
    return Sent("".join(f"{label.model_dump_json()}\n" for label in visit.desk.labels()).encode(), LINES)


WAYS = (
    Way("GET", "/i/{token}/", "invited", _file("join.html", HTML)),
    Way("GET", "/i/{token}/join.js", "invited", _file("join.js", SCRIPT)),
    Way("GET", "/i/{token}/page.css", "invited", _file("page.css", STYLE)),
    Way("GET", "/i/{token}/consent", "invited", consent_text),
    Way("POST", "/i/{token}/join", "invited", join),
    Way("GET", "/", "rater", _file("page.html", HTML)),
    Way("GET", "/page.js", "rater", _file("page.js", SCRIPT)),
    Way("GET", "/served.js", "rater", _file("served.js", SCRIPT)),
    Way("GET", "/page.css", "rater", _file("page.css", STYLE)),
    Way("GET", "/state", "rater", state),
    Way("GET", "/clip/{number}/{place}", "rater", clip),
    Way("POST", "/answer", "rater", answer),
    Way("POST", "/undo", "rater", undo),
    Way("POST", "/elsewhere", "rater", elsewhere),
    Way("POST", "/leave", "rater", leave),
    Way("GET", "/admin/", "admin", _file("admin.html", HTML)),
    Way("GET", "/admin/admin.js", "admin", _file("admin.js", SCRIPT)),
    Way("GET", "/admin/page.css", "admin", _file("page.css", STYLE)),
    Way("GET", "/admin/state", "admin", admin_state),
    Way("GET", "/admin/labels", "admin", admin_labels),
    Way("POST", "/admin/invite", "admin", admin_invite),
    Way("POST", "/admin/withdraw", "admin", admin_withdraw),
    Way("POST", "/admin/erase", "admin", admin_erase),
)


class Door:
    """What every request passes: names, origin, pace, size, invite or seat, role, and the page's own word."""

    def __init__(self, desk: StudyDesk, keeper: Gatekeeper, names: Collection[str], secure: bool) -> None:
        self.desk, self.keeper, self.names, self.secure = desk, keeper, names, secure
        self.raters, self.strangers = RequestPace.of_raters(), RequestPace.of_strangers()

    def way_in(self, way: Way) -> Callable[[Any], Awaitable[Any]]:
        async def endpoint(request: Request) -> Response:
            try:
                visit = await self._let_in(request, way)
                sent = await run_in_threadpool(way.does, visit)
            except Turned as turned:
                return self._response(Sent(turned.why.encode(), TEXT, turned.code))
            except Refused as refused:
                return self._response(Sent(str(refused).encode(), TEXT, 403))
            except UsageError as error:
                return self._response(Sent(str(error).encode(), TEXT, 400))
            except LookawayError:  # says where things lie on this machine
                return self._response(Sent(b"the study cannot be read; tell whoever runs it", TEXT, 500))
            return self._response(sent)

        return endpoint

    async def _let_in(self, request: Request, way: Way) -> Visit:
        headers = request.headers
        if why := unwelcome(headers.get("host"), headers.get("origin"), self.names):
            raise Turned(403, why)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and way.path != "/i/{token}/":
            raise Turned(403, "no page of another server may ask for this")
        secret = request.cookies.get(COOKIE, "")[:200]
        seat = await run_in_threadpool(self.keeper.seat, secret) if secret else None
        address = request.client.host if request.client else "unknown"
        if not (self.raters.may(seat.rater) if seat else self.strangers.may(address)):
            raise Turned(429, "too many requests at once; wait a little")
        if way.who == "invited":
            # Who joins may ask again about an invite that is used up: the answer to the first time may have been lost.
            read = self.keeper.invite_of if way.does is join else self.keeper.opened
            await run_in_threadpool(read, request.path_params["token"])
        elif seat is None:
            raise Turned(401, "open the link of your invite first")
        elif seat.role != way.who:
            raise Turned(403, f"this is for a study's {way.who}")
        body = await self._body(request, way, secret) if way.method == "POST" else {}
        home = f"{'https' if self.secure else 'http'}://{headers['host']}"
        return Visit(self.desk, self.keeper, seat.rater if seat else "", secret, dict(request.path_params), body, home)

    async def _body(self, request: Request, way: Way, secret: str) -> Mapping[str, Any]:
        headers = request.headers
        if headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise Turned(415, "send JSON")
        if headers.get("origin") is None:
            raise Turned(403, "say where this comes from")
        if way.who != "invited" and not hmac.compare_digest(
            headers.get(WORD, "").encode(), self.keeper.word_of(secret).encode()
        ):
            raise Turned(403, "this page is out of date; load it again")
        content = bytearray()
        try:
            async for part in request.stream():
                content += part
                if len(content) > ANSWER_BODY_BYTES:
                    raise Turned(413, f"more than {ANSWER_BODY_BYTES} bytes")
            body = json.loads(content)
        except ClientDisconnect as error:
            raise Turned(400, "broken off") from error
        except (ValueError, RecursionError) as error:
            raise Turned(400, "not JSON") from error
        if not isinstance(body, dict):
            raise Turned(400, "not an object")
        return body

    def _response(self, sent: Sent) -> Response:
        response = Response(sent.content, sent.code, SAFE, sent.kind)
        if sent.seat is not None:
            response.set_cookie(
                COOKIE, sent.seat, int(SEAT_HOURS * 3600), httponly=True, samesite="strict", secure=self.secure
            )
        return response


def study_app(folder: StudyFolder, names: Collection[str], secure: bool = False) -> FastAPI:
    """The study as an application; nothing but its ways is answered."""
    desk = StudyDesk(folder)
    door = Door(desk, Gatekeeper(desk.book, secret_of(folder.root)), names, secure)
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    for way in WAYS:
        app.add_route(way.path, door.way_in(way), methods=[way.method])

    async def nothing(request: Request, error: Exception) -> Response:
        return Response(b"there is nothing here", 404, SAFE, TEXT)

    async def broken(request: Request, error: Exception) -> Response:
        return Response(b"something went wrong; tell whoever runs the study", 500, SAFE, TEXT)

    app.add_exception_handler(404, nothing)
    app.add_exception_handler(405, nothing)
    app.add_exception_handler(Exception, broken)
    return app
