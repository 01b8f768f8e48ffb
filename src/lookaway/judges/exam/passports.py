"""The passports of this machine's judges: one folder per judge, a numbered file per sitting, none ever changed.

    STATE/passports/JUDGE/0001.json             a passport
    STATE/passports/JUDGE/0001.operating.json   the operating point of the same sitting

`LOOKAWAY_STATE` names another folder than the user's own for `STATE`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from lookaway.errors import StoreError, problems
from lookaway.judges.exam.fingerprint import compared
from lookaway.places import state_folder
from lookaway.records import ExamAnswer, ExamPaper, Instrument, OperatingPoint, Passport, Record, content_key

ID_LENGTH = 12
R = TypeVar("R", bound=Record)


def holder(instrument: Instrument, served_at: str = "") -> str:
    """Names a judge on this machine: who it is without any fingerprint, and where it is served, if it is."""
    return content_key("holder", instrument.model_copy(update={"passport": ""}), served_at.rstrip("/"))


def folder_of(address: str) -> Path:
    return state_folder() / "passports" / address


def kept(address: str) -> list[Passport]:
    """All passports of a judge, the latest last."""
    files = sorted(path for path in folder_of(address).glob("*.json") if path.stem.isdecimal())
    return [read(path, Passport) for path in files]


def fingerprint_of(address: str) -> str:
    """The fingerprint that a judge has now; empty where it has sat no exam on this machine."""
    files = sorted(path for path in folder_of(address).glob("*.json") if path.stem.isdecimal())
    return read(files[-1], Passport).fingerprint if files else ""


def founded(passports: Sequence[Passport], exam: str) -> Passport | None:
    """The sitting that founded the fingerprint of now; None where that is of another exam, or there is none."""
    if not passports or passports[-1].exam != exam:
        return None
    return next(passport for passport in passports if passport.fingerprint == passports[-1].fingerprint)


def issued(
    instrument: Instrument,
    address: str,
    paper: ExamPaper,
    answers: Sequence[ExamAnswer],
    sat_at: str,
    stored: Passport | None,
) -> Passport:
    """The passport of a sitting: the stored fingerprint where the answers are its answers, else a new one."""
    plain = Passport(
        instrument=instrument,
        address=address,
        exam=paper.id,
        fingerprint=content_key("fingerprint", paper.id, instrument, list(answers))[:ID_LENGTH],
        sat_at=sat_at,
        answers=tuple(answers),
    )
    if stored is None:
        return plain
    found = compared(stored.answers, answers, {item.id: item.sheet for item in paper.items})
    own = {"fingerprint": stored.fingerprint} if found.same else {"moved_from": stored.fingerprint}
    return plain.model_copy(update={**own, "compared": found})


def keep(passport: Passport, point: OperatingPoint) -> Path:
    """Written whole, under the next number; whoever loses a race for it takes the one after."""
    folder = folder_of(passport.address)
    number = len(kept(passport.address)) + 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
        while not _placed(passport, folder / f"{number:04d}.json"):
            number += 1
    except OSError as error:
        raise StoreError(f"{folder}: cannot write here: {error.strerror}; LOOKAWAY_STATE names another") from error
    path = folder / f"{number:04d}.json"
    write(point, beside(path))
    return path


def beside(path: Path) -> Path:
    """Where the operating point of a passport goes."""
    return path.with_suffix(".operating.json")


def write(record: Record, path: Path) -> None:
    try:
        path.write_text(record.model_dump_json(indent=1) + "\n")
    except OSError as error:
        raise StoreError(f"{path}: cannot write here: {error.strerror}") from error


def _placed(passport: Passport, path: Path) -> bool:
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".part") as file:
        file.write(passport.model_dump_json(indent=1) + "\n")
        file.flush()
        try:
            os.link(file.name, path)
        except FileExistsError:
            return False
    return True


def read(path: Path, kind: type[R]) -> R:
    try:
        return kind.model_validate_json(path.read_bytes())
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise StoreError(f"{path}: not a {kind.__name__} ({problems(error)}); remove it and sit again") from error
