"""`compile`: a camera script in a model's language."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, print_json


@app.command(name="compile")
def compile_script(
    model: Annotated[str, typer.Option(help="A model's name or card file.")],
    camera: Annotated[str, typer.Option(help="A camera script, such as 'yaw:left:60@2s, yaw:right:60@2s'.")],
    out: Annotated[Path, typer.Option(help="Folder for the files.")],
    hfov: Annotated[float, typer.Option(min=1, max=170, help="Horizontal field of view in degrees.")] = 60.0,
    as_json: JsonFlag = False,
) -> None:
    """Write what a model must be given to film along a camera script, and say what of it the model can obey."""
    from lookaway import models
    from lookaway.controls import CONTROLS, AskedCamera, lost, shape_notes
    from lookaway.names import inside

    card = models.load(model)
    asked = AskedCamera.plain(camera, card, hfov)
    said = CONTROLS.get(card.control).function(asked)
    out.mkdir(parents=True, exist_ok=True)
    files = {"asked.npz": asked.path.to_bytes(), **said.files}
    if said.effective is not None:
        files["effective.npz"] = said.effective.to_bytes()
    if said.text:
        files["prompt.txt"] = said.text.encode()
    for path, data in [(inside(out, name), data) for name, data in files.items()]:
        path.write_bytes(data)
    notes = [*said.warnings, *shape_notes(asked)]
    if said.files and not card.control_verified:
        notes.append("unverified: no independent reader of this model's format has read such files back")
    loss = None if said.effective is None else lost(asked.path, said.effective)
    if as_json:
        row = {
            "model": card.name,
            "control": card.control,
            "files": sorted(files),
            "loss_deg": loss and loss[0],
            "loss_m": loss and loss[1],
            "input_policy": said.input_policy,
            "verified": card.control_verified,
            "notes": notes,
        }
        print_json(row)
        return
    shape = asked.shape
    typer.echo(
        f"{card.name}: {card.control}, {shape.frames} frames of {shape.width}x{shape.height} at {shape.fps:g} fps"
    )
    typer.echo(f"wrote to {out}: {', '.join(sorted(files))}")
    told = "unknown" if loss is None else f"{loss[0]:.2f} degrees, {loss[1]:.3f} m"
    typer.echo(f"lost of what was asked, at the most: {told}")
    for note in notes:
        typer.echo(f"note: {note}")
