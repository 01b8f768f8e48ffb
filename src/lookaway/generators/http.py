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
"""

from __future__ import annotations

import base64
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import Field, field_validator

from lookaway.errors import GenerationError
from lookaway.generators import Ask, Made, Movie, generator, settings_of
from lookaway.images import png_bytes
from lookaway.records import Record
from lookaway.secrets import first_words, secret_of

NOT_TAKEN = {429, 503}  # the service did not take the request, so that asking again cannot pay twice
BUSY = NOT_TAKEN | {408, 425, 500, 502, 504}
TRIES = 5
CHUNK = 1 << 20
SAMPLE_PLACES = {"prompt": "x", "first_frame_base64": "x"} | dict.fromkeys(
    ("frames", "seconds", "fps", "width", "height", "seed"), "0"
)
QUOTED = 300  # characters of an answer that a reason quotes
_PLACE = re.compile(r"\{([a-z_0-9]+)\}")


class Settings(Record):
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

    @field_validator("body")
    @classmethod
    def _becomes_json(cls, template: str) -> str:
        try:
            filled(template, SAMPLE_PLACES)
        except GenerationError as error:
            raise ValueError(str(error)) from error
        return template


@generator(version=2, settings=Settings)
def http(ask: Ask) -> Made:
    """Submits the request to the card's service, waits and downloads the video."""
    settings = settings_of(ask.card, Settings)
    _within_budget(ask, settings)
    service = _Service(settings)
    started = time.monotonic()
    answer = service.call(settings.submit, filled(settings.body, body_places(ask)))
    job = found(answer, settings.id)
    while (state := str(found(answer, settings.state))) not in settings.done.split(","):
        _go_on(state, answer, settings)
        if time.monotonic() - started > settings.timeout_s:
            raise GenerationError(f"job {job} still '{state}' after {settings.timeout_s:g} s", "timed_out")
        time.sleep(settings.poll_every_s)
        answer = service.call(settings.poll.replace("{id}", quote(str(job), safe="")))
    video = service.download(str(found(answer, settings.video)), ask.workdir / "out.mp4")
    told = found(answer, settings.prompt, missing="") if settings.prompt else ""
    return Movie(
        video, prompt=str(told) or None, cost_usd=settings.price_usd, note=f"job {job}", log=json.dumps(answer)
    )


def _within_budget(ask: Ask, settings: Settings) -> None:
    if settings.budget_usd is None:
        return
    if settings.price_usd is None:
        raise GenerationError("settings.budget_usd needs settings.price_usd, or nobody knows when it is reached")
    spent = ask.spent_usd()
    if spent + settings.price_usd > settings.budget_usd:
        raise GenerationError(
            f"not asked for: {spent:.2f} USD are spent, and another {settings.price_usd:.2f} would go beyond "
            f"settings.budget_usd = {settings.budget_usd:.2f}"
        )


def _go_on(state: str, answer: Any, settings: Settings) -> None:
    """Raises where a job ended without a video."""
    why = str(found(answer, settings.reason, missing="no reason given"))
    if state in settings.refused.split(","):
        raise GenerationError(f"the service refused: {why}", "refused")
    if state in settings.filtered.split(","):
        raise GenerationError(f"the service filtered the result: {why}", "filtered")
    if state in settings.failed.split(","):
        raise GenerationError(f"the service failed: {why}")


def body_places(ask: Ask) -> dict[str, str]:
    """What each {place} of a body stands for; texts come escaped, to stand between quotes."""
    request = ask.request
    return {
        "prompt": json.dumps(request.prompt)[1:-1],
        "first_frame_base64": base64.b64encode(png_bytes(request.image())).decode(),
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

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if settings.sign_in:
            secret = secret_of(settings.sign_in)
            if not secret:
                raise GenerationError(f"set the environment variable {settings.sign_in} to sign in to the service")
            self._headers["Authorization"] = f"Bearer {secret}"

    def call(self, url: str, body: bytes | None = None) -> Any:
        with self._opened(url, body, self._headers) as answer:
            text = answer.read()
        try:
            return json.loads(text)
        except ValueError as error:
            said = first_words(text.decode(errors="replace"), QUOTED)
            raise GenerationError(f"{url} did not answer in JSON: {said}") from error

    def download(self, url: str, path: Path) -> Path:
        """The video; a URL of its own needs no sign-in, and gets none."""
        with self._opened(url, None, {}) as answer, path.open("wb") as file:
            while chunk := answer.read(CHUNK):
                file.write(chunk)
        return path

    def _opened(self, url: str, body: bytes | None, headers: Mapping[str, str]) -> Any:
        request = urllib.request.Request(url, body, dict(headers))
        again = BUSY if body is None else NOT_TAKEN
        for attempt in range(TRIES):
            try:
                return urllib.request.urlopen(request, timeout=60)
            except urllib.error.HTTPError as error:
                said = first_words(error.read(CHUNK).decode(errors="replace"), QUOTED)
                if error.code not in again or attempt == TRIES - 1:
                    raise GenerationError(f"{url} answered {error.code}: {said}") from error
                wait = error.headers.get("Retry-After", "")
            except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
                if attempt == TRIES - 1 or body is not None:
                    raise GenerationError(f"{url} cannot be reached: {error}") from error
                wait = ""
            time.sleep(float(wait) if wait.isdigit() else self._settings.poll_every_s * 2**attempt)
        raise AssertionError("the last try returns or raises")
