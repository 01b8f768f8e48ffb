"""Names of files as text."""

from __future__ import annotations


def printable(name: str) -> str:
    """On one line, with what cannot be printed shown escaped: bytes that are no UTF-8, line ends, control marks."""
    try:
        text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half a character, which JSON can write and no file is called
        text = name.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text)
