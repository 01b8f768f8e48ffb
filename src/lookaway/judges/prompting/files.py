"""Where prompt files lie. One file is one variant of one prompt: `NAME.VARIANT.txt`.

General prompts lie in `judges/prompts/`, those of a protocol in `protocols/PROTOCOL/prompts/` and are called
`PROTOCOL/NAME`. A name is looked up among the files that are there and never made into a path.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from lookaway.errors import UnknownName, UsageError

FOLDER = "prompts"
DEFAULT_VARIANT = "sound"
_FILE = re.compile(r"(?P<name>\w+)\.(?P<variant>\w+)\.txt")

PromptFiles = Mapping[str, Mapping[str, Traversable]]  # by name and variant


def prompt_files(folder: Path | None = None) -> PromptFiles:
    """Every prompt of lookaway's own, and those of a folder beside them."""
    ours = _our_files()
    if folder is None:
        return ours
    theirs = _listed(folder)
    if taken := sorted(theirs.keys() & ours.keys()):
        raise UsageError(f"{folder}: '{taken[0]}' is a prompt of lookaway's own; give the file another name")
    return {**ours, **theirs}


def chosen_variant(name: str, variants: Collection[str], variant: str = "") -> str:
    """The variant meant: the one that is said, else the only one, else `sound`."""
    if variant:
        if variant not in variants:
            raise UnknownName(f"variant of prompt {name}", variant, variants)
        return variant
    if len(variants) == 1:
        return next(iter(variants))
    if DEFAULT_VARIANT not in variants:
        raise UsageError(f"prompt {name} has no default; say which variant: {', '.join(sorted(variants))}")
    return DEFAULT_VARIANT


def own_texts(folder: Path) -> dict[str, str]:
    """The texts of a folder of prompts, by `NAME.VARIANT`; none where there is no folder."""
    if not folder.is_dir():
        return {}
    prompt_files(folder)  # refuses names that are taken
    try:
        return {
            f"{name}.{variant}": file.read_text("utf-8")
            for name, variants in _listed(folder).items()
            for variant, file in variants.items()
        }
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{folder}: a prompt cannot be read: {error}") from error


@cache
def _our_files() -> PromptFiles:
    package = resources.files("lookaway")  # not `lookaway.protocols`: that would import it, and all that it uses
    found = dict(_listed(package / "judges" / FOLDER))
    for protocol in (package / "protocols").iterdir():
        if (protocol / FOLDER).is_dir():
            found |= {f"{protocol.name}/{name}": files for name, files in _listed(protocol / FOLDER).items()}
    return found


def _listed(folder: Traversable) -> PromptFiles:
    found: dict[str, dict[str, Traversable]] = {}
    if not folder.is_dir():
        raise UsageError(f"{folder}: no folder of prompts there")
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not entry.name.endswith(".txt") or _leads_out(entry):
            continue
        named = _FILE.fullmatch(entry.name)
        if named is None:
            raise UsageError(f"{folder}: call '{entry.name}' NAME.VARIANT.txt, such as progress.sound.txt")
        found.setdefault(named["name"], {})[named["variant"]] = entry
    return found


def _leads_out(entry: Traversable) -> bool:
    """A link to somewhere else is no file of this folder."""
    return isinstance(entry, Path) and entry.is_symlink()
