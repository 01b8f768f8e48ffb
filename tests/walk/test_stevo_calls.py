"""What a clip costs in StEvo-Bench: calls, decodings and encodings; and what is said of it before and after."""

from __future__ import annotations

from collections import Counter

import pytest

from lookaway.api import Silent
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Reply
from lookaway.store import Run
from tests.command import invoke
from tests.judges.server import Manner, serving
from tests.walk.counting import count_pictures

pytest.importorskip("httpx")

ONE_CLIP = "parlour0_ball*/truth/0"
VERIFIERS = {  # verifiers x 3 replies, and what should change foretold once from the first frame
    "stevo": 3 * 6 + 1,  # hidden, started, progress, progress of the yoked seconds, physics, coherence
    "stevo_paper": 3 * 7 + 1,  # both forms of hidden and started
    "stevo_released": 3 * 5 + 1,
}


@pytest.mark.parametrize("protocol", VERIFIERS)
def test_all_verifiers_of_a_clip_share_one_decoding_and_every_frame_is_encoded_once(
    own_run: Run, monkeypatch: pytest.MonkeyPatch, protocol: str
) -> None:
    counts: Counter[str] = count_pictures(monkeypatch)
    with serving(Manner(says_true=True)) as server:
        plan = plans.extend(own_run, "diorama-mini", chosen=[protocol], judges=[f"verifier=openai:{server.url}#one"])
        run_stage(STAGES["judge"], own_run, plan, Options(only=ONE_CLIP), Silent())
        assert len(server.log) == VERIFIERS[protocol]
    replies = own_run.latest("replies", Reply).values()
    shown = {(reply.media, index) for reply in replies for index in reply.frame_indices}
    assert len({media for media, _ in shown}) == 2, "the clip, and its first frame by itself"
    assert (counts["decoded"], counts["encoded"]) == (1, len(shown))


def test_calls_tokens_and_money_are_told_before_and_after(own_run: Run) -> None:
    with serving(Manner(says_true=True)) as server:
        words = ("stage", "judge", str(own_run.root), "--only", ONE_CLIP)
        plans.extend(own_run, "diorama-mini", chosen=["stevo"], judges=[f"verifier=openai:{server.url}#one"])
        code, before = invoke(*words, "--dry-run")
        assert code == 0, before
        assert not server.log, "a forecast asks nobody"
        code, after = invoke(*words)
        assert code == 0, after
        assert len(server.log) == VERIFIERS["stevo"]
    assert "at most 38 calls" in before, "each may be asked for once more"
    assert "spent before: 0 calls, 0 tokens, 0.00 USD" in before
    assert "spent by now: 19 calls" in after
