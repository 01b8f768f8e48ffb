"""A model behind a service: submit, ask again until it is done, download.

generator = "http"
[settings]
submit = "https://api.example.org/v1/videos"
body = '{"prompt": "{prompt}", "image": "{first_frame_base64}", "seconds": {seconds}}'
id = "id"                                   # where the answer names the job; dots lead inwards
poll = "https://api.example.org/v1/videos/{id}"
state = "status"
done = "succeeded"                          # several words are separated by commas
refused = "rejected"
filtered = "moderated"
video = "output.url"                        # where the finished answer names the video
sign_in = "EXAMPLE_API_KEY"                 # environment variable sent as a bearer token
price_usd = 0.35
budget_usd = 20.0                           # no video is asked for that could go beyond it
requests_per_minute = 60.0                  # at most, by all workers of this machine together
"""

from __future__ import annotations

import base64
import io
import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from pydantic import Field, field_validator

from lookaway.errors import GenerationError
from lookaway.fetching import Fetched, Unfetched, fetch, origin
from lookaway.generators import Commission, Made, Movie, generator, settings_of
from lookaway.generators.turns import wait_for_turn
from lookaway.images import png_bytes
from lookaway.limits import DOWNLOAD_BYTES, DOWNLOAD_S, JSON_BYTES, JSON_S, LONGEST_WAIT_S
from lookaway.records import Record
from lookaway.secrets import first_words, secret_of

NOT_TAKEN = {429, 503}  # the service did not take the request, so that asking again cannot pay twice
BUSY = NOT_TAKEN | {408, 425, 500, 502, 504}
TRIES = 5
SAMPLE_PLACES = {"prompt": "x", "first_frame_base64": "x"} | dict.fromkeys(
    ("frames", "seconds", "fps", "width", "height", "seed"), "0"
)
QUOTED = 300  # characters of an answer that a reason quotes
READ_TO_QUOTE = 1 << 20  # a secret may begin in what is quoted and end behind it
SUBMITTED = "submitted"  # the state of a job whose service told none when it took it
_PLACE = re.compile(r"\{([a-z_0-9]+)\}")


class HttpSettings(Record):
    """The card's settings for this generator."""

    submit: str
    body: str
    id: str = "id"
    poll: str
    state: str = "status"
    done: str = "succeeded"
    failed: str = "failed"
    refused: str = "refused"
    filtered: str = "filtered"
    reason: str = Field("error", description="where an answer says why there is no video")
    prompt: str = Field("", description="where an answer tells the prompt it really used")
    video: str
    sign_in: str = ""
    poll_every_s: float = Field(5.0, gt=0)
    timeout_s: float = Field(1800.0, gt=0)
    price_usd: float | None = Field(None, ge=0)
    budget_usd: float | None = Field(None, ge=0)
    requests_per_minute: float | None = Field(None, gt=0)

    @field_validator("body")
    @classmethod
    def _becomes_json(cls, template: str) -> str:
        try:
            filled(template, SAMPLE_PLACES)
        except GenerationError as error:
            raise ValueError(str(error)) from error
        return template


@generator(version=3, settings=HttpSettings)
def http(commission: Commission) -> Made:
    """Submits the request to the card's service, waits and downloads the video."""
    settings = settings_of(commission.card, HttpSettings)
    _within_budget(commission, settings)
    service = _Service(settings)
    started = time.monotonic()
    answer = service.call(settings.submit, filled(settings.body, body_places(commission)))
    job = _job(answer, settings)
    state = str(found(answer, settings.state, missing=SUBMITTED))
    while state not in settings.done.split(","):
        _go_on(state, answer, settings)
        if time.monotonic() - started > settings.timeout_s:
            raise GenerationError(f"job {job} still '{state}' after {settings.timeout_s:g} s", "timed_out")
        time.sleep(settings.poll_every_s)
        answer = service.call(_poll(job, settings))
        state = str(found(answer, settings.state))
    video = service.download(str(found(answer, settings.video)), commission.workdir / "out.mp4")
    told = found(answer, settings.prompt, missing="") if settings.prompt else ""
    return Movie(
        video, prompt=str(told) or None, cost_usd=settings.price_usd, note=f"job {job}", log=json.dumps(answer)
    )


def _job(answer: Any, settings: HttpSettings) -> str:
    """What the service calls the job, 0 and "0" included."""
    job = found(answer, settings.id)
    if isinstance(job, bool) or not isinstance(job, str | int) or job == "":
        raise GenerationError(f"the service's answer names no job at '{settings.id}': {json.dumps(answer)[:300]}")
    return str(job)


def _poll(job: str, settings: HttpSettings) -> str:
    """Where to ask for the job; no job's name leads to another server."""
    url = settings.poll.replace("{id}", quote(job, safe=""))
    if _origin(url) != _origin(settings.poll):
        raise GenerationError(f"settings.poll = '{settings.poll}': {{id}} may not stand in the server's name")
    return url


def _origin(url: str) -> tuple[str, str, int]:
    try:
        return origin(url)
    except Unfetched as error:
        raise GenerationError(f"settings.poll: {error}") from error


