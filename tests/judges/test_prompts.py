"""A prompt tells a judge what its variant declares, and nothing else of the task."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lookaway import protocols
from lookaway.errors import UnknownName, UsageError
from lookaway.judges.prompting import Prompt, Rendered, load, names, parsed, render, variants
from lookaway.judges.prompting.context import FIELDS, Topic, hiding_kind
from lookaway.records import Interval, Question, Subject, Task, WorldSpec
from tests.builders import task
from tests.judges.made import frames

SEEN = frames(3)
EVERY = [(name, variant) for name in names() for variant in variants(name)]
PROMPTS = [load(name, variant) for name, variant in EVERY]
LABELS = [":".join(one) for one in EVERY]
every_prompt = pytest.mark.parametrize("prompt", PROMPTS, ids=LABELS)

PLAN = {"scene", "event", "target", "camera", "visibility"}
VISIBLE = {"paper": PLAN, "released": {"event"}, "sound": {"event", "target"}}
FOLLOWS = VISIBLE | {"sound": {"event", "end", "target"}}
RETURNED = {
    "paper": PLAN | {"return_seconds"},
    "released": {"event"},
    "sound": {"event", "end", "target", "return_seconds"},
}
PROBES = (VISIBLE, FOLLOWS, RETURNED)
SEES: dict[str, dict[str, set[str]]] = {
    "question": {"sound": {"question"}},
    "opposite": {"sound": {"question"}},
    "pair": {"sound": {"event", "target"}},
    "wrbench/visible_place_follows": FOLLOWS,
    "wrbench/visible_place_steady": VISIBLE,
    "wrbench/visible_place_broken": VISIBLE,
    "wrbench/visible_state_follows": FOLLOWS,
    "wrbench/visible_state_advances": VISIBLE,
    "wrbench/visible_state_broken": VISIBLE,
    "wrbench/returned_place_right": RETURNED,
    "wrbench/returned_place_wrong": RETURNED,
    "wrbench/returned_state_right": RETURNED,
    "wrbench/returned_state_wrong": RETURNED,
    "wrbench/judgeable": {"paper": {"target"}, "released": set(), "sound": {"target"}, "frame": {"target"}},
    "wrbench/judgeable_rescue": {"released": set()},
    "stevo/hidden": {"paper_text": {"hiding"}, "paper_prompt": {"hiding"}},
    "stevo/started": {"paper_text": {"action", "trigger"}, "paper_prompt": {"action", "trigger"}},
    "stevo/progress_expect": {"released": {"action"}},
    "stevo/progress": {"paper": {"expected_change"}, "sound": {"expected_change"}},
    "stevo/progress_observed": {"sound": {"expected_change", "interval"}},
    "stevo/plausible": {"paper": {"hiding", "end_edit"}, "sound": {"hiding", "event"}},
    "stevo/coherent": {"paper": {"hiding_kind"}, "sound": {"hiding_kind"}},
    "memobench/write_instruction": {"paper": {"event"}},
    "memobench/write_things": {"paper": {"event"}},
    "memobench/write_memory": {"paper": {"event"}, "sound": {"event"}},
    "memobench/write_physics": {"paper": {"event"}},
    "memobench/answer": {"paper": {"questions"}, "sound": {"questions"}},
    "memobench/answer_with_hint": {"paper": {"questions", "hint"}, "sound": {"questions", "hint"}},
}

# Every field of a task that can carry words or numbers, with a value that occurs nowhere else.
POISON = {
    "id": "qid",
    "suite": "qsuite",
    "version": "qversion",
    "scene": "qscene",
    "category": "qcategory",
    "prompt": "Qprompt happens.",
    "prompt_variant": "qvariant",
    "first_frame": "qfirst",
    "expected_end": "qend",
    "action_control": "qaction",
    "observation_controls": ("qcontrol",),
    "visibility": "qvisibility",
    "camera": "yaw:left:73@0.61s",
    "cover": "hold@1s, curtain:close@0.4s, hold@1s",
    "hiding": "qhiding",
    "hfov_deg": 61.7,
    "pitch_deg": 8.37,
    "width": 1237,
    "height": 953,
    "fps": 23.7,
    "seconds": 47.31,
    "twin_of": "qtwin",
    "prefix": "qprefix",
    "prefix_s": 5.19,
    "tags": ("qtag",),
    "world": WorldSpec(layout="qlayout", process="qprocess", seed=7919),
    "yoked": (Interval(phase="visible", start_s=0, end_s=6.13), Interval(phase="hidden", start_s=6.13, end_s=9.29)),
    "variant_of": "qvariantof",
    "changes": "qchanges",
    "end_edit": "qedited",
    "trigger": "qtrigger",
    "trigger_s": 3.57,
    "direction": "qdirection",
    "split": "qsplit",
    "family": "qfamily",
    "venue": "qvenue",
    "actor": "qactor",
    "action": "qdeed",
    "tier": "qtier",
    "level": 6173,
}
TRACES = {
    **{name: str(value) for name, value in POISON.items() if not isinstance(value, tuple)},
    "prompt": "Qprompt",
    "observation_controls": "qcontrol",
    "camera": "73 degrees",
    "cover": "curtain",
    "tags": "qtag",
    "world": "qlayout",
    "yoked": "from 6.13 to 9.29 seconds",
    "subjects": "qsubject",
    "question": "qasked",
    "question id": "qquestionid",
    "dimension": "qdimension",
    "box": "0.137",
    "kind of hiding": ": in-scene.",
    "expected change": "qexpected",
    "hint": "qhint",
    "returns": "2.47 and 8.91 seconds",
}
SOURCES = {
    "scene": ["world"],
    "event": ["prompt"],
    "target": ["subjects"],
    "camera": ["camera", "cover"],
    "visibility": ["visibility"],
    "end": ["expected_end"],
    "end_edit": ["end_edit"],
    "action": ["action_control"],
    "trigger": ["trigger"],
    "hiding": ["camera", "cover", "hiding"],
    "hiding_kind": ["kind of hiding"],
    "interval": ["yoked"],
    "return_seconds": ["returns"],
    "expected_change": ["expected change"],
    "hint": ["hint"],
    "question": ["question"],
    "questions": ["question"],
}


def poisoned() -> Topic:
    subject = Subject(name="qsubject", box=(0.137, 0.2, 0.5, 0.6), side="left")
    question = Question(
        id="qquestionid", text="Is it qasked?", dimension="qdimension", polarity="positive", expected="yes"
    )
    whole = task(**POISON, subjects=(subject,))
    return Topic(whole, (question,), expected_change="Qexpected: qexpected.", hint="qhint", returns=(2.47, 8.912))


def rendered(prompt: Prompt, topic: Topic, wording: str = "a") -> Rendered:
    """With a reference frame where the prompt needs one."""
    return render(prompt, topic, SEEN, wording, reference=prompt.declared.reference)


def words_of(name: str) -> dict[str, str]:
    """All words that a judge can be given, by variant and wording; the poison's own are none of them."""
    made = {}
    for variant in variants(name):
        prompt = load(name, variant)
        for wording in prompt.wordings:
            made[f"{variant}:{wording}"] = rendered(prompt, poisoned(), wording).text.lower()
    return made


