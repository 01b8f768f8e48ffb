"""Detection rows from imaginary scores whose answer is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.calibration.clip_scores import without_copies
from lookaway.calibration.detection import detect
from lookaway.metrics import METRICS
from lookaway.records import CaseId, Clip, Detection, Provenance
from tests.calibration.graded import RUNGS, a_metric, in_layouts, row_of, scored, table

TASKS = in_layouts(per_layout=10)  # 20 in each half
CALM = [0.0] * 9 + [0.2]


def grade(values: list[float | str], **more: object) -> list[Detection]:
    """Rows for a fault with these values on the first tasks, against calm clips of 0, one in ten 0.2."""
    scores = scored("calm", TASKS, CALM * 4) + scored("lost@0.5", TASKS[: len(values)], values)
    return detect(table(scores), RUNGS, TASKS, [a_metric()], **more)  # type: ignore[arg-type]


def test_hits_misses_and_silence() -> None:
    row = row_of(grade([1.0] * 5 + [0.1] * 3 + ["abstained", "gated", "failed", "not_applicable"]), "lost")
    assert (row.n, row.n_abstained, row.n_gated) == (11, 2, 1)
    assert row.hit_rate == pytest.approx(5 / 11)
    assert row.threshold == pytest.approx(0.2)
    assert row.declared
    # 5 above all 40; 3 above the 36 zeros, silence below everything
    assert row.auc == pytest.approx((5 * 40 + 3 * 36) / (11 * 40))
    assert row.false_alarm_rate == 0.0
    assert row.n_harmless == 40


def test_the_threshold_of_a_clip_comes_from_the_other_half() -> None:
    """Half one is noisy, half two is not: a fault of 0.3 is noticed only where the noisy half sets no threshold."""
    noisy = [0.5 if t.id.startswith(("beach", "kitchen")) else 0.0 for t in TASKS]
    scores = scored("calm", TASKS, noisy) + scored("lost@0.5", TASKS, [0.3] * 40)
    row = row_of(detect(table(scores), RUNGS, TASKS, [a_metric()]), "lost")
    assert row.hit_rate == 0.5  # those in the noisy half, by the quiet half's threshold of 0
    assert row.false_alarm_rate == 0.5  # all of the noisy half alarms, for the same reason
    assert row.threshold == 0.25  # mean of 0.5 and 0


def test_what_nobody_can_see_is_not_counted() -> None:
    hidden = {CaseId(task=t.id, system="lost@0.5", seed=0) for t in TASKS[:3]}
    row = row_of(grade([0.0] * 3 + [1.0] * 5, unobservable=hidden), "lost")
    assert (row.n, row.n_unobservable, row.hit_rate) == (5, 3, 1.0)
    every = {CaseId(task=t.id, system="lost@0.5", seed=0) for t in TASKS}
    row = row_of(grade([0.0] * 3, unobservable=every), "lost")
    assert (row.n, row.hit_rate, row.reason) == (0, None, "no clip differs enough from the truth to be seen")


def test_only_a_fault_can_be_unobservable() -> None:
    every = {CaseId(task=t.id, system="calm", seed=0) for t in TASKS}
    assert row_of(grade([1.0], unobservable=every), "calm").n == 40


def test_silence_on_a_harmless_clip_is_no_alarm_and_no_excuse() -> None:
    """Half of the calm clips have no number: the alarm rate is over the others."""
    calm: list[float | str] = [1.0 if n % 20 == 0 else "abstained" if n % 2 else 0.0 for n in range(40)]
    scores = scored("calm", TASKS, calm) + scored("blurred", TASKS[:4], [1.0, "abstained", "abstained", 0.0])
    rows = detect(table(scores), RUNGS, TASKS, [a_metric()])
    assert row_of(rows, "calm").n_harmless == 20
    assert row_of(rows, "calm").n == 40
    assert row_of(rows, "calm").false_alarm_rate == 0.1  # the two of the first half, by the second half's threshold 0
    assert (row_of(rows, "blurred").n, row_of(rows, "blurred").n_abstained) == (4, 2)
    assert row_of(rows, "blurred").hit_rate == 0.5  # one of the two with a number


def test_a_declared_margin_keeps_small_differences_quiet() -> None:
    scores = scored("calm", TASKS, [0.0] * 40) + scored("lost@0.5", TASKS[:2], [0.05, 0.06])
    rows = detect(table(scores), RUNGS, TASKS, [a_metric(margin=0.05)])
    assert row_of(rows, "lost").hit_rate == 0.5


def test_an_open_ended_metric_is_measured_from_what_is_usual() -> None:
    """PSNR has no best value: 40 dB is usual here, so 3 dB of margin alarm below 37."""
    scores = scored("calm", TASKS, [40.0] * 40) + scored("lost@0.5", TASKS[:3], [36.9, 37.0, 45.0])
    row = row_of(detect(table(scores), RUNGS, TASKS, [a_metric(better="higher", margin=3.0)]), "lost")
    assert row.hit_rate == pytest.approx(1 / 3)
    assert row.threshold == 3.0


def test_too_few_harmless_clips_give_a_reason_instead_of_a_threshold() -> None:
    scores = scored("calm", TASKS[:13], [0.0] * 13) + scored("lost@0.5", TASKS[:2], [1.0, 1.0])
    row = row_of(detect(table(scores), RUNGS, TASKS, [a_metric()]), "lost")
    assert row.hit_rate is None
    assert row.threshold is None
    assert "too few harmless clips with a number: 10 and 3" in row.reason
    assert row.auc == 1.0


def test_when_every_clip_is_hit_the_interval_has_a_lower_end() -> None:
    row = row_of(grade([1.0] * 10), "lost")
    assert (row.hit_rate, row.hit_high) == (1.0, 1.0)
    assert row.hit_low == pytest.approx(0.025 ** (1 / 10))  # ten scenes, all hit: p**10 = 0.025


def test_seeds_of_one_scene_do_not_count_as_scenes() -> None:
    scores = scored("calm", TASKS, CALM * 4)
    for seed in range(5):
        scores += scored("lost@0.5", TASKS[:2], [1.0, 1.0], seed=seed)
    row = row_of(detect(table(scores), RUNGS, TASKS, [a_metric()]), "lost")
    assert row.n == 10
    assert row.hit_low == pytest.approx(0.025 ** (1 / 2))


def test_a_score_in_two_protocols_counts_once() -> None:
    scores = scored("calm", TASKS, CALM * 4) + scored("lost@0.5", TASKS[:4], [1.0] * 4)
    again = [score.model_copy(update={"protocol": "another"}) for score in scores]
    both = detect(table(scores + again), RUNGS, TASKS, [a_metric()])
    assert both == detect(table(scores), RUNGS, TASKS, [a_metric()])


def test_every_instrument_has_rows_and_thresholds_of_its_own() -> None:
    """One is quiet and sees the fault; the other is noisy and the same fault drowns in its noise."""
    quiet, noisy = ({"instrument": f"judge {key}", "instrument_key": key} for key in ("a", "b"))
    scores = scored("calm", TASKS, [0.0] * 40, **quiet) + scored("lost@0.5", TASKS[:8], [0.3] * 8, **quiet)
    scores += scored("calm", TASKS, [0.5] * 40, **noisy) + scored("lost@0.5", TASKS[:8], [0.3] * 8, **noisy)
    rows = [row for row in detect(table(scores), RUNGS, TASKS, [a_metric()]) if row.fault == "lost"]
    assert [(row.instrument, row.instrument_key) for row in rows] == [("judge a", "a"), ("judge b", "b")]
    assert [(row.threshold, row.hit_rate, row.n) for row in rows] == [(0.0, 1.0, 8), (0.5, 0.0, 8)]
    alone = detect(table(scores[:48]), RUNGS, TASKS, [a_metric()])
    assert rows[0] == row_of(alone, "lost")


def test_what_is_asked_in_two_ways_is_not_pooled_either() -> None:
    scores = [
        score
        for key, value in (("few", 0.1), ("many", 0.9))
        for score in scored("lost@0.5", TASKS[:4], [value] * 4, ask=f"{key} frames", ask_key=key)
        + scored("calm", TASKS, [0.5] * 40, ask=f"{key} frames", ask_key=key)
    ]
    rows = [row for row in detect(table(scores), RUNGS, TASKS, [a_metric()]) if row.fault == "lost"]
    assert [(row.ask, row.auc, row.n) for row in rows] == [("few frames", 0.0, 4), ("many frames", 1.0, 4)]


def test_an_old_version_of_a_metric_is_not_counted() -> None:
    scores = scored("calm", TASKS, CALM * 4, version=1)
    row = row_of(detect(table(scores), RUNGS, TASKS, [a_metric(version=2)]), "calm")
    assert (row.n, row.reason) == (0, "no clip was measured")


def a_clip(task: str, seed: int, video: str | None) -> Clip:
    made = Provenance(generator="known_world", version=1, lookaway="0", python="3")
    status = "ok" if video is not None else "failed"
    return Clip(
        case=CaseId(task=task, system="lost@0.5", seed=seed),
        request_key="",
        task_instance="",
        status=status,
        video=video,
        provenance=made,
    )


def test_the_same_video_with_another_seed_is_no_further_clip() -> None:
    scores = [s for seed in range(3) for s in scored("lost@0.5", TASKS[:2], [1.0, 1.0], seed=seed)]
    videos = {("beach0", 0): "a", ("beach0", 1): "a", ("beach0", 2): "b", ("beach1", 0): "a"}
    clips = [a_clip(task, seed, video) for (task, seed), video in videos.items()]
    clips += [a_clip("beach1", seed, None) for seed in (1, 2)]
    left = without_copies(table(scores), clips[::-1])
    assert set(left.select("task", "seed").iter_rows()) == {("beach0", 0), ("beach0", 2)} | {
        ("beach1", seed) for seed in (0, 1, 2)
    }


def test_every_registered_metric_has_a_row_for_every_rung() -> None:
    metrics = list(METRICS.all().values())
    silent = {f"{m.name}:{m.variant}": "needs a judge" for m in metrics if m.asks}
    rows = detect(table([]), RUNGS, TASKS, metrics, not_measured=silent)
    assert {(r.metric, r.variant, r.fault) for r in rows} == {(m.name, m.variant, f) for m in metrics for f in FAULTS}
    assert all(row.n == 0 and row.reason for row in rows)
    assert {row.reason for row in rows if f"{row.metric}:{row.variant}" in silent} <= {"needs a judge"}


FAULTS = {rung.name for rung in RUNGS.values()}
VALUES = st.lists(st.integers(0, 9).map(float), min_size=4, max_size=40)


@given(VALUES, st.integers(1, 4))
def test_silence_never_helps(values: list[float], silent: int) -> None:
    """Taking numbers away from faulty clips lowers hits and AUC, or leaves them."""
    whole = row_of(grade([*values]), "lost")
    fewer: list[float | str] = [*values[:-silent], *["abstained"] * silent]
    part = row_of(grade(fewer), "lost")
    assert part.n == whole.n
    assert part.hit_rate <= whole.hit_rate  # type: ignore[operator]
    assert part.auc <= whole.auc  # type: ignore[operator]


@given(VALUES)
def test_a_baseline_is_graded_like_a_fault(values: list[float]) -> None:
    calm = scored("calm", TASKS, CALM * 4)
    here = [task for task, _ in zip(TASKS, values, strict=False)]
    scores = calm + scored("lost@0.5", here, values) + scored("still", here, values)
    rows = detect(table(scores), RUNGS, TASKS, [a_metric()])
    assert row_of(rows, "still").hit_rate == row_of(rows, "lost").hit_rate
    assert not row_of(rows, "still").declared
