"""WRBench from end to end on the known world: judges that know the truth, and judges that always say the same."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lookaway import extras
from lookaway.api import Silent
from lookaway.errors import MissingExtra
from lookaway.pipeline import STAGES, check_extras, make_board, plans
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.stage import Options, run_stage
from lookaway.pipeline.tasks import built_tasks
from lookaway.readings import Case
from lookaway.readings.judged_support import JudgedSupport, sound_support
from lookaway.records import Answer, Reference, Reply, Score
from lookaway.store import Run, open_run
from tests.builders import task
from tests.command import invoke
from tests.metrics.judged_cases import FRAMES

PROTOCOLS = {"wrbench": "sound", "wrbench_paper": "paper", "wrbench_released": "released"}
MODELS = ("truth", "frozen", "static-camera")
GATE_SAMPLE_S = 0.25
MADE = "[pw]*"  # the two tasks of the run that all tests share


@pytest.fixture(scope="module")
def judged(demo_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Every variant, asked of the oracle in both roles, without weights. Read only."""
    folder = tmp_path_factory.mktemp("wrbench") / "run"
    shutil.copytree(demo_run, folder, ignore=shutil.ignore_patterns("blobs"))
    shutil.copytree(demo_run / "blobs", folder / "blobs", copy_function=os.link)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOOKAWAY_WEIGHTS", str(folder.parent / "weights"))
        patch.setenv("HF_HOME", str(folder.parent / "hf"))
        code, said = invoke(
            *("run", "--suite", "diorama-mini", "--only", MADE, "--models", ",".join(MODELS), "--out", str(folder)),
            *("--protocols", ",".join(PROTOCOLS), "--judge", "scorer=oracle", "--judge", "gate=oracle"),
        )
    assert code == 0, said
    return open_run(folder)


def scores(run: Run, metric: str, variant: str, system: str) -> list[Score]:
    found = [s for s in run.latest("scores", Score).values() if (s.metric, s.variant) == (metric, variant)]
    mine = [s for s in found if s.system == system and s.protocol in PROTOCOLS]
    assert len(mine) == 2, "two tasks"
    return mine


def values(run: Run, metric: str, variant: str, system: str) -> list[float | None]:
    return [score.value for score in scores(run, metric, variant, system)]


@pytest.mark.parametrize("variant", PROTOCOLS.values())
def test_a_static_camera_poses_no_return_test_and_gets_no_number_for_it(judged: Run, variant: str) -> None:
    assert values(judged, "judged_support", variant, "static-camera") == [0.0, 0.0]
    for metric in ("reobserved_spatial", "reobserved_state"):
        for score in scores(judged, metric, variant, "static-camera"):
            assert (score.status, score.gate, score.value) == ("gated", "avoided", None)
            assert score.reason.startswith("never_hidden")


@pytest.mark.parametrize("variant", PROTOCOLS.values())
def test_the_true_world_is_supported_and_right_and_a_frozen_one_is_in_an_old_state(judged: Run, variant: str) -> None:
    assert values(judged, "judged_support", variant, "truth") == [1.0, 1.0]
    for metric in ("visible_spatial", "visible_state", "reobserved_spatial", "reobserved_state"):
        assert values(judged, metric, variant, "truth") == [1.0, 1.0]
    assert values(judged, "judged_support", variant, "frozen") == [1.0, 1.0]
    assert values(judged, "reobserved_state", variant, "frozen") == [0.0, 0.0]


def test_hidden_and_return_are_found_to_one_sample_of_the_gate(judged: Run) -> None:
    exact = {reference.instance: reference for reference in judged.latest("references", Reference).values()}
    true = {c.video for c in current_clips(judged, plans.load(judged)) if c.case.system == "truth" and c.video}
    rows = [a for a in judged.latest("answers", Answer).values() if a.media in true and "judgeable@2" in a.ask]
    assert len(rows) == 2
    for answer in rows:
        found = sound_support(Case(task(), None, {}, {"judgeable:sound": {"": answer}}))
        assert isinstance(found, JudgedSupport)
        known = exact[answer.task_instance].phases
        assert [part.phase for part in found.phases] == [part.phase for part in known]
        for judged_part, part in zip(found.phases[1:], known[1:], strict=True):
            assert abs(judged_part.start_s - part.start_s) <= GATE_SAMPLE_S
        assert found.out_of_view_s == pytest.approx(sum(e - s for s, e in found.hidden), abs=2 * GATE_SAMPLE_S)


def test_a_clip_takes_ten_probes_and_one_look_of_the_gate_a_protocol(judged: Run) -> None:
    asked = Counter((a.media, a.ask.split(", ")[1]) for a in judged.latest("answers", Answer).values())
    by_variant = {variant: {n for (_, named), n in asked.items() if named == variant} for variant in PROTOCOLS.values()}
    assert by_variant == {"sound": {11, 7}, "paper": {11, 7}, "released": {12, 8}}, "less behind a closed gate"


