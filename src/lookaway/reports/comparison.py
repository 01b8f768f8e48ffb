"""A comparison of systems on pages: Markdown, and one HTML file that works from disk."""

from __future__ import annotations

from collections.abc import Sequence

from lookaway.records import ComparedArm, SystemComparison
from lookaway.reports.drawing.html import html_table, table_style
from lookaway.reports.drawing.markdown import markdown_table
from lookaway.reports.escaping import in_markdown
from lookaway.reports.exhibits import Montage
from lookaway.reports.pages import render


def comparison_html(record: SystemComparison, montages: Sequence[Montage]) -> str:
    """Sentences first, then the tables, then the worst pairs side by side."""
    drawn = [html_table(table) for table in record.tables]
    return render("comparison.jinja", record=record, tables=drawn, montages=montages, table_style=table_style())


def comparison_markdown(record: SystemComparison, montages: Sequence[Montage]) -> str:
    """The same for a pull request; of the worst pairs the names, for Markdown holds no pictures of its own."""
    title = " against ".join(arm.name for arm in reversed(record.arms)) if len(record.arms) == 2 else "Systems compared"
    parts = [
        f"# {in_markdown(title)}",
        f"Suite {in_markdown(record.suite)}, version {in_markdown(record.suite_version)}.",
    ]
    parts += [f"**{in_markdown(told)}**" for told in record.sentences]
    parts += [f"- {in_markdown(arm.name)}: {in_markdown(told)}" for arm, told in arms_told(record)]
    parts += [f"- left out: {in_markdown(what)}: {in_markdown(why)}" for what, why in record.left_out.items()]
    parts += [markdown_table(table).strip() for table in record.tables]
    for montage in montages:
        clips = "\n".join(
            f"- {in_markdown(clip.title)}: {in_markdown(clip.reason or clip.status)}" for clip in montage.clips
        )
        parts.append(f"### {in_markdown(montage.title)}\n\n{clips}")
    return "\n\n".join(parts) + "\n"


def arms_told(record: SystemComparison) -> list[tuple[ComparedArm, str]]:
    """Each arm with its clips in words: `8 tasks, 16 clips, from a and b`."""
    return [(arm, f"{arm.tasks} tasks, {arm.clips} clips, from {' and '.join(arm.runs)}") for arm in record.arms]
