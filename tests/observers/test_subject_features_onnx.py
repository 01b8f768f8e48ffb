"""The subject as a user's own ONNX file describes it, run by the real library; the files are made here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lookaway.errors import ObserveError
from lookaway.metrics import METRICS, Case
from lookaway.observers import OBSERVERS, Look
from lookaway.observers.elsewhere import seen_with
from lookaway.observers.subject_features_onnx import OnnxSights
from lookaway.observers.subject_track import subject_track
from lookaway.outcomes import Abstain
from lookaway.pipeline.instruments import observer_here
from lookaway.records import Setting
from tests.observers.panorama import filmed, look_at
from tests.observers.test_subject_track import STORIES, TURNS

NAME = "subject_features_onnx"


def onnx_file(path: Path, shape: Sequence[int | str] = (1, 3, 64, 64), pooled: bool = True, seed: int = 0) -> Path:
    """Sixteen filters over patches of a picture, their mean over the picture or not."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    weights = np.random.default_rng(seed).normal(size=(16, int(shape[1]), 16, 16)).astype(np.float32)
    nodes = [helper.make_node("Conv", ["picture", "weights"], ["patches"], strides=[16, 16])]
    if pooled:
        nodes.append(helper.make_node("GlobalAveragePool", ["patches"], ["mean"]))
    graph = helper.make_graph(
        nodes,
        "descriptor",
        [helper.make_tensor_value_info("picture", TensorProto.FLOAT, list(shape))],
        [helper.make_tensor_value_info("mean" if pooled else "patches", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(weights, "weights")],
    )
    opset = [helper.make_opsetid("", 17)]
    path.write_bytes(helper.make_model(graph, opset_imports=opset, ir_version=9).SerializeToString())
    assert onnx.load(str(path)).graph.name == "descriptor"
    return path


@pytest.fixture(scope="module")
def look() -> Look:
    return look_at(filmed(TURNS, STORIES["stays"]))


def seen(look: Look, **settings: Setting) -> OnnxSights:
    found = seen_with(OBSERVERS.get(NAME), replace(look, settings=settings))
    assert isinstance(found, OnnxSights), found
    return found


def test_one_that_came_back_is_as_it_was(look: Look, tmp_path: Path) -> None:
    found = seen(look, model=str(onnx_file(tmp_path / "mine.onnx")))
    assert found.class_token.shape[1] == 16
    assert np.allclose(np.linalg.norm(found.class_token, axis=1), 1, atol=1e-5)
    arrays = {"subject_track": subject_track(look).arrays(), NAME: found.arrays()}
    told = METRICS.get("subject_identity_onnx:sound").function(Case(look.task, None, arrays, {}))
    assert isinstance(told, float)
    assert 0.9 < told <= 1


def test_the_crop_is_as_large_as_the_file_says_else_as_asked(look: Look, tmp_path: Path) -> None:
    fixed, free = onnx_file(tmp_path / "fixed.onnx"), onnx_file(tmp_path / "free.onnx", ("n", 3, "h", "w"))
    at_64 = seen(look, model=str(fixed)).class_token
    assert np.array_equal(seen(look, model=str(fixed), side=96).class_token, at_64)
    assert np.array_equal(seen(look, model=str(free), side=64).class_token, at_64)
    assert not np.array_equal(seen(look, model=str(free), side=96).class_token, at_64)
    assert not np.array_equal(seen(look, model=str(free), side=64, tones="signed").class_token, at_64)


def test_a_file_that_changes_is_opened_again_and_is_another_instrument(look: Look, tmp_path: Path) -> None:
    path = onnx_file(tmp_path / "mine.onnx")
    first, before = seen(look, model=str(path)), observer_here(NAME, {"model": str(path)})
    onnx_file(path, seed=1)
    assert not np.allclose(seen(look, model=str(path)).class_token, first.class_token)
    after = observer_here(NAME, {"model": str(path)})
    assert before.key != after.key
    assert str(tmp_path) not in after.label
    elsewhere = onnx_file(tmp_path / "copy.onnx", seed=1)
    assert observer_here(NAME, {"model": str(elsewhere)}).key == after.key


def test_without_a_file_it_abstains(look: Look) -> None:
    found = seen_with(OBSERVERS.get(NAME), replace(look, settings={}))
    assert isinstance(found, Abstain)
    assert "--set subject_features_onnx.model=FILE.onnx" in found.reason


def bad_file(folder: Path, kind: str) -> Path:
    path = folder / "mine.onnx"
    match kind:
        case "text":
            path.write_text("hello")
        case "empty":
            path.write_bytes(b"")
        case "grey":
            onnx_file(path, (1, 1, 64, 64))
        case "flat":
            onnx_file(path, (1, 3, 64))
        case "patches":
            onnx_file(path, pooled=False)
        case "small":
            onnx_file(path, (1, 3, 8, 8))
    return path


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("missing", "no file"),
        ("text", "mine.onnx: cannot be opened as ONNX"),
        ("empty", "mine.onnx: cannot be opened as ONNX"),
        ("grey", "expected one picture"),
        ("flat", "mine.onnx: (cannot be opened|wants)"),
        ("patches", "made 1x16x4x4 of a picture; expected one vector"),
        ("small", "mine.onnx: (cannot be opened|fails on a picture)"),
    ],
)
def test_a_file_that_is_no_descriptor_says_why(look: Look, tmp_path: Path, kind: str, said: str) -> None:
    with pytest.raises(ObserveError) as told:
        seen(look, model=str(bad_file(tmp_path, kind)))
    assert re.search(said, str(told.value)), told.value


def test_a_setting_that_is_none_lists_those_there_are(look: Look) -> None:
    with pytest.raises(ObserveError, match="settings are: model, side, tones, tracker"):
        seen(look, model="mine.onnx", size=3)
