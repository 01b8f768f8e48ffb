"""The exam itself: 64 clips of the known world with questions whose answers are known, drawn from a seed.

Everything in it follows from the seed and from this file; its id is a hash of what is shown, asked and expected.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lookaway.cache import made_with, open_cache
from lookaway.errors import UsageError
from lookaway.generators import CLIP_CRF
from lookaway.judges.exam import clips
from lookaway.judges.exam.clips import ExamClip
from lookaway.judges.exam.questions import ABOUT_BLACK, ABOUT_BLANK, ABOUT_ORDER, ABOUT_SUBJECT, FAMILIES, known
from lookaway.judges.prompting import load
from lookaway.records import Choice, ExamItem, ExamKind, ExamPaper, content_key
from lookaway.store import Blobs, file_sha256
from lookaway.suites.known_world import build_known_world
from lookaway.suites.secret import LEAST_BYTES, seed_of
from lookaway.video import encode

VERSION = 1
PUBLIC = b"the exam that everybody can build"
PROMPT = "question"
FAULTS = (
    "vanished@1",
    "duplicated@1",
    "wrong-colour@1",
    "wrong-size@2",
    "teleported@0.4",
    "never-triggered@1",
    "wrong-state@1",
    "floating@0.3",
)
HARMLESS = (
    "compressed",
    "blurred",
    "noisy",
    "brighter",
    "darker",
    "colour-cast",
    "jitter",
    "relit",
    "late",
    "other-offscreen",
)
BLACK = ((7,), (0,), (3,), (6, 7), (0, 1), (1, 3, 5, 7), (2, 4), (7,))  # positions of frames
MUST_NOTICE = 5  # of those clips: the others are asked about frames that are not black
GREYS = range(96, 160, 8)  # no two blank clips are the same
TRUE_CLIPS, FORWARD, REVERSED, BLANK = range(8), range(8, 14), range(6), range(8)  # by number of their world
FIRST_HARMLESS, FIRST_BLACK = 3, 6  # worlds at which these begin, so that no world carries one kind alone
WHOLE = range(14, 16)  # no frame is dropped, though it is asked


@dataclass(frozen=True, eq=False)
class ExamSheet:
    """One clip of the exam, and what may be asked about it."""

    kind: ExamKind
    shown: str
    clip: ExamClip
    true: ExamClip
    families: Sequence[str]
    questions: int = 1  # at most
    notice: bool = False  # the first question is about something that is not so in the true clip

    def known(self) -> dict[str, Choice]:
        return known(self.clip.seen(self.true), self.families)

    def alarms(self) -> set[str]:
        """Questions whose answer is not that of the true clip."""
        true = known(self.true.seen(self.true), self.families)
        return {name for name, choice in self.known().items() if true.get(name, choice) != choice}


def exam_paper(blobs: Blobs, secret: bytes | None = None) -> ExamPaper:
    """The exam, its clips in the blobs; rendered once, then found in the cache. A secret makes one of your own."""
    if secret is not None and len(secret) < LEAST_BYTES:
        raise UsageError(
            f"the exam's secret has {len(secret)} bytes; give at least {LEAST_BYTES}: openssl rand -hex 32"
        )
    drawn_from = PUBLIC if secret is None else secret
    seeds = [seed_of(f"{layout} {process}", drawn_from) for layout, process, _, _ in clips.WORLDS]
    cache, key = open_cache(), content_key("exam", _source(), seeds, load(PROMPT), made_with())
    found = cache.get(key, lambda files: _read(files, blobs)) if cache is not None else None
    if found is not None:
        return found
    paper = _drawn(seeds, blobs)
    if cache is not None:
        with tempfile.TemporaryDirectory() as folder:
            described = Path(folder) / "exam.json"
            described.write_text(paper.model_dump_json())
            cache.put(key, [described, *map(blobs.path, sorted({item.clip for item in paper.items}))])
    return paper


def _source() -> list[str]:
    """Hashes of the files that say what the exam is."""
    return [file_sha256(Path(__file__).with_name(name)) for name in ("paper.py", "clips.py", "questions.py")]


def _read(files: Mapping[str, Path], blobs: Blobs) -> ExamPaper:
    (described,) = (file for file in files.values() if file.suffix == ".json")
    paper = ExamPaper.model_validate_json(described.read_bytes())
    for sha256 in {item.clip for item in paper.items}:
        blobs.put_file(files[sha256])
    return paper


def _drawn(seeds: Sequence[int], blobs: Blobs) -> ExamPaper:
    items: list[ExamItem] = []
    tasks = {}
    for number, sheet in enumerate(sheets(seeds, blobs)):
        task = sheet.clip.task
        tasks[task.id] = task
        items += _asked(sheet, number, _filmed(sheet.clip, blobs), items)
    prompt = load(PROMPT)
    name = f"{PROMPT}@{prompt.declared.version}"
    return ExamPaper(version=VERSION, frames=f"uniform:{clips.FRAMES}", prompt=name, tasks=tasks, items=tuple(items))


def sheets(seeds: Sequence[int], blobs: Blobs) -> Iterator[ExamSheet]:
    """World by world, so that each is built once; 16 worlds make 64 clips."""
    for world, draft in enumerate(clips.drafts(seeds)):
        task = build_known_world(draft, blobs, clips.SIZE).task
        true = clips.told(task, "truth")
        assert true is not None
        yield _faulty(world, true)
        if FIRST_HARMLESS <= world < FIRST_HARMLESS + len(HARMLESS):
            name = HARMLESS[world - FIRST_HARMLESS]
            varied = clips.told(task, name)
            assert varied is not None
            yield ExamSheet("harmless", name, varied, true, ABOUT_SUBJECT, 2)
        yield from _of_the_true_clip(world, true)


def _faulty(world: int, true: ExamClip) -> ExamSheet:
    """The first fault from the world's place in the list on that shows."""
    for name in (*FAULTS[world % len(FAULTS) :], *FAULTS):
        clip = clips.told(true.task, name)
        if clip is not None and (sheet := ExamSheet("fault", name, clip, true, ABOUT_SUBJECT, 2, True)).alarms():
            return sheet
    raise AssertionError(f"{true.task.id}: no fault shows")


