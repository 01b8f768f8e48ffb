"""What the store costs: appending against a bare loop, a million scores to a Board against bare polars, and
one case among them.

Every reading is done cold, in a process of its own; CPU time (user and system) and peak memory come from the kernel's
account of that process. Both sides of a ratio take turns in one run.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, process_time
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from lookaway.records import Score, Task
    from lookaway.store import Writer

    Ready = tuple[str, str, Score, int]

APPENDED, APPEND_TURN, APPEND_REPEATS, READ_REPEATS = 50_000, 200, 5, 3
SCENES, TASKS_PER_SCENE, SYSTEMS, METRICS = 125, 10, 50, 16
CATEGORIES = ("pour", "roll", "fade", "swing", "grow")
CELL = ["protocol", "metric", "variant", "version", "instrument_key", "ask_key", "phase_source", "system"]


class Spent(NamedTuple):
    cpu_s: float
    peak_gb: float
    wall_s: float


def measure() -> dict[str, float]:
    """Ratios of CPU time (append at most 2, boards at most 3) and peak memory in GB (at most 2).

    `show` of one case takes at most 3 s and 0.5 GB.
    """
    with TemporaryDirectory() as folder:
        found = {"append_over_bare": append_over_bare(Path(folder))}
        million = Path(folder) / "million"
        spent("fill", million)
        found |= boards(million, "ndjson")
        spent("furnish", million)
        found |= shown(million, "ndjson")
        spent("compact", million)
        return found | boards(million, "parquet") | shown(million, "parquet")


# ---------------------------------------------------------------- append


def append_over_bare(folder: Path) -> float:
    """Both sides write the same bytes, in short turns, each turn's records and lines made just before it."""
    from lookaway.store import Run

    run = Run(folder / "appended")
    with run.writer("scores") as writer:
        for line in itertools.islice(million_lines(), APPENDED):
            writer.append(*parsed(line))
    ours = bare = 0.0
    for _ in range(APPEND_REPEATS):
        with (
            writer.path.open("rb") as source,
            run.writer("again") as again,
            (folder / "bare.jsonl").open("wb") as file,
        ):
            for turn in itertools.count():
                lines = list(itertools.islice(source, APPEND_TURN))
                if not lines:
                    break
                ready = [parsed(line) for line in lines]
                if turn % 2:
                    bare += bare_loop(file, lines)
                    ours += append_all(again, ready)
                else:
                    ours += append_all(again, ready)
                    bare += bare_loop(file, lines)
        if again.path.read_bytes() != (folder / "bare.jsonl").read_bytes():
            raise SystemExit("the writer and the bare loop wrote different bytes")
    return ours / bare


def append_all(writer: Writer, ready: list[Ready]) -> float:
    start = process_time()
    for key, inputs, score, attempt in ready:
        writer.append(key, inputs, score, attempt)
    return process_time() - start


def bare_loop(file: BinaryIO, lines: list[bytes]) -> float:
    start = process_time()
    for line in lines:
        file.write(line)
        file.flush()
    return process_time() - start


def parsed(line: bytes) -> Ready:
    from lookaway.records import Score

    facts = json.loads(line)
    key, inputs, attempt = (facts.pop(name) for name in ("key", "inputs", "attempt"))
    return key, inputs, Score.model_validate(facts), attempt


# ---------------------------------------------------------------- a million scores


def boards(root: Path, form: str) -> dict[str, float]:
    for part in ("board", "bare"):
        spent(part, root)  # compiles what it imports
    turns = [(spent("board", root), spent("bare", root)) for _ in range(READ_REPEATS)]
    ours, bare = (median(turn[side].cpu_s for turn in turns) for side in (0, 1))
    return {
        f"board_over_polars_{form}": ours / bare,
        f"board_{form}_gb": max(turn[0].peak_gb for turn in turns),
        f"board_{form}_cpu_s": ours,
        f"polars_{form}_cpu_s": bare,
    }


def shown(root: Path, form: str) -> dict[str, float]:
    turns = [spent("show", root) for _ in range(READ_REPEATS)]
    return {
        f"show_{form}_wall_s": median(turn.wall_s for turn in turns),
        f"show_{form}_gb": max(turn.peak_gb for turn in turns),
    }


