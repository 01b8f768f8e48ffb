"""Does time run back?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.signals import Signals
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.readings.film import is_undone


@metric(unit="yes or no", better="lower", range=(0, 1), needs=["signals"], version=2)
def time_undone(case: Case) -> Outcome:
    """1 where the second half shows the first one's frames again, things that move included; else 0.

    A world in which nothing but the camera moves, and it the same way back, is 1 too: no picture tells the two apart.
    So it is not asked where a task says that nothing happens.
    """
    if case.task.event == "none":
        return NotApplicable("nothing happens in this task, so nothing can be undone")
    undone = is_undone(case.saw(Signals))
    return undone if isinstance(undone, Abstain) else float(undone)
