"""Two sealed runs make a leaderboard that a reader, and a browser, can read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from lookaway.errors import SealError, UsageError
from lookaway.pipeline import plans
from lookaway.pipeline.clips import current_clips
from lookaway.records import Audit, Score
from lookaway.sharing.archives import read_seal
from lookaway.sharing.comparable import comparable_runs
from lookaway.sharing.history import read_history
from lookaway.sharing.seals import write_seal
from lookaway.sharing.site import write_site
from lookaway.store import Run, open_run
from tests.browser import tab
from tests.command import invoke


@pytest.fixture
def seals(own_run: Run, tmp_path: Path) -> list[Path]:
    """The finished run, and one that brought the frozen clips as those of a model of its own."""
    first = tmp_path / "first.seal"
    write_seal(own_run, first, pixels=False, generated_by="the house")
    videos = tmp_path / "videos"
    videos.mkdir()
    for clip in current_clips(own_run, plans.load(own_run)):
        if clip.case.system == "frozen" and clip.video:
            shutil.copy(own_run.blobs.path(clip.video), videos / f"{clip.case.task}.mp4")
    second = tmp_path / "second.seal"
    brought = ("--suite", "diorama-mini", "--model", "my<b>model", "--out", str(own_run.root))
    assert invoke("ingest", str(videos), *brought)[0] == 0
    assert invoke("stage", "score", str(own_run.root))[0] == 0
    write_seal(open_run(own_run.root), second, pixels=False, generated_by="Example Lab", scored_by="Example Lab")
    return [first, second]


def test_comparable_runs_share_a_table_and_references_stand_once(seals: list[Path]) -> None:
    found, known = comparable_runs(seals)
    assert len(known) == 2
    assert [standing.protocol.name for standing in found] == ["diorama"]
    labels = [row.label for row in found[0].rows]
    assert sorted(labels) == ["frozen", "my<b>model", "static-camera", "truth", "vanished"]
    mine = next(row for row in found[0].rows if row.label == "my<b>model")
    assert (mine.is_reference, mine.is_partial) == (False, True)


def test_other_tasks_or_another_protocol_make_another_table(seals: list[Path], own_run: Run, tmp_path: Path) -> None:
    text = (own_run.root / "run.json").read_text()
    changed = json.loads(text)
    changed["protocols"][0]["summary"] = "another rule"
    (own_run.root / "run.json").write_text(json.dumps(changed))
    write_seal(own_run, tmp_path / "third.seal", pixels=False)
    found, _ = comparable_runs([seals[0], tmp_path / "third.seal"])
    assert len(found) == 2


def test_two_rows_of_one_name_are_refused(seals: list[Path], own_run: Run, tmp_path: Path) -> None:
    scores = own_run.latest("scores", Score)
    key, score = next((k, s) for k, s in scores.items() if s.case.system == "my<b>model" and s.value)
    with own_run.writer("scores") as writer:
        writer.append(key, "", score.model_copy(update={"value": 0.123}), 99)
    write_seal(own_run, tmp_path / "third.seal", pixels=False)
    with pytest.raises(UsageError, match="name the systems apart"):
        comparable_runs([*seals, tmp_path / "third.seal"])


def test_the_history_is_only_added_to(seals: list[Path], tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(seals[:1], site)
    before = (site / "history.jsonl").read_bytes()
    write_site(seals, site)
    after = (site / "history.jsonl").read_bytes()
    assert after.startswith(before)
    assert len(after) > len(before)
    with pytest.raises(UsageError, match="say why"):
        write_site(seals[:1], site)
    write_site(seals[:1], site, reason="withdrawn by its authors")
    last = read_history(site / "history.jsonl")[-1]
    assert (last.what, last.row, last.reason) == ("removed", "my<b>model", "withdrawn by its authors")
    lines = (site / "history.jsonl").read_bytes().splitlines(keepends=True)
    (site / "history.jsonl").write_bytes(b"".join(lines[1:]))
    with pytest.raises(SealError, match="changed or taken out"):
        write_site(seals, site)


def audit_of(path: Path, verdict: str, nonce: str) -> Audit:
    _, bundle = read_seal(path)
    return Audit.model_validate(
        {
            "bundle": bundle,
            "nonce": nonce,
            "nonce_given": False,
            "clips": 10,
            "drawn": ["a/b/0"] * 3,
            "tolerance": 0.0,
            "verdict": verdict,
            "proves": "x",
        }
    )


def test_a_failed_audit_outweighs_any_number_of_passed_ones(seals: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "audits"
    folder.mkdir()
    for number in range(5):
        verdict = "not reproduced" if number == 2 else "reproduced"
        (folder / f"{number}.json").write_text(audit_of(seals[1], verdict, str(number)).model_dump_json())
    code, _ = invoke("share", "site", *map(str, seals), "--out", str(tmp_path / "site"), "--audits", str(folder))
    assert code == 0
    page = (tmp_path / "site" / "index.html").read_text()
    assert "FAILED 1 of 5 audits" in page
    assert sum(event.what == "audited" for event in read_history(tmp_path / "site" / "history.jsonl")) == 5


def test_an_anchor_compares_across_draws(seals: list[Path], tmp_path: Path) -> None:
    code, _ = invoke("share", "site", str(tmp_path), "--out", str(tmp_path / "site"), "--anchor", "frozen")
    assert code == 0
    assert "an anchor needs 3" in (tmp_path / "site" / "index.html").read_text()  # two scenes are too few


@pytest.mark.browser
@pytest.mark.parametrize(("width", "touch"), [(1280, False), (390, True)])
def test_a_browser_reads_it(seals: list[Path], tmp_path: Path, chromium: str, width: int, touch: bool) -> None:
    write_site(seals, tmp_path / "site", title="Who <i>remembers</i>?")
    with tab(chromium, tmp_path / "profile") as page:
        page.open((tmp_path / "site" / "index.html").as_uri(), width, 900, touch)
        assert page.value("document.querySelector('h1').textContent") == "Who <i>remembers</i>?"
        rows = page.value("[...document.querySelectorAll('figure.table th[scope=row] span')].map(e => e.textContent)")
        assert "my<b>model (partial: 2 of 8 clips)" in rows
        assert page.value("document.querySelectorAll('figure.table').length") == 3
        assert page.value("document.documentElement.scrollWidth <= window.innerWidth")
        assert page.value("document.querySelector('#history li b').textContent") == "my<b>model"
        assert "Example Lab" in page.value("document.querySelector('[id^=table-origins]').textContent")
        page.click("nav a[href='#history']")
        page.wait("location.hash === '#history'")