def _of_the_true_clip(world: int, true: ExamClip) -> Iterator[ExamSheet]:
    if world in TRUE_CLIPS:
        yield ExamSheet("truth", "truth", true, true, ABOUT_SUBJECT, 2)
    if world in FORWARD:
        yield ExamSheet("order", "truth", true, true, ABOUT_ORDER)
    if world in REVERSED:
        yield ExamSheet("order", "truth, reversed", clips.reversed_clip(true), true, ABOUT_ORDER, notice=True)
    if world in BLANK:
        yield ExamSheet("blank", "blank", clips.blank_clip(true, GREYS[world]), true, ABOUT_BLANK, notice=True)
    if FIRST_BLACK <= world < FIRST_BLACK + len(BLACK):
        black = BLACK[world - FIRST_BLACK]
        label = f"truth, frames {' '.join(str(index + 1) for index in black)} black"
        dropped = clips.black_frames_clip(true, black)
        yield ExamSheet("dropped", label, dropped, true, ABOUT_BLACK, notice=world < FIRST_BLACK + MUST_NOTICE)
    if world in WHOLE:
        yield ExamSheet("dropped", "truth", true, true, ABOUT_BLACK)


def _asked(sheet: ExamSheet, number: int, media: str, before: Sequence[ExamItem]) -> list[ExamItem]:
    """Questions about a clip, what there is to notice first; yes and no, and the questions, come up evenly."""
    answers, alarms = sheet.known(), sheet.alarms()
    used = Counter(item.family for item in before)
    said: Counter[Choice] = Counter(item.expected for item in before)
    chance = np.random.default_rng(number).permutation(len(answers))
    place = {name: int(chance[i]) for i, name in enumerate(answers)}
    found: list[ExamItem] = []
    for _ in range(min(sheet.questions, len(answers))):
        must = alarms if sheet.notice and not found else set(answers)
        left = [name for name in answers if name in must and not any(item.family == name for item in found)]
        name = min(left, key=lambda name: (said[answers[name]], used[name], place[name]))
        said[answers[name]] += 1
        found.append(
            ExamItem(
                id=f"{number:02d}-{name}",
                clip=media,
                scene=sheet.clip.task.id,
                kind=sheet.kind,
                shown=sheet.shown,
                text=FAMILIES[name].text(sheet.clip.seen(sheet.true).words),
                expected=answers[name],
                alarm=name in alarms,
            )
        )
    return found


def _filmed(clip: ExamClip, blobs: Blobs) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.mp4"
        encode(clip.pictures, path, clips.FPS, crf=CLIP_CRF if clip.crf is None else clip.crf)
        return blobs.put_file(path)
