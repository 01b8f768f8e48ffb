"""`judges test`: over real HTTP, each kind of server is known by what it does with pictures that we know."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway import cli
from lookaway.images import png_bytes
from lookaway.judges.doctor.canaries import NAMES, picture
from lookaway.judges.doctor.checkup import COUNTS, frames_paid_for
from lookaway.judges.gemini.failures import KEY as GEMINI_KEY
from lookaway.judges.openai.client import KEY
from tests.judges.gemini_server import GeminiManner, GeminiServer
from tests.judges.seeing_server import SeeingServer, Sight, recognised
from tests.judges.server import in_thread

pytest.importorskip("httpx")

SECRET = "planted-judge-key-0123456789"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small suite of one task and a place where nothing is left behind."""
    blocks = (ROOT / "docs" / "add-a-suite.md").read_text().split("```")
    toml, task = (next(b for b in blocks if b.startswith(kind)).partition("\n")[2] for kind in ("toml", "json"))
    folder = tmp_path / "lamp"
    folder.mkdir()
    (folder / "suite.toml").write_text(toml)
    asked = {
        "id": "there",
        "text": "Is the lamp there?",
        "dimension": "memory",
        "polarity": "positive",
        "expected": "yes",
    }
    lines = [json.dumps(json.loads(line) | {"questions": [asked]}) for line in task.splitlines() if line.strip()]
    (folder / "tasks.jsonl").write_text("\n".join(lines))
    (folder / "lamp.png").write_bytes(png_bytes(np.zeros((90, 160, 3), np.uint8)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(KEY, SECRET)
    monkeypatch.setenv("LOOKAWAY_STATE", str(tmp_path / "state"))


def doctor(monkeypatch: pytest.MonkeyPatch, judge: str, *more: str) -> tuple[str, int]:
    monkeypatch.setattr(sys, "argv", ["lookaway", "judges", "test", judge, "--suite", "./lamp", *more])
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            cli.main()
        except SystemExit as end:
            return text.getvalue(), int(end.code or 0)
    return text.getvalue(), 0


def findings(monkeypatch: pytest.MonkeyPatch, manner: Sight, *more: str) -> tuple[dict[str, dict[str, str]], int]:
    with in_thread(SeeingServer(manner)) as server:
        model = ["--set", "openai.model=tiny", "--set", "openai.unique_ids=false"]
        said, code = doctor(monkeypatch, f"openai:{server.url}", *model, "--json", *more)
    assert SECRET not in said
    told = json.loads(said)
    assert told["trusted"] == (code == 0)
    return {finding["name"]: finding for finding in told["findings"]}, code


def test_canaries_differ_and_are_recognised() -> None:
    assert [recognised(picture(name)) for name in NAMES] == list(NAMES)
    assert len(NAMES) == COUNTS[-1]


def test_a_good_server_is_trusted_and_priced(monkeypatch: pytest.MonkeyPatch) -> None:
    prices = ["--set", "openai.usd_in=1000", "--set", "openai.usd_out=0"]
    found, code = findings(monkeypatch, Sight(tokenizes=True), *prices)
    assert code == 0
    assert {name: finding["state"] for name, finding in found.items()} == dict.fromkeys(
        ["answers", "p_yes", "spellings", "frames", "sight", "schema", "latency", "cost"], "ok"
    )
    assert found["answers"]["says"] == "tiny is there; the model calls itself tiny"
    assert "exact" in found["p_yes"]["says"]
    assert found["spellings"]["says"] == "1 of yes and 1 of no are single tokens"
    assert "all of 8 are paid for, about 149 tokens each" in found["frames"]["says"]
    assert "7 of 7 known answers right" in found["sight"]["says"]
    assert "1 calls a model and seed" in found["cost"]["says"]
    assert "USD" in found["cost"]["says"]


def test_a_server_that_lists_its_likeliest_tokens_gives_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    found, code = findings(monkeypatch, Sight())
    assert (code, found["p_yes"]["state"]) == (0, "ok")
    assert "bounded: known to 0.00" in found["p_yes"]["says"]
    assert "1 of yes and 1 of no were among the likeliest" in found["spellings"]["says"]


def test_a_server_that_merges_frames_in_pairs_drops_none(monkeypatch: pytest.MonkeyPatch) -> None:
    found, code = findings(monkeypatch, Sight(pairs=True))
    assert (code, found["frames"]["state"]) == (0, "ok")


@pytest.mark.parametrize(("most", "says"), [(4, "about 4 of 8 frames are seen"), (1, "frames are dropped")])
def test_a_server_that_drops_frames_is_found_out(monkeypatch: pytest.MonkeyPatch, most: int, says: str) -> None:
    found, code = findings(monkeypatch, Sight(most_frames=most))
    assert code == 1
    assert says in found["frames"]["says"]
    assert found["sight"]["state"] == "fail"
    assert "frame 8" in found["sight"]["says"]


def test_a_server_that_refuses_several_pictures_is_told_how_many_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    found, code = findings(monkeypatch, Sight(most_pictures=2))
    assert code == 1
    assert found["frames"]["says"].startswith("4 frames: rejected")
    assert found["frames"]["then"].endswith("--set openai.frames=uniform:2")


def test_a_server_without_scores_is_found_out_though_it_says_200(monkeypatch: pytest.MonkeyPatch) -> None:
    found, code = findings(monkeypatch, Sight(tells_scores=False))
    assert code == 1
    assert "no token scores in the reply, though they were asked for" in found["p_yes"]["says"]
    assert found["p_yes"]["then"] == "--set openai.scores=none: votes only"
    assert found["sight"]["state"] == "ok", "the rest is looked at all the same"
    found, code = findings(monkeypatch, Sight(tells_scores=False), "--set", "openai.scores=none")
    assert (code, found["p_yes"]["state"]) == (0, "warn")


def test_a_server_that_has_a_tokenizer_but_no_exact_scores_is_told_what_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    found, code = findings(monkeypatch, Sight(tokenizes=True, knows_token_ids=False))
    assert code == 1
    assert "does the server know logprob_token_ids?" in found["p_yes"]["says"]
    assert found["p_yes"]["then"] == "--set openai.scores=top: p_yes with bounds"


def test_a_server_that_ignores_schemas_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found, code = findings(monkeypatch, Sight(keeps_schema=False))
    assert (code, found["schema"]["state"]) == (0, "warn")
    assert "does not keep a JSON schema" in found["schema"]["says"]


def test_a_judge_that_says_yes_to_everything_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    found, code = findings(monkeypatch, Sight(always="Yes"))
    assert code == 1
    assert "3 of 7 known answers right" in found["sight"]["says"]
    assert "blank frames" in found["sight"]["says"]


def test_a_server_that_counts_no_tokens_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    found, code = findings(monkeypatch, Sight(usage=False))
    assert (code, found["frames"]["state"], found["cost"]["state"]) == (0, "warn", "warn")


def test_a_wrong_key_and_a_dead_address_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    found, code = findings(monkeypatch, Sight(key="another key"))
    assert code == 1
    assert f"is {KEY} set to a valid key?" in found["answers"]["says"]
    assert "key" in found["answers"]["then"]
    said, code = doctor(monkeypatch, "openai:http://127.0.0.1:9/v1", "--set", "openai.model=tiny")
    assert code == 1
    assert said.startswith("fail  answers   unreachable: no server at http://127.0.0.1:9/v1")
    assert "→ start the server" in said


def test_it_is_one_screen_of_a_hundred_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    with in_thread(SeeingServer(Sight(most_frames=4, tells_scores=False, keeps_schema=False))) as server:
        said, _ = doctor(monkeypatch, f"openai:{server.url}", "--set", "openai.model=tiny")
    assert max(map(len, said.splitlines())) <= 100
    assert 8 <= len(said.splitlines()) <= 24


def test_gemini_is_looked_over_too(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("google.genai")
    monkeypatch.setenv(GEMINI_KEY, SECRET)
    with in_thread(GeminiServer(GeminiManner())) as server:
        said, code = doctor(monkeypatch, "gemini:gemini-test", "--set", f"gemini.url={server.url}", "--json")
    found: dict[str, Any] = {finding["name"]: finding for finding in json.loads(said)["findings"]}
    assert code == 1, "this server says yes to everything"
    assert found["sight"]["state"] == "fail"
    assert (found["p_yes"]["state"], found["p_yes"]["says"]) == ("warn", "no token scores: votes only")
    assert "258 tokens each" in found["frames"]["says"]
    assert SECRET not in said


def test_in_video_mode_the_pictures_go_as_videos_and_none_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("google.genai")
    monkeypatch.setenv(GEMINI_KEY, SECRET)
    native = ["--set", "gemini.frames=native:1 a second", "--set", "gemini.inline_mb=0"]
    with in_thread(GeminiServer(GeminiManner())) as server:
        said, _ = doctor(monkeypatch, "gemini:gemini-test", "--set", f"gemini.url={server.url}", *native)
        assert server.files == {}
        assert server.calls["start"] == server.calls["delete"] == 6, "canaries of four lengths, blanks, a still"
    assert "ok    frames    all of 8 are paid for, about 258 tokens each: 298, 556, 1072, 2104" in said


def test_a_judge_that_is_no_model_has_nothing_to_look_over(monkeypatch: pytest.MonkeyPatch) -> None:
    said, code = doctor(monkeypatch, "scripted:answers.jsonl")
    assert code == 2
    assert "scripted is no model" in said


@pytest.mark.parametrize(
    ("counted", "state"),
    [
        ([200, 350, 650, 1250], "ok"),
        ([200, 210, 360, 660], "ok"),  # merged in pairs
        ([200, 350, 650, 670], "fail"),  # four at most
        ([200, 350, 360, 380], "fail"),  # two at most
        ([60, 70, 90, 130], "fail"),  # none
    ],
)
def test_tokens_tell_how_many_frames_were_seen(counted: list[int], state: str) -> None:
    assert frames_paid_for(counted, "openai").state == state
