"""`suite attach`: first pictures for a suite that ships as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli.common import JsonFlag, print_json, print_rows
from lookaway.errors import UsageError
from lookaway.limits import PICK_S

if TYPE_CHECKING:
    from lookaway.records import Box
    from lookaway.suites.attaching import Attached, BroughtPicture, PictureSuite


def attach(
    suite: Annotated[
        str,
        typer.Argument(help="natural, evolution or evolution-permanence.", metavar="SUITE"),
    ],
    frames: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Your pictures, called FAMILY.png or FAMILY-WORD.png.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="SUITE", help="The suite folder to write; else DIR-suite.")
    ] = None,
    fov: Annotated[
        float, typer.Option(min=1, max=170, help="Degrees across pictures that do not say theirs; unverified.")
    ] = 60.0,
    pick: Annotated[
        bool, typer.Option("--pick", help="Draw boxes that are not said, on a page that is served on this machine.")
    ] = False,
    pick_minutes: Annotated[
        float, typer.Option(min=0.01, max=1440, help="How long --pick waits for whoever draws.")
    ] = PICK_S / 60,
    rendered: Annotated[
        bool, typer.Option("--rendered", help="Render pictures for families that you bring none for, where possible.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Give the families of a suite their first pictures.

    Without --frames it lists the pictures that are wanted. Beside FAMILY.png, FAMILY.json may say
    {"box": [left, top, right, bottom], "hfov_deg": degrees}.
    """
    from lookaway.suites import attaching

    taking = attaching.TAKING_PICTURES.get(suite)
    if taking is None:
        raise UsageError(f"'{suite}' takes no pictures; {', '.join(attaching.TAKING_PICTURES)} do")
    if frames is None:
        _print_wanted(taking, as_json)
        return
    folder = out or frames.resolve().with_name(f"{frames.resolve().name}-suite")
    draw = (lambda pictures: _drawn(pictures, 60 * pick_minutes)) if pick else None
    attached = attaching.attach(frames, folder, fov, draw, with_rendered=rendered, suite=taking)
    _tell(attached, taking, frames, folder, as_json)


def _print_wanted(suite: PictureSuite, as_json: bool) -> None:
    wanted = [
        {"family": f.id, "side": f.side, "rendered": "yes" if f.world else None, "picture": f"{f.opening} {f.picture}"}
        for f in suite.families().values()
    ]
    if as_json:
        print_json({"framing": suite.framing(), "pictures": wanted})
        return
    print_rows(wanted, as_json)
    typer.echo(f"\nOf all of them: {suite.framing()}")


def _drawn(pictures: Sequence[BroughtPicture], wait_s: float) -> Mapping[str, Box]:
    """Let somebody draw the boxes."""
    from lookaway.images import read_image
    from lookaway.looking.picking import first_picture, picked_on

    shown = {f"{picture.path.name}: {picture.family.subject}": picture for picture in pictures}

    def say(address: str) -> None:
        typer.echo(
            f"draw the subject in {counted(len(shown))}, within {wait_s / 60:g} minutes, at\n  {address}", err=True
        )

    done = picked_on([first_picture(id, read_image(p.path)) for id, p in shown.items()], "the subject", wait_s, say)
    if not done.finished:
        typer.echo("nobody finished drawing; what was drawn is used", err=True)
    return {shown[id].path.name: said.box for id, said in done.answers.items() if said.box is not None}


def _tell(attached: Attached, suite: PictureSuite, frames: Path, out: Path, as_json: bool) -> None:
    """One line for each picture that cannot be used, then what was made."""
    from lookaway.video.names import printable

    for name, why in attached.refused.items():
        typer.echo(printable(f"{name}: {why}"), err=True)
    if not attached.rows:
        raise UsageError(f"{frames}: no picture can be used; `lookaway suite attach {suite.name}` lists what is wanted")
    without = [name for name in suite.families() if name not in attached.families]
    if as_json:
        print_json(
            {
                "out": str(out),
                "tasks": len(attached.rows),
                "pictures": attached.pictures,
                "refused": attached.refused,
                "without_picture": without,
            }
        )
        return
    unverified = len({row["scene"] for row in attached.rows if not row["hfov_declared"]})
    if unverified:
        typer.echo(f"the field of view of {counted(unverified)} is not said: unverified", err=True)
    if without:
        typer.echo(f"{len(without)} families have no picture here: {', '.join(without)}", err=True)
    typer.echo(f"{len(attached.rows)} tasks on {counted(len(attached.pictures))}; use them with --suite {out}")


def counted(pictures: int) -> str:
    return f"{pictures} picture{'s' if pictures != 1 else ''}"
