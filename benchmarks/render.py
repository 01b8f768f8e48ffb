"""What a picture of the known world costs: against bare embree rays of the same views, and with two workers."""

from __future__ import annotations

import hashlib
import multiprocessing
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from statistics import fmean
from time import perf_counter, process_time

import numpy as np
from numpy.typing import NDArray

from lookaway.records import WorldSpec
from lookaway.worlds import World

SPECS = (
    WorldSpec(layout="parlour", process="ball", seed=1),
    WorldSpec(layout="workshop", process="filling", seed=1),
)
SIZES = ((320, 180), (832, 480))
FRAMES, TRIES = 9, 4
TURN_DEG, STEP_DEG = 60.0, 0.01
TOGETHER_FRAMES = 40


def measure() -> dict[str, float]:
    """CPU time of a frame and its ratio to one bare ray per pixel (at most 4), each for the dearer of two worlds.

    `held`: a known pose, bodies drawn anew. `moving`: a new pose in every frame. `two_over_one`: frames a second of
    two processes over those of one. `different_bytes`: 1 if the two processes' frames differ.
    """
    found: dict[str, float] = {}
    for size in SIZES:
        costs = [frame_costs(World(spec, size)) for spec in SPECS]
        for kind in ("held", "moving"):
            found[f"{kind}_{size[0]}_cpu_ms"] = 1000 * max(cost[kind] for cost in costs)
            found[f"{kind}_{size[0]}_over_bare"] = max(cost[kind] / cost["bare"] for cost in costs)
    return found | together()


def frame_costs(world: World) -> dict[str, float]:
    """CPU seconds of a frame with a held and with a moving camera, and of the bare rays of the moving one.

    Means over views, each the least of a few tries: other work on the machine only ever adds.
    """
    world.render(world.home, 0.0)
    least: dict[str, list[float]] = {"bare": [], "held": [], "moving": []}
    for number, yaw_deg in enumerate(np.linspace(-TURN_DEG / 2, TURN_DEG / 2, FRAMES)):
        tries: dict[str, list[float]] = {kind: [] for kind in least}
        for attempt in range(1, TRIES + 1):
            camera, second = world.look(float(yaw_deg) + attempt * STEP_DEG), number / 2 + attempt / 100
            for kind, times in tries.items():
                start = process_time()
                match kind:
                    case "bare":
                        bare_rays(world, camera)
                    case "held":
                        world.render(world.home, second)
                    case "moving":
                        world.render(camera, second)
                times.append(process_time() - start)
        for kind, times in tries.items():
            least[kind].append(min(times))
    return {kind: fmean(times) for kind, times in least.items()}


def bare_rays(world: World, camera: NDArray[np.float64]) -> None:
    """One ray through every pixel centre into the world's own embree scene, and nothing else."""
    focal, centre_x, centre_y = world.intrinsics[[0, 0, 1], [0, 2, 2]]
    x = (np.arange(2 * centre_x, dtype=np.float32) + np.float32(0.5 - centre_x)) / np.float32(focal)
    y = (np.arange(2 * centre_y, dtype=np.float32) + np.float32(0.5 - centre_y)) / np.float32(focal)
    turn = camera[:3, :3].astype(np.float32)
    directions = (x[:, None] * turn[:, 0] + (y[:, None] * turn[:, 1] + turn[:, 2])[:, None]).reshape(-1, 3)
    origins = np.tile(camera[:3, 3].astype(np.float32), (len(directions), 1))
    world._renderer._tracer._static._scene.run(origins, directions, output=1)


def together() -> dict[str, float]:
    """One worker, then two at once, on the same frames."""
    (alone, _), *_ = workers(1)
    pair = workers(2)
    return {
        "two_over_one": 2 * alone / max(seconds for seconds, _ in pair),
        "different_bytes": float(len({digest for _, digest in pair}) - 1),
    }


def workers(count: int) -> list[tuple[float, str]]:
    """Wall seconds and digest of each of so many processes that render the same frames at the same time."""
    context = multiprocessing.get_context("spawn")
    ready, answers = context.Barrier(count), context.Queue()
    processes = [context.Process(target=work, args=(ready, answers)) for _ in range(count)]
    for process in processes:
        process.start()
    found = [answers.get() for _ in processes]
    for process in processes:
        process.join()
    return found


def work(ready: Barrier, answers: Queue[tuple[float, str]]) -> None:
    world = World(SPECS[0], SIZES[0])
    world.render(world.look(40), 0.0)
    said = hashlib.sha256()
    ready.wait()
    start = perf_counter()
    for number in range(TOGETHER_FRAMES):
        view = world.render(world.look(number - TOGETHER_FRAMES / 2), number / 16)
        for array in (view.rgb, view.depth, view.instances):
            said.update(array.tobytes())
    answers.put((perf_counter() - start, said.hexdigest()))


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.4f}")
