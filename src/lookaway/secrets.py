"""Secrets live in the environment only; nothing that is written down or shown may repeat one.

Code reads a secret with `secret_of(VARIABLE)` and nowhere else, so that its value is known here whatever the variable
is called. `redacted` then takes it out of any text: as it is, and as URLs, JSON and sign-in headers spell it.
"""

from __future__ import annotations

import base64
import functools
import json
import os
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus, urlsplit

_NAME = re.compile(r"key|token|secret|passw|pwd|credential|auth|bearer", re.IGNORECASE)
_PARAMETER = re.compile(rf"{_NAME.pattern}|^sig$|signature", re.IGNORECASE)
_SHORTEST = 8  # shorter values would blot out ordinary words, so they are looked for as whole words only
_SHORTEST_BASE64 = 4  # hardly any word looks like it
_SIGNED_URL = re.compile(r"(?<=://)[^\s/?#@\"'<>]+(?=@)")
_QUERY = re.compile(r"(?<=[?&])([\w.~-]+)=([^\s&#\"'<>\\]+)")
_HEADER = re.compile(r"\b(authorization[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic|token)\s+)?)[^\s\"',;$}…]+", re.I)
_SIGN_IN = re.compile(r"\b((?:Basic|Bearer)\s+)(?=[\w.~+/=-]*[A-Z0-9=])[\w.~+/=-]{8,}")
_HIDDEN = "…"

_used: set[str] = set()  # variables that signed somebody in


def names_a_secret(name: str) -> bool:
    return _NAME.search(name) is not None


def secret_of(variable: str) -> str | None:
    """The value of an environment variable that signs us in, None where it is not set; never repeated from now on."""
    remember([variable])
    value = os.environ.get(variable)
    return None if value is None else value.strip()


def remember(variables: Iterable[str]) -> None:
    """Keep these variables' values out of all text: for processes that only hear from those that read them."""
    _used.update(variables)


def holds_a_secret(url: str) -> bool:
    """Whether an address has a password or a key in it: `https://me:pass@host`, `https://host?api_key=...`."""
    try:
        named = urlsplit(url).username is not None
    except ValueError:
        named = False
    return named or any(_PARAMETER.search(match[1]) for match in _QUERY.finditer(url))


def redacted(text: str) -> str:
    """`text` with every known secret replaced by its variable's name, and keys in URLs and headers left out.

    Known are the variables that were used to sign in, and those whose names look secret.
    """
    for variable, value in dict(os.environ).items():
        if variable in _used or (names_a_secret(variable) and len(value) >= _SHORTEST):
            text = without(text, variable, value)
    text = _SIGNED_URL.sub(_HIDDEN, text)
    text = _QUERY.sub(lambda found: f"{found[1]}={_HIDDEN}" if _is_key(found[1], found[2]) else found[0], text)
    return _SIGN_IN.sub(rf"\1{_HIDDEN}", _HEADER.sub(rf"\1{_HIDDEN}", text))


def first_words(text: str, characters: int) -> str:
    """The beginning of a text that is quoted; secrets go first, lest half of one is left at the cut."""
    return redacted(text)[:characters]


def last_words(text: str, characters: int) -> str:
    """The end of a text that is quoted, in the same way."""
    return redacted(text).strip()[-characters:]


def without(text: str, variable: str, value: str) -> str:
    """`text` with `$VARIABLE` where the value stood, in any spelling of it."""
    spelled = _spellings(value)
    return text if spelled is None else spelled.sub(lambda _: f"${variable}", text)


def _is_key(parameter: str, value: str) -> bool:
    return _PARAMETER.search(parameter) is not None and not value.startswith("$")


@functools.lru_cache(maxsize=256)
def _spellings(value: str) -> re.Pattern[str] | None:
    """One expression for all spellings of a value, the longest first; None of an empty value."""
    plain = {value, value.strip()}
    words = {_word(form) for own in plain if own for form in _quoted(own)}
    forms = words | {re.escape(form) for own in plain for form in _in_base64(own)}
    return re.compile("|".join(sorted(forms, key=len, reverse=True))) if forms else None


def _word(form: str) -> str:
    """A short value is one only where it stands alone."""
    return re.escape(form) if len(form) >= _SHORTEST else rf"(?<![A-Za-z0-9]){re.escape(form)}(?![A-Za-z0-9])"


def _quoted(value: str) -> set[str]:
    """As it is, in URLs, in JSON (also in JSON within JSON), and as Python shows it."""
    escaped = [json.dumps(value, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)]
    twice = [json.dumps(text)[1:-1] for text in escaped]
    slashed = [text.replace("/", "\\/") for text in escaped]
    return {
        value,
        quote(value),
        quote(value, safe=""),
        quote_plus(value),
        repr(value)[1:-1],
        *escaped,
        *twice,
        *slashed,
    }


def _in_base64(value: str) -> set[str]:
    """What every base64 text that holds the value has in common, wherever in it the value begins: `user:VALUE`."""
    found = set()
    raw = value.encode("utf-8", "surrogatepass")
    for before in range(3):
        text = base64.b64encode(b"\0" * before + raw).decode()
        whole = text[-(-before * 8 // 6) : (before + len(raw)) * 8 // 6]
        found |= {whole, whole.replace("+", "-").replace("/", "_")}
    return {form for form in found if len(form) >= _SHORTEST_BASE64}
