"""Keyframe sheets, as csv and as workbooks."""

from __future__ import annotations

from pathlib import Path

from lookaway.suites.keyframes import compare_keyframes, read_keyframes
from tests.fuzz.driving import Attempt, FalseVerdict, Target
from tests.fuzz.mutation import Mutate, spoilt_text, spoilt_zip

WORDS = (
    "clip,gone,back\n",
    "video_folder",
    "exits",
    "re-enter",
    "skip",
    "yes",
    ",",
    "\n",
    '"',
    "84",
    "171.0",
    "Barn_1",
)
XML_WORDS = (
    *("<row>", "</row>", '<c r="A1" t="s"><v>0</v></c>', '<c t="n"><v>1e999</v></c>', '<c t="d"><v>x</v></c>', "<v>"),
    *("</sheetData>", '<!DOCTYPE x [<!ENTITY a "b">]>', "&a;", 'r="ZZZZ9999999"', 't="b"', 't="e"', 's="99"', "&#0;"),
    *('ref="A1:XFD1048576"', 'count="9999999999"', "<f>1/0</f>", 'r:id="rId9"', "<!--", "]]>", "<?xml?>"),
)


def _read(name: str) -> object:
    def opens(folder: Path) -> Attempt:
        path = folder / name

        def attempt(data: bytes) -> bool:
            path.write_bytes(data)
            found = read_keyframes(path)
            for clip, (gone, back) in found.marks.items():
                numbers = [mark for mark in (gone, back) if mark is not None]
                if not clip or min(numbers, default=0) < 0 or (len(numbers) == 2 and numbers[0] >= numbers[1]):
                    raise FalseVerdict(f"{clip}: {gone} to {back}")
            compare_keyframes(found.marks, found.marks)
            return bool(found.marks) and not found.problems

        return attempt

    return opens


_XLSX: Mutate = spoilt_zip(spoilt_text(XML_WORDS))

TARGETS = (
    Target("keyframes_csv", _read("a.csv"), spoilt_text(WORDS), share=2),  # type: ignore[arg-type]
    Target("keyframes_xlsx", _read("a.xlsx"), _XLSX, share=1, alone=True),  # type: ignore[arg-type]
)