# ---------------------------------------------------------------- what each variant may see


def test_every_field_of_a_task_is_poisoned() -> None:
    plain = {"moves", "changes_in_place", "hfov_declared", "twin", "phases", "subjects", "poses"}
    assert set(Task.model_fields) - plain == POISON.keys()
    assert SOURCES.keys() == set(FIELDS)


def test_each_variant_sees_exactly_the_fields_of_the_table() -> None:
    assert {name: {v: set(load(name, v).declared.sees) for v in variants(name)} for name in names()} == SEES


@every_prompt
def test_nothing_but_the_declared_fields_reaches_the_judge(prompt: Prompt) -> None:
    allowed = {source for field in prompt.declared.sees for source in SOURCES[field]}
    for wording in prompt.wordings:
        text = rendered(prompt, poisoned(), wording).text
        for source, trace in TRACES.items():
            assert (trace in text) == (source in allowed), f"{prompt.name}:{prompt.variant}:{wording} and {source}"


@every_prompt
def test_the_plan_is_told_by_the_papers_wrbench_probes_only(prompt: Prompt) -> None:
    told = {"camera", "visibility"} & set(prompt.declared.sees)
    assert bool(told) == (prompt.variant == "paper" and SEES[prompt.name] in PROBES)


@every_prompt
def test_the_end_is_told_only_where_it_is_what_is_asked_about(prompt: Prompt) -> None:
    """Our prompts for videos need not say how an event ends, so that who judges the end must be told."""
    told = {"end", "end_edit"} & set(prompt.declared.sees)
    ours = prompt.variant == "sound" and SEES[prompt.name] in (FOLLOWS, RETURNED)
    assert bool(told) == (ours or (prompt.name, prompt.variant) == ("stevo/plausible", "paper"))


