"""What StEvo-Bench's verifiers say: was it started, was it hidden, did it go on, is it one film and a possible one."""

from __future__ import annotations

from typing import ClassVar, Literal

from lookaway.readings.told import Told


class Started(Told):
    prompts: ClassVar = ("stevo/started:paper_prompt", "stevo/started:paper_text")
    trigger_applied: bool


class Hidden(Told):
    prompts: ClassVar = ("stevo/hidden:paper_prompt", "stevo/hidden:paper_text")
    occlusion_done: bool


class Progression(Told):
    prompts: ClassVar = ("stevo/progress:paper", "stevo/progress:sound", "stevo/progress_observed:sound")
    before: str
    after: str
    progressed: bool


class Expectation(Told):
    prompts: ClassVar = ("stevo/progress_expect:released",)
    expected_change: str


class Coherence(Told):
    """Faults on the list; a true one makes the clip incoherent."""

    prompts: ClassVar = ("stevo/coherent:paper", "stevo/coherent:sound")
    main_subject: str
    subject_disappears: bool
    reappears_wrongly: bool
    background_cut: bool
    state_jump: bool
    blackout_reset: bool
    teleport: bool


class Plausibility(Told):
    prompts: ClassVar = ("stevo/plausible:paper", "stevo/plausible:sound")
    kind: Literal["none", "in one moment", "in its course"]
    artifact: bool
