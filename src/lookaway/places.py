"""Where things lie on this machine, and who sits at it, is nobody else's business: texts that leave it say neither."""

from __future__ import annotations

import contextlib
import getpass
import os
import platform
import re
import tempfile
from pathlib import Path

from lookaway.secrets import redacted

# Of an absolute path, all but its last part; not the path of an address such as https://host/a/b.
FOLDERS = re.compile(r"(?:(?<=file://)|(?<![\w.~/…$-]))/(?:[^\s/'\"`:;,|<>(){}\[\]]+/)+(?=[^\s/'\"`])")
_COMMON = {"root", "user", "admin", "home", "test", "runner", "ubuntu", "localhost"}  # tell nothing, and are words too
_SHORTEST = 4
_HIDDEN = "…"


def state_folder() -> Path:
    """Where what outlives a process is written down."""
    given = os.environ.get("LOOKAWAY_STATE")
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(given) if given else Path(base) / "lookaway"


def safe_text(text: str) -> str:
    """`text` as it may be written into a run folder: without secrets and without places."""
    return placeless(redacted(text)) if text else text


def placeless(text: str) -> str:
    """`text` without folders of this machine, its name and its user's: `/home/ann/a/x.py` becomes `…/x.py`."""
    for folder in _known_folders() if "/" in text else ():
        text = re.sub(rf"(?<![\w.-]){re.escape(folder)}(?![\w.-])", _HIDDEN, text)
    text = FOLDERS.sub(f"{_HIDDEN}/", text)
    for name in _owners():
        text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", _HIDDEN, text)
    return text


def telltale(text: str, names: bool = True) -> str:
    """What of this machine a text tells: a secret, its folders or, with `names`, its name or its user's; or nothing."""
    if redacted(text) != text:
        return "a secret"
    if any(folder in text and _stands_alone(folder, text) for folder in _known_folders()):
        return "a folder of this machine"
    if names and any(_stands_alone(name, text) for name in _owners()):
        return "the name of this machine or of its user"
    return ""


def _stands_alone(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) is not None


def _known_folders() -> list[str]:
    """Folders that may have blanks in their names, which only who knows them can find; the innermost first."""
    known = {Path(tempfile.gettempdir())}
    for place in (Path.home, Path.cwd):
        with contextlib.suppress(OSError, RuntimeError):
            known.add(place())
    return sorted((str(path) for path in known if len(path.parts) > 1), key=len, reverse=True)


def _owners() -> list[str]:
    """This machine's name and its user's, where they would tell somebody something."""
    names = {platform.node(), platform.node().partition(".")[0]}
    with contextlib.suppress(KeyError, OSError):
        names.add(getpass.getuser())
    return sorted((n for n in names if len(n) >= _SHORTEST and n.lower() not in _COMMON), key=len, reverse=True)
