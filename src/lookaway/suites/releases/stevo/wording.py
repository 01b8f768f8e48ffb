"""What StEvo's texts ask for: what is set off, what hides it, and camera strings such as `s-3, right-20, left-20`."""

from __future__ import annotations

import re

from lookaway.errors import SuiteError

INTERFACES = ("HY-WorldPlay", "lingbot", "Genie")
LATENT_FRAMES = 4  # a latent is four frames, and one frame comes before the first
FPS = 24.0
DEG_PER_LATENT, M_PER_LATENT = 3.0, 0.08
MOST_LATENTS = 1000
_PAUSE = re.compile(r"after a pause", re.IGNORECASE)
_STEP = re.compile(r"(?P<ways>[a-z]+(?:\s*\+\s*[a-z]+)?)\s*-\s*(?P<latents>[0-9]{1,4})")
_WAYS = {
    "w": ("dolly:forward", M_PER_LATENT),
    "s": ("dolly:back", M_PER_LATENT),
    "a": ("truck:left", M_PER_LATENT),
    "d": ("truck:right", M_PER_LATENT),
    "left": ("yaw:left", DEG_PER_LATENT),
    "right": ("yaw:right", DEG_PER_LATENT),
    "up": ("pitch:up", DEG_PER_LATENT),
    "down": ("pitch:down", DEG_PER_LATENT),
}


def hiding_of(prompt: str) -> str:
    """What of a video prompt hides the subject; empty where it does not say.

    `Wax drips; a curtain closes, after a pause it opens.` -> `a curtain closes`
    """
    pause = _PAUSE.search(prompt)
    if pause is None:
        return ""
    told = prompt[: pause.start()]
    return (told.partition(";")[2] if ";" in told else told).strip(" ,.;")


def process_of(prompt: str) -> str:
    """What of a video prompt tells the process: what comes before that which hides it."""
    return prompt.partition(";")[0].strip() if hiding_of(prompt) and ";" in prompt else ""


def latents(steps: str) -> int:
    """`s-3, right-20, left-20` -> 43, which makes 173 frames."""
    return sum(count for _, count in _steps(steps))


def camera_script(steps: str) -> str:
    """A camera string as a camera script; how far one latent goes is our assumption."""
    return ", ".join(
        "+".join(f"{_WAYS[way][0]}:{count * _WAYS[way][1]:g}" for way in ways) + f"@{seconds_of(count):.6g}s"
        for ways, count in _steps(steps)
    )


def seconds_of(count: int) -> float:
    return count * LATENT_FRAMES / FPS


def _steps(text: str) -> list[tuple[list[str], int]]:
    read = [_step(part.strip().lower()) for part in text.split(",") if part.strip()]
    if not 0 < sum(count for _, count in read) <= MOST_LATENTS:
        raise SuiteError(f"camera string '{text[:80]}': give between 1 and {MOST_LATENTS} latents")
    return read


def _step(part: str) -> tuple[list[str], int]:
    match = _STEP.fullmatch(part)
    ways = [] if match is None else _ways(match["ways"])
    if match is None or not ways or int(match["latents"]) < 1:
        raise SuiteError(f"camera string: cannot read '{part[:40]}'; such as right-20, of {', '.join(_WAYS)}")
    return ways, int(match["latents"])


def _ways(text: str) -> list[str]:
    """One way, or two at once, written `w+left`, `wa` or `wleft`."""
    if text in _WAYS:
        return [text]
    split = [part.strip() for part in text.split("+")] if "+" in text else [text[:1], text[1:]]
    return split if all(way in _WAYS for way in split) else []
