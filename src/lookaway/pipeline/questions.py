"""What is asked about a clip: the task's own questions, or the prompts of a protocol; and how."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from lookaway.errors import UnknownName, UsageError
from lookaway.judges import JUDGES, Backend
from lookaway.judges.calls.functions import backend_of
from lookaway.judges.estimators.votes import RULES
from lookaway.judges.frames import FrameRule, frame_rule
from lookaway.judges.frames.showing import Showing
from lookaway.judges.prompting import FIRST_WORDING, Prompt, load, names, variants
from lookaway.judges.prompting.context import FROM_ELSEWHERE
from lookaway.judges.prompting.files import DEFAULT_VARIANT
from lookaway.pipeline.instruments import OF_THE_ASK, judge_here
from lookaway.records import Ask, Bank, Instrument, Plan, PlannedJudge, Question, Setting, content_key

QUESTION = "question"
OURS = OF_THE_ASK | {"cache"}  # settings that no judge sees


@dataclass(frozen=True)
class Way:
    """How questions are put to one judge, from the settings addressed to it: `--set human.votes=unanimous`."""

    planned: PlannedJudge
    instrument: Instrument
    settings: dict[str, Setting]
    rule: FrameRule
    wording: str
    votes: str
    samples: int | None
    prompts: tuple[str, ...]

    @property
    def judge(self) -> str:
        return self.planned.plugin

    @property
    def source(self) -> str:
        return self.planned.source

    @property
    def judges_settings(self) -> dict[str, Setting]:
        return {name: value for name, value in self.settings.items() if name not in OURS}

    def ask_of(self, item: Item) -> Ask:
        """What an item asks, and how."""
        return Ask(
            prompt=f"{item.prompt.name}@{item.prompt.declared.version}",
            variant=item.prompt.variant,
            role=self.planned.role,
            frames=str(self.rule),
            showing=item.showing,
            wordings=(item.wording or self.wording,),
            samples=self.samples,
            votes=self.votes,
        )


def ways_of(plan: Plan) -> list[Way]:
    """One way per judge of the plan."""
    if not plan.judges:
        raise UsageError("no judge chosen; give one, such as --judge scripted:answers.jsonl")
    return [way_of(plan, judge) for judge in plan.judges]


def way_of(plan: Plan, planned: PlannedJudge) -> Way:
    name, settings = planned.plugin, plan.settings_of(planned.plugin)
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
    instrument = planned.instrument or judge_here(planned, settings)
    return Way(planned, instrument, settings, rule, wording, votes, samples, prompts)


def open_judge(plan: Plan, planned: PlannedJudge) -> Backend:
    """A judge of the plan as a backend, not yet entered."""
    return opened(way_of(plan, planned))


def opened(way: Way) -> Backend:
    return backend_of(JUDGES.get(way.judge), way.source, way.judges_settings)


def prompt_names(text: str) -> tuple[str, ...]:
    """`wrbench` is every prompt of that protocol that a clip and its task suffice for, `wrbench/judgeable` one."""
    found: list[str] = []
    for name in (part.strip() for part in text.split(",")):
        group = [known for known in names() if known.startswith(f"{name}/") and _asks_about_a_clip(known)]
        found += group or [load(name).name]
    return tuple(dict.fromkeys(found))


def _asks_about_a_clip(name: str) -> bool:
    """Not so for those that have something written, have no default, or need what other asks or a gate say."""
    if len(variants(name)) > 1 and DEFAULT_VARIANT not in variants(name):
        return False
    prompt, form = load(name), load(name).form
    answers = form.kind == "yes_no" or form.decided_by or (form.rows is not None and form.rows.of != "ids")
    return bool(answers) and not (prompt.declared.reference or FROM_ELSEWHERE & set(prompt.declared.sees))


@dataclass(frozen=True)
class Item:
    """One thing asked about a clip; its answer is kept under `name`. Checks show it otherwise or choose their words."""

    name: str
    prompt: Prompt
    questions: tuple[Question, ...] = ()
    showing: Showing = "filmed"
    wording: str | None = None


def items_of(bank: Bank, way: Way) -> list[Item]:
    """A prompt of one question is put for each question of the bank, one of all questions if there are any."""
    found: list[Item] = []
    for prompt in map(load, way.prompts):
        if "question" in prompt.declared.sees:
            found += [question_item(question) for question in bank.questions]
        elif "questions" not in prompt.declared.sees:
            found.append(Item(prompt.name, prompt))
        elif bank.questions:
            found.append(Item(prompt.name, prompt, bank.questions))
    return found


def question_item(question: Question) -> Item:
    return Item(question.id, load(QUESTION), (question,))


def answer_key(media: str, instance: str, item: Item, way: Way) -> str:
    return content_key("answer", media, instance, item.name, way.instrument.key, way.ask_of(item).key)


def answer_inputs(way: Way, item: Item) -> str:
    return content_key(asdict(JUDGES.get(way.judge).encoding), item.prompt, item.questions)
