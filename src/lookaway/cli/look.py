"""`look`: what happened in videos that somebody brings."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli import app
from lookaway.cli.common import Ending, Protocols, Settings, console, parse_list, parse_settings, stage_command
from lookaway.errors import UsageError
from lookaway.limits import PICK_S
from lookaway.names import unprintable
from lookaway.pipeline.stage import Options
from lookaway.store import root_of

if TYPE_CHECKING:
    from lookaway.looking.brought import BroughtVideo, Wishes
    from lookaway.records import Setting

PROTOCOL = "real"
FINDER = "box_finder."  # before its settings: it looks before there is a plan


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
    pick: Annotated[
        bool, typer.Option("--pick", help="Draw the subject's box on a page that is served on this machine.")
    ] = False,
    pick_minutes: Annotated[
        float, typer.Option(min=0.01, max=1440, help="How long --pick waits for whoever draws.")
    ] = PICK_S / 60,
    subject: Annotated[
        str | None, typer.Option(help="What the subject is called, such as 'the cat'; where weights are, it is found.")
    ] = None,
    camera: Annotated[str, typer.Option(help="The camera script that was asked for, if one was.")] = "",
    hfov: Annotated[float | None, typer.Option(min=1, max=170, help="The lens: degrees across the picture.")] = None,
    protocols: Protocols = None,
    settings: Settings = None,
) -> None:
    """Say what happened in videos of which nothing is known.

    Needs no suite and no truth: the camera, whether the place stayed the same, cuts, and with --box or --pick
    the subject.
    """
    from lookaway.cli.progress import progress
    from lookaway.looking.boxes import with_kept
    from lookaway.looking.brought import Wishes, brought_videos, parse_box
    from lookaway.looking.walk import looked_at

    if subject is not None and unprintable(subject):
        raise UsageError("--subject must be a few words, such as 'the cat'")
    boxes, called = dict(map(parse_box, box or [])), subject or Wishes.subject
    wishes = Wishes(boxes=boxes, subject=called, camera=camera, hfov_deg=hfov)
    given = parse_settings(settings or [])
    chosen = parse_list(protocols) if protocols is not None else [PROTOCOL]
    found = brought_videos(videos)
    with tempfile.TemporaryDirectory(prefix="lookaway-") as temporary:
        root = out or Path(temporary)
        if pick and not options.dry_run:
            _draw(found, wishes, root, 60 * pick_minutes, kept=out is not None)
        notes = _find(found, wishes, root, given) if subject is not None and not options.dry_run else {}
        known = with_kept(found, wishes, root)
        others = {name: value for name, value in given.items() if not name.startswith(FINDER)}
        looks = looked_at(found, known.wishes, root, chosen, options, progress(), others, known.notes | notes)
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


def _draw(videos: Sequence[BroughtVideo], wishes: Wishes, root: Path, wait_s: float, kept: bool) -> None:
    """Let somebody draw the boxes of videos that have none, and keep them in the run folder."""
    from lookaway.looking.boxes import FILE, drawn_boxes, keep_boxes, with_kept
    from lookaway.looking.picking import picked

    open_ones = with_kept(videos, wishes, root).undrawn
    if not open_ones:
        typer.echo(f"every video has a box or was skipped; to draw again, delete {root / FILE}", err=True)
        return
    count = f"{len(open_ones)} video{'s' if len(open_ones) > 1 else ''}"

    def say(address: str) -> None:
        typer.echo(f"draw the subject in {count}, within {wait_s / 60:g} minutes, at\n  {address}", err=True)

    done = picked(open_ones, wishes.subject, wait_s, say)
    keep_boxes(root, drawn_boxes(open_ones, done.answers))
    if not done.finished:
        drawn = f"; what was drawn is kept in {root / FILE}" if kept and done.answers else ""
        raise UsageError(
            f"nobody finished drawing within {wait_s / 60:g} minutes{drawn}; "
            "run it again, with more --pick-minutes, with --box, or without a box"
        )


def _find(
    videos: Sequence[BroughtVideo], wishes: Wishes, root: Path, settings: Mapping[str, Setting]
) -> dict[str, str]:
    """Let a model find the subject in videos that have no box, and keep what it found; notes on where it did not."""
    from lookaway.looking.boxes import keep_boxes, with_kept
    from lookaway.looking.finding import finder_is_here, found_boxes, how_to_find

    boxless = with_kept(videos, wishes, root).boxless
    own = {name.removeprefix(FINDER): value for name, value in settings.items() if name.startswith(FINDER)}
    if not boxless:
        return {}
    if not finder_is_here(own):
        typer.echo(
            f"nothing says where {wishes.subject} is in {len(boxless)} of the videos: {how_to_find(own)}", err=True
        )
        return {}
    made = found_boxes(boxless, wishes.subject, own)
    keep_boxes(root, made.kept)
    return made.notes
