"""How often a clip was decoded for judges, and a frame encoded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from lookaway.judges.frames import sent
from lookaway.judges.openai import chat
from lookaway.pipeline import footage


def count_pictures(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts of `decoded` clips, and of frames that were `encoded` and put as `text` into a request."""
    counts: Counter[str] = Counter()

    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            counts[name] += 1
            return function(*given, **named)

        return counted

    monkeypatch.setattr(sent, "encoded", counting("encoded", sent.encoded))
    monkeypatch.setattr(chat, "_data_url", counting("text", chat._data_url))
    monkeypatch.setattr(footage, "decode_some", counting("decoded", footage.decode_some))
    monkeypatch.setattr(footage.SharedFrames, "load", counting("decoded", footage.SharedFrames.load))
    return counts
