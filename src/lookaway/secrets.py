"""Secrets live in the environment only; nothing that is written down may repeat one."""

from __future__ import annotations

import os
import re

_NAME = re.compile(r"key|token|secret|passw|pwd|credential|auth|bearer", re.IGNORECASE)
_SHORTEST = 8  # shorter values would blot out ordinary words


def names_a_secret(name: str) -> bool:
    return _NAME.search(name) is not None


def redacted(text: str) -> str:
    """`text` with the value of every secret-looking environment variable replaced by its name."""
    for name, value in os.environ.items():
        if names_a_secret(name) and len(value) >= _SHORTEST:
            text = text.replace(value, f"${name}")
    return text
