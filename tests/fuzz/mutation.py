"""Ways to spoil a file: bytes, words, trees of JSON, archives. The same seed spoils it the same way."""

from __future__ import annotations

import io
import json
import random
import re
import struct
import warnings
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

from lookaway.arrays import BAD_ZIP

Mutate = Callable[[random.Random, bytes], bytes]

NUMBERS = (
    *(
        "0",
        "-0",
        "-1",
        "1",
        "2",
        "7",
        "0.5",
        "0.25",
        "15",
        "60",
        "100",
        "1e-9",
        "1e308",
        "1e999",
        "-1e999",
        "nan",
        "inf",
        "-inf",
        "NaN",
        "Infinity",
    ),
    *("9" * 25, "9" * 400, "9" * 5000, "1_000", "0x10", "٣", "²", "1e", "..", "2147483648", "9223372036854775808"),
)
SIGNS = (
    *("", " ", "\n", "\r\n", "\t", "\0", "\x1f", "\x85", "\u2028", "\u202e", "\ufeff", "\U0001f600", "é", "ß", "ı"),
    *('"', "'", "`", "```", "{", "}", "[", "]", "(", ")", ",", ";", ":", "@", "~", "+", "-", "/", "\\", "|", "&", "*"),
    *("#", "%", "$", "<", ">", "=", "?", "!", "\\u0000", "\\ud800", "\\", "../", "/etc/passwd", "..", "a" * 300, "<b>"),
    *("true", "false", "null", "None", "True", "yes", "no", "[" * 200, "{" * 200, '{"a":' * 50, "-" * 50),
)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**30, -0.0, 0.5, 1e308, float("nan"), float("inf")),
    *("", " ", "\0", "a\nb", "\ud800", "é" * 100, "x" * 5000, "../x", "/etc/passwd", "1", "true", "yes", "no", "NaN"),
    *([], {}, [[]], [{}], {"": ""}, [None], {"a": 1}, ["a", "a"], [1, 2, 3], "=1+1", "<script>"),
)
EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")


