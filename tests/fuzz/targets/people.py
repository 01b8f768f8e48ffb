"""Labels of people: answers saved from a file, lines of another server, Label Studio's export.

`STUDY`, `LABEL` and `RATER` in a file stand for those of the study that is open.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lookaway.people.desk import StudyDesk
from lookaway.people.importing import WORDS_OF_OTHERS, labels_in
from tests.fuzz.driving import Attempt, FalseVerdict, Target
from tests.fuzz.mutation import spoilt_json
from tests.people.studies import pair_study

NAMES = (
    "item",
    "data",
    "annotations",
    "result",
    "from_name",
    "value",
    "choices",
    "place",
    "state",
    "completed_by",
    "A",
)
FIELDS = (
    "rater",
    "study",
    "items",
    "axis",
    "value",
    "judgeable",
    "shown_order",
    "at",
    "family",
    "role",
    "text",
    "reason",
)
FILED = ("lookaway", "answers", "form", "study", "rater", "consented", "number", "axis", "word", "left", "undone")


def _labels(name: str) -> Callable[[Path], Attempt]:
    def opens(folder: Path) -> Attempt:
        study = pair_study(folder / "study", items=2)
        desk, path = StudyDesk(study), folder / name
        own = {b"STUDY": study.key.encode(), b"LABEL": study.label.encode(), b"RATER": desk.file_rater().encode()}
        allowed = {1.0, -1.0, 0.0, None}
        spellings = [*(word.encode() for word in WORDS_OF_OTHERS if len(word) > 1), b'"a"', b'"b"', b"\\u"]

        def attempt(data: bytes) -> bool:
            for mark, word in own.items():
                data = data.replace(mark, word)
            path.write_bytes(data)
            labels = list(labels_in(desk, path))
            for label in labels:
                if label.judgeable != (label.value is not None):
                    raise FalseVerdict(f"{label}")
                if name == "export.json" and label.value not in allowed:
                    raise FalseVerdict(f"{label}")
            if name == "export.json" and labels and not any(word in data.lower() for word in spellings):
                raise FalseVerdict("labels of which the file says nothing")
            return bool(labels)

        return attempt

    return opens


TARGETS = (
    Target("label_studio", _labels("export.json"), spoilt_json(NAMES), share=6),
    Target("label_lines", _labels("labels.jsonl"), spoilt_json(FIELDS), share=6),
    Target("filed_answers", _labels("answers.json"), spoilt_json(FILED), share=4),
)
