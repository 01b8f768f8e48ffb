"""Cases in which only judges have spoken: probes by how sure they are of yes, the gate by a row of letters."""

from __future__ import annotations

from typing import Any

from lookaway.metrics import METRICS, Case, Outcome
from lookaway.readings.probes import ProbeSet
from lookaway.records import Answer
from tests.builders import task

# What the gate judge says of a frame, by a letter: made out, out of the picture, covered, back but strange,
# known but without a place to be told, known but in a state that cannot be told.
FRAMES: dict[str, dict[str, Any]] = {
    "y": {"seen": "in view", "identifiable": True, "place": True, "state": True},
    "n": {"seen": "out of the picture", "identifiable": False, "place": False, "state": False},
    "c": {"seen": "covered", "identifiable": False, "place": False, "state": False},
    "?": {"seen": "in view", "identifiable": False, "place": False, "state": False},
    "s": {"seen": "in view", "identifiable": True, "place": False, "state": True},
    "p": {"seen": "in view", "identifiable": True, "place": True, "state": False},
}


def answer(**facts: Any) -> Answer:
    names = ("media", "task_instance", "question", "instrument", "instrument_key", "ask", "ask_key")
    return Answer(**(dict.fromkeys(names, "a") | {"status": "ok"} | facts))


def sure(p_yes: float, low: float | None = None, high: float | None = None) -> Answer:
    return answer(estimator="p_yes", p_yes=p_yes, p_yes_low=low, p_yes_high=high)


def gate_rows(letters: str, rate: float = 4.0) -> Answer:
    """The gate's rows at so many a second."""
    rows = [{"id": str(k + 1), "seconds": k / rate, **FRAMES[letter]} for k, letter in enumerate(letters)]
    return answer(estimator="structured", fields={"frames": rows})


def flag_rows(letters: str) -> Answer:
    """One flag a second."""
    rows = [{"id": str(k + 1), "seconds": float(k), "judgeable": letter == "y"} for k, letter in enumerate(letters)]
    return answer(estimator="structured", fields={"frames": rows})


def heard(answers: dict[str, Answer]) -> Case:
    return Case(task(), None, {}, {ask: {ask: said} for ask, said in answers.items()})


def probed(probes: ProbeSet, variant: str, *answers: Answer) -> Case:
    return heard(dict(zip(probes.asks(variant), answers, strict=True)))


def value(metric: str, case: Case) -> Outcome:
    return METRICS.get(metric).function(case)


def asked_cases() -> list[Case]:
    """A return, none, and a judge that fell silent, as every gate judge tells it."""
    rows = [(gate_rows(letters), flag_rows(letters)) for letters in ("yynnyy", "yyyyyy", "nnnnnn", "yynnnn")]
    rows.append((answer(status="invalid", reason="no form"),) * 2)
    asks = ("judgeable:paper", "judgeable:sound", "judgeable:released", "judgeable_rescue:released")
    return [heard(dict(zip(asks, (whole, whole, flags, flags), strict=True))) for whole, flags in rows]
