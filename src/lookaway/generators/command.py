"""A model that is a program of its own: one command line per video, run where the model lives.

generator = "command"
[settings]
command = "conda run -n mymodel python sample.py --image {first_frame} --poses {control} --prompt {prompt} --out {out}"
timeout_s = 1800
retries = 1
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, field_validator

from lookaway.errors import GenerationError
from lookaway.generators import Commission, Made, Movie, generator, settings_of
from lookaway.images import png_bytes
from lookaway.names import inside
from lookaway.records import Record
from lookaway.secrets import last_words

TAIL = 400  # characters of the log that a reason quotes
PLACES = (
    *("first_frame", "prompt", "prompt_file", "frames", "fps", "width", "height", "seed", "task", "out"),
    *("control", "control_folder", "prefix"),
)
_PLACE = re.compile(r"\{([a-z_]+)\}")


class CommandSettings(Record):
    """The card's settings for this generator."""

    command: str
    cwd: str | None = None
    timeout_s: float = Field(3600.0, gt=0)
    retries: int = Field(0, ge=0)

    @field_validator("command")
    @classmethod
    def _can_be_filled(cls, template: str) -> str:
        try:
            filled(template, dict.fromkeys(PLACES, ""))
        except GenerationError as error:
            raise ValueError(str(error)) from error
        return template


@generator(version=2, settings=CommandSettings)
def command(commission: Commission) -> Made:
    """Runs the card's `command` with its {places} filled in; the program writes the video to {out}."""
    video, log = commission.workdir / "out.mp4", commission.workdir / "log.txt"
    settings = settings_of(commission.card, CommandSettings)
    words = filled(settings.command, places(commission, video))
    for attempt in range(settings.retries + 1):
        video.unlink(missing_ok=True)
        problem = _ran(words, settings, log)
        if problem is None and video.exists():
            note = f"succeeded at attempt {attempt + 1}" if attempt else ""
            return Movie(video, note=note, log=_text(log))
    problem = problem or GenerationError(f"{words[0]} ended well and wrote no video to {{out}}")
    raise GenerationError(f"{problem}{_last_words(log)}", problem.status, _text(log))


def places(commission: Commission, video: Path) -> dict[str, str]:
    """What each {place} of a command stands for; files are written beside the video to come."""
    request = commission.request
    first, prompt = video.with_name("first_frame.png"), video.with_name("prompt.txt")
    first.write_bytes(png_bytes(commission.image()))
    prompt.write_text(request.prompt)
    found = {
        "first_frame": str(first),
        "prompt": request.prompt,
        "prompt_file": str(prompt),
        "frames": str(request.frames),
        "fps": f"{request.fps:g}",
        "width": str(request.width),
        "height": str(request.height),
        "seed": str(request.case.seed),
        "task": request.case.task,
        "out": str(video),
    }
    folder = video.with_name("control")
    folder.mkdir(exist_ok=True)
    for name, blob in commission.control_files().items():
        shutil.copyfile(blob, inside(folder, name))
        found.setdefault("control", str(folder / name))
    found["control_folder"] = str(folder)
    if (prefix := commission.prefix_clip()) is not None:
        found["prefix"] = str(prefix)
    return found


def filled(template: str, given: Mapping[str, str]) -> list[str]:
    """The words of a command line; a value stays one word whatever it contains, for no shell reads it."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name not in given:
            raise GenerationError(
                f"settings.command: nothing to put for {{{name}}} here; there is {{{'}, {'.join(sorted(given))}}}"
            )
        return given[name]

    try:
        words = shlex.split(template)
    except ValueError as error:
        raise GenerationError(f"settings.command cannot be read: {error}") from error
    if not words:
        raise GenerationError('the card has no settings.command; write one, e.g. "python sample.py --out {out}"')
    return [_PLACE.sub(value, word) for word in words]


def _ran(words: list[str], settings: CommandSettings, log: Path) -> GenerationError | None:
    """Runs the program to its end, or kills it and its children when its time is up."""
    with log.open("wb") as output:
        try:
            program = subprocess.Popen(
                words,
                cwd=settings.cwd,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return GenerationError(f"cannot start '{words[0]}': {error.strerror}")
        try:
            code = program.wait(settings.timeout_s)
        except subprocess.TimeoutExpired:
            return GenerationError(f"no video within {settings.timeout_s:g} s", "timed_out")
        finally:
            _end(program)
    return None if code == 0 else GenerationError(f"{words[0]} ended with exit code {code}")


def _end(program: subprocess.Popen[bytes]) -> None:
    """Also what the program started and left behind."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()


def _text(log: Path) -> str:
    return log.read_text(errors="replace")


def _last_words(log: Path) -> str:
    said = last_words(_text(log), TAIL)
    return f"; its last words: {said}" if said else ""