def _within_budget(commission: Commission, settings: HttpSettings) -> None:
    if settings.budget_usd is None:
        return
    if settings.price_usd is None:
        raise GenerationError("settings.budget_usd needs settings.price_usd, or nobody knows when it is reached")
    spent = commission.spent_usd()
    if spent + settings.price_usd > settings.budget_usd:
        raise GenerationError(
            f"not asked for: {spent:.2f} USD are spent, and another {settings.price_usd:.2f} would go beyond "
            f"settings.budget_usd = {settings.budget_usd:.2f}"
        )


def _go_on(state: str, answer: Any, settings: HttpSettings) -> None:
    """Raises where a job ended without a video."""
    why = str(found(answer, settings.reason, missing="no reason given"))
    if state in settings.refused.split(","):
        raise GenerationError(f"the service refused: {why}", "refused")
    if state in settings.filtered.split(","):
        raise GenerationError(f"the service filtered the result: {why}", "filtered")
    if state in settings.failed.split(","):
        raise GenerationError(f"the service failed: {why}")


def body_places(commission: Commission) -> dict[str, str]:
    """What each {place} of a body stands for; texts come escaped, to stand between quotes."""
    request = commission.request
    return {
        "prompt": json.dumps(request.prompt)[1:-1],
        "first_frame_base64": base64.b64encode(png_bytes(commission.image())).decode(),
        "frames": str(request.frames),
        "seconds": f"{(request.frames - 1) / request.fps:g}",
        "fps": f"{request.fps:g}",
        "width": str(request.width),
        "height": str(request.height),
        "seed": str(request.case.seed),
    }


def filled(template: str, given: Mapping[str, str]) -> bytes:
    """The body with its places filled in; braces that name nothing known belong to its JSON."""
    text = _PLACE.sub(lambda match: given.get(match[1], match[0]), template)
    try:
        json.loads(text)
    except ValueError as error:
        raise GenerationError(f"settings.body is no JSON once its places are filled: {error}") from error
    return text.encode()


def found(answer: Any, path: str, missing: str | None = None) -> Any:
    """The value that a dotted path leads to; list items go by number."""
    value = answer
    for name in path.split("."):
        try:
            value = value[int(name)] if isinstance(value, list) else value[name]
        except (KeyError, IndexError, TypeError, ValueError):
            if missing is not None:
                return missing
            raise GenerationError(
                f"the service's answer has no '{path}': {first_words(json.dumps(answer), QUOTED)}"
            ) from None
    return value


class _Service:
    """HTTP with patience: busy answers are tried again, later each time."""

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if settings.sign_in:
            secret = secret_of(settings.sign_in)
            if not secret:
                raise GenerationError(f"set the environment variable {settings.sign_in} to sign in to the service")
            self._headers["Authorization"] = f"Bearer {secret}"

    def call(self, url: str, body: bytes | None = None) -> Any:
        text = io.BytesIO()
        self._fetched(url, text, body, self._headers, JSON_S, JSON_BYTES)
        try:
            return json.loads(text.getvalue())
        except (ValueError, RecursionError) as error:
            said = first_words(text.getvalue().decode(errors="replace"), QUOTED)
            raise GenerationError(f"{url} did not answer in JSON: {said}") from error

    def download(self, url: str, path: Path) -> Path:
        """The video; whoever serves it, on whatever server the answer names, gets no key."""
        with path.open("w+b") as file:
            self._fetched(url, file, None, {}, DOWNLOAD_S, DOWNLOAD_BYTES)
        return path

    def _fetched(
        self, url: str, into: BinaryIO, body: bytes | None, headers: Mapping[str, str], seconds: float, most_bytes: int
    ) -> None:
        """The whole answer with status 200; what is busy or broken is asked again where that cannot pay twice."""
        again = BUSY if body is None else NOT_TAKEN
        for attempt in range(TRIES):
            into.seek(0)
            into.truncate()
            last = attempt == TRIES - 1
            wait_s = self._settings.poll_every_s * 2**attempt
            if self._settings.requests_per_minute:
                wait_for_turn(f"{self._settings.submit} {self._settings.sign_in}", self._settings.requests_per_minute)
            try:
                answer = fetch(url, into, body, headers, seconds=seconds, most_bytes=most_bytes)
            except Unfetched as error:
                if last or body is not None or error.trouble in ("too_large", "not_allowed"):
                    raise _unfetched(url, error) from error
            else:
                if 200 <= answer.status < 300:
                    return
                if last or answer.status not in again:
                    raise GenerationError(f"{url} answered {answer.status}: {_said(into)}")
                wait_s = _asked_wait_s(answer) or wait_s
            time.sleep(min(wait_s, LONGEST_WAIT_S))


def _unfetched(url: str, error: Unfetched) -> GenerationError:
    if error.trouble == "late":
        return GenerationError(f"{url}: {error}", "timed_out")
    cannot = "cannot be reached" if error.trouble == "unreachable" else "gives nothing usable"
    return GenerationError(f"{url} {cannot}: {error}")


def _asked_wait_s(answer: Fetched) -> float | None:
    asked = answer.headers.get("Retry-After", "")
    return float(asked) if asked.isascii() and asked.isdecimal() else None


def _said(body: BinaryIO) -> str:
    body.seek(0)
    return first_words(body.read(READ_TO_QUOTE).decode(errors="replace"), QUOTED)
