"""What a clip costs in WRBench: calls, decodings and encodings; and a gate that is asked frame by frame."""

from __future__ import annotations

from collections import Counter

import pytest

from lookaway.api import Silent
from lookaway.pipeline import STAGES, footage, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Answer, Reply, Score
from lookaway.store import Run
from tests.judges.server import Manner, serving
from tests.walk.counting import count_pictures

pytest.importorskip("httpx")

LEAVES_AND_RETURNS = Manner(says_true=True, unseen=(2, 3, 4))  # of the rows about frames
ONE_CLIP = Options(only="parlour0_ball*/truth/0")


@pytest.mark.parametrize(
    ("protocol", "gate_calls"),
    [
        ("wrbench", 1),  # after a return other frames are shown than before
        ("wrbench_paper", 1),
        ("wrbench_released", 2),  # the second is the rescue pass
    ],
)
def test_a_clip_takes_ten_probes_and_the_gate_and_one_decoding_and_every_frame_is_encoded_once(
    own_run: Run, counts: Counter[str], protocol: str, gate_calls: int
) -> None:
    assert _calls(own_run, protocol) == (gate_calls, 10)
    shown = {(r.media, index) for r in own_run.latest("replies", Reply).values() for index in r.frame_indices}
    assert (counts["decoded"], counts["encoded"]) == (1, len(shown))


def test_a_long_clip_is_decoded_again_rather_than_kept_whole(
    own_run: Run, counts: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(footage, "WHOLE_BYTES", 1)
    assert _calls(own_run, "wrbench") == (1, 10)
    assert counts["decoded"] == 2


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    return count_pictures(monkeypatch)


def _calls(run: Run, protocol: str) -> tuple[int, int]:
    """Of the gate judge and the scorer, for one clip."""
    with serving(LEAVES_AND_RETURNS) as gate, serving(LEAVES_AND_RETURNS) as scorer:
        judges = [f"gate=openai:{gate.url}#watcher", f"scorer=openai:{scorer.url}#scorer"]
        plan = plans.extend(run, "diorama-mini", chosen=[protocol], judges=judges)
        run_stage(STAGES["judge"], run, plan, ONE_CLIP, Silent())
        return len(gate.log), len(scorer.log)


def test_a_gate_asked_frame_by_frame_says_the_same_at_a_call_for_each(own_run: Run) -> None:
    plan = plans.extend(own_run, "diorama-mini", chosen=["wrbench", "wrbench_frames"], judges=["oracle"])
    for stage in ("judge", "score"):
        run_stage(STAGES[stage], own_run, plan, Options(only="parlour0_ball*/*/0"), Silent())
    gates = [a for a in own_run.latest("answers", Answer).values() if a.question == "wrbench/judgeable"]
    together, apart = ({a.media: a for a in gates if f", {variant}, " in a.ask} for variant in ("sound", "frame"))
    assert together.keys() == apart.keys()
    for media, whole in together.items():
        assert apart[media].fields == whole.fields
        assert len(whole.replies) == 1
        assert len(apart[media].replies) == len(whole.fields["frames"]) > 15
    scores = [s for s in own_run.latest("scores", Score).values() if s.protocol.startswith("wrbench")]
    for metric in ("judged_support", "reobserved_spatial", "reobserved_state"):
        told = {
            name: {(s.system, s.value) for s in scores if (s.protocol, s.metric) == (name, metric)} for name in NAMES
        }
        assert told["wrbench"] == told["wrbench_frames"] != set()
    assert len({s.ask_key for s in scores if s.metric == "judged_support"}) == 2, "they never share a cell"


NAMES = ("wrbench", "wrbench_frames")


def test_one_frame_that_cannot_be_read_leaves_the_clip_unknown_and_says_which(own_run: Run) -> None:
    with serving(Manner(says_true=True, script=["ok", "ok", "no_form", "no_form"])) as server:
        plan = plans.extend(own_run, "diorama-mini", chosen=["wrbench_frames"], judges=[f"openai:{server.url}#one"])
        run_stage(STAGES["judge"], own_run, plan, ONE_CLIP, Silent())
    (answer,) = [a for a in own_run.latest("answers", Answer).values() if a.question == "wrbench/judgeable"]
    assert (answer.status, answer.reason.partition(":")[0]) == ("invalid", "frame 3")
