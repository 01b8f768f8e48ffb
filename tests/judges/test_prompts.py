"""A prompt tells a judge what it declares, and nothing else of the task."""

from __future__ import annotations

import pytest

from lookaway.errors import UnknownName, UsageError
from lookaway.judges.prompting import load, names, parsed, render
from lookaway.judges.prompting.context import FIELDS, Topic
from lookaway.records import Question, Subject, Task, WorldSpec
from tests.builders import task
from tests.judges.made import frames

SEEN = frames(3)

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
    "variant_of": "qvariantof",
    "changes": "qchanges",
    "end_edit": "qendedit",
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
    "subjects": "qsubject",
    "question": "qasked",
    "question id": "qquestionid",
    "dimension": "qdimension",
    "box": "0.137",
}
SOURCES = {
    "scene": ["world"],
    "event": ["prompt"],
    "target": ["subjects"],
    "camera": ["camera", "cover"],
    "visibility": ["visibility"],
    "end": ["expected_end"],
    "action": ["action_control"],
    "question": ["question"],
    "questions": ["question"],
}


def poisoned() -> Topic:
    subject = Subject(name="qsubject", box=(0.137, 0.2, 0.5, 0.6), side="left")
    question = Question(
        id="qquestionid", text="Is it qasked?", dimension="qdimension", polarity="positive", expected="yes"
    )
    return Topic(task(**POISON, subjects=(subject,)), (question,))


def test_every_field_of_a_task_is_poisoned() -> None:
    plain = {"moves", "changes_in_place", "hfov_declared", "twin", "phases", "subjects", "yoked", "poses"}
    assert set(Task.model_fields) - plain == POISON.keys()
    assert SOURCES.keys() == set(FIELDS)


@pytest.mark.parametrize("name", names())
def test_nothing_but_the_declared_fields_reaches_the_judge(name: str) -> None:
    prompt = load(name)
    allowed = {source for field in prompt.declared.sees for source in SOURCES[field]}
    for wording in prompt.wordings:
        text = render(prompt, poisoned(), SEEN, wording).text
        for source, trace in TRACES.items():
            assert (trace in text) == (source in allowed), f"{name}:{wording} and {source}"


@pytest.mark.parametrize("name", names())
def test_a_prompt_is_whole(name: str) -> None:
    prompt = load(name)
    texts = [render(prompt, poisoned(), SEEN, wording) for wording in prompt.wordings]
    assert len(texts) >= 2, "an ensemble needs another wording"
    assert len({text.sha256 for text in texts}) == len(texts)
    for text in texts:
        assert "{" not in text.text
        assert "0, 0.5, 1 seconds" in text.text
    assert texts[0].origin == f"{name}@{prompt.declared.version}:a"
    assert prompt.declared.asks


def test_the_prompts_of_each_protocol() -> None:
    wrbench = {name: load(name).declared for name in names() if name.startswith("wrbench/")}
    probes = {name: made for name, made in wrbench.items() if made.form == "yes_no"}
    polarity = {
        group: sorted(made.polarity for name, made in probes.items() if name.startswith(f"wrbench/{group}"))
        for group in ("visible_place", "visible_state", "returned_place", "returned_state")
    }
    assert polarity == {
        "visible_place": ["negative", "positive", "positive"],
        "visible_state": ["negative", "positive", "positive"],
        "returned_place": ["negative", "positive"],
        "returned_state": ["negative", "positive"],
    }
    stevo = {name for name in names() if name.startswith("stevo/")}
    assert {name.split("/")[1] for name in stevo} == {"hidden", "started", "progress", "plausible", "coherent"}
    assert len(load("stevo/coherent").form.decided_by) == 7
    assert all(len(load(name).wordings) == 3 for name in stevo)
    assert all("end" not in load(name).declared.sees for name in names())


def test_rows_are_as_many_as_questions_or_frames() -> None:
    topic = poisoned()
    several = Topic(topic.task, topic.questions * 5)
    rows = render(load("memobench/answer"), several, SEEN).form.rows
    assert rows is not None
    assert rows.ids == ("1", "2", "3", "4", "5")
    rows = render(load("wrbench/judgeable"), topic, SEEN).form.rows
    assert rows is not None
    assert rows.ids == ("1", "2", "3")


def test_words_of_a_task_are_not_read_as_a_template() -> None:
    topic = Topic(task(prompt="A {scene} of {0} and {end}."))
    assert "A {scene} of {0} and {end}." in render(load("stevo/progress"), topic, SEEN).text


HEAD = '+++\nversion = 1\nasks = "x"\npolarity = "none"\nvariant = "sound"\nsees = ["target"]\n+++\n'


def test_a_scene_without_a_world_is_told_by_its_words() -> None:
    text = render(load("wrbench/returned_place_right"), Topic(task(scene="old_garden-12")), SEEN).text
    assert "The scene: old garden." in text


def test_a_prompt_uses_what_it_declares() -> None:
    assert parsed("p", HEAD + "See {target}?\n=== b\nIs {target} there?").wordings.keys() == {"a", "b"}
    for words in ("See it?", "See {target} in {scene}?", "See {target}?\n=== b\nSee?", "See {target.name}?"):
        with pytest.raises(UsageError, match="declares"):
            parsed("p", HEAD + words)
    with pytest.raises(UsageError, match="begin with TOML"):
        parsed("p", "See {target}?")
    with pytest.raises(UsageError, match="sees"):
        parsed("p", HEAD.replace("target", "system") + "See {system}?")


def test_an_unknown_prompt_or_wording_is_told_from_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="stevo/progress"):
        load("stevo/progres")
    with pytest.raises(UnknownName, match="wording"):
        render(load("question"), poisoned(), SEEN, "z")
