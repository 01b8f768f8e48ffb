"""What three protocols ask of one clip, in one run and in three: calls, CPU, and how often the clip is decoded.

The protocols are made here of the prompts of the three papers; each also has what another asks, as any two that gate on
the same support do. Every run is a process of its own with its own replies, over real sockets.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.judges.server import Manner, serving

from lookaway import models
from lookaway.api import Silent
from lookaway.metrics import METRICS, Case, Outcome, metric
from lookaway.pipeline import STAGES, footage, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Plan
from lookaway.store import Run, make_run
from lookaway.video import SharedFrames

SUITE, TASK = "diorama-mini", "parlour0_ball_left"
GATE = {"judgeable": 'prompt = "wrbench/judgeable"\nvariant = "paper"\nrole = "gate"\nframes = "uniform:10"'}
COHERENT = {"coherent": 'prompt = "stevo/coherent"\nvariant = "sound"\nrole = "verifier"'}
BACK = 'window = "returned@judgeable"\nframes = "uniform:4"'
SIDES = ("place_right", "place_wrong", "state_right", "state_wrong")
SEEN = ("place_broken", "place_follows", "place_steady", "state_advances", "state_broken", "state_follows")
ASKS: dict[str, dict[str, str]] = {
    "viewpoint": GATE
    | {f"returned_{name}": f'prompt = "wrbench/returned_{name}"\n{BACK}' for name in SIDES}
    | {f"visible_{name}": f'prompt = "wrbench/visible_{name}"' for name in SEEN},
    "evolution": COHERENT
    | {
        "started": 'prompt = "stevo/started"\nvariant = "paper_prompt"\nrole = "verifier"',
        "hidden": 'prompt = "stevo/hidden"\nvariant = "paper_prompt"\nrole = "verifier"',
        "expected": 'prompt = "stevo/progress_expect"\nrole = "verifier"\nabout = "first_frame"',
        "progress": 'prompt = "stevo/progress"\nvariant = "paper"\nrole = "verifier"\ngiven = "expected"\n'
        'wordings = ["a", "b", "c"]',
        "plausible": 'prompt = "stevo/plausible"\nvariant = "sound"\nrole = "verifier"',
    },
    "memory": GATE | COHERENT | {"bank": 'prompt = "memobench/answer"\nvariant = "sound"'},
}


def measure() -> dict[str, float]:
    """`*_over_separate`: one run of all three over three runs of one each."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        alone = [judged(folder, (each,)) for each in ASKS]
        together = judged(folder, tuple(ASKS))
    separate = {what: sum(each[what] for each in alone) for what in together}
    found = {f"together_{what}": value for what, value in together.items()}
    found |= {f"separate_{what}": value for what, value in separate.items()}
    return found | {f"{what}_over_separate": together[what] / separate[what] for what in together}


def judged(folder: Path, protocols: tuple[str, ...]) -> dict[str, float]:
    """Calls of one fresh run, and what its judge stage took."""
    with serving(Manner(says_true=True, unseen=(4, 5))) as server:
        out = folder / "-".join(protocols)
        command = [sys.executable, __file__, str(out), server.url, *protocols]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        return {"calls": float(len(server.log))} | json.loads(done.stdout.splitlines()[-1])


def answered(case: Case) -> Outcome:
    """A stand-in for the metrics that the papers have over these answers."""
    return 1.0


def installed(names: tuple[str, ...]) -> None:
    for name in names:
        asks = [ask for ask in ASKS[name] if ask != "expected"]
        metric(name=f"{name}_answered", unit="share", better="higher", asks=asks, version=1)(answered)


def planned(run: Run, url: str, names: tuple[str, ...]) -> Plan:
    files = []
    for name in names:
        asks = "\n".join(f"[asks.{ask}]\n{words}" for ask, words in ASKS[name].items())
        path = run.root.parent / f"{name}.toml"
        head = f'summary = "{name}"\nmetrics = ["{name}_answered"]\nheadline = ["{name}_answered"]\n'
        path.write_text(f"{head}{asks}\n")
        files.append(str(path))
    return plans.extend(run, SUITE, [models.system("truth")], chosen=files, judges=[f"openai:{url}#bench"])


def child(out: Path, url: str, names: tuple[str, ...]) -> None:
    """Everything up to the judge is made first; only the judge stage is timed."""
    METRICS.all()
    installed(names)
    run = make_run(out)
    plan = planned(run, url, names)
    only = Options(only=f"{TASK}/truth/0")
    for name in itertools.takewhile(lambda name: name != "judge", STAGES):
        run_stage(STAGES[name], run, plan, only, Silent())
    some, whole = mock.Mock(side_effect=footage.decode_some), mock.Mock(side_effect=SharedFrames.load)
    with mock.patch.object(footage, "decode_some", some), mock.patch.object(SharedFrames, "load", whole):
        before = time.process_time()
        run_stage(STAGES["judge"], run, plan, only, Silent())
        took = time.process_time() - before
    print(json.dumps({"cpu_ms": 1000 * took, "decodes": some.call_count + whole.call_count}))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        child(Path(sys.argv[1]), sys.argv[2], tuple(sys.argv[3:]))
    else:
        for name, value in measure().items():
            print(f"{name:26} {value:10.3f}")
