"""An observer may look in another's place: `--set subject_track.by=subject_track_sam2`.

Whoever reads what the one sees then reads what the other saw, so it must see the same arrays: its class is derived from
the other's. It is another instrument, and gets the settings of the one that it stands in for.
"""

from __future__ import annotations

from collections.abc import Mapping

from lookaway.errors import UsageError
from lookaway.observers import OBSERVERS, Observer
from lookaway.records import Setting

BY = "by"


def stand_in(observer: Observer, settings: Mapping[str, Setting]) -> Observer:
    """Who looks: the observer itself, or the one that its settings name."""
    if BY not in settings:
        return observer
    other = OBSERVERS.get(str(settings[BY]))
    if not issubclass(other.saw, observer.saw):
        fit = [name for name, each in OBSERVERS.all().items() if issubclass(each.saw, observer.saw)]
        raise UsageError(f"{other.name} does not see what {observer.name} sees; these do: {', '.join(fit)}")
    return other