@pytest.mark.parametrize("name", names())
def test_a_default_never_tells_the_plan(name: str) -> None:
    try:
        prompt = load(name)
    except UsageError:
        assert "sound" not in variants(name)
        return
    assert not {"camera", "visibility", "end_edit"} & set(prompt.declared.sees)
    if "hiding" in prompt.declared.sees:
        assert all(re.search(r"asked|request", body) for body in prompt.wordings.values()), "told as a request"


# ---------------------------------------------------------------- files, variants, wordings


@every_prompt
def test_a_prompt_is_whole(prompt: Prompt) -> None:
    texts = [rendered(prompt, poisoned(), wording) for wording in prompt.wordings]
    assert len(texts) >= 2, "an ensemble needs another wording"
    assert len({text.sha256 for text in texts}) == len(texts)
    for text in texts:
        assert "{" not in text.text
        assert ("0.5, 1 seconds" if prompt.declared.reference else "0, 0.5, 1 seconds") in text.text
    assert texts[0].origin == f"{prompt.name}@{prompt.declared.version}:{prompt.variant}:a"
    assert prompt.declared.asks


@every_prompt
def test_what_decides_has_a_polarity_and_what_decides_nothing_has_none(prompt: Prompt) -> None:
    decides = prompt.form.kind == "yes_no" or bool(prompt.form.decided_by)
    about_a_question = "question" in prompt.declared.sees or prompt.name == "pair"
    assert (prompt.declared.polarity != "none") == (decides and not about_a_question)


def test_a_variant_is_what_its_file_is_called() -> None:
    assert [(prompt.name, prompt.variant) for prompt in PROMPTS] == EVERY
    for variant in ("paper_text", "paper_prompt"):
        assert load("stevo/hidden", variant).variant == variant


def test_the_default_is_the_only_variant_or_the_sound_one() -> None:
    assert load("memobench/write_things").variant == "paper"
    assert load("wrbench/visible_place_follows").variant == "sound"
    with pytest.raises(UsageError, match="stevo/hidden has no default; say which variant: paper_prompt, paper_text"):
        load("stevo/hidden")
    with pytest.raises(UnknownName, match="did you mean paper_text"):
        load("stevo/hidden", "paper_txt")


def test_folders_that_hold_prompts_only_are_no_protocols() -> None:
    folders = {name.split("/")[0] for name in names() if "/" in name}
    assert {"memobench", "stevo", "wrbench"} <= folders
    root = Path(protocols.__file__).parent
    assert set(protocols.names()) == {path.parent.name for path in root.glob("*/protocol.toml")}


# ---------------------------------------------------------------- prompts of one's own

HEAD = '+++\nversion = 1\nasks = "x"\npolarity = "none"\nvariant = "mine"\nsees = ["target"]\n+++\n'


