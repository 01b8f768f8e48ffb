"""The verdict of a check as a JUnit file, which every CI server can read: one test case for each rule."""

from __future__ import annotations

import re
from xml.etree import ElementTree as xml

from lookaway.records import CheckReport

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(report: CheckReport) -> str:
    """A rule that fails is a failure, one of which it is too early to tell is skipped."""
    words = [rule.verdict for rule in report.rules]
    suite = xml.Element(
        "testsuite",
        name=_legal(f"lookaway check: {report.arm} against {report.against} on {report.suite}"),
        tests=str(len(words)),
        failures=str(words.count("fail")),
        errors="0",
        skipped=str(words.count("too early")),
    )
    for rule in report.rules:
        name = _legal(f"{rule.rule} [{rule.metric}]")
        case = xml.SubElement(suite, "testcase", classname="lookaway.check", name=name)
        if rule.verdict == "fail":
            xml.SubElement(case, "failure", message=_legal(rule.reason), type="worsened").text = _legal(rule.reason)
        elif rule.verdict == "too early":
            xml.SubElement(case, "skipped", message=_legal(f"too early to tell: {rule.reason}"))
        xml.SubElement(case, "system-out").text = _legal(rule.model_dump_json(indent=1))
    whole = xml.Element("testsuites")
    whole.append(suite)
    xml.indent(whole)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + xml.tostring(whole, encoding="unicode") + "\n"


def _legal(text: str) -> str:
    return _NO_XML.sub("�", text)
