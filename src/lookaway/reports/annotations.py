"""The verdict of a check where people read CI: lines that GitHub shows beside a change, a file that GitLab does."""

from __future__ import annotations

import hashlib
import json

from lookaway.records import CheckReport, CheckWord

LEVELS: dict[CheckWord, str] = {"fail": "error", "too early": "warning", "pass": "notice"}
SEVERITIES: dict[CheckWord, str] = {"fail": "major", "too early": "info"}


def github_lines(report: CheckReport) -> list[str]:
    """A workflow command for each rule: an error, a warning where it is too early to tell, else a notice."""
    titles = [_value(f"lookaway check: {rule.verdict}") for rule in report.rules]
    return [
        f"::{LEVELS[rule.verdict]} title={title}::{_data(f'{rule.rule}: {rule.reason}')}"
        for rule, title in zip(report.rules, titles, strict=True)
    ]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _value(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def code_quality(report: CheckReport, path: str) -> str:
    """GitLab's code quality report: an entry for each rule that did not pass, told at the given file."""
    entries = [
        {
            "description": f"{rule.rule}: {rule.reason}",
            "check_name": f"lookaway: {rule.metric}",
            "fingerprint": _fingerprint(report.suite, report.arm, rule.rule, rule.metric),
            "severity": SEVERITIES[rule.verdict],
            "location": {"path": path, "lines": {"begin": 1}},
        }
        for rule in report.rules
        if rule.verdict in SEVERITIES
    ]
    return json.dumps(entries, indent=1, ensure_ascii=False) + "\n"


def _fingerprint(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
