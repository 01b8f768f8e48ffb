"""Let people look: studies, the page on which they answer, and the labels that come of it.

A study is a folder: `study.toml` (how people are asked), `items.jsonl` (about what), `blobs/` (clips, every frame by
itself), and once somebody is invited `book.sqlite` (who was shown what in which order, and what they said) and
`secret.key` (which signs invites). A rater sees neither the name of a system, nor of a file, nor of a task.
"""

from __future__ import annotations

from lookaway.people.folder import StudyFolder as StudyFolder
from lookaway.people.folder import read_study as read_study