def own(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder


def test_a_protocol_of_ones_own_has_its_prompts_beside_it(tmp_path: Path) -> None:
    folder = own(tmp_path / "prompts", "glow.mine.txt", HEAD + "Does {target} glow?")
    assert render(load("glow", folder=folder), poisoned(), SEEN).origin == "glow@1:mine:a"
    assert load("stevo/hidden", "paper_text", folder).variant == "paper_text"
    assert names(folder) == tuple(sorted([*names(), "glow"]))
    own(folder, "glow.mine.txt", HEAD + "Is {target} bright?")
    assert load("glow", folder=folder).wordings == {"a": "Is {target} bright?"}, "read anew, as people edit"
    with pytest.raises(UnknownName):
        load("glow")


@pytest.mark.parametrize("name", ["../secret", "/etc/hosts", "..", "", "glow.mine", "link", "../prompts/glow"])
def test_a_name_never_leads_out_of_its_folder(tmp_path: Path, name: str) -> None:
    own(tmp_path, "secret.mine.txt", HEAD + "Is {target} secret?")
    folder = own(tmp_path / "prompts", "glow.mine.txt", HEAD + "Does {target} glow?")
    (folder / "link.mine.txt").symlink_to(tmp_path / "secret.mine.txt")
    for variant in ("", "mine", "../../secret.mine"):
        with pytest.raises(UnknownName):
            load(name, variant, folder)
    with pytest.raises(UnknownName):
        load("glow", "../../secret.mine", folder)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("glow.other.txt", HEAD + "{target}?", "called other, but declares the variant 'mine'"),
        ("glow.txt", HEAD + "{target}?", "NAME.VARIANT.txt"),
        ("question.mine.txt", HEAD + "{target}?", "'question' is a prompt of lookaway's own"),
        ("glow.mine.txt", "\udcff", "cannot read its file"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused(tmp_path: Path, name: str, text: str, why: str) -> None:
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=re.escape(why)):
        load("glow", folder=tmp_path)
    with pytest.raises(UsageError, match="no folder of prompts"):
        load("glow", folder=tmp_path / "nowhere")


def test_a_prompt_uses_what_it_declares() -> None:
    assert parsed("p", HEAD + "See {target}?\n=== b\nIs {target} there?").wordings.keys() == {"a", "b"}
    for words in ("See it?", "See {target} in {scene}?", "See {target}?\n=== b\nSee?", "See {target.name}?"):
        with pytest.raises(UsageError, match="declares"):
            parsed("p", HEAD + words)
    with pytest.raises(UsageError, match="begin with TOML"):
        parsed("p", "See {target}?")
    with pytest.raises(UsageError, match="sees"):
        parsed("p", HEAD.replace("target", "system") + "See {system}?")
    with pytest.raises(UsageError, match="hint may be none, but is not seen"):
        parsed("p", HEAD.replace('"x"', '"x"\nmay_be_none = ["hint"]') + "See {target}?")


def test_an_unknown_prompt_or_wording_is_told_from_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="stevo/progress"):
        load("stevo/progres")
    with pytest.raises(UnknownName, match="stevo/progress"):
        variants("stevo/progres")
    with pytest.raises(UnknownName, match="wording"):
        render(load("question"), poisoned(), SEEN, "z")


# ---------------------------------------------------------------- fields without a value


@pytest.mark.parametrize(
    ("prompt", "field"),
    [
        ("stevo/plausible:paper", "end_edit"),
        ("stevo/progress:paper", "expected_change"),
        ("stevo/progress_observed:sound", "interval"),
        ("wrbench/returned_state_right:sound", "return_seconds"),
        ("memobench/answer_with_hint:paper", "hint"),
    ],
)
def test_an_empty_field_is_refused_by_its_name(prompt: str, field: str) -> None:
    topic = Topic(task(id="lamp"), () if field == "interval" else poisoned().questions, expected_change="")
    if field == "interval":
        topic = replace(topic, expected_change="it grows")
    with pytest.raises(UsageError, match=f"task lamp: its {field} is empty"):
        render(load(*prompt.split(":")), topic, SEEN)


