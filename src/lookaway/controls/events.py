"""What is to happen in a video besides the camera: what sets the process off, and what hides the subject.

Each is told in the language that the card names: in the prompt, in the words of a step, as an action, as a cover
script, or by the camera alone. What was requested is recorded with the request, however it is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from lookaway.controls import AskedCamera
from lookaway.controls.cutting import Chunk
from lookaway.errors import UsageError
from lookaway.geometry.asked import asked_in_words, stands_still
from lookaway.geometry.cover import cover_in_words, cover_moves, cover_piece, parse_cover
from lookaway.records import AskedEvent, CoverLanguage, ModelCard, Task, TriggerLanguage
from lookaway.sessions import TRIGGER_FIELD, Action

NONE = "none"
TRIGGER_LANGUAGES: tuple[TriggerLanguage, ...] = get_args(TriggerLanguage)
COVER_LANGUAGES: tuple[CoverLanguage, ...] = get_args(CoverLanguage)
_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?s")
IN_PROMPT = "the prompt itself tells what sets the process off, so it is not told in a step"


@dataclass(frozen=True)
class ToldEvents:
    """A task's events in a model's language."""

    prompt: str  # the task's, without what is told elsewhere
    cover_text: str = ""  # appended to it
    trigger: AskedEvent | None = None
    occlusion: AskedEvent | None = None
    warnings: tuple[str, ...] = ()


def told_events(task: Task, card: ModelCard) -> ToldEvents:
    """What the model is told of a task's events, and how."""
    trigger, prompt = _trigger(task, card)
    cover = cover_event(task.cover, card) if task.cover else None
    asked = trigger is not None and trigger_language(card) != "prompt"
    return ToldEvents(
        prompt,
        cover.words if cover is not None and cover.told_by == "prompt" else "",
        trigger,
        _occlusion(task, cover),
        (IN_PROMPT,) if asked and trigger is not None and trigger.told_by == "prompt" else (),
    )


def _trigger(task: Task, card: ModelCard) -> tuple[AskedEvent | None, str]:
    """What sets the process off, and the prompt without it where it is told elsewhere."""
    if task.action_control == NONE:
        return None, task.prompt
    words = sentence_at(task.prompt, task.trigger_s)
    if not words or task.trigger_s is None or trigger_language(card) == "prompt":
        return AskedEvent(words=task.action_control, start_s=task.trigger_s, told_by="prompt"), task.prompt
    without = " ".join(task.prompt.replace(timed(words, task.trigger_s), "", 1).split())
    return trigger_event(words, task.trigger_s, card), without


def timed(words: str, second: float) -> str:
    """`the lamp goes on`, 2 -> `After 2 seconds, the lamp goes on.`"""
    return f"After {second:g} seconds, {words}."


def parse_trigger(text: str) -> tuple[str, float]:
    """`the lamp goes on@2s` -> the words and the second."""
    words, at, second = text.rpartition("@")
    if not at or not words.strip() or not _SECONDS.fullmatch(second):
        raise UsageError(f"trigger '{text}': write what happens and when, such as 'the lamp goes on@2s'")
    return words.strip(), float(second.removesuffix("s"))


def sentence_at(prompt: str, second: float | None) -> str:
    """What a prompt says to happen after so many seconds; empty where it does not."""
    if second is None:
        return ""
    _, begun, rest = prompt.partition(timed("", second).removesuffix("."))
    return rest.partition(".")[0] if begun else ""


def _occlusion(task: Task, cover: AskedEvent | None) -> AskedEvent | None:
    """What hides the subject; None where nothing is to, or where it leaves by itself."""
    if task.visibility == "always_visible" or set(task.observation_controls) <= {NONE}:
        return None
    if cover is not None:
        return cover
    hidden = [phase for phase in task.phases if phase.phase == "hidden"]
    start_s, end_s = (hidden[0].start_s, hidden[-1].end_s) if hidden else (None, None)
    if task.hiding:
        return AskedEvent(words=task.hiding, start_s=start_s, end_s=end_s, told_by="prompt")
    if not task.camera_asked or stands_still(task):
        return None
    return AskedEvent(words=asked_in_words(task), start_s=start_s, end_s=end_s, told_by="camera")


# ---------------------------------------------------------------- the card's languages


def trigger_event(words: str, second: float, card: ModelCard) -> AskedEvent:
    """What sets a process off at that second, told as the card says."""
    language = trigger_language(card)
    name = str(card.control_settings["trigger_action"]) if language == "action" else ""
    return AskedEvent(words=words, start_s=second, told_by=language, action=name)