@pytest.mark.parametrize(("protocol", "variant"), PROTOCOLS.items())
def test_who_follows_the_subject_agrees_with_who_knows_and_support_is_counted_three_ways(
    judged: Run, protocol: str, variant: str
) -> None:
    for system, expected in (("truth", 1.0), ("frozen", 1.0), ("static-camera", 0.0)):
        found = [s for s in judged.latest("scores", Score).values() if s.protocol == protocol and s.system == system]
        assert [s.value for s in found if s.metric == "tracked_support"] == [expected] * 2
    tables = {table.name: table for table in make_board(judged, plans.load(judged)).tables}
    agreement = tables[f"gate-agreement-{protocol.replace('_', '-')}"]
    kappas = {row.group: row.cells[0] for row in agreement.rows}
    assert {over: cell.value for over, cell in kappas.items()} == dict.fromkeys(
        ("all rows", "yaw rows", "rows with opportunity"), 1.0
    )
    assert kappas["all rows"].n == 2 * len(plans.load(judged).systems)
    assert kappas["all rows"].low is not None
    counted = [column.name for column in tables[f"denominators-{protocol.replace('_', '-')}"].columns]
    for over in ("all", "yaw", "opportunity"):
        assert any(name.startswith(f"judged_support:{variant}") and name.endswith(f":{over}") for name in counted)


def test_after_a_return_the_paper_shows_the_whole_clip_and_ours_the_first_frame_and_what_came_back(judged: Run) -> None:
    replies = [r for r in judged.latest("replies", Reply).values() if "returned_place_right" in r.question]
    shown = {variant: [r for r in replies if f":{variant}:" in r.prompt] for variant in PROTOCOLS.values()}
    assert len(shown["sound"]) == len(shown["paper"]) == 4, "two models and tasks behind open gates"
    for reply in shown["sound"]:
        first, *others = reply.frame_seconds
        assert (first, len(others)) == (0.0, 8)
        assert min(others) > 1.0
    for reply in (*shown["paper"], *shown["released"]):
        steps = {round(b - a, 3) for a, b in zip(reply.frame_seconds, reply.frame_seconds[1:], strict=False)}
        assert (reply.frame_seconds[0], max(steps) < 0.4) == (0.0, True)


def test_without_weights_integrity_abstains_and_the_run_goes_on(judged: Run) -> None:
    found = [s for s in judged.latest("scores", Score).values() if s.metric == "visual_integrity"]
    learned = [s for s in found if s.variant != "plain"]
    assert {s.variant for s in learned} == {"paper", "patch_mean", "released"}
    assert {s.status for s in learned} == {"abstained"}
    assert all("torch" in s.reason or "lookaway weights get" in s.reason for s in learned)
    assert {s.status for s in found if s.variant == "plain"} == {"ok"}, "it takes none"


def test_without_torch_a_protocol_that_is_about_more_goes_on_and_one_that_is_not_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "missing", lambda extra: ["torch"] if extra == "torch" else [])
    check_extras(plans.extend(Run(tmp_path / "a"), "diorama-mini", chosen=["wrbench"], judges=["oracle"]))
    with pytest.raises(MissingExtra, match="patch_features"):
        check_extras(plans.extend(Run(tmp_path / "b"), "diorama-mini", chosen=["integrity"]))


# ---------------------------------------------------------------- polarity


def scripted(folder: Path, positive: str, negative: str) -> Path:
    """One who says the same to every positive probe and the same to every negative one, and saw a return."""
    rows = [{"id": str(k + 1), **FRAMES["y" if k < 6 or k > 14 else "n"]} for k in range(21)]  # five seconds, four each
    against = ("visible_place_broken", "visible_state_broken", "returned_place_wrong", "returned_state_wrong")
    lines = [{"question": "wrbench/judgeable", "text": json.dumps({"frames": rows})}]
    lines += [{"question": f"wrbench/{name}", "text": negative} for name in against]
    lines += [{"question": "*", "text": positive}]
    path = folder / f"{positive}-{negative}.jsonl"
    path.write_text("\n".join(json.dumps({"media": "*", **line}) for line in lines))
    return path


@pytest.mark.parametrize(
    ("positive", "negative", "visible", "returned"),
    [("Yes", "No", 1.0, 1.0), ("No", "Yes", 0.0, 0.0), ("Yes", "Yes", 2 / 3, 0.5), ("No", "No", 1 / 3, 0.5)],
)
def test_yes_to_everything_is_no_praise(
    own_run: Run, tmp_path: Path, positive: str, negative: str, visible: float, returned: float
) -> None:
    given = scripted(tmp_path, positive, negative)
    plan = plans.extend(own_run, "diorama-mini", chosen=["wrbench"], judges=[f"scripted:{given}"])
    for name in ("judge", "score"):
        run_stage(STAGES[name], own_run, plan, Options(only="parlour0_ball*/truth/0"), Silent())
    made = {s.metric: s.value for s in own_run.latest("scores", Score).values() if s.protocol == "wrbench"}
    expected = {
        "visible_spatial": visible,
        "visible_state": visible,
        "judged_support": 1.0,
        "reobserved_spatial": returned,
        "reobserved_state": returned,
    }
    for metric, value in expected.items():
        assert made[metric] == pytest.approx(value), metric