@every_prompt
def test_none_is_told_only_where_the_words_say_what_it_means(prompt: Prompt) -> None:
    for body in prompt.wordings.values():
        assert len(re.findall(r"\bnone\b", body)) >= len(prompt.declared.may_be_none)


def test_nothing_asked_for_is_told_as_none() -> None:
    still = Topic(task(camera="hold@4s", observation_controls=("none",), action_control="none"))
    assert "hide what goes on: none\n" in render(load("stevo/hidden", "paper_text"), still, SEEN).text
    assert "action that was asked for: none\n" in render(load("stevo/started", "paper_text"), still, SEEN).text
    assert "judge it in this task: none\n" in render(load("stevo/started", "paper_prompt"), still, SEEN).text


@pytest.mark.parametrize(
    ("changes", "kind", "told"),
    [
        ({}, "pan", "75 degrees"),
        ({"camera": "hold@4s", "cover": POISON["cover"]}, "in-scene", "a curtain is drawn"),
        ({"camera": "hold@4s"}, "in-scene", "goes out of the picture by itself"),
        ({"camera": "", "hiding": "a fog bank comes up"}, "in-scene", "a fog bank comes up"),
        ({"visibility": "always_visible"}, "none", "hide what goes on: none"),
        ({"observation_controls": ("none",)}, "none", "hide what goes on: none"),
    ],
)
def test_the_kind_of_hiding_and_its_words_agree(changes: dict[str, object], kind: str, told: str) -> None:
    topic = Topic(task(**changes))
    assert hiding_kind(topic.task) == kind
    assert told in render(load("stevo/hidden", "paper_prompt"), topic, SEEN).text
    assert f"asked to be hidden: {kind}." in render(load("stevo/coherent"), topic, SEEN).text


def test_an_interval_that_is_given_goes_before_the_tasks() -> None:
    prompt = load("stevo/progress_observed")
    assert "from 6.13 to 9.29 seconds" in render(prompt, poisoned(), SEEN).text
    given = render(prompt, replace(poisoned(), interval=(1, 2.5)), SEEN).text
    assert "from 1 to 2.5 seconds" in given
    assert "9.29" not in given


def test_words_of_a_task_are_not_read_as_a_template() -> None:
    topic = Topic(task(prompt="A {scene} of {0} and {end}."))
    assert "A {scene} of {0} and {end}." in render(load("pair"), topic, SEEN).text


def test_a_scene_without_a_world_is_told_by_its_words() -> None:
    topic = replace(poisoned(), task=task(scene="old_garden-12"))
    assert "The scene: old garden." in render(load("wrbench/returned_place_right", "paper"), topic, SEEN).text


# ---------------------------------------------------------------- frames


def test_rows_are_as_many_as_questions_or_frames() -> None:
    topic = poisoned()
    several = replace(topic, questions=topic.questions * 5)
    rows = render(load("memobench/answer"), several, SEEN).form.rows
    assert rows is not None
    assert rows.ids == ("1", "2", "3", "4", "5")
    rows = render(load("wrbench/judgeable"), topic, SEEN).form.rows
    assert rows is not None
    assert rows.ids == ("1", "2", "3")


def test_a_reference_frame_is_told_apart_and_has_no_row() -> None:
    made = render(load("wrbench/judgeable", "paper"), poisoned(), (SEEN[0], *SEEN[1:]), reference=True)
    assert made.text.startswith("The first picture is the first frame of a video.")
    assert "Then you see 2 frames in order of the same video, taken at 0.5, 1 seconds." in made.text
    assert made.form.rows is not None
    assert made.form.rows.ids == ("1", "2")
    one = render(load("wrbench/judgeable"), poisoned(), SEEN[:2], reference=True).text
    assert "Then you see one frame of the same video, taken at 0.5 seconds." in one
    again = render(load("question"), poisoned(), (SEEN[2], *SEEN), reference=True).text
    assert "3 frames in order of the same video, taken at 0, 0.5, 1 seconds" in again, "not another video"
    assert render(load("question"), poisoned(), SEEN[:1], reference=True).text.startswith("You see the first frame")


