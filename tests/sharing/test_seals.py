"""A sealed run says what it holds by content, tells nothing of the machine, and its scores come out again."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from lookaway.api import Silent
from lookaway.errors import SealError
from lookaway.records import Plan, Score
from lookaway.sharing.archives import read_seal, unpack
from lookaway.sharing.audits import _safe_plan, audit
from lookaway.sharing.canonical import canonical_sha256
from lookaway.sharing.draws import drawn_cases
from lookaway.sharing.seals import sealed, write_seal
from lookaway.store import Run, open_run
from tests.command import invoke


def altered(run: Run, by: float = 0.1) -> str:
    """Raise the newest line of one score that has a number; returns its case."""
    key, score = next((k, s) for k, s in run.latest("scores", Score).items() if s.value is not None and s.low is None)
    assert score.value is not None
    with run.writer("scores") as writer:
        writer.append(key, "", score.model_copy(update={"value": score.value + by}), 99)
    return str(score.case)


def test_a_seal_lists_the_run_by_content(own_run: Run) -> None:
    seal = sealed(own_run, generated_by="Example  Lab")
    assert seal.generated_by == "Example Lab"
    assert {file.path for file in seal.files} >= {"run.json"}
    assert not any(file.path == "local.json" for file in seal.files)
    assert seal.scores == len(own_run.latest("scores", Score))
    assert [(one.label, one.clips) for one in seal.systems if one.label == "frozen"] == [("frozen", 2)]
    assert all(one.planned == 8 for one in seal.systems)  # the other six tasks were not made
    assert canonical_sha256(seal) == canonical_sha256(sealed(own_run, generated_by="Example Lab"))
    before = canonical_sha256(seal)
    altered(own_run)
    assert canonical_sha256(sealed(own_run, generated_by="Example Lab")) != before


def test_a_seal_without_pixels_proves_hashes_only(own_run: Run, tmp_path: Path) -> None:
    bundle = write_seal(own_run, tmp_path / "s.seal", pixels=False)
    with zipfile.ZipFile(tmp_path / "s.seal") as archive:
        assert not [name for name in archive.namelist() if name.startswith("blobs/")]
    seal, name = read_seal(tmp_path / "s.seal")
    assert name == bundle
    assert any(file.path.startswith("blobs/") and not file.carried for file in seal.files)
    found = audit(tmp_path / "s.seal", 50, Silent())
    assert (found.verdict, found.drawn) == ("hashes only", ())
    assert "No score was checked" in found.proves


def test_an_unscored_run_is_not_sealed(tmp_path: Path, own_run: Run) -> None:
    for log in own_run.log_folder("scores").iterdir():
        log.unlink()
    with pytest.raises(SealError, match="nothing is scored yet"):
        sealed(own_run)


@pytest.mark.parametrize(
    ("planted", "tells"),
    [
        ("{home}/data/x.mp4", "a folder of this machine"),
        ("on planted-host-7", "the name of this machine"),
        ("by planted-user-7", "the name of this machine or of its user"),
        ("with sk-planted-key-123456", "a secret"),
    ],
)
def test_what_tells_of_the_machine_is_not_sealed(
    planted: str, tells: str, own_run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("platform.node", lambda: "planted-host-7")
    monkeypatch.setattr("getpass.getuser", lambda: "planted-user-7")
    monkeypatch.setenv("HOME", str(tmp_path / "planted-home"))
    monkeypatch.setenv("PLANTED_API_KEY", "sk-planted-key-123456")
    key, score = next((k, s) for k, s in own_run.latest("scores", Score).items() if s.status != "ok")
    told = planted.format(home=tmp_path / "planted-home")
    with own_run.writer("scores") as writer:
        writer.append(key, "", score.model_copy(update={"reason": told}), 99)
    with pytest.raises(SealError, match=tells):
        sealed(own_run)


def test_an_honest_run_comes_out_equal_and_an_altered_score_does_not(own_run: Run, tmp_path: Path) -> None:
    write_seal(own_run, tmp_path / "honest.seal")
    case = altered(own_run)
    write_seal(own_run, tmp_path / "altered.seal")
    cases = sorted({str(one.case) for one in own_run.latest("scores", Score).values()})
    _, bundle = read_seal(tmp_path / "altered.seal")
    nonce = next(str(k) for k in range(1000) if drawn_cases(bundle, str(k), cases, 1) == [case])
    found = audit(tmp_path / "altered.seal", 1, Silent(), nonce=nonce)
    assert found.verdict == "not reproduced"
    assert [one.case for one in found.outside] == [case]
    assert found.nonce_given
    honest = audit(tmp_path / "honest.seal", 1, Silent())
    assert honest.verdict == "reproduced"
    assert (honest.within, honest.outside, honest.tolerance) == (0, (), 0.0)
    assert honest.equal > 10
    assert "Nothing here shows that the clips come from the model" in honest.proves


def test_an_audit_that_would_see_nothing_wrong_still_sees_other_tasks(own_run: Run, tmp_path: Path) -> None:
    write_seal(own_run, tmp_path / "s.seal")
    trusted, _ = read_seal(tmp_path / "s.seal")
    task = next(iter(trusted.tasks))
    other = trusted.model_copy(update={"tasks": trusted.tasks | {task: "0" * 64}})
    found = audit(tmp_path / "s.seal", 1, Silent(), suite=other)
    assert found.verdict == "other suite"
    assert task in found.differences["tasks"]


def test_an_audit_starts_no_program_that_a_seal_names(own_run: Run, tmp_path: Path) -> None:
    """A plan may name programs; one that comes from a stranger is asked for nothing but plain words and numbers."""
    facts = json.loads((own_run.root / "run.json").read_text())
    marker = tmp_path / "ran"
    observers = sorted(facts["instruments"])
    facts["settings"] = {f"{name}.worker": f"sh -c 'touch {marker}'" for name in observers}
    facts["settings"] |= {"vggt.command": f"touch {marker}", "replay.every": 2, "a.model": "facebook/dinov2-base"}
    plan, refused = _safe_plan(Plan.model_validate(facts), {})
    assert plan.settings == {"replay.every": 2, "a.model": "facebook/dinov2-base"}
    assert {f"setting {name}.worker" for name in observers} < set(refused)
    trusted, refused = _safe_plan(Plan.model_validate(facts), {"vggt.command": "mine"})
    assert trusted.settings["vggt.command"] == "mine"
    assert "setting vggt.command" not in refused
    facts["settings"] = {f"{name}.worker": f"/bin/sh -c 'touch {marker}'" for name in observers}
    facts["settings"] = {name: text.replace(str(tmp_path), ".") for name, text in facts["settings"].items()}
    (own_run.root / "run.json").write_text(json.dumps(facts))
    write_seal(own_run, tmp_path / "s.seal")
    found = audit(tmp_path / "s.seal", 1, Silent())
    assert found.equal > 10
    assert not marker.exists()


def test_the_commands(own_run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.seal"
    code, said = invoke("share", "seal", str(own_run.root), "--out", str(path), "--without-pixels")
    assert code == 0
    assert "bundle" in said
    code, said = invoke("share", "audit", str(path), "--out", str(tmp_path / "audit.json"))
    assert code == 0
    assert "hashes only" in said
    assert json.loads((tmp_path / "audit.json").read_text())["verdict"] == "hashes only"
    code, said = invoke("share", "audit", str(tmp_path / "none.seal"))
    assert code == 1
    assert "no such file" in said


def test_a_sealed_run_opens_like_any_other(own_run: Run, tmp_path: Path) -> None:
    write_seal(own_run, tmp_path / "s.seal")
    unpack(tmp_path / "s.seal", tmp_path / "out")
    assert open_run(tmp_path / "out").latest("scores", Score) == own_run.latest("scores", Score)
