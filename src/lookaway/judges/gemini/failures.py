"""What the Gemini API's errors mean for a question: whether to ask again, when, and what to mend first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from lookaway.errors import CallFailed, CallProblem
from lookaway.judges.calls.pacing import retry_after_s
from lookaway.secrets import first_words

KEY = "GEMINI_API_KEY"
STATUS: dict[int, CallProblem] = {
    401: "barred",
    403: "barred",
    408: "timed_out",
    429: "rate_limited",
    499: "timed_out",
    504: "timed_out",
}


def failure_of(code: int, body: Any, headers: Mapping[str, str]) -> CallFailed:
    """The failure that an error status and its JSON body come to."""
    error = body.get("error", body) if isinstance(body, Mapping) else {}
    said = f"{error.get('status', '')} {first_words(str(error.get('message', '')), 300)}".strip()
    details = [each for each in error.get("details") or [] if isinstance(each, Mapping)]
    problem = STATUS.get(code, "server" if code >= 500 else "rejected")
    hint = ""
    if code == 400 and ("API key" in said or any(each.get("reason") == "API_KEY_INVALID" for each in details)):
        problem, hint = "barred", f"; is {KEY} set to a valid key?"
    elif code == 400 and "FAILED_PRECONDITION" in said:
        problem, hint = "barred", "; see the account's billing and region"
    elif code in (401, 403):
        hint = f"; is {KEY} set to a valid key?"
    elif code == 404:
        hint = "; does a model of this name exist?"
    elif code == 429 and _is_daily(details):
        problem, hint = "barred", "; this is the quota of a whole day: go on tomorrow, or raise it"
    wait_s = _retry_delay_s(details) or retry_after_s(headers.get("retry-after"), datetime.now(UTC))
    return CallFailed(problem, f"the service answered {code}{hint}: {said}", wait_s)


def _retry_delay_s(details: list[Mapping[str, Any]]) -> float | None:
    """The wait in RetryInfo, written as `34.5s`."""
    for each in details:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(each.get("retryDelay", "")))
        if match:
            return float(match[1])
    return None


def _is_daily(details: list[Mapping[str, Any]]) -> bool:
    violations = [violation for each in details for violation in each.get("violations") or []]
    return any("PerDay" in str(violation.get("quotaId", "")) for violation in violations)
