"""A task in words, and tables as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from lookaway.geometry.asked import asked_in_words
from lookaway.geometry.cover import cover_in_words
from lookaway.records import Task


def words(task: Task) -> str:
    """What the task shows, where the camera goes, what comes between: all that a model of text can be told."""
    return " ".join([task.prompt, asked_in_words(task), *([cover_in_words(task.cover)] if task.cover else [])])


def csv_bytes(rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
