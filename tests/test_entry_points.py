"""A package outside the tree adds a metric and an observer by entry point, installed as a user would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "examples" / "brightness_metric"


def test_an_out_of_tree_package_adds_a_metric(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(PACKAGE)]
    subprocess.run(install, check=True, capture_output=True, timeout=300)
    environment = os.environ | {"PYTHONPATH": str(site)}
    lookaway = str(Path(sys.executable).parent / "lookaway")
    with_it = subprocess.run(
        [lookaway, "metrics", "--json"], capture_output=True, text=True, check=True, env=environment
    )
    without = subprocess.run([lookaway, "metrics", "--json"], capture_output=True, text=True, check=True)
    added = {m["metric"] for m in json.loads(with_it.stdout)} - {m["metric"] for m in json.loads(without.stdout)}
    assert added == {"brightness_kept"}


def test_a_broken_package_is_told_by_doctor_and_stops_nobody(tmp_path: Path) -> None:
    info = tmp_path / "broken_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[lookaway.metrics]\nbroken = no_such_module_anywhere\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    lookaway = str(Path(sys.executable).parent / "lookaway")
    done = subprocess.run([lookaway, "doctor"], capture_output=True, text=True, check=True, env=environment)
    assert "no_such_module_anywhere" in done.stdout
    listed = subprocess.run([lookaway, "metrics"], capture_output=True, text=True, check=True, env=environment)
    assert "object_return" in listed.stdout
