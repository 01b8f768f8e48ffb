"""A study while people work on it: what each is shown, what they have said, how far they are."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from lookaway.errors import UsageError
from lookaway.people.answers import WORDS, GivenAnswer, check_passed, criteria_of, label_of, worth
from lookaway.people.book import BOOK_FILE, Book, now
from lookaway.people.entry import new_rater
from lookaway.people.folder import StudyFolder
from lookaway.people.sittings import chosen_items, sitting
from lookaway.records import Label, Showing, StudyItem

PageContent = dict[str, Any]  # what is sent to a page as JSON


class RaterProgress(NamedTuple):
    """How far one rater is."""

    rater: str
    answered: int
    asked: int
    checks_right: int
    checks: int
    same_again: int  # of the answers about items that were shown twice, those that are the same
    again: int
    last_at: str


class StudyDesk:
    def __init__(self, folder: StudyFolder) -> None:
        self.folder, self.study = folder, folder.study
        self.book = Book(folder.root / BOOK_FILE, folder.key)
        self._showings: dict[str, tuple[Showing, ...]] = {}
        self._lock = threading.Lock()

    def item(self, showing: Showing) -> StudyItem:
        return self.folder.items[showing.item]

    # -- who is shown what

    def consent(self, rater: str) -> None:
        with self.book.writing():
            self.book.run("UPDATE raters SET consented_at = ? WHERE name = ? AND consented_at IS NULL", now(), rater)
            self.book.note(rater, "consented")

    def file_rater(self) -> str:
        """A rater who answers in a file of their own."""
        with self.book.writing():
            name = new_rater(self.book, "rater", by_file=True)
            self.book.note(name, "given a file")
        return name

    def showings(self, rater: str) -> tuple[Showing, ...]:
        """What a rater is shown, in order; drawn when they begin, and kept."""
        with self._lock:
            if rater not in self._showings:
                self._showings[rater] = self._kept_showings(rater) or self._draw(rater)
            return self._showings[rater]

    def _kept_showings(self, rater: str) -> tuple[Showing, ...]:
        rows = self.book.rows("SELECT * FROM showings WHERE rater = ? ORDER BY number", rater)
        return tuple(
            Showing(number=row["number"], item=row["item"], flipped=bool(row["flipped"]), round=row["round"])
            for row in rows
        )

    def _draw(self, rater: str) -> tuple[Showing, ...]:
        with self.book.writing():
            counted = self.book.rows("SELECT item, COUNT(DISTINCT rater) AS raters FROM showings GROUP BY item")
            given_out = {row["item"]: row["raters"] for row in counted}
            name = f"{self.study.seed}/{rater}"
            open_items = [item for item in self.folder.main_items if given_out.get(item.id, 0) < self.study.raters]
            main = chosen_items(open_items, given_out, self.study.items_each, name)
            drawn = sitting(self.study, main, [item.id for item in self.folder.checks], rater) if main else ()
            self.book.run_many(
                "INSERT INTO showings VALUES (?, ?, ?, ?, ?)",
                [(rater, one.number, one.item, int(one.flipped), one.round) for one in drawn],
            )
        return drawn

    def forget(self, rater: str) -> None:
        with self._lock:
            self._showings.pop(rater, None)

    def media(self, rater: str, number: int, place: int) -> Path:
        """The clip at a place of the screen."""
        item, showing = self._shown(rater, number)
        if not 0 <= place < len(item.media):
            raise UsageError("no such clip")
        return self.folder.blobs.path(item.media[1 - place if showing.flipped else place])

    def _shown(self, rater: str, number: int) -> tuple[StudyItem, Showing]:
        showings = self.showings(rater)
        if not 0 <= number < len(showings):
            raise UsageError("nothing like this was shown")
        return self.item(showings[number]), showings[number]

    def page_content(self, rater: str) -> PageContent:
        """All that a page needs: nothing in it names a case, a task, a file or which items are checks."""
        return {
            "title": self.study.title,
            "instructions": self.study.instructions,
            "kind": self.study.kind,
            "words": WORDS[self.study.kind],
            "study": self.folder.key,
            "rater": rater,
            "showings": [self._showing_content(showing) for showing in self.showings(rater)],
            "answers": [
                {"number": number, "axis": axis, "word": answer.word, "frame": answer.frame}
                for (number, axis), (answer, _) in self.standing(rater).items()
            ],
        }

    def _showing_content(self, showing: Showing) -> PageContent:
        item = self.item(showing)
        places = (1, 0) if showing.flipped else range(len(item.media))
        asked = [{"axis": c.name, "text": c.text, "judgeable": c.judgeable} for c in criteria_of(self.study, item)]
        reviewed = item.question if self.study.kind == "bank_review" else None
        return {
            "clips": [{"frames": item.frames[place], "fps": item.fps[place]} for place in places],
            "prompt": item.prompt if self.study.prompt else "",
            "subject": item.subject,
            "phases": [phase.model_dump() for phase in item.phases] if self.study.phases == "shown" else [],
            "criteria": asked,
            "question": {"text": reviewed.text, "expected": reviewed.expected} if reviewed is not None else None,
        }

    # -- what they say

    def keep(self, rater: str, body: Any) -> int:
        """Write an answer down; its number in the book. The same submission again gives the same number."""
        try:
            answer = GivenAnswer.model_validate(body)
        except ValidationError as error:
            raise UsageError("this is no answer") from error
        item, showing = self._shown(rater, answer.number)
        worth(self.study, item, showing, answer)
        content = answer.model_dump_json(exclude={"number", "axis", "submission"})
        with self.book.writing():
            self.book.run(
                "INSERT INTO answers (rater, number, axis, submission, content, at) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (rater, submission) DO NOTHING",
                *(rater, answer.number, answer.axis, answer.submission, content, now()),
            )
        kept = self.book.rows(
            "SELECT seq, number, axis, content FROM answers WHERE rater = ? AND submission = ?",
            rater,
            answer.submission,
        )[0]
        if (kept["number"], kept["axis"], kept["content"]) != (answer.number, answer.axis, content):
            raise UsageError("this submission was another answer")
        return int(kept["seq"])

    def undo(self, rater: str, submission: str) -> tuple[int, str] | None:
        """Take the newest standing answer back; which one it was. The book keeps both."""
        if not (len(submission) == 32 and set(submission) <= set("0123456789abcdef")):
            raise UsageError("this is no undo")
        with self.book.writing():
            again = self.book.rows("SELECT * FROM answers WHERE rater = ? AND submission = ?", rater, submission)
            if again:
                return (int(again[0]["number"]), str(again[0]["axis"])) if again[0]["undone"] else None
            standing = self.book.rows(f"{STANDING} ORDER BY seq DESC LIMIT 1", rater)
            if not standing:
                return None
            last = standing[0]
            self.book.run(
                "INSERT INTO answers (rater, number, axis, submission, undone, content, at) "
                "VALUES (?, ?, ?, ?, 1, '', ?)",
                *(rater, last["number"], last["axis"], submission, now()),
            )
        return int(last["number"]), str(last["axis"])

    def standing(self, rater: str) -> dict[tuple[int, str], tuple[GivenAnswer, str]]:
        """The newest answer to each question, and when it was given; without those that were taken back."""
        found = {}
        for row in self.book.rows(f"{STANDING} ORDER BY seq", rater):
            more = {"number": row["number"], "axis": row["axis"], "submission": row["submission"]}
            answer = GivenAnswer.model_validate(json.loads(row["content"]) | more)
            found[row["number"], row["axis"]] = (answer, str(row["at"]))
        return found

    # -- what it comes to

    def raters(self) -> list[str]:
        rows = self.book.rows(
            "SELECT name FROM raters WHERE role = 'rater' AND erased_at IS NULL ORDER BY joined_at, name"
        )
        return [str(row["name"]) for row in rows]

    def labels(self) -> list[Label]:
        """Everything that stands, rater by rater; what was brought from elsewhere last."""
        found = [label for rater in self.raters() for label in self.labels_of(rater)]
        brought = self.book.rows("SELECT content FROM brought ORDER BY seq")
        return found + [Label.model_validate_json(row["content"]) for row in brought]

    def labels_of(self, rater: str) -> list[Label]:
        showings = self._kept_showings(rater)
        return [
            label_of(self.study, self.folder.label, self.item(showings[n]), showings[n], answer, rater, at)
            for (n, _), (answer, at) in self.standing(rater).items()
        ]

    def progress(self) -> list[RaterProgress]:
        brought: dict[str, list[Label]] = {}
        for row in self.book.rows("SELECT rater, content FROM brought ORDER BY seq"):
            brought.setdefault(str(row["rater"]), []).append(Label.model_validate_json(row["content"]))
        return [self._progress(name, [*self.labels_of(name), *brought.get(name, [])]) for name in self.raters()]

    def _progress(self, rater: str, labels: list[Label]) -> RaterProgress:
        asked = sum(len(criteria_of(self.study, self.item(one))) for one in self._kept_showings(rater))
        right = list(self._checked(labels))
        first = {(label.items, label.axis): label.value for label in labels if label.round == 0}
        again = [
            (first[label.items, label.axis], label.value)
            for label in labels
            if label.round and (label.items, label.axis) in first
        ]
        return RaterProgress(
            rater=rater,
            answered=len(labels),
            asked=asked or len(labels),
            checks_right=sum(right),
            checks=len(right),
            same_again=sum(before == after for before, after in again),
            again=len(again),
            last_at=max((label.at for label in labels), default=""),
        )

    def _checked(self, labels: Iterable[Label]) -> Iterable[bool]:
        checks = {item.cases: item for item in self.folder.checks}
        for label in labels:
            passed = (
                check_passed(self.study, checks[label.items], label)
                if label.items in checks and label.role == "check"
                else None
            )
            if passed is not None:
                yield passed


STANDING = (
    "SELECT * FROM answers a WHERE rater = ? AND undone = 0 AND seq = "
    "(SELECT MAX(seq) FROM answers b WHERE b.rater = a.rater AND b.number = a.number AND b.axis = a.axis)"
)
