"""The weights that are used unless a setting names others, as data: catalogue.toml."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path, PurePosixPath

from pydantic import Field, field_validator

from lookaway.errors import UnknownName
from lookaway.records import Record

HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")
SHA256 = r"^[0-9a-f]{64}$"
_PLAIN = re.compile(r"\w[\w.+-]*")


class Weights(Record):
    """One set of weights, as its publisher offers it."""

    name: str = Field(pattern=rf"^{HUB_NAME.pattern}$", description="on the Hugging Face hub, unless it has addresses")
    used_by: tuple[str, ...] = Field(min_length=1)
    licence: str = Field(description="its SPDX name")
    commercial: bool
    files: tuple[str, ...] = Field(min_length=1)
    revision: str = Field("main", pattern=r"^\w[\w.-]*$", description="branch, tag or commit")
    about_bytes: int | None = Field(None, gt=0, description="None: unknown")
    sha256: dict[str, str] = Field({}, description="of files whose content is known before they are fetched")
    addresses: dict[str, str] = Field({}, description="of files that are published elsewhere than on the hub")

    @field_validator("files")
    @classmethod
    def _stay_inside(cls, files: tuple[str, ...]) -> tuple[str, ...]:
        for file in files:
            check_name(file)
        return files

    @field_validator("addresses")
    @classmethod
    def _by_https(cls, addresses: dict[str, str]) -> dict[str, str]:
        for file, address in addresses.items():
            if not address.startswith("https://"):
                raise ValueError(f"{file}: '{address}' is no https address")
        return addresses


def check_name(file: str) -> str:
    """The name of a file of weights; a ValueError where it could lead out of its folder."""
    parts = PurePosixPath(file).parts
    if not parts or "/".join(parts) != file or not all(_PLAIN.fullmatch(part) for part in parts):
        raise ValueError(f"'{file}' is no plain name of a file, so it is neither fetched nor read")
    return file


@cache
def catalogue() -> tuple[Weights, ...]:
    facts = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text())
    return tuple(Weights.model_validate(entry) for entry in facts["weights"])


def find(name: str) -> Weights:
    known = {weights.name: weights for weights in catalogue()}
    if name not in known:
        raise UnknownName("set of weights", name, known)
    return known[name]
