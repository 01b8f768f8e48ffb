"""From an ask to the single things that are asked about a clip, each with the name of its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from lookaway.judges.prompting import Prompt
from lookaway.judges.prompting.context import Topic, hiding_kind
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.pipeline.planned import Asking
from lookaway.pipeline.seats import JudgeSeat
from lookaway.pipeline.sheets import Sheet
from lookaway.readings import Case
from lookaway.readings.windows import WHOLE, Spans, window
from lookaway.records import Answer, Ask, Clip, Question, Task, content_key

TRUTH = "truth"
ROUGH_WORDS = "what was expected " * 30  # about as long as a judge puts it


@dataclass(frozen=True, eq=False)
class Item:
    """One thing asked of one seat; its answer is kept under `key`.

    A `rough` one stands for what may be asked later: what it is told then is not known, only about how long it is.
    """

    name: str  # of the question, or of the prompt where it asks one thing
    ask: Ask
    prompt: Prompt
    seat: JudgeSeat
    media: str  # sha256 of what is shown
    instance: str  # of the task
    beside: str | None = None
    questions: tuple[Question, ...] = ()
    spans: Spans | None = None  # seconds of the clip that its window means; None: all of it
    given: Mapping[str, str] = field(default_factory=dict)  # words of what was asked before, and what is known of it
    rough: bool = False

    @property
    def key(self) -> str:
        who = (self.seat.instrument.key, self.ask.key)
        return content_key("answer", self.media, self.beside, self.instance, self.name, *who)

    @property
    def inputs(self) -> str:
        encodings = [asdict(member.judge.encoding) for member in self.seat.members]
        return content_key(encodings, self.prompt, self.questions, self.spans, dict(self.given))

    @property
    def clips(self) -> tuple[str, ...]:
        """What is shown, in the order in which it is."""
        if self.beside is None:
            return (self.media,)
        return (self.beside, self.media) if self.ask.showing == "after" else (self.media, self.beside)

    @property
    def shown_spans(self) -> Spans | None:
        """Seconds of the clip that are shown; None: all of it."""
        return None if self.ask.window.startswith(f"{WHOLE}@") else self.spans

    def topic(self, task: Task) -> Topic:
        """What its prompt may be told."""
        if self.rough:
            return Topic(task, self.questions, ROUGH_WORDS, ROUGH_WORDS, (0.0,))
        is_return = self.ask.window.startswith(("returned@", f"{WHOLE}@"))
        returns = tuple(start_s for start_s, _ in self.spans or ()) if is_return else ()
        return Topic(task, self.questions, self.given.get("expected_change", ""), self.given.get("hint", ""), returns)


Said = Mapping[str, Answer]  # answers by key
Unasked = Abstain | NotApplicable  # why there is nothing to ask


def items_of(asking: Asking, sheet: Sheet, case: Case | None, said: Said) -> list[Item] | Unasked:
    """What an ask comes to for this clip: an item per question, or one; for one that is given words, that goes before.

    `case` holds the answers of the gates, which may say which frames are shown. Without a case nothing is waited for,
    and all frames are shown.
    """
    media, beside = media_of(asking.ask, sheet)
    for part in (unposed(asking.prompt, sheet.task), media, beside):
        if isinstance(part, NotApplicable):
            return part
    assert isinstance(media, str)
    assert not isinstance(beside, NotApplicable)
    spans = window(case, asking.ask.window) if asking.ask.window and case is not None else None
    if isinstance(spans, Abstain):
        return spans
    hint = {"hint": sheet.hints[asking.ask.beside]} if asking.ask.beside in sheet.hints else {}
    plain = Item(
        "",
        asking.ask,
        asking.prompt,
        asking.seat,
        media,
        sheet.task.instance,
        beside,
        spans=spans,
        given=hint,
        rough=case is None,
    )
    if asking.given is not None:
        return _with_given(plain, asking.given, sheet, case, said)
    return _of_questions(plain, sheet.bank.questions)


def _of_questions(plain: Item, questions: tuple[Question, ...]) -> list[Item] | Unasked:
    sees = plain.prompt.declared.sees
    if "question" in sees:
        found = [replace(plain, name=question.id, questions=(question,)) for question in questions]
    elif "questions" in sees:
        found = [replace(plain, name=plain.prompt.name, questions=questions)] if questions else []
    else:
        found = [replace(plain, name=plain.prompt.name)]
    return found or NotApplicable("the task asks no questions")


def _with_given(plain: Item, given: Asking, sheet: Sheet, case: Case | None, said: Said) -> list[Item] | Unasked:
    """What is asked before; once it is answered, the ask itself as well."""
    before = items_of(given, sheet, case, said)
    if not isinstance(before, list):
        return before
    if case is None:
        asked = _of_questions(plain, sheet.bank.questions)
        return [*before, *asked] if isinstance(asked, list) else asked
    answers = [said.get(item.key) for item in before]
    if any(answer is None for answer in answers):
        return before
    silent = next((answer for answer in answers if answer is not None and answer.status != "ok"), None)
    if silent is not None:
        return Abstain(f"{given.prompt.name}: {silent.reason or silent.status}")
    words = {name: str(value) for answer in answers if answer is not None for name, value in answer.fields.items()}
    asked = _of_questions(replace(plain, given={**plain.given, **words}), sheet.bank.questions)
    return [*before, *asked] if isinstance(asked, list) else asked


def unposed(prompt: Prompt, task: Task) -> NotApplicable | None:
    """Why what a prompt takes for granted does not hold of a task."""
    if prompt.declared.poses == "hidden" and hiding_kind(task) == "none":
        return NotApplicable("nothing is to hide the subject in this task")
    if prompt.declared.poses == "observed" and not task.yoked:
        return NotApplicable("the task is no observed twin")
    return None


def media_of(ask: Ask, sheet: Sheet) -> tuple[str | NotApplicable, str | NotApplicable | None]:
    """What is shown, and what beside it."""
    main: str | NotApplicable
    match ask.about:
        case "first_frame":
            main = sheet.task.first_frame
        case "truth":
            main = _true_clip(sheet)
        case "failure":
            return _other(ask.beside, sheet), None
        case _:
            main = sheet.clip.video or NotApplicable("there is no clip")
    return main, _other(ask.beside, sheet) if ask.beside else None


def _true_clip(sheet: Sheet) -> str | NotApplicable:
    known = sheet.reference.video if sheet.reference is not None else None
    return known or NotApplicable("the task has no true clip")


def _other(name: str, sheet: Sheet) -> str | NotApplicable:
    if name == TRUTH:
        return _true_clip(sheet)
    clip: Clip | None = sheet.others.get(name)
    if clip is None or clip.video is None:
        return NotApplicable(f"there is no clip of {name} for this task")
    return clip.video
