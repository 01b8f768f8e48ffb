"""Weights without a network: checked where they are, else told how they are carried here."""

from __future__ import annotations

from pathlib import Path

from lookaway.errors import LookawayError, UsageError
from lookaway.store import file_sha256
from lookaway.weights.catalogue import Weights
from lookaway.weights.download import HUB, Say, checked_base, url_of
from lookaway.weights.locks import expected_content, record
from lookaway.weights.places import INDEX, files_of, found, own_folder


def checked_here(weights: Weights, mirror: str = "", say: Say = lambda line: None) -> Path:
    """The folder of weights that are here, their hashes checked, those not known yet recorded."""
    folder = found(weights.name)
    if folder is None:
        raise UsageError(_to_carry(weights, checked_base(mirror or HUB)))
    for file in files_of(folder, weights):
        expected = expected_content(weights, folder, file)
        if expected is not None and file_sha256(folder / file) != expected.sha256:
            raise LookawayError(
                f"{folder / file}: {expected.source} says that its sha256 is {expected.sha256}, and it is another; "
                "delete the file, and get it again"
            )
        if folder == own_folder(weights.name):
            record(weights, folder, file)
        say(f"{file}: {'as expected' if expected is not None else 'here'}")
    return folder


def _to_carry(weights: Weights, base: str) -> str:
    folder, index = own_folder(weights.name), any(file.endswith(INDEX) for file in weights.files)
    files = "\n".join(f"  {url_of(weights, base, file)}" for file in weights.files)
    more = "\nand the files that its index names" if index else ""
    return (
        f"weights {weights.name} are not here, and nothing is asked of the network. On a machine that has one:\n"
        f"  lookaway weights get {weights.name}\nand copy the folder that it names to\n  {folder}\n"
        f"or put these files there:\n{files}{more}"
    )
