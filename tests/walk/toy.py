"""A protocol that is all asks: a gate judge, a scorer, and a verifier that may be an ensemble.

Run as a program, it is the command line with the protocol's metrics installed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from lookaway.cli import main
from lookaway.gates import GATES, gate
from lookaway.metrics import METRICS, Case, Outcome, metric
from lookaway.outcomes import Abstain, Gated, Measured
from lookaway.readings.windows import judged_phases
from lookaway.records import Answer

PROTOCOL = Path(__file__).with_name("toy.toml")


def toy_returned(case: Case) -> Gated | Abstain | None:
    """The gate judge saw the subject leave and come back."""
    phases = judged_phases(case, "judgeable")
    if isinstance(phases, Abstain):
        return phases
    if any(phase.phase == "returned" for phase in phases):
        return None
    return Gated("not_judgeable", "the subject was never made out again")


def toy_support(case: Case) -> Outcome:
    """Whether the gate judge saw the subject leave and come back."""
    closed = toy_returned(case)
    return closed if isinstance(closed, Abstain) else float(closed is None)


def toy_place(case: Case) -> Outcome:
    """Evidence for the right place: of the positive probe, and of the negative one turned round."""
    right, wrong = _sure(case.said("place_right")), _sure(case.said("place_wrong"))
    if right is None or wrong is None:
        return Abstain("a probe was not answered")
    value = (right + 1 - wrong) / 2
    return Measured(value, value, value)


def _sure(answer: Answer) -> float | None:
    """How sure a judge is of yes: by its token scores, or by its word where it tells none."""
    return answer.p_yes if answer.p_yes is not None or answer.choice is None else float(answer.choice == "yes")


def toy_late_place(case: Case) -> Outcome:
    """The same of the positive probe alone, for a metric without a gate that asks the gate judge itself."""
    return case.said("place_right").p_yes or 0.0


def toy_progress(case: Case) -> Outcome:
    """Whether it went on, by the verifiers' vote."""
    answer = case.said("progress")
    return Abstain(answer.reason or "split") if answer.choice is None else float(answer.choice == "yes")


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """The protocol's metrics and gate, for a while."""
    METRICS.all(), GATES.all()
    with mock.patch.dict(METRICS._plugins), mock.patch.dict(GATES._plugins):
        gate(asks=["judgeable"], version=1)(toy_returned)
        plain = {"unit": "share", "better": "higher", "range": (0, 1), "version": 1}
        metric(**plain, asks=["judgeable"])(toy_support)
        metric(**plain, gates=["toy_returned"], asks=["place_right", "place_wrong"])(toy_place)
        metric(**plain, asks=["judgeable", "place_right"])(toy_late_place)
        metric(**plain, asks=["progress"])(toy_progress)
        yield


if __name__ == "__main__":
    with installed():
        main()