def test_a_prompt_that_speaks_of_the_first_frame_is_not_put_without_it() -> None:
    with pytest.raises(UsageError, match="wrbench/judgeable:paper needs the first frame"):
        render(load("wrbench/judgeable", "paper"), poisoned(), SEEN)


# ---------------------------------------------------------------- what the prompts ask


def test_the_prompts_of_each_protocol() -> None:
    for variant in ("paper", "released", "sound"):
        probes = [load(name, variant) for name in names() if SEES[name] in PROBES]
        assert all(probe.form.kind == "yes_no" for probe in probes)
        polarity = {
            group: sorted(p.declared.polarity for p in probes if p.name.startswith(f"wrbench/{group}"))
            for group in ("visible_place", "visible_state", "returned_place", "returned_state")
        }
        assert polarity == {
            "visible_place": ["negative", "positive", "positive"],
            "visible_state": ["negative", "positive", "positive"],
            "returned_place": ["negative", "positive"],
            "returned_state": ["negative", "positive"],
        }
    voted = [p for p in PROMPTS if p.name.startswith("stevo/") and p.form.decided_by]
    assert len(voted) == 11
    assert all(len(prompt.wordings) == 3 for prompt in voted), "votes are over rewordings"


@pytest.mark.parametrize("name", [name for name in names() if SEES[name] in PROBES])
def test_variants_of_a_probe_differ_in_what_is_told_and_not_in_what_is_asked(name: str) -> None:
    def asked(variant: str) -> list[str]:
        bodies = load(name, variant).wordings.values()
        return [body.splitlines()[-1].replace("{target}", "the main subject") for body in bodies]

    assert asked("paper") == asked("released") == asked("sound")
    rubrics = {load(name, variant).declared.rubric.partition(" Go by")[0] for variant in variants(name)}
    assert len(rubrics) == 1


def test_evidence_against_a_place_is_named_in_every_wording() -> None:
    for words in words_of("wrbench/visible_place_broken").values():
        assert all(sign in words for sign in ("drag", "doubl", "slid", "contact"))


@pytest.mark.parametrize("name", [name for name in names() if re.match(r"wrbench/\w+_state_", name)])
def test_a_state_is_neither_identity_nor_a_change_that_may_be_the_event(name: str) -> None:
    identity = r"\bsame\b|identi|recognis|another thing|something else|one and the"
    event = r"\bmelt|\bburn|\bdissol|\bbreak\b|\bcrack|\bspill|\bfreez"
    for words in words_of(name).values():
        assert not re.search(f"{identity}|{event}", words)


@pytest.mark.parametrize("name", [name for name in names() if name.startswith("wrbench/returned_")])
def test_to_reappear_is_not_enough(name: str) -> None:
    for words in words_of(name).values():
        assert re.search(r"to be in sight again does not make its (place|state) right", words)
        assert "only the frames after the return" in words


def test_the_gate_judges_place_and_state_apart_and_the_release_both_at_once() -> None:
    flags = {}
    for variant in variants("wrbench/judgeable"):
        rows = load("wrbench/judgeable", variant).form.rows
        assert rows is not None
        assert rows.of == ("single_frames" if variant == "frame" else "frames")
        flags[variant] = {field.name for field in rows.fields if field.kind == "boolean"}
    each = {"identifiable", "place", "state"}
    assert flags == {"paper": each, "sound": each, "frame": each, "released": {"judgeable"}}
    assert load("wrbench/judgeable_rescue").form == load("wrbench/judgeable_rescue", "released").form


