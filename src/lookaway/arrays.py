"""Arrays in npy and npz files that others wrote: nothing is unpickled, and no more is unpacked than a limit allows."""

from __future__ import annotations

import struct
import warnings
import zipfile
import zlib
from collections.abc import Collection
from lzma import LZMAError
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from lookaway.limits import MB, RELEASE_ARRAY_BYTES

# What Python's zip reader raises for archives that are spoilt or not plain: RuntimeError of encrypted ones,
# NotImplementedError of packings that it does not know.
BAD_ZIP = (
    *(OSError, EOFError, ValueError, KeyError, RuntimeError, NotImplementedError),
    *(zipfile.BadZipFile, zlib.error, LZMAError, struct.error),
)
# And what numpy raises for headers that are spoilt: they are read as Python's literals.
BAD_NUMPY = (SyntaxError, TypeError, OverflowError, MemoryError, TokenError, RecursionError, UserWarning)


class BadArrays(Exception):
    """What is wrong with a file of arrays; whoever opened it says where it is and what to do."""


def read_arrays(
    path: Path, names: Collection[str] | None = None, most_bytes: int = RELEASE_ARRAY_BYTES
) -> dict[str, NDArray[Any]]:
    """Of an npz file by name, all or those of `names` that are there; of an npy file the only one, under no name."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # a header that has to be guessed at
            if path.stat().st_size > most_bytes:
                raise BadArrays(f"larger than {most_bytes // MB} MB")
            with path.open("rb") as file:  # numpy leaves a file open that it cannot read
                return _held(file, names, most_bytes)
    except (*BAD_ZIP, *BAD_NUMPY) as error:
        raise BadArrays(str(error) or type(error).__name__) from error


def _held(file: BinaryIO, names: Collection[str] | None, most_bytes: int) -> dict[str, NDArray[Any]]:
    loaded = np.load(file, allow_pickle=False)
    if isinstance(loaded, np.ndarray):
        return {"": loaded}
    with loaded as arrays:
        unpacked = sum(entry.file_size for entry in arrays.zip.infolist())
        if unpacked > most_bytes:
            raise BadArrays(f"would unpack to {unpacked // MB} MB, more than {most_bytes // MB} MB")
        held = {name: arrays[name] for name in arrays.files if names is None or name in names}
    strange = [name for name, array in held.items() if not isinstance(array, np.ndarray)]
    if strange:
        raise BadArrays(f"'{strange[0]}' in it is no array")
    return held
