"""Templates become HTML here: everything that is put in is escaped, every name must be there."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from lookaway.phrasing import others
from lookaway.reports.drawing.phrases import arrow, number
from lookaway.reports.words import interval


def render(template: str, **values: Any) -> Markup:
    """A template beside this file, filled in."""
    return Markup(_environment().get_template(template).render(**values))


@cache
def asset(name: str) -> str:
    """The text of a file beside this one."""
    return (resources.files("lookaway.reports") / name).read_text()


def page_style() -> Markup:
    """Colours by day and by night, and the rules of the report's pages."""
    return Markup(asset("page/palette.css") + asset("page/page.css"))


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "interval": interval, "others": others, "arrow": arrow}
    return environment
