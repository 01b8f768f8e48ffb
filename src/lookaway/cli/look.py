"""`look`: what happened in videos that somebody brings."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from lookaway.cli import app
from lookaway.cli.common import Ending, Protocols, console, parse_list, stage_command
from lookaway.errors import UsageError
from lookaway.pipeline.stage import Options
from lookaway.store import root_of

PROTOCOL = "real"


@app.command()
@stage_command
def look(
    videos: Annotated[list[Path], typer.Argument(metavar="VIDEO_OR_FOLDER...", help="Videos, or folders of them.")],
    options: Options,
    ending: Ending,
    out: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Keep what was seen, and a report, in this run folder.", parser=root_of),
    ] = None,
    box: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]L,T,R,B", help="The subject in the first frame, as shares of it; of one video."),
    ] = None,
    subject: Annotated[str, typer.Option(help="What to call the subject.")] = "the subject",
    camera: Annotated[str, typer.Option(help="The camera script that was asked for, if one was.")] = "",
    hfov: Annotated[float | None, typer.Option(min=1, max=170, help="The lens: degrees across the picture.")] = None,
    protocols: Protocols = None,
) -> None:
    """Say what happened in videos of which nothing is known.

    Needs no suite and no truth: the camera, whether the place stayed the same, cuts, and with --box the subject.
    """
    from lookaway.cli.progress import progress
    from lookaway.looking.brought import Wishes, brought_videos, parse_box
    from lookaway.looking.walk import looked_at

    if not subject.strip() or not subject.isprintable():
        raise UsageError("--subject must be a few words, such as 'the cat'")
    wishes = Wishes(boxes=dict(map(parse_box, box or [])), subject=subject, camera=camera, hfov_deg=hfov)
    chosen = parse_list(protocols) if protocols is not None else [PROTOCOL]
    found = brought_videos(videos)
    with tempfile.TemporaryDirectory(prefix="lookaway-") as temporary:
        looks = looked_at(found, wishes, out or Path(temporary), chosen, options, progress())
    written = [str(path) for path in looks.written] if out is not None else []
    if not ending.as_json:
        for said in looks.said:
            console().print(said.id, style="bold", highlight=False, markup=False)
            console().print(f"{said.text}\n", soft_wrap=True, highlight=False, markup=False)
        for path in written:
            typer.echo(path)
    ending(looks.reports, videos=[{"video": said.id, "says": said.text} for said in looks.said], written=written)
    if looks.unreadable > ending.max_failures:
        raise typer.Exit(1)