def cover_event(script: str, card: ModelCard) -> AskedEvent:
    """What comes before the subject, told as the card says; from when to when it hides all of it."""
    plan, language = parse_cover(script), cover_language(card)
    closed = [second for second, share in zip(plan.seconds, plan.shares, strict=True) if share == max(plan.shares)]
    return AskedEvent(words=cover_in_words(script), start_s=closed[0], end_s=closed[-1], told_by=language)


def trigger_language(card: ModelCard) -> TriggerLanguage:
    """How the card wants to be told what sets a process off."""
    named = card.control_settings.get("trigger", "prompt")
    language = next((known for known in TRIGGER_LANGUAGES if known == named), None)
    if language is None:
        raise _unknown(card, "trigger", named, TRIGGER_LANGUAGES)
    if language == "action" and not card.control_settings.get("trigger_action"):
        raise UsageError(f"card '{card.name}': control_settings.trigger_action must name the action that sets it off")
    if language != "prompt" and not card.chunk_frames and not (language == "action" and card.control == "actions"):
        raise UsageError(
            f"card '{card.name}': control_settings.trigger = '{language}' needs a model that is driven in steps "
            '(chunk_frames), or control = "actions" for an action'
        )
    return language


def cover_language(card: ModelCard) -> CoverLanguage:
    """How the card wants to be told of covers and lights."""
    named = card.control_settings.get("cover", "prompt")
    language = next((known for known in COVER_LANGUAGES if known == named), None)
    if language is None:
        raise _unknown(card, "cover", named, COVER_LANGUAGES)
    if language != "prompt" and not card.chunk_frames:
        raise UsageError(f"card '{card.name}': control_settings.cover = '{language}' needs chunk_frames, to be stepped")
    return language


def _unknown(card: ModelCard, setting: str, named: object, known: Sequence[str]) -> UsageError:
    return UsageError(f"card '{card.name}': control_settings.{setting} is '{named}'; known: {', '.join(known)}")


# ---------------------------------------------------------------- in steps


@dataclass(frozen=True)
class StepEvent:
    """What a step is told beside its camera."""

    second: float
    text: str = ""
    action: Action | None = None


def with_events(steps: Sequence[Chunk], task: Task, asked: AskedCamera) -> list[Chunk]:
    """The steps, each with what is to happen while it lasts."""
    card, fps = asked.card, asked.shape.fps / asked.pace  # frames per second of the task
    told = list(_step_events(task, card))
    found = [_with(chunk, [event for event in told if _begins_in(chunk, event, fps)]) for chunk in steps]
    if not task.cover or cover_language(card) != "script":
        return found
    if asked.pace != 1:
        raise UsageError(
            f"card '{card.name}': a cover script cannot be stretched; leave out length, or tell it in steps"
        )
    return [_covered(chunk, task.cover, fps) for chunk in found]


def _step_events(task: Task, card: ModelCard) -> Iterator[StepEvent]:
    trigger = told_events(task, card).trigger
    if trigger is not None and trigger.start_s is not None and trigger.told_by == "step":
        yield StepEvent(trigger.start_s, f"{trigger.words[0].upper()}{trigger.words[1:]}.")
    if trigger is not None and trigger.start_s is not None and trigger.told_by == "action":
        yield StepEvent(trigger.start_s, action={TRIGGER_FIELD: trigger.action})
    if task.cover and cover_language(card) == "step":
        yield from (StepEvent(second, words) for second, words in cover_moves(task.cover))


def _begins_in(chunk: Chunk, event: StepEvent, fps: float) -> bool:
    frame = int(event.second * fps + 1e-6) + 1  # the first one that can show it
    return chunk.first <= frame < chunk.first + chunk.frames


def _with(chunk: Chunk, events: Sequence[StepEvent]) -> Chunk:
    text = " ".join(filter(None, [chunk.text, *(event.text for event in events)]))
    action = dict(chunk.action)
    for event in events:
        action |= event.action or {}
    return replace(chunk, text=text, action=action)


def _covered(chunk: Chunk, script: str, fps: float) -> Chunk:
    """The step in which the cover moves says so instead of its camera, which rests."""
    moves = cover_piece(script, (chunk.first - 1) / fps, (chunk.first - 1 + chunk.frames) / fps)
    return replace(chunk, action=dict(chunk.action) | {"script": moves}) if moves else chunk
