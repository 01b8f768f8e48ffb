"""A package outside the tree adds a metric and an observer by entry point, installed as a user would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from lookaway.records import Score
from lookaway.store import Run

PACKAGE = Path(__file__).parents[1] / "examples" / "brightness_metric"
LOOKAWAY = str(Path(sys.executable).parent / "lookaway")


def call(*arguments: str, path: Path | None = None) -> str:
    places = [str(path), os.environ.get("PYTHONPATH", "")] if path is not None else []
    environment = os.environ | ({"PYTHONPATH": os.pathsep.join(filter(None, places))} if places else {})
    done = subprocess.run([LOOKAWAY, *arguments], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_out_of_tree_package_adds_a_metric_and_a_run_measures_it(own_run: Run, tmp_path: Path) -> None:
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(PACKAGE)]
    subprocess.run(install, check=True, capture_output=True, timeout=300)
    with_it, without = (json.loads(call("metrics", "--json", path=p)) for p in (site, None))
    assert {m["metric"] for m in with_it} - {m["metric"] for m in without} == {"brightness_kept"}
    only = ["--only", "parlour0_ball*/truth/*"]
    for verb in ("observe", "score"):
        call("stage", verb, str(own_run.root), "--protocols", "metric:brightness_kept", *only, path=site)
    (score,) = [s for s in own_run.latest("scores", Score).values() if s.metric == "brightness_kept"]
    assert score.value is not None
    assert 0.9 < score.value <= 1
    assert score.instrument == "brightness@1"


def test_a_broken_package_is_told_by_doctor_and_stops_nobody(tmp_path: Path) -> None:
    info = tmp_path / "broken_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[lookaway.metrics]\nbroken = no_such_module_anywhere\n")
    assert "no_such_module_anywhere" in call("doctor", path=tmp_path)
    assert "object_return" in call("metrics", path=tmp_path)
