"""Ray: actors on the nodes of a cluster, and a lease queue of our own in the process that was started.

No collectives, no Ray Data, no usage statistics, no dashboard. See docs/cluster.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lookaway.executors import Group, Lost, Perform, Site, executor
from lookaway.executors.ray.cluster import connected, disconnect, room
from lookaway.executors.ray.crew import Crew
from lookaway.executors.ray.judging import on_cluster

_crew: Crew | None = None


def crew_of(site: Site) -> Crew:
    """The workers of a site, which live from stage to stage."""
    global _crew
    if _crew is None or _crew.site != site or not _crew.ray.is_initialized():
        dismiss_all()
        _crew = Crew(site)
    return _crew


def dismiss_all() -> None:
    """End all workers, and the cluster where it is our own."""
    global _crew
    if _crew is not None:
        _crew.kill()
        disconnect()
    _crew = None


def has_gpus(site: Site) -> bool:
    return room(connected(site))["GPU"] > 0


@executor(
    version=1,
    extra="ray",
    help=lambda site: on_cluster(crew_of(site)),
    has_devices=has_gpus,
    takes_address=True,
)
def ray(perform: Perform, groups: Sequence[Group], site: Site) -> Iterator[list[Any] | Lost]:
    """One worker per CPU of a cluster, or per GPU; a dead one costs what it was doing, which another one does."""
    crew = crew_of(site)
    try:
        yield from crew.run(perform, groups)
    except BaseException:
        crew.kill()
        raise
