"""What is asked about a clip: the task's own questions, or the prompts of a protocol; and how."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from lookaway.errors import UnknownName, UsageError
from lookaway.judges import JUDGES, Backend
from lookaway.judges.estimators.votes import RULES
from lookaway.judges.frames import FrameRule, frame_rule
from lookaway.judges.functions import backend_of
from lookaway.judges.prompting import FIRST_WORDING, Prompt, load, names
from lookaway.records import Plan, Question, Setting, Task, content_key

QUESTION = "question"
OURS = {"frames", "wording", "votes", "samples", "prompts", "cache"}  # settings that no judge sees
OF_NO_EFFECT = {"prompts", "cache", "concurrency", "rpm", "tpm", "attempts", "attempt_s", "usd_in", "usd_out"}


@dataclass(frozen=True)
class Way:
    """How questions are put, from the settings addressed to the judge: `--set human.votes=unanimous`."""

    judge: str
    source: str
    settings: dict[str, Setting]
    rule: FrameRule
    wording: str
    votes: str
    samples: int | None
    prompts: tuple[str, ...]

    @cached_property
    def key(self) -> str:
        """Equal keys ask alike. A judge that reads a file answers anew when the file changes."""
        path = Path(self.source)
        file = hashlib.sha256(path.read_bytes()).hexdigest() if self.source and path.is_file() else ""
        plugin = JUDGES.get(self.judge)
        settings = {name: value for name, value in self.settings.items() if name not in OF_NO_EFFECT}
        return content_key(self.judge, plugin.version, self.source, file, settings, asdict(plugin.encoding))

    @property
    def judges_settings(self) -> dict[str, Setting]:
        return {name: value for name, value in self.settings.items() if name not in OURS}


def way_of(plan: Plan) -> Way:
    """`scripted:answers.jsonl` is the scripted judge reading that file."""
    if plan.judge is None:
        raise UsageError("no judge chosen; give one, such as --judge scripted:answers.jsonl")
    name, _, source = plan.judge.partition(":")
    settings = plan.settings_of(name)
    votes, samples = str(settings.get("votes", "majority")), settings.get("samples")
    if votes not in RULES:
        raise UnknownName("voting rule", votes, RULES)
    if samples is not None and not (isinstance(samples, int) and samples > 0):
        raise UsageError(f"{name}.samples is '{samples}'; give a whole number above 0")
    rule = frame_rule(str(settings.get("frames", FrameRule())))
    wording = str(settings.get("wording", FIRST_WORDING))
    prompts = prompt_names(str(settings.get("prompts", QUESTION)))
    for prompt in map(load, prompts):
        if wording not in prompt.wordings:
            raise UnknownName(f"wording of prompt {prompt.name}", wording, prompt.wordings)
        if rule.kind == "native" and prompt.form.rows is not None and prompt.form.rows.of == "frames":
            raise UsageError(f"prompt {prompt.name} asks about each frame; a video that the server samples has none")
    return Way(name, source, settings, rule, wording, votes, samples, prompts)


def open_judge(plan: Plan) -> Backend:
    """The plan's judge as a backend, not yet entered."""
    way = way_of(plan)
    return backend_of(JUDGES.get(way.judge), way.source, way.judges_settings)


def prompt_names(text: str) -> tuple[str, ...]:
    """`wrbench` is every prompt of that protocol that asks about a clip, `wrbench/judgeable` one; commas part them."""
    found: list[str] = []
    for name in (part.strip() for part in text.split(",")):
        group = [known for known in names() if known.startswith(f"{name}/") and _asks_about_a_clip(load(known))]
        found += group or [load(name).name]
    return tuple(dict.fromkeys(found))


def _asks_about_a_clip(prompt: Prompt) -> bool:
    """Not so for those that have questions written."""
    return prompt.form.rows is None or prompt.form.rows.of != "ids"


@dataclass(frozen=True)
class Item:
    """One thing asked about a clip; its answer is kept under `name`."""

    name: str
    prompt: Prompt
    questions: tuple[Question, ...]


def items_of(task: Task, way: Way) -> list[Item]:
    """A prompt of one question is put for each question of the task, one of all questions if there are any."""
    found: list[Item] = []
    for prompt in map(load, way.prompts):
        if "question" in prompt.declared.sees:
            found += [question_item(question) for question in task.questions]
        elif "questions" not in prompt.declared.sees:
            found.append(Item(prompt.name, prompt, ()))
        elif task.questions:
            found.append(Item(prompt.name, prompt, task.questions))
    return found


def question_item(question: Question) -> Item:
    return Item(question.id, load(QUESTION), (question,))


def answer_key(media: str, instance: str, name: str, judge: str) -> str:
    return content_key("answer", media, instance, name, judge)


def answer_inputs(way: Way, item: Item) -> str:
    return content_key(way.key, item.prompt, item.questions)