def spent(part: str, root: Path) -> Spent:
    """Run one part of this file cold, and ask the kernel what it took.

    Modules are compiled as installed ones are, and BLAS has one thread, as in any of our commands.
    """
    started = monotonic()
    compiled = {"PYTHONPYCACHEPREFIX": str(root.parent / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    environment = {**os.environ, **compiled, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, __file__, part, str(root)]
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child.stdout as said:
        peak_kb = said.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"benchmarks/store.py {part} failed with {child.returncode}")
    return Spent(usage.ru_utime + usage.ru_stime, int(peak_kb) / 2**20, monotonic() - started)


def own_peak_kb() -> str:
    """Of this process since it began; ru_maxrss would carry over the memory of whoever started it."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return line.split()[1]


def million_lines() -> Iterator[bytes]:
    """Scores of every system and task by some metrics of `diorama`, as the pipeline would have written them."""
    from lookaway import protocols
    from lookaway.metrics import find
    from lookaway.observers import OBSERVERS
    from lookaway.records import Instrument, together

    rng = np.random.default_rng(0)
    metrics = []
    for metric in map(find, protocols.load("diorama").metrics[:METRICS]):
        looked = together(
            [Instrument(kind="observer", plugin=n, version=OBSERVERS.get(n).version) for n in metric.observers]
        )
        label, key = ("none", "") if looked is None else (looked.label, looked.key)
        facts = f'"metric":"{metric.name}","variant":"{metric.variant}","version":{metric.version}'
        who = f'"instrument":"{label}","instrument_key":"{key}","ask":"","ask_key":""'
        source = f'{who},"phase_source":"{metric.phase_source}","subject":"kettle"'
        metrics.append((f"{facts},{source}", metric.unit, len(metric.observers)))
    for task, system in itertools.product(range(SCENES * TASKS_PER_SCENE), range(SYSTEMS)):
        place = '"seed":0,"branch":"","round":1,"protocol":"diorama"'
        case = f'"task":"{task_id(task)}","system":"model-{system:02d}",{place}'
        seen = [sha256(f"{task} {system} {n}".encode()).hexdigest() for n in range(2)]
        verdicts = verdict_texts(rng, [unit for _, unit, _ in metrics])
        for (facts, _, needs), verdict in zip(metrics, verdicts, strict=True):
            key = sha256(f"{case} {facts}".encode()).hexdigest()
            evidence = json.dumps(seen[:needs], separators=(",", ":"))
            yield (
                f'{{"key":"{key[:32]}","inputs":"{key[32:]}","attempt":0,{case},{facts},{verdict},"evidence":{evidence}}}\n'
            ).encode()


def verdict_texts(rng: np.random.Generator, units: list[str]) -> list[str]:
    """Six in ten are numbers; the others have one of the six reasons for having none."""
    fates, values = rng.integers(0, 20, len(units)), rng.random(len(units))
    return [
        NO_NUMBER.get(
            fate, f'"status":"ok","gate":null,"value":{number(value, unit)},"low":null,"high":null,"reason":""'
        )
        for fate, value, unit in zip(fates.tolist(), values.tolist(), units, strict=True)
    ]


def number(value: float, unit: str) -> float:
    return {"dB": 40 * value, "rate": float(value > 0.4)}.get(unit, value)


NO_NUMBER = {
    fate: f'"status":"{status}","gate":{gate},"value":null,"low":null,"high":null,"reason":"{reason}"'
    for fate, (status, gate, reason) in enumerate(
        2 * [("gated", '"avoided"', "the camera never turned away: 4° of 60° asked")]
        + 2 * [("gated", '"no_opportunity"', "the subject stays in view")]
        + [
            ("abstained", "null", "view: too few matches between frames 12 and 13"),
            ("not_applicable", "null", "the task has no exact truth to compare with"),
            ("no_output", "null", "refused: the request was filtered"),
            ("failed", "null", "ValueError: operands could not be broadcast together (fidelity.py:41)"),
        ]
    )
}


def task_id(number: int) -> str:
    return f"scene_{number % SCENES:03d}_{CATEGORIES[number // SCENES % 5]}_{number // SCENES}"


# ---------------------------------------------------------------- what the cold processes do


def fill(root: Path) -> None:
    folder = root / "logs" / "scores"
    folder.mkdir(parents=True)
    with (folder / "00000000000000000001-00000000.jsonl").open("wb") as file:
        file.writelines(million_lines())


def furnish(root: Path) -> None:
    """All that a run folder of so many scores holds beside them: plan, suite, tasks, clips and observations."""
    from lookaway.models import ingested
    from lookaway.pipeline import plans
    from lookaway.pipeline.generate import clip_key
    from lookaway.pipeline.observe import observation_key
    from lookaway.records import CaseId, Clip, Instrument, Observation, Provenance, content_key
    from lookaway.store import open_run

    run, suite = open_run(root), root / "suite"
    frame = run.blobs.put_bytes(b"a first frame", ".png")
    tasks = [task.model_copy(update={"first_frame": frame}) for task in million_tasks()]
    write_suite(suite, tasks)
    systems = [f"model-{number:02d}" for number in range(SYSTEMS)]
    plans.extend(run, str(suite), [ingested(name) for name in systems], chosen=["diorama"])
    with run.writer("tasks") as writer:
        for task in tasks:
            writer.append(content_key("task", task.suite, task.id), "", task)
    made = Provenance(generator="folder", version=1, lookaway="0", python="3")
    with run.writer("clips") as clips, run.writer("observations") as observations:
        for task, system in itertools.product(tasks, systems):
            case = CaseId(task=task.id, system=system)
            video = (
                run.blobs.put_bytes(b"a video", ".mp4") if task is tasks[0] and system == systems[0] else clip_key(case)
            )
            facts = {"frames": 49, "fps": 12.0, "seconds": 4.0, "width": 320, "height": 180}
            instance = task.instance
            clip = Clip(
                case=case, request_key="", task_instance=instance, status="ok", video=video, provenance=made, **facts
            )
            clips.append(clip_key(case), "", clip)
            for observer in ("view", "replay"):
                looker = Instrument(kind="observer", plugin=observer, version=1)
                who = {"observer": observer, "instrument": looker.label, "instrument_key": looker.key}
                seen = Observation(media=video, task_instance=instance, status="abstained", reason="dark", **who)
                observations.append(observation_key(video, instance, looker), "", seen)


def write_suite(folder: Path, tasks: list[Task]) -> None:
    from lookaway.images import png_bytes

    folder.mkdir()
    (folder / "suite.toml").write_text('name = "million"\nversion = 1\nsummary = "a million scores"\n')
    (folder / "first.png").write_bytes(png_bytes(np.zeros((180, 320, 3), np.uint8)))
    rows = [task.model_dump(mode="json", exclude={"suite", "version"}) | {"first_frame": "first.png"} for task in tasks]
    (folder / "tasks.jsonl").write_text("\n".join(json.dumps(row) for row in rows))


def show(root: Path) -> None:
    from lookaway.cli import main

    sys.argv = ["lookaway", "show", str(root), f"{task_id(0)}/model-00/0", "--json"]
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        main()
    found = len(json.loads(said.getvalue())["scores"])
    if found != METRICS:
        raise SystemExit(f"show found {found} scores of its case")


def compact(root: Path) -> None:
    from lookaway.records import Score
    from lookaway.store import open_run

    open_run(root).compact("scores", Score)


def bare(root: Path) -> None:
    import polars as pl

    (path,) = (root / "logs" / "scores").iterdir()
    table = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_ndjson(path)
    table.group_by(CELL).agg(pl.col("value").mean(), pl.len())


def board(root: Path) -> None:
    from lookaway import protocols
    from lookaway.analyses import ANALYSES
    from lookaway.analyses import board as boards
    from lookaway.models import ingested
    from lookaway.records import Score
    from lookaway.store import open_run

    tasks = {task.id: task for task in million_tasks()}
    systems = [ingested(f"model-{n:02d}") for n in range(SYSTEMS)]
    scores = open_run(root).table("scores", Score, without=boards.NOT_COUNTED)
    (findings,) = boards.findings_of([protocols.load("diorama")], tasks, systems, scores, boards.metric_scales())
    made = boards.board("million", "1", systems, [findings], {}, {})
    for name in findings.protocol.analyses:
        ANALYSES.get(name).function(findings)
    rows = sum(cell.n for cell in made.cells if cell.slice == "all")
    if rows != SCENES * TASKS_PER_SCENE * SYSTEMS * METRICS:
        raise SystemExit(f"the Board counts {rows} rows")


def million_tasks() -> list[Task]:
    from lookaway.records import Subject, Task

    subject = Subject(name="kettle", box=(0.2, 0.3, 0.4, 0.6), side="left")
    return [
        Task(
            id=task_id(n),
            suite="million",
            version="1",
            scene=f"scene_{n % SCENES:03d}",
            category=CATEGORIES[n // SCENES % 5],
            moves=n // SCENES % 2 == 1,
            changes_in_place=n // SCENES % 3 == 1,
            prompt="The camera looks away and back.",
            first_frame="0" * 64,
            subjects=(subject,),
            expected_end="as it was",
            camera="hold@1s, yaw:left:60@1s, yaw:right:60@1s, hold@1s",
            hfov_deg=60,
            width=320,
            height=180,
            fps=12,
            seconds=4,
        )
        for n in range(SCENES * TASKS_PER_SCENE)
    ]


PARTS = {"fill": fill, "furnish": furnish, "show": show, "compact": compact, "bare": bare, "board": board}

if __name__ == "__main__":
    if len(sys.argv) == 3:
        PARTS[sys.argv[1]](Path(sys.argv[2]))
        print(own_peak_kb())
    else:
        for name, value in measure().items():
            print(f"{name} {value:.2f}")