def spoilt_bytes(rng: random.Random, data: bytes) -> bytes:
    """One to four of: a bit, a byte, a number, a piece that is lost, doubled or moved, or an end that is missing."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        found = _byte_change(rng, found)
    return bytes(found)


def _byte_change(rng: random.Random, data: bytearray) -> bytearray:
    if not data:
        return bytearray(rng.randbytes(rng.randrange(1, 9)))
    at = rng.randrange(len(data))
    length = min(1 << rng.randrange(9), len(data) - at)
    match rng.randrange(9):
        case 0 | 1:
            data[at] ^= 1 << rng.randrange(8)
        case 2:
            data[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        case 3:
            packed = struct.pack(rng.choice((">I", "<I")), rng.choice(EDGES))
            data[at : at + 4] = packed
        case 4:
            del data[at : at + length]
        case 5:
            data[at:at] = data[at : at + length]
        case 6:
            data[at : at + length] = rng.randbytes(length)
        case 7:
            del data[at:]
        case _:
            to = rng.randrange(len(data))
            data[to:to] = data[at : at + length]
    return data


def spoilt_text(words: Sequence[str] = ()) -> Mutate:
    """Text spoilt by the words of its own language, odd numbers and signs, lost and doubled pieces."""
    own = [word.encode() for word in words]
    signs, numbers = [sign.encode() for sign in SIGNS], [number.encode() for number in NUMBERS]

    def mutate(rng: random.Random, data: bytes) -> bytes:
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
            data = one(rng, data)
        return data

    def one(rng: random.Random, data: bytes) -> bytes:
        at = rng.randrange(len(data) + 1)
        end = min(at + (1 << rng.randrange(6)), len(data))
        match rng.randrange(9):
            case 0 | 1:
                return data[:at] + rng.choice(own or signs) + data[at:]
            case 2:
                return data[:at] + rng.choice(signs) + data[at:]
            case 3 | 4:
                places = list(_NUMBER.finditer(data, 0, 100_000))
                if not places:
                    return data[:at] + rng.choice(numbers) + data[at:]
                place = rng.choice(places)
                return data[: place.start()] + rng.choice(numbers) + data[place.end() :]
            case 5:
                return data[:at] + data[end:]
            case 6:
                return data[:end] + data[at:]
            case 7:
                return data[:at] + rng.choice(own or signs) + data[end:]
            case _:
                return data[:at] if rng.random() < 0.3 else spoilt_bytes(rng, data)

    return mutate


def spoilt_json(words: Sequence[str] = ()) -> Mutate:
    """One JSON value, or a line of JSON Lines, with a part that is odd, gone, doubled, renamed or elsewhere."""
    as_text = spoilt_text(words)

    def mutate(rng: random.Random, data: bytes) -> bytes:
        if rng.random() < 0.25:
            return as_text(rng, data)
        lines = data.split(b"\n")
        whole = rng.random() < 0.5
        place = rng.randrange(len(lines))
        try:
            value = json.loads(data if whole else lines[place])
        except (ValueError, RecursionError):
            return as_text(rng, data)
        for _ in range(rng.choice((1, 1, 2, 3))):
            value = spoilt_tree(rng, value, words)
        told = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
        return told if whole else b"\n".join([*lines[:place], told, *lines[place + 1 :]])

    return mutate


def spoilt_tree(rng: random.Random, value: Any, words: Sequence[str] = ()) -> Any:
    """The value with one part changed, at any depth."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        name = rng.choice(list(value))
        match rng.randrange(10):
            case 0:
                return {key: each for key, each in value.items() if key != name}
            case 1:
                other = rng.choice(words) if words else rng.choice(SIGNS)
                return {other if key == name else key: each for key, each in value.items()}
            case 2:
                return value | {name: value[rng.choice(list(value))]}
            case _:
                return value | {name: spoilt_tree(rng, value[name], words)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        match rng.randrange(10):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return value[:at] + value[at:] + value[at:]
            case 2:
                return rng.sample(value, len(value))
            case _:
                return [*value[:at], spoilt_tree(rng, value[at], words), *value[at + 1 :]]
    return _odd(rng, value, words)


def _odd(rng: random.Random, value: Any, words: Sequence[str]) -> Any:
    if words and rng.random() < 0.3:
        return rng.choice(words)
    if isinstance(value, str) and value and rng.random() < 0.4:
        at = rng.randrange(len(value))
        return value[:at] + rng.choice(SIGNS) + value[at + rng.randrange(2) :]
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.4:
        return rng.choice((value + 1, value - 1, -value, value * 1000, float(value)))
    return rng.choice(ODD_VALUES)


def spoilt_zip(inside: Mutate) -> Mutate:
    """An archive spoilt from outside, or packed again with one file spoilt, renamed, doubled, added or left out."""

    def mutate(rng: random.Random, data: bytes) -> bytes:
        if rng.random() < 0.4:
            return spoilt_bytes(rng, data)
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                files = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
        except BAD_ZIP:
            return spoilt_bytes(rng, data)
        return packed_again(rng, _changed(rng, files, inside))

    return mutate


def _changed(rng: random.Random, files: list[tuple[str, bytes]], inside: Mutate) -> list[tuple[str, bytes]]:
    if not files:
        return [("seal.json", b"{}")]
    at = rng.randrange(len(files))
    name, content = files[at]
    match rng.randrange(8):
        case 0:
            return files[:at] + files[at + 1 :]
        case 1:
            strange = rng.choice(("../x", "/x", "a\\b", "seal.json", "x" * 300, "..", "run.json/x", "é"))
            return [*files[:at], (strange, content), *files[at + 1 :]]
        case 2:
            return [*files, files[at]]
        case _:
            return [*files[:at], (name, inside(rng, content)), *files[at + 1 :]]


def packed_again(rng: random.Random, files: list[tuple[str, bytes]]) -> bytes:
    to = io.BytesIO()
    method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with warnings.catch_warnings(), zipfile.ZipFile(to, "w", method) as archive:
        warnings.simplefilter("ignore")  # of two files of one name, which are meant
        for name, content in dict(files).items() if rng.random() < 0.5 else files:
            entry = zipfile.ZipInfo(name or "x", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = method
            entry.external_attr = rng.choice((0o100644, 0o100644, 0o120777, 0o040755)) << 16
            archive.writestr(entry, content)
    return to.getvalue()
