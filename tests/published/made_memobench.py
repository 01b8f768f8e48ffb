"""A release written by hand after its description: a few clips, one failure clip, one bank."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from lookaway.published.memobench.release import BANKS, FAILURES, REAL, SYNTHETIC

DIMENSIONS = ("Instruction Following", "Object and Background", "Continuity of Memory", "Physics Adherence")
PAN = "A first-person view of a bowl. The camera smoothly pans to the {}, and the bowl leaves. It pans back."
TURN = "First person view of a walker who passes a dog and performs a U-turn to the left."
TILT = "The camera smoothly tilts upward, then tilts back down."
AHEAD = "First person view of a walker on a road; the dog leaves the view and comes back."


def questions(
    verdicts: dict[int, str] | None = None, ids: range | tuple[int, ...] = range(1, 25)
) -> list[dict[str, Any]]:
    """Six in each dimension; odd ones are positive. With verdicts, as a clip answered them: Pass unless said."""
    made = []
    for number in ids:
        polarity = "Positive" if number % 2 else "Negative"
        about = DIMENSIONS[(number - 1) // 6]
        one = {"ID": number, "Dimension": about, "Dimension Polarity": polarity, "Question": "Is it so?"}
        made.append(one | ({} if verdicts is None else _told(polarity, verdicts.get(number, "Pass"))))
    return made


def _told(polarity: str, verdict: str) -> dict[str, str]:
    expects_yes = polarity == "Positive"
    return {"Answer": "Yes" if expects_yes == (verdict == "Pass") else "No", "Verdict": verdict, "Reasoning": ""}


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_release(folder: Path, *, kept: tuple[int, ...] = tuple(range(2, 20))) -> Path:
    """Question 1 fails on the truth, 2 and 3 on the failure clip; `kept` are the ones of the final bank."""
    (folder / BANKS).mkdir(parents=True)
    real = [PAN.format("left"), PAN.format("left"), PAN.format("right"), TILT]
    write_csv(
        folder / REAL,
        [{"video_id": n, "subject": "a bowl", "prompt": prompt} for n, prompt in enumerate(real, 1)],
    )
    synthetic = [("Barn", TURN), ("Barn", AHEAD), ("Yard", TURN)]
    clips = [{"scene": scene, "video_id": n, "prompt": prompt} for n, (scene, prompt) in enumerate(synthetic, 1)]
    write_csv(folder / SYNTHETIC, clips)
    write_csv(folder / FAILURES, [clips[0] | {"hint": "it floats", "folder": "Barn_001"}])
    on_failure = json.dumps(questions({2: "Fail", 3: "Fail"}, range(2, 25)))
    bank = {
        "scene": "Barn",
        "video_id": 1,
        "Start Questions": json.dumps(questions()),
        "Evaluation on ground truth": json.dumps(questions({1: "Fail"})),
        "Evaluation on failure": on_failure,
        "Revised Evaluation on failure": on_failure,
        "Final questions": json.dumps(questions(ids=kept)),
    }
    write_csv(folder / BANKS / "Barn-1-questions.csv", [bank])
    return folder