def test_a_hiding_is_sustained_in_the_papers_text_and_not_in_its_prompt() -> None:
    for made, words in words_of("stevo/hidden").items():
        assert ("sustained" in words) == made.startswith("paper_text")
        assert "true" in words


def test_a_start_needs_both_or_either() -> None:
    says = {v: load("stevo/started", v).form.fields[-1].says for v in variants("stevo/started")}
    assert "both are needed" in says["paper_text"]
    assert "one of them is enough" in says["paper_prompt"]
    for words in words_of("stevo/started").values():
        assert re.search(r"out of sight|unseen|nothing can be seen", words)
        assert re.search(r"only by its effect|decides alone|by what it left behind", words)


def test_progress_is_any_at_all_in_the_paper_and_about_enough_in_ours() -> None:
    for made, words in words_of("stevo/progress").items():
        enough = "about as far as is due" in words
        assert enough == made.startswith("sound")
        assert ("by however little" in words) == made.startswith("paper")


def test_an_observed_twin_is_not_told_of_any_hiding() -> None:
    paper, observed = load("stevo/progress", "paper"), load("stevo/progress_observed")
    assert paper.form.decided_by == observed.form.decided_by == ("progressed",)
    hiding = r"out of sight|unseen|nobody can see|hidden|view of it is lost|seen again"
    for wording in "abc":
        assert re.search(hiding, paper.wordings[wording])
        assert not re.search(hiding, rendered(observed, poisoned(), wording).text)


def test_what_plausibility_leaves_out_is_said_in_every_wording() -> None:
    for words in words_of("stevo/plausible").values():
        assert all(sign in words for sign in ("melting", "burning", "dissolving", "one sentence"))
        assert re.search(r"nothing changes|fails to come|standing still", words)
        assert re.search(r"hiding that failed|well done or not|failing to hide", words)
    assert load("stevo/plausible", "paper").form.fields[0].name == "intended_change"


def test_coherence_is_decided_by_its_flags_six_of_the_paper_and_one_of_ours() -> None:
    paper, sound = (load("stevo/coherent", variant).form for variant in ("paper", "sound"))
    assert len(paper.decided_by) == 6
    assert set(sound.decided_by) - set(paper.decided_by) == {"new_object"}
    for form in (paper, sound):
        assert [field.name for field in form.fields] == ["main_subject", *form.decided_by]


@pytest.mark.parametrize("name", [name for name in names() if name.startswith("memobench/write_")])
def test_half_of_the_written_questions_expect_no_and_none_gives_the_end_away(name: str) -> None:
    for words in words_of(name).values():
        assert "three of the questions" in words
        assert re.search(r"how things stand in the end|give the end state away", words)


def test_each_dimension_asks_for_what_its_paper_names() -> None:
    named = {
        "write_instruction": (r"camera", r"order"),
        "write_things": (r"identity", r"scene", r"across|from frame to frame"),
        "write_memory": (r"location", r"path", r"same ones|identity"),
        "write_physics": (r"gravity", r"shadows", r"locomotion|natural way"),
    }
    for name, signs in named.items():
        for words in words_of(f"memobench/{name}").values():
            assert all(re.search(sign, words) for sign in signs)
    further = {made: bool(re.search(r"further", words)) for made, words in words_of("memobench/write_memory").items()}
    assert further == {"paper:a": False, "paper:b": False, "sound:a": True, "sound:b": True}


@pytest.mark.parametrize("name", ["memobench/answer", "memobench/answer_with_hint"])
def test_the_paper_forces_a_yes_or_no_and_ours_may_be_unable_to_tell(name: str) -> None:
    options = {}
    for variant in variants(name):
        rows = load(name, variant).form.rows
        assert rows is not None
        assert [field.name for field in rows.fields] == ["seen", "answer"], "the verdict follows from the polarity"
        options[variant] = rows.fields[-1].options
    assert options == {"paper": ("yes", "no"), "sound": ("yes", "no", "cannot tell")}
