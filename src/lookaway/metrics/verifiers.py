"""What StEvo-Bench's five verifiers say of a video, and the successes that are made of their verdicts."""

from __future__ import annotations

from collections.abc import Callable

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.verdicts import CONTROL, EVOLUTION, all_hold, ask_of, said_for

HIDDEN_ARM, OBSERVED_ARM = "progress:yoked", "progress_observed:yoked"

Parts = tuple[tuple[str, str], ...]  # verifiers, and the variant in which each is asked


def _of(variant: str, *verifiers: str) -> Parts:
    return tuple((verifier, variant) for verifier in verifiers)


# By metric and variant: whose verdicts must all be for the video, and what that means.
RATES: dict[str, dict[str, tuple[Parts, str]]] = {
    "observation_control": {
        "paper_text": (
            _of("paper_text", "observation"),
            "1 when the subject is seen to be hidden for a sustained time while the process goes on, or nothing was to "
            "hide it.",
        ),
        "paper_prompt": (
            _of("paper_prompt", "observation"),
            "1 when the subject is seen to be hidden, however briefly, before the process is over, or nothing was to "
            "hide it.",
        ),
        "released": (_of("released", "observation"), "As `paper_prompt`, by most of three replies to one wording."),
        "sound": (_of("sound", "observation"), "As `paper_text`, by most of three wordings."),
    },
    "action_control": {
        "paper_text": (
            _of("paper_text", "action"),
            "1 when what starts the process is seen to happen and to take effect, or nothing was to be done.",
        ),
        "paper_prompt": (
            _of("paper_prompt", "action"),
            "1 when what starts the process, or its effect, is seen, or nothing was to be done.",
        ),
        "released": (_of("released", "action"), "As `paper_prompt`, by most of three replies to one wording."),
        "sound": (_of("sound", "action"), "As `paper_text`, by most of three wordings."),
    },
    "control_success": {
        "paper_text": (_of("paper_text", *CONTROL), "1 when both controls hold, as the paper's text has them."),
        "paper_prompt": (_of("paper_prompt", *CONTROL), "1 when both controls hold, as the printed prompts have them."),
        "released": (_of("released", *CONTROL), "1 when both controls hold, by most of three replies each."),
        "sound": (_of("sound", *CONTROL), "1 when both controls hold, by most of three wordings each."),
    },
    "state_progress": {
        "paper": (
            _of("paper", "progress"),
            "1 when all three verifiers see it further along after the hiding than before, by however little.",
        ),
        "released": (_of("released", "progress"), "As `paper`, by most of three replies to one wording."),
        "sound": (
            _of("sound", "progress"),
            "1 when most verifiers see it about as far as it should be by then; a standstill is 0, and so is a rush.",
        ),
    },
    "physical_plausibility": {
        "paper": (
            _of("paper", "physics"),
            "1 when most verifiers, who are told the end state, find no breach that startles; a still world is none.",
        ),
        "released": (_of("released", "physics"), "As `paper`, by most of three replies to one wording."),
        "sound": (_of("sound", "physics"), "As `paper`, of verifiers who are told the event and not its end."),
    },
    "coherence": {
        "paper": (_of("paper", "coherence"), "1 when most verifiers find none of six faults."),
        "released": (_of("released", "coherence"), "1 unless all three replies find one of six faults."),
        "sound": (
            _of("sound", "coherence"),
            "1 when most verifiers find none of seven faults, something new that nothing brought among them.",
        ),
    },
    "evolution_success": {
        "paper": (
            _of("paper", *EVOLUTION),
            "1 when progress, physics and coherence hold; counted over all videos, controlled or not.",
        ),
        "released": (_of("released", *EVOLUTION), "1 when progress, physics and coherence hold, as the release votes."),
        "sound": (_of("sound", *EVOLUTION), "1 when progress, physics and coherence hold, each as `sound` has it."),
    },
    "task_success": {
        "paper": (
            (*_of("paper_prompt", *CONTROL), *_of("paper", *EVOLUTION)),
            "1 when all five verdicts hold, the controls as the printed prompts ask for them.",
        ),
        "released": (
            _of("released", *CONTROL, *EVOLUTION),
            "1 when all five verdicts hold; some of the release's scripts leave the controls out: see "
            "`evolution_success`.",
        ),
        "sound": (_of("sound", *CONTROL, *EVOLUTION), "1 when all five verdicts hold, each as `sound` has it."),
    },
}


def _rate(parts: Parts, doc: str) -> Callable[[Case], Outcome]:
    def rate(case: Case) -> Outcome:
        return all_hold(case, parts)

    rate.__doc__ = doc
    return rate


for _name, _variants in RATES.items():
    for _variant, (_parts, _doc) in _variants.items():
        metric(
            unit="rate",
            better="higher",
            range=(0, 1),
            name=_name,
            variant=_variant,
            asks=[ask_of(*part) for part in _parts],
            phase_source="judged",
            version=1,
        )(_rate(_parts, _doc))


@metric(
    unit="rate",
    better="higher",
    range=(0, 1),
    name="state_progress",
    variant="yoked",
    asks=[HIDDEN_ARM, OBSERVED_ARM],
    either=True,
    phase_source="judged",
    version=1,
)
def yoked(case: Case) -> Outcome:
    """1 when most verifiers see any progress over the seconds that are hidden, or over the same ones of a twin that
    is observed: what is asked of both is the same, so that they can be set against each other."""
    return said_for(case, OBSERVED_ARM if case.task.yoked else HIDDEN_ARM)
