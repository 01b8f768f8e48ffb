"""The oracle knows what is right: from numbers about frames alone, at the frames that it is shown, in any form."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lookaway
from lookaway.judges import About, Probe
from lookaway.judges.estimators.structured import FormValues, read
from lookaway.judges.frames import SentFrame
from lookaway.judges.oracle import answerers, margins, replying
from lookaway.judges.oracle.dials import Dials
from lookaway.judges.oracle.evidence import Evidence, _row
from lookaway.judges.oracle.known_answers import CANNOT_TELL, KnownAnswer, KnownAnswers, Replying
from lookaway.judges.prompting import Prompt, load, names, variants
from lookaway.judges.prompting.context import row_ids
from lookaway.judges.prompting.forms import Form
from lookaway.metrics import METRICS
from lookaway.records import Interval
from lookaway.shown import ShownFacts
from tests.builders import task
from tests.judges.known_clips import ASKED, AWAY, BACK, COUNT, EVERY, SECONDS, TWELVE, evidence, facts

PACKAGE = Path(lookaway.__file__).parent
YOKED = task(yoked=(Interval(phase="hidden", start_s=1.25, end_s=2.75),), action_control="a hand pushes it")
ALONE = [name for name in names() if name != "pair"]
PUT = [(name, variant) for name in ALONE for variant in variants(name)]


def found(prompt: str, clip: ShownFacts | None = None, **said: Any) -> KnownAnswers:
    return answerers()[prompt].function(evidence(clip, **said))


def says(prompt: str, clip: ShownFacts | None = None, **said: Any) -> bool | None:
    finding = found(prompt, clip, **said)
    assert isinstance(finding, KnownAnswer)
    return finding.says


def test_every_prompt_has_one_who_knows_the_answer() -> None:
    assert set(answerers()) == set(names())


# ---------------------------------------------------------------- what is right


STOPPED = np.where(BACK, SECONDS - 1.5, np.minimum(SECONDS, 1.25))
SET_BACK = np.where(BACK, SECONDS - 2.5, SECONDS)
AHEAD = np.where(BACK, np.minimum(SECONDS + 1.0, 4.0), SECONDS)
GONE = {"visible": np.where(BACK | AWAY, 0.0, 1.0), "due_visible": np.where(AWAY, 0.0, 1.0), "copies": ~(BACK | AWAY)}
TELLINGS: dict[str, dict[str, Any]] = {
    "truth": {},
    "stopped": {"process_s": STOPPED, "off_widths": np.where(BACK, 0.2, 0.0)},
    "set back": {"process_s": SET_BACK, "off_widths": np.where(BACK, 0.3, 0.0)},
    "ahead": {"process_s": AHEAD, "off_widths": np.where(BACK, 0.2, 0.0)},
    "never begun": {"process_s": 0.0, "off_widths": SECONDS / 8},
    "gone": GONE | {"off_widths": np.where(BACK, np.nan, 0.0)},
    "aside": {"off_widths": np.where(BACK, 0.2, 0.0), "aside_m": np.where(BACK, 0.5, 0.0)},
    "in the air": {"off_widths": np.where(BACK, 0.1, 0.0), "lifted_m": np.where(BACK, 0.3, 0.0)},
    "twice": {"copies": np.where(BACK, 2.0, np.where(AWAY, 0.0, 1.0))},
    "recoloured": {"look_change": np.where(BACK, 0.3, 0.0)},
    "other room": {"other_room": BACK},
    "bent": {"around_shift": np.where(BACK, 0.03, 0.0)},
    "still camera": {"visible": 1.0, "copies": 1.0, "turn_deg": 0.0},
}
YES, NO, OPEN, ABSENT = True, False, "no exact answer", "not shown"
RIGHT: list[tuple[str, dict[str, bool | str]]] = [
    (
        "wrbench/returned_place_right",
        {"truth": YES, "stopped": NO, "aside": NO, "in the air": NO, "twice": NO, "recoloured": YES, "gone": ABSENT},
    ),
    ("wrbench/returned_place_wrong", {"truth": NO, "aside": YES, "twice": YES, "still camera": ABSENT}),
    (
        "wrbench/returned_state_right",
        {"truth": YES, "stopped": NO, "set back": NO, "ahead": NO, "aside": YES, "twice": YES, "gone": ABSENT},
    ),
    ("wrbench/returned_state_wrong", {"truth": NO, "stopped": YES, "ahead": OPEN, "recoloured": NO}),
    ("wrbench/visible_place_follows", {"truth": YES, "aside": NO, "twice": NO, "still camera": YES, "gone": YES}),
    ("wrbench/visible_place_steady", {"truth": YES, "other room": NO, "bent": NO, "aside": YES}),
    ("wrbench/visible_place_broken", {"truth": NO, "twice": YES, "in the air": YES, "aside": OPEN}),
    ("wrbench/visible_state_follows", {"truth": YES, "never begun": NO, "stopped": OPEN, "ahead": YES}),
    ("wrbench/visible_state_advances", {"truth": YES, "stopped": YES, "set back": NO, "never begun": NO}),
    ("wrbench/visible_state_broken", {"truth": NO, "set back": YES, "stopped": OPEN}),
    ("question", {"truth": YES, "gone": NO, "aside": YES, "recoloured": OPEN}),
    ("opposite", {"truth": NO, "gone": YES, "recoloured": OPEN}),
    ("stevo/hidden", {"truth": YES, "still camera": NO, "stopped": YES}),
    ("stevo/started", {"truth": YES, "never begun": NO, "stopped": YES}),
    (
        "stevo/progress",
        {"truth": YES, "stopped": NO, "set back": NO, "never begun": NO, "gone": ABSENT, "still camera": OPEN},
    ),
    ("stevo/plausible", {"truth": NO, "recoloured": YES, "in the air": YES, "bent": YES, "never begun": NO}),
    ("stevo/coherent", {"truth": NO, "gone": YES, "aside": YES, "set back": YES, "other room": YES, "stopped": OPEN}),
]


@pytest.mark.parametrize(
    ("prompt", "telling", "right"), [(prompt, telling, r) for prompt, by in RIGHT for telling, r in by.items()]
)
def test_what_is_right_follows_from_what_the_frames_show(prompt: str, telling: str, right: bool | str) -> None:
    finding = found(prompt, facts(**TELLINGS[telling]))
    assert isinstance(finding, KnownAnswer)
    said = finding.says if finding.says is not None else OPEN if finding.seen else ABSENT
    assert said == right, finding.why


def test_a_skip_counts_as_progress_but_not_as_about_as_much_as_is_due() -> None:
    ahead = facts(**TELLINGS["ahead"])
    assert says("stevo/progress", ahead, variant="paper") is True
    assert says("stevo/progress", ahead, variant="sound") is False


def test_the_observed_twin_is_asked_about_the_same_seconds() -> None:
    watched = {"visible": 1.0, "copies": 1.0, "turn_deg": 0.0}
    assert says("stevo/progress_observed", facts(**watched), asked=YOKED) is True
    assert says("stevo/progress_observed", facts(**watched, process_s=STOPPED), asked=YOKED) is False


def test_a_process_at_another_pace_from_the_start_is_neither_right_nor_wrong() -> None:
    faster = facts(process_s=1.2 * SECONDS, off_widths=0.02 * SECONDS)
    assert says("wrbench/returned_state_right", faster) is None
    assert says("wrbench/returned_place_right", faster) is None


# ---------------------------------------------------------------- margins


def test_the_margins_are_these() -> None:
    assert METRICS.get("return_place:sound").margin == margins.PLACE_SAME
    assert margins.PLACE_OTHER == 2 * margins.PLACE_SAME
    assert (margins.CLOCK_SAME_S, margins.CLOCK_OTHER_S) == (0.1, 0.25)
    assert (margins.STATE_SAME, margins.STATE_OTHER, margins.ENDED) == (0.05, 0.15, 0.1)
    assert (margins.OUT_OF_SIGHT, margins.IN_SIGHT, margins.LIT) == (0.02, 0.2, 0.3)
    assert (margins.STRETCH_SAME, margins.STRETCH_OTHER, margins.MOVED_M, margins.APART_M) == (0.02, 0.2, 0.02, 0.01)
    assert (margins.STRAYS_DEG, margins.CUT_DEG, margins.DARK, margins.HALF_WAY) == (3, 12, 0.01, 0.5)
    assert (margins.PACE, margins.ABOUT_DUE, margins.FAR_FROM_DUE) == ((0.5, 2), 0.1, 0.35)
    assert (margins.SUSTAINED_S, margins.AT_THE_END_S) == (0.5, 0.5)
    assert (margins.LOOK_SAME, margins.LOOK_OTHER, margins.SHIFT_SAME, margins.SHIFT_OTHER) == (0.03, 0.1, 0.005, 0.015)


@pytest.mark.parametrize(("off", "right"), [(0.03, True), (0.031, None), (0.059, None), (0.06, False)])
def test_next_to_the_margin_there_is_no_exact_answer(off: float, right: bool | None) -> None:
    assert says("wrbench/returned_place_right", facts(off_widths=np.where(BACK, off, 0.0))) is right


@pytest.mark.parametrize(("share", "right"), [(0.0, False), (0.1, None), (0.2, True)])
def test_a_frame_is_judgeable_by_how_much_of_the_subject_it_shows(share: float, right: bool | None) -> None:
    (row,) = found("wrbench/judgeable", facts(visible=share), rows=(5,))  # type: ignore[misc]
    assert row.says is right


def test_what_keeps_the_subject_from_being_seen_is_told() -> None:
    for hidden, reason in (({"light": 0.0}, "dark"), ({"covered": 1.0}, "covered"), ({}, "out of the picture")):
        (row,) = found("wrbench/judgeable", facts(visible=0.0, **hidden), rows=(5,))  # type: ignore[misc]
        assert row.fields["seen"] == reason


# ---------------------------------------------------------------- which frames


BEFORE = tuple(i for i in EVERY if SECONDS[i] < 1.0)


@pytest.mark.parametrize("prompt", [name for name, known in answerers().items() if not known.made and name != "pair"])
@pytest.mark.parametrize("rows", [(), (None,) * 12], ids=["none", "blank"])
def test_without_frames_nobody_can_tell(prompt: str, rows: tuple[None, ...]) -> None:
    findings = found(prompt, rows=rows, asked=YOKED.model_copy(update={"cover": "", "observation_controls": ("x",)}))
    for finding in findings if isinstance(findings, list) else [findings]:
        assert (finding.says, finding.seen) == (None, False)


@pytest.mark.parametrize(
    "prompt", ["question", "wrbench/returned_place_right", "wrbench/returned_state_wrong", "stevo/progress"]
)
def test_what_only_later_frames_show_cannot_be_told_from_earlier_ones(prompt: str) -> None:
    assert says(prompt, rows=BEFORE) is None
    assert says(prompt) is not None


def test_black_tells_something_only_where_the_lights_were_out() -> None:
    black, grey = (frame(value) for value in (0, 96))
    dark, lit = facts(light=0.0, visible=0.0), facts()
    assert [_row(picture, clip) for clip in (dark, lit) for picture in (black, grey)] == [5, None, None, None]


def frame(value: int) -> SentFrame:
    return SentFrame(5, 0.3, np.full((4, 4, 3), value, np.uint8), "")


def test_a_fault_between_the_frames_is_not_denied() -> None:
    moment = np.zeros(COUNT)
    moment[TWELVE[-2] + 2] = 0.3
    assert says("stevo/plausible", facts(look_change=moment), rows=TWELVE) is None
    assert says("stevo/plausible", facts(look_change=moment), rows=EVERY) is True


def test_of_a_short_hiding_twelve_frames_do_not_tell_whether_it_lasted() -> None:
    blink = np.where((SECONDS > 1.4) & (SECONDS < 1.6), 0.0, 1.0)
    shown = facts(visible=blink, copies=blink)
    assert says("stevo/hidden", shown, rows=TWELVE, variant="paper_prompt") is True
    assert says("stevo/hidden", shown, rows=TWELVE, variant="paper_text") is None


# ---------------------------------------------------------------- in any form, with any dial


def form_of(prompt: Prompt, about: Evidence) -> Form:
    rows = prompt.form.rows
    if rows is None or rows.of == "ids":
        return prompt.form
    return prompt.form.with_ids(row_ids(len(about.questions if rows.of == "questions" else about.rows)))


def about(variant: str) -> Evidence:
    return evidence(rows=TWELVE, variant=variant, asked=YOKED, questions=ASKED)


def asked_alone(name: str, variant: str) -> Evidence:
    return evidence(rows=EVERY, variant=variant, asked=YOKED) if name in ("question", "opposite") else about(variant)


def said(name: str, variant: str, dials: Dials, media: str = "m") -> tuple[KnownAnswers, str, Form]:
    prompt, shown = load(name, variant), asked_alone(name, variant)
    findings, form = answerers()[name].function(shown), form_of(load(name, variant), shown)
    return findings, Replying(form, dials, media, prompt.name).text(findings), form


@pytest.mark.parametrize(("name", "variant"), PUT)
def test_every_reply_keeps_the_form_and_an_error_turns_it(name: str, variant: str) -> None:
    findings, right, form = said(name, variant, Dials())
    _, wrong, _ = said(name, variant, Dials(error=1.0))
    answerable = [f for f in (findings if isinstance(findings, list) else [findings]) if f.says is not None]
    assert (right != wrong) == bool(answerable)
    if form.kind == "yes_no":
        assert {right, wrong} <= {"Yes", "No", CANNOT_TELL}
        return
    for text in (right, wrong):
        assert isinstance(read(text, "complete", form), FormValues), text
    if form.decided_by and answerable:
        verdicts = [any(read(t, "complete", form).values[f] for f in form.decided_by) for t in (right, wrong)]  # type: ignore[union-attr]
        assert verdicts[0] == answerable[0].says != verdicts[1]


def test_an_error_of_a_whole_clip_turns_all_of_its_rows_or_none() -> None:
    findings = [KnownAnswer(True, "")] * 6
    form = load("memobench/answer").form.with_ids(row_ids(6))
    seen = set()
    for media in map(str, range(200)):
        values = Replying(form, Dials(error=0.3, per_clip=1.0), media, "q").values(findings)
        seen.add(sum(row["answer"] == "no" for row in values["answers"]))
    assert seen == {0, 6}


def test_a_bias_says_yes_in_every_form() -> None:
    leaning = Dials(bias=1.0)
    _, text, form = said("stevo/coherent", "sound", leaning)
    values = read(text, "complete", form)
    assert isinstance(values, FormValues)
    assert sum(values.values[flag] is True for flag in form.decided_by) == 1
    assert said("wrbench/returned_place_wrong", "sound", leaning)[1] == "Yes"


def test_questions_that_it_writes_are_half_good_for_yes_and_half_for_no() -> None:
    for name in (name for name, known in answerers().items() if known.made and "write" in name):
        findings = found(name)
        assert isinstance(findings, list)
        assert sorted(finding.says is True for finding in findings) == [False] * 3 + [True] * 3
        assert len({finding.fields["question"] for finding in findings}) == 6


def test_what_is_expected_says_which_way_the_state_log_goes() -> None:
    finding = found("stevo/progress_expect")
    assert isinstance(finding, KnownAnswer)
    assert "way m goes up" in str(finding.fields["expected_change"])
    assert "way m goes down" in str(finding.otherwise["expected_change"])


# ---------------------------------------------------------------- who may know


ORACLE = sorted((PACKAGE / "judges" / "oracle").glob("*.py"))
NAMES_OF_MODELS = {"system", "card", "systems", "case", "cases", "clip_case", "provenance", "summary", "hint", "hints"}


@pytest.mark.parametrize("path", ORACLE, ids=lambda p: p.name)
def test_the_oracle_never_looks_at_who_made_a_clip(path: Path) -> None:
    tree = ast.parse(path.read_text())
    read = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not read & NAMES_OF_MODELS
    modules = {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [m for m in modules for room in ("models", "worlds", "generators", "pipeline") if f".{room}" in m]
    records = {a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names}
    assert not records & {"Clip", "Plan", "System", "ModelCard", "CaseId"}


READERS = {"shown.py", "records/clips.py", "records/__init__.py", "pipeline/generate.py", "generators/__init__.py"}
READERS |= {"generators/known_world.py", "worlds/shown_frames.py", "judges/oracle/evidence.py", "cache.py"}
READERS |= {"judges/oracle/readings.py"}


def test_nobody_else_reads_what_clips_are_known_to_show() -> None:
    names = {"Shown", "SHOWN_LOG", "ShownFacts", "FrameFacts"}
    found = set()
    for path in PACKAGE.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        used |= {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
        if used & names or {n.module for n in nodes if isinstance(n, ast.ImportFrom)} & {"lookaway.shown"}:
            found.add(path.relative_to(PACKAGE).as_posix())
    assert found <= READERS


def test_errors_of_two_wordings_are_drawn_apart_and_those_of_a_clip_together() -> None:
    """So that a vote over wordings mends what it can, and no more."""

    def wrong(per_clip: float) -> np.ndarray:
        dials = Dials(error=0.3, per_clip=per_clip)
        probes = [
            [Probe("", (), About("q", f"c{clip}", prompt="stevo/hidden", variant="v", wording=w)) for w in "abc"]
            for clip in range(400)
        ]
        known = KnownAnswer(True, "")
        return np.array([[replying(probe, dials).text(known) == "No" for probe in three] for three in probes])

    apart, together = wrong(0.0), wrong(1.0)
    assert apart.mean() == pytest.approx(0.3, abs=0.04)
    assert (apart.sum(axis=1) >= 2).mean() == pytest.approx(3 * 0.3**2 * 0.7 + 0.3**3, abs=0.05)
    assert set(together.sum(axis=1)) == {0, 3}
