"""A run without the weights of an observer goes on; with them, it looks. Weights count by their content."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lookaway.api import Silent
from lookaway.judges import JUDGES
from lookaway.observers import OBSERVERS, Floats, Look, ObservedArrays, Observer
from lookaway.outcomes import Abstain
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.instruments import judge_instrument, observer_here
from lookaway.pipeline.stage import Options, StageReport, run_stage
from lookaway.records import Observation, Plan, Score
from lookaway.store import Run
from lookaway.weights import needed
from lookaway.weights.places import own_folder

NAME = "facebook/dinov2-base"
ONE = Options(only="parlour0_ball_left/vanished/0")


class EyeSight(ObservedArrays):
    seconds: Floats


EyeSight.observer = "eyes"


def eyes(look: Look) -> EyeSight | Abstain:
    """Looks with weights."""
    needed(str(look.settings.get("model", NAME)))
    return EyeSight(seconds=look.frames.seconds)


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOKAWAY_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    OBSERVERS.all()
    monkeypatch.setitem(
        OBSERVERS._plugins, "eyes", Observer("eyes", 1, eyes, EyeSight, None, None, "Looks.", weights=NAME)
    )


def put_weights(folder: Path, body: bytes = b"weights") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(body)
    return folder


@pytest.fixture
def protocol(tmp_path: Path) -> str:
    path = tmp_path / "learned.toml"
    path.write_text(
        'summary = "s"\nmetrics = ["psnr_all:sound"]\nheadline = ["psnr_all:sound"]\nobservers = ["eyes"]\n'
    )
    return str(path)


def observed(run: Run, plan: Plan) -> StageReport:
    return run_stage(STAGES["observe"], run, plan, ONE, Silent())


def rows(run: Run) -> list[tuple[str, str]]:
    return [(o.status, o.reason) for o in run.latest("observations", Observation).values() if o.observer == "eyes"]


def test_missing_weights_are_an_abstention_with_the_line_that_gets_them_and_the_run_goes_on(
    own_run: Run, protocol: str
) -> None:
    plan = plans.amend(own_run, chosen=[protocol])
    report = observed(own_run, plan)
    assert report.failures == []
    told = f"weights {NAME} are not here; get them: lookaway weights get {NAME}"
    assert rows(own_run) == [("abstained", told)]
    scored = run_stage(STAGES["score"], own_run, plan, ONE, Silent())
    assert scored.failures == []
    assert any(s.metric == "psnr_all" and s.value is not None for s in own_run.latest("scores", Score).values())


def test_as_soon_as_the_weights_are_there_the_same_command_looks_with_them(own_run: Run, protocol: str) -> None:
    plan = plans.amend(own_run, chosen=[protocol])
    observed(own_run, plan)
    put_weights(own_folder(NAME))
    assert len(observed(own_run, plan).outcomes) == 1, "the abstention only said why nothing was tried"
    again = plans.amend(own_run)
    observed(own_run, again)
    assert {status for status, _ in rows(own_run)} == {"ok"}
    assert observed(own_run, again).outcomes == ()


def test_an_observer_is_known_by_the_content_of_its_weights(tmp_path: Path) -> None:
    away = observer_here("eyes", {})
    assert away.model == NAME
    put_weights(own_folder(NAME))
    here = observer_here("eyes", {})
    assert here.model.startswith("<weights ")
    assert observer_here("eyes", {"model": NAME}) == here
    copy = put_weights(tmp_path / "copy")
    assert observer_here("eyes", {"model": str(copy)}) == here
    (copy / "preprocessor_config.json").write_text("{}")
    assert observer_here("eyes", {"model": str(copy)}) == here, "an observer does not read it"
    put_weights(copy, b"others")
    assert observer_here("eyes", {"model": str(copy)}) != here
    assert str(tmp_path) not in observer_here("eyes", {"model": str(copy)}).label


HEAD = "trl-lib/ddpo-aesthetic-predictor"


def put_head(folder: Path, body: bytes = b"head") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "aesthetic-model.pth").write_bytes(body)
    return folder


def test_an_observer_is_known_by_the_content_of_its_head_too(tmp_path: Path) -> None:
    away = observer_here("aesthetics", {})
    assert away.settings == {"head": HEAD}
    put_head(own_folder(HEAD))
    here = observer_here("aesthetics", {})
    assert str(here.settings["head"]).startswith("<weights ")
    assert observer_here("aesthetics", {"head": HEAD}) == here
    put_head(own_folder(HEAD), b"another")
    assert observer_here("aesthetics", {}) != here
    shutil.rmtree(own_folder(HEAD))
    assert observer_here("aesthetics", {}, here) == here, "where it is not here: as it was planned"
    file = put_head(tmp_path / "mine") / "aesthetic-model.pth"
    told = observer_here("aesthetics", {"head": str(file)})
    assert str(told.settings["head"]).startswith("<pth ")
    assert str(tmp_path) not in told.label


def test_a_judge_is_known_by_the_content_of_its_weights_too(tmp_path: Path) -> None:
    judge, copy = JUDGES.get("transformers"), put_weights(tmp_path / "copy")
    told = judge_instrument(judge, str(copy), {})
    assert told.model.startswith("<weights ")
    assert judge_instrument(judge, "", {}).model == "Qwen/Qwen3-VL-8B-Instruct"
    assert judge_instrument(judge, "", {}, told).model == told.model, "where they are not here: as they were planned"
    assert judge_instrument(judge, str(put_weights(tmp_path / "other", b"2")), {}) != told


def test_where_the_weights_are_not_a_folder_is_read_with_the_instrument_that_looked(
    own_run: Run, protocol: str
) -> None:
    put_weights(own_folder(NAME))
    plan = plans.amend(own_run, chosen=[protocol])
    observed(own_run, plan)
    shutil.rmtree(own_folder(NAME))
    elsewhere = plans.amend(own_run)
    assert elsewhere.instruments["eyes"] == plan.instruments["eyes"]
    assert observed(own_run, elsewhere).outcomes == ()
    others = plans.amend(own_run, settings={"eyes.model": "other/weights"})
    assert others.instruments["eyes"].model == "other/weights", "other weights are no longer those that looked"
