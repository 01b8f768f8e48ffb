"""Who looks in a run: the plan's observers and judges as Instruments, models and files by their content."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from lookaway.judges import Judge
from lookaway.judges.exam.passports import fingerprint_of, holder
from lookaway.observers import OBSERVERS, Observer
from lookaway.observers.elsewhere import WORKER_SETTINGS
from lookaway.observers.stand_ins import stand_in
from lookaway.places import FOLDERS
from lookaway.records import Instrument, Plan, Setting, content_key
from lookaway.store import file_sha256
from lookaway.weights import LOADED, READ_WITH_WORDS, found, weights_sha256

WHOLE_BYTES = 64 << 20  # files up to this size are hashed whole, larger ones by their ends: weights may have terabytes
END_BYTES = 1 << 20
OF_THE_ASK = {"frames", "wording", "votes", "samples"}  # settings of a judge that say how it is asked
NOT_THE_JUDGES = OF_THE_ASK | {"cache"}  # settings that no judge sees
OF_NO_EFFECT = {"cache", "concurrency", "rpm", "tpm", "attempts", "attempt_s", "usd_in", "usd_out"}
# Of an observer: where it computes, how much at a time, how long it may take. See observers/learned.py: SAME_FEATURES.
OF_NO_EFFECT_ON_SIGHT = {"device", "batch", "timeout_s"} | WORKER_SETTINGS
WEIGHTS_MARK = "<weights "


def observer_instrument(plan: Plan, name: str) -> Instrument:
    """The observer as the plan has it: as it was when the plan was written, else as it is here."""
    known = plan.instruments.get(name)
    return known if known is not None else observer_here(name, plan.settings_of(name))


def observer_here(name: str, settings: Mapping[str, Setting], before: Instrument | None = None) -> Instrument:
    """The observer as it is here; weights that are not here count as they did `before`, else by their name."""
    plugin = stand_in(OBSERVERS.get(name), settings)
    named = _named_weights(plugin, settings)
    model = _weights_by_content(named, LOADED, before) if named else ""
    apart = OF_NO_EFFECT_ON_SIGHT | ({"model"} if named else set())
    own = {setting: value for setting, value in settings.items() if setting not in apart}
    told = by_content(own) | _heads_by_content(plugin, settings, before)
    return Instrument(kind="observer", plugin=name, version=plugin.version, model=model, settings=told)


def _heads_by_content(
    plugin: Observer, settings: Mapping[str, Setting], before: Instrument | None
) -> dict[str, Setting]:
    """Further weights of an observer, those that are not here as they were `before`, else by their name."""
    told: dict[str, Setting] = {}
    for setting, name in plugin.heads.items():
        named, known = str(settings.get(setting) or name), "" if before is None else str(before.settings.get(setting))
        folder = found(named)
        if folder is not None:
            told[setting] = f"{WEIGHTS_MARK}{weights_sha256(folder, LOADED)[:12]}>"
        else:
            told[setting] = known if known.startswith(WEIGHTS_MARK) else _by_content(named)
    return told


def _named_weights(plugin: Observer, settings: Mapping[str, Setting]) -> str:
    """The weights that an observer looks with; nothing where it has none, or another program looks in its place."""
    if not plugin.weights or "{worker}" not in str(settings.get("command", "{worker}")):
        return ""
    return str(settings.get("model") or plugin.weights)


def _weights_by_content(named: str, parts: Sequence[str], before: Instrument | None) -> str:
    folder = found(named)
    if folder is not None:
        return f"{WEIGHTS_MARK}{weights_sha256(folder, parts)[:12]}>"
    if before is not None and before.model.startswith(WEIGHTS_MARK):
        return before.model
    return str(_by_content(named))


def judge_instrument(
    judge: Judge, source: str, settings: Mapping[str, Setting], before: Instrument | None = None
) -> Instrument:
    """A judge without what says how it is asked; a file that it reads, and its weights, count by their content.

    A model that has sat the exam on this machine has the fingerprint that it got there.
    """
    own = {name: value for name, value in settings.items() if name not in OF_THE_ASK | OF_NO_EFFECT}
    model = "" if judge.at_address else str(_by_content(source))
    if judge.weights:
        model = _weights_by_content(source or judge.weights, READ_WITH_WORDS, before)
    plain = Instrument(kind="judge", plugin=judge.name, version=judge.version, model=model, settings=by_content(own))
    if judge.opens is None:
        return plain
    return plain.model_copy(update={"passport": fingerprint_of(holder(plain, served_at(judge, source)))})


def served_at(judge: Judge, source: str) -> str:
    """Where its model is served; empty where what it is given names the model itself."""
    return source if judge.at_address else ""


def without_passport(instrument: Instrument) -> Instrument:
    """The judge as it was before any exam."""
    return instrument.model_copy(update={"passport": ""})


def by_content(settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """Settings in one order; whatever names a file or folder is told by its content, not by its place."""
    return {name: _by_content(settings[name]) for name in sorted(settings)}


def _by_content(value: Setting) -> Setting:
    """The value, where every word of a text that is a path here is its kind and the beginning of its hash."""
    if not isinstance(value, str):
        return value
    if (whole := _mark(value)) is not None:
        return whole
    try:
        words = shlex.split(value)
    except ValueError:  # an open quotation: no command
        return value
    marks = {word: mark for word in words if (mark := _mark(word)) is not None}
    told = " ".join(marks.get(word, word) for word in words) if marks else value
    return FOLDERS.sub(
        lambda place: f"<gone {content_key(place[0])[:12]}>", told
    )  # what is not here is told by its name


def _mark(text: str) -> str | None:
    try:
        path = Path(text)
        if not ("/" in text or path.suffix) or not path.exists():
            return None
        return f"<{path.suffix.lstrip('.') or ('folder' if path.is_dir() else 'file')} {content_of(path)[:12]}>"
    except (OSError, ValueError):  # no name of a file at all, or one that cannot be read
        return None


def content_of(path: Path) -> str:
    """Hash of a file, or of a folder's names and files."""
    if path.is_file():
        return _file_content(path, path.stat().st_size, path.stat().st_mtime_ns)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return content_key([(str(file.relative_to(path)), content_of(file)) for file in files])


@lru_cache(maxsize=4096)
def _file_content(path: Path, size: int, changed_ns: int) -> str:
    if size <= WHOLE_BYTES:
        return file_sha256(path)
    with path.open("rb") as file:
        first = file.read(END_BYTES)
        file.seek(-END_BYTES, 2)
        return hashlib.sha256(b"%d" % size + first + file.read()).hexdigest()