def test_a_gate_that_always_sees_a_return_is_found_out_beside_one_who_knows(own_run: Run, tmp_path: Path) -> None:
    judges = ["scorer=oracle", "gate=oracle", f"gate=scripted:{scripted(tmp_path, 'Yes', 'No')}"]
    plan = plans.extend(own_run, "diorama-mini", chosen=["wrbench"], judges=judges)
    for name in ("judge", "score"):
        run_stage(STAGES[name], own_run, plan, Options(), Silent())
    tables = {table.name: table for table in make_board(own_run, plan).tables}
    told = {row.title: row.cells for row in tables["gate-errors-wrbench"].rows}
    (sensitivity, specificity) = next(cells for title, cells in told.items() if "scripted" in title)
    assert (sensitivity.value, specificity.value) == (1.0, 0.0)
    assert sensitivity.n + specificity.n == 2 * len(plan.systems)
    corrected = tables["corrected-support-wrbench"]
    place = next(n for n, c in enumerate(corrected.columns) if "scripted" in c.group and c.title == "corrected")
    for row in corrected.rows:
        assert row.cells[place].value is None, "nothing is corrected by one who cannot tell"
        assert row.cells[place].reason


# ---------------------------------------------------------------- preference pairs and cases


def exported(run: Run, out: Path, *options: str) -> list[dict[str, Any]]:
    code, said = invoke("share", "preferences", str(run.root), "--protocols", "wrbench", "--out", str(out), *options)
    assert code == 0, said
    return [json.loads(line) for line in (out / "preferences.jsonl").read_text().splitlines()]


def test_the_true_world_is_preferred_to_a_frozen_one_where_it_returns_and_a_static_camera_never_is(
    judged: Run, tmp_path: Path
) -> None:
    pairs = exported(judged, tmp_path, "--with-static")
    state = [pair for pair in pairs if pair["axis"] == "reobserved_state"]
    assert [pair["evidence"]["chosen"]["system"] for pair in state] == ["truth", "truth"]
    assert [pair["evidence"]["rejected"]["system"] for pair in state] == ["frozen", "frozen"]
    assert [pair["margin"] for pair in state] == [1.0, 1.0]
    assert "static-camera" not in {pair["evidence"]["chosen"]["system"] for pair in pairs}


def test_pairs_lead_to_the_videos_and_prompts_of_the_run(judged: Run, tmp_path: Path) -> None:
    clips = {str(c.case): c for c in current_clips(judged, plans.load(judged))}
    tasks = built_tasks(judged, plans.load(judged))
    for pair in exported(judged, tmp_path):
        for side in ("chosen", "rejected"):
            clip = clips[pair["evidence"][side]["case"]]
            assert (judged.root / pair[side]) == judged.blobs.path(str(clip.video))
        assert (judged.root / pair["first_frame"]).is_file()
        assert pair["prompt"] == tasks[pair["task"]].prompt
        assert pair["dynamic"]


def test_pairs_whose_video_is_gone_are_removed_and_counted(own_run: Run, judged: Run, tmp_path: Path) -> None:
    shutil.copytree(judged.root / "logs", own_run.root / "logs", dirs_exist_ok=True)
    for file in judged.root.glob("*.json"):
        shutil.copy(file, own_run.root)
    before = exported(own_run, tmp_path)
    (own_run.root / before[0]["chosen"]).unlink()
    after = exported(own_run, tmp_path)
    lost = [pair for pair in before if before[0]["chosen"] in (pair["chosen"], pair["rejected"])]
    assert len(after) == len(before) - len(lost)
    told = json.loads((tmp_path / "preferences.json").read_text())
    assert sum(axis["removed"].get("a video is missing", 0) for axis in told["axes"]) == len(lost)


def test_cases_failures_readings_and_coverage_are_tables_of_the_run_and_cases_are_drawn(judged: Run) -> None:
    board = json.loads((judged.root / "board.json").read_text())
    names = {table["name"] for table in board["tables"] if table["protocol"] == "wrbench"}
    made = ("matched-cases", "failure-words", "failure-examples", "metric-readings", "coverage-dimensions")
    assert names >= {f"{name}-wrbench" for name in made}
    words = next(table for table in board["tables"] if table["name"] == "failure-words-wrbench")
    (still,) = [row for row in words["rows"] if row["title"] == "static-camera"]
    assert still["cells"][[c["title"] for c in words["columns"]].index("no test")]["value"] == 1.0
    page = (judged.root / "report.html").read_text()
    assert "Cases side by side" in page
    assert 'alt="frames of better clip: truth' in page
