"""What a plan says of this machine stays on it: `run.json` may go anywhere, `local.json` beside it says which folders.

In `run.json` a folder that somebody named in a setting or a judge is a mark such as `<folder 1f0a2b3c>`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from lookaway.places import FOLDERS, safe_text
from lookaway.records import ModelCard, Plan, Record, Setting, System

FILE = "local.json"
_MARK = re.compile(r"<folder [0-9a-f]{8}>")


class Local(Record):
    """Where things lie that a run needs."""

    suite: str | None = Field(None, description="the suite's folder")
    folders: dict[str, str] = Field({}, description="by their marks in the plan")


def parted(plan: Plan) -> tuple[Plan, Local]:
    """The plan as it may be passed on, and what stays here."""
    folders: dict[str, str] = {}

    def hidden(found: re.Match[str]) -> str:
        mark = f"<folder {hashlib.sha256(found[0].encode()).hexdigest()[:8]}>"
        folders[mark] = found[0]
        return mark

    return _changed(plan, lambda text: FOLDERS.sub(hidden, text)), Local(suite=plan.folder, folders=folders)


def joined(plan: Plan, local: Local) -> Plan:
    """The plan as this machine can carry it out."""
    plan = plan.model_copy(update={"folder": local.suite})
    return _changed(plan, lambda text: _MARK.sub(lambda mark: local.folders.get(mark[0], mark[0]), text))


def read_local(text: str) -> Local:
    return Local.model_validate(json.loads(text))


def is_elsewhere(card: ModelCard) -> bool:
    """Whether the card names a folder that only another machine knows: give the card again to make its clips here."""
    return any(isinstance(value, str) and _MARK.search(value) for value in card.settings.values())


def passed_on(text: str, root: Path) -> str:
    """`text` as others may read it: the run folder goes by its name alone, and no other place is named."""
    return safe_text(text.replace(str(root), root.name))


def _changed(plan: Plan, change: Callable[[str], str]) -> Plan:
    def settings(given: Mapping[str, Setting]) -> dict[str, Setting]:
        return {name: change(value) if isinstance(value, str) else value for name, value in given.items()}

    def system(given: System) -> System:
        card = given.card.model_copy(update={"settings": settings(given.card.settings)})
        return given.model_copy(update={"card": card, "checkpoint": change(given.checkpoint)})

    update: dict[str, Any] = {"systems": tuple(map(system, plan.systems)), "settings": settings(plan.settings)}
    judges = [judge.model_copy(update={"judge": change(judge.judge)}) for judge in plan.judges]
    return plan.model_copy(update=update | {"judges": tuple(judges)})
