"""The dose plot says what its numbers say, at the right place."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from lookaway.phrasing import stopped_here
from lookaway.records import Board, DoseCurve, DoseKind, DosePoint, LedgerStep, Protocol, Step
from lookaway.reports.colours import COUNT, colour, marker
from lookaway.reports.dose_plot import MOST_SYSTEMS, dose_plot
from lookaway.reports.drawing.phrases import arrow
from lookaway.reports.html import dose_sections
from lookaway.reports.pages import asset
from lookaway.reports.words import clips_way, rate, reached, step_meanings

SVG = "{http://www.w3.org/2000/svg}"


def point(dose: float, value: float | None, **changes: Any) -> DosePoint:
    facts: dict[str, Any] = {"dose": dose, "dose_low": dose, "dose_high": dose, "tasks": 4, "scenes": 4}
    facts |= {"n": 4, "ok": 4, "other": 0, "value": value, "low": None, "high": None, "method": "m", "floor": value}
    return DosePoint(**(facts | changes))


def curve(system: str, *points: DosePoint, dose: DoseKind = "hidden_s", reason: str = "") -> DoseCurve:
    return DoseCurve(protocol="p", system=system, dose=dose, points=points, reason=reason)


def drawn(*curves: DoseCurve) -> ET.Element:
    text = str(dose_plot(curves))
    return ET.fromstring(text[: text.index("</svg>") + 6].replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1))


def marks(svg: ET.Element, shape: str) -> list[tuple[float, float]]:
    """Filled marks of a line, without the one in the legend."""
    found = [e for e in svg.iter(f"{SVG}{shape}") if e.get("fill") != "var(--card)"]
    return [(float(e.get("cx", 0)), float(e.get("cy", 0))) for e in found][:-1]


def ticks(svg: ET.Element, anchor: str) -> dict[str, float]:
    axis = "y" if anchor == "end" else "x"
    return {str(e.text): float(e.get(axis, 0)) for e in svg.iter(f"{SVG}text") if e.get("text-anchor") == anchor}


def test_points_stand_where_the_axes_say() -> None:
    svg = drawn(curve("truth", point(1.0, 1.0), point(2.0, 0.5)))
    (x1, y1), (x2, y2) = marks(svg, "circle")
    across, up = ticks(svg, "middle"), ticks(svg, "end")
    assert (x1, x2) == (across["1"], across["2"])
    assert (y1, y2) == (up["1"] - 4, up["0.5"] - 4)  # a label's foot is four pixels under its middle
    (line,) = svg.iter(f"{SVG}polyline")
    assert line.get("points") == f"{x1:g},{y1:g} {x2:g},{y2:g}"


def test_doses_of_nothing_at_all_have_one_place() -> None:
    svg = drawn(curve("truth", point(0.0, 1.0), dose="rotation_deg"))
    assert [x for x, _ in marks(svg, "circle")] == [ticks(svg, "middle")["0"]]


def test_a_whisker_ends_where_the_interval_does_and_counts_stand_below() -> None:
    svg = drawn(curve("truth", point(1.0, 0.5, low=0.25, high=0.75, n=7, ok=4, other=3, floor=0.3)))
    up = ticks(svg, "end")
    (whisker,) = [e.get("d") for e in svg.iter(f"{SVG}path")]
    assert f",{up['0.25'] - 4}V{up['0.75'] - 4}M" in str(whisker)
    words = [e.text for e in svg.iter(f"{SVG}text")]
    assert "4+3" in words
    (title,) = svg.iter(f"{SVG}title")
    assert title.text == "truth at 1: 0.50 [0.25, 0.75] n=4 of 7, m"


def test_the_floor_is_hollow_and_stands_alone_where_nothing_has_a_verdict() -> None:
    svg = drawn(curve("static", point(1.0, None, ok=0, other=4, floor=0.0)))
    hollow = [e for e in svg.iter(f"{SVG}circle") if e.get("fill") == "var(--card)"]
    assert len(hollow) == 1
    assert marks(svg, "circle") == []
    assert "0+4" in [e.text for e in svg.iter(f"{SVG}text")]


def test_systems_differ_in_colour_or_marker_and_are_named() -> None:
    names = [f"model {n}" for n in range(MOST_SYSTEMS)]
    svg = drawn(*(curve(name, point(1.0, 0.5)) for name in names))
    lines = [g for g in svg.iter(f"{SVG}g") if g.get("data-system")]
    assert [g.get("data-system") for g in lines] == names
    looks = {(g[0].get("stroke"), g[-2].tag, g[-2].get("d", "")[-8:]) for g in lines}
    assert len(looks) == MOST_SYSTEMS
    assert len({g[0].get("stroke") for g in lines[:8]}) == 8


def test_counts_never_run_into_each_other() -> None:
    points = [point(d, 0.5, n=150, ok=120, other=30) for d in (1.0, 1.01, 1.02, 5.0, 5.01)]
    svg = drawn(curve("truth", *points))
    places = [float(e.get("x", 0)) for e in svg.iter(f"{SVG}text") if e.text == "120+30"]
    assert len(places) == 5
    assert min(b - a for a, b in itertools.pairwise(places)) >= 40
    assert max(places) < 560


def test_more_systems_than_colours_can_tell_apart_go_to_the_table() -> None:
    page = dose_plot([curve(f"model {n}", point(1.0, 0.5)) for n in range(MOST_SYSTEMS + 3)])
    assert "3 further systems are in the table below" in page
    assert page.count("<polyline") == MOST_SYSTEMS


def test_names_are_escaped() -> None:
    assert "<b>" not in dose_plot([curve("<b>x</b>", point(1.0, 0.5))])


def test_context_windows_are_drawn_where_one_is_known_and_explained_where_not() -> None:
    known = curve("short", point(0.5, 1.0), point(2.0, 0.0), dose="context")
    assert 'class="guide"' in dose_plot([known])
    unknown = curve("truth", dose="context", reason="the model card tells no context window")
    assert dose_plot([unknown]) == ""
    protocol = Protocol(
        name="p", summary="", metrics=("m",), headline=(), ledger=(Step(name="right", metric="m", at_least=1),)
    )
    seconds = curve("truth", point(1.0, 1.0))
    facts: dict[str, Any] = {"suite": "s", "suite_version": "1", "cells": (), "ledger": (), "systems": ("truth",)}
    (section,) = dose_sections(Board(**facts, protocols=(protocol,), dose=(seconds, unknown)))
    assert len(section.plots) == 1
    assert section.without == {"hidden time (context windows): the model card tells no context window": ["truth"]}
    assert dose_sections(Board(**facts, protocols=(protocol,), dose=(unknown,))) == []


# ---------------------------------------------------------------- words


def test_a_clip_says_where_its_way_ended() -> None:
    place = Step(name="right place", metric="return_place:sound", at_most=0.08)
    assert clips_way(place, "lost", 0.2345, "") == "lost at right place: return_place 0.234 above 0.08"
    assert clips_way(place, "lost", None, "never looked away") == "lost at right place: never looked away"
    assert clips_way(place, "unknown", None, None) == "unknown from right place on: not scored"
    assert clips_way(None, "reached", None, "") == "reached every step"


def test_the_commonest_reasons_come_first_and_the_rest_is_counted() -> None:
    lost = {"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}
    step = LedgerStep(protocol="p", system="s", step="right", reached=0, total=17, lost=lost, unknown={"f": 2})
    assert stopped_here(step) == ["lost: 5× a; 4× b; 3× c; 3× something else", "unknown: 2× f"]


def test_a_step_tells_how_many_got_there_at_least_and_at_most() -> None:
    step = LedgerStep(protocol="p", system="s", step="right", reached=5, total=10, unknown={"f": 1}, unknown_before=2)
    assert (reached(step), rate(step)) == ("5 to 8", "0.50 to 0.80")
    sure = step.model_copy(update={"unknown": {}, "unknown_before": 0})
    assert (reached(sure), rate(sure)) == ("5", "0.50")
    assert rate(sure.model_copy(update={"reached": 0, "total": 0})) == "–"


@pytest.mark.parametrize(("better", "sign"), [("higher", "↑"), ("lower", "↓"), ("one", "→1")])
def test_the_better_way_has_a_sign(better: Any, sign: str) -> None:
    assert arrow(better) == sign


def test_no_two_systems_share_a_mark_before_colours_begin_again() -> None:
    assert len({marker(place) for place in range(COUNT)}) == COUNT
    assert len({(colour(place), marker(place)) for place in range(COUNT * COUNT)}) == COUNT * COUNT


def test_every_mark_is_drawn_in_its_own_shape_in_plots_and_in_lists() -> None:
    svg = drawn(*(curve(f"s{number}", point(1, 0.5)) for number in range(COUNT)))
    lines = [group for group in svg.iter(f"{SVG}g") if group.get("data-system")]
    marks = [list(line)[-2] for line in lines]  # in the legend, before the name
    outlines = {
        (mark.tag, mark.get("r"), mark.get("width"), (mark.get("d") or "").lstrip("M0123456789.,")) for mark in marks
    }
    assert len(outlines) == COUNT
    rules = asset("page/page.css")
    assert all(f".dot.m-{marker(place)} " in rules for place in range(1, COUNT)), "the first is what a dot is by itself"


def test_a_step_of_the_ledger_is_told_in_words_with_its_bounds() -> None:
    steps = (
        Step(name="delivered", metric="turn_share:sound", at_least=0.7, concerns={"cover": ("",)}),
        Step(name="true speed", metric="absolute_clock:sound", at_least=-0.25, at_most=0.25),
    )
    (_, delivered), (_, speed) = step_meanings(
        Protocol(name="p", summary="", metrics=tuple(step.metric for step in steps), headline=(), ledger=steps)
    )
    assert delivered.startswith("turn share is at least 0.7")
    assert "as far or further" in delivered, "what the metric says of itself"
    assert delivered.endswith("skip this step.")
    assert speed.startswith("absolute clock is at least -0.25 and at most 0.25")
    assert "skip" not in speed
