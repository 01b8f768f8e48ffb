"""`model`: cards of video models, what a model is given, and the known world as a stranger's interactive model."""

from __future__ import annotations

import contextlib
import fnmatch
import textwrap
import time
from pathlib import Path
from typing import Annotated

import typer

from lookaway.cli import app, group
from lookaway.cli.common import JsonFlag, console, print_json, print_rows
from lookaway.cli.tree import say_moved
from lookaway.errors import UsageError
from lookaway.records import ModelCard

Reference = Annotated[bool, typer.Option("--reference", help="List the reference models instead.")]
Mechanism = Annotated[bool, typer.Option("--mechanism", help="List what each is made of instead.")]

model = group("model", "Video models: what is known of each, and what it is given.")


@model.command("list")
def list_models(reference: Reference = False, mechanism: Mechanism = False, as_json: JsonFlag = False) -> None:
    """List the models that papers evaluate, and the baselines."""
    from lookaway.models import evaluated, load, names
    from lookaway.models.table import mechanism_row, ordered, row

    if mechanism and not as_json:
        print_rows([mechanism_row(card) for card in ordered(evaluated())], False)
        return

    cards = ordered([load(card) for card in names()])
    if as_json:
        print_json([card.model_dump(mode="json") for card in cards])
        return
    apart = [{"model": c.name, "what": c.summary} for c in cards if c.condition_type == "known-world"]
    if reference:
        print_rows(apart, False)
        return
    print_rows([row(card) for card in cards if card.condition_type != "known-world"], False)
    console().print(
        "\n? is unknown. `lookaway model show NAME` shows a card whole, `lookaway model list --reference` "
        f"the {len(apart)} reference models."
    )


@model.command("show")
def show_model(
    name: Annotated[str, typer.Argument(help="A model's name or card file.", metavar="NAME")],
    as_json: JsonFlag = False,
    toml: Annotated[bool, typer.Option("--toml", help="Print the card as a file, to make it one of your own.")] = False,
) -> None:
    """Show the card of a model, with the source of each fact."""
    from lookaway.models import card_text, load

    if toml:
        typer.echo(card_text(name) + _settings_to_fill_in(load(name)))
    else:
        _show_card(load(name), as_json)


def _settings_to_fill_in(card: ModelCard) -> str:
    """The settings that a card's generator takes, as comments, where the card has none."""
    from lookaway.generators import GENERATORS, settings_example

    known = card.generator in GENERATORS.all() and GENERATORS.get(card.generator).settings is not None
    if card.settings or not known:
        return ""
    return f"\n{textwrap.indent(settings_example(GENERATORS.get(card.generator)), '# ')}"


@app.command("models", hidden=True)
def models(
    name: Annotated[str | None, typer.Argument()] = None, reference: Reference = False, as_json: JsonFlag = False
) -> None:
    """List the models; with a name, show one card."""
    if name is None:
        say_moved("models", "model list")
        list_models(reference, as_json=as_json)
    else:
        say_moved("models NAME", "model show NAME")
        show_model(name, as_json)


def _show_card(card: ModelCard, as_json: bool) -> None:
    """Each fact with the number of its source, and the sources below."""
    if as_json:
        print_json(card.model_dump(mode="json"))
        return
    console().print(f"{card.name}: {card.summary}", style="bold")
    for paper, evaluation in card.papers.items():
        label = f" ({evaluation.label})" if evaluation.label else ""
        console().print(f"{paper} calls it {', '.join(evaluation.called)}{label}")
    if card.aliases:
        console().print(f"also called {', '.join(card.aliases)}")
    if card.condition_reason:
        console().print(f"{card.condition_type}: {card.condition_reason}")
    console().print(f"made by the generator {card.generator}\n")
    sources = list(dict.fromkeys(source for fact in card.facts() if (source := card.source(fact))))
    print_rows([_fact(card, fact, value, sources) for fact, value in card.facts().items()], False)
    console().print()
    for number, source in enumerate(sources, 1):
        console().print(f"[{number}] {source}", soft_wrap=True)


def _fact(card: ModelCard, fact: str, value: object, sources: list[str]) -> dict[str, str]:
    if value is None:
        return {"fact": fact, "value": "unknown", "source": ""}
    said = ", ".join(value) if isinstance(value, tuple) else str(value)
    source = card.source(fact)
    return {"fact": fact, "value": said, "source": f"[{sources.index(source) + 1}]" if source else "no source"}


@model.command("compile")
def compile_script(
    model: Annotated[str, typer.Option(help="A model's name or card file.")],
    camera: Annotated[str, typer.Option(help="A camera script, such as 'yaw:left:60@2s, yaw:right:60@2s'.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the files.")],
    hfov: Annotated[float, typer.Option(min=1, max=170, help="Horizontal field of view in degrees.")] = 60.0,
    cover: Annotated[str, typer.Option(help="A cover script, such as 'hold@1s, lights:off@0.5s'.")] = "",
    trigger: Annotated[str, typer.Option(metavar="WORDS@SECONDSs", help="What sets a process off, and when.")] = "",
    as_json: JsonFlag = False,
) -> None:
    """Write what a model is given to film along a camera script.

    Says what of the script the model can obey, and what is lost; and how it is told of covers and triggers.
    """
    from dataclasses import replace

    from lookaway import models
    from lookaway.controls import CONTROLS, AskedCamera, lost, shape_notes
    from lookaway.controls.events import cover_event, parse_trigger, timed, trigger_event
    from lookaway.names import inside

    card = models.load(model)
    asked = AskedCamera.plain(camera, card, hfov)
    hides = cover_event(cover, card) if cover else None
    starts = trigger_event(*parse_trigger(trigger), card) if trigger else None
    if starts is not None:
        asked = replace(asked, trigger_s=starts.start_s)
    said = CONTROLS.get(card.control).function(asked)
    out.mkdir(parents=True, exist_ok=True)
    files = {"asked.npz": asked.path.to_bytes(), **said.files}
    if said.effective is not None:
        files["effective.npz"] = said.effective.to_bytes()
    in_prompt = [said.text]
    if starts is not None and starts.start_s is not None and starts.told_by == "prompt":
        in_prompt.insert(0, timed(starts.words, starts.start_s))
    if hides is not None and hides.told_by == "prompt":
        in_prompt.append(hides.words)
    if words := " ".join(filter(None, in_prompt)):
        files["prompt.txt"] = words.encode()
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
            "trigger": starts and starts.model_dump(mode="json"),
            "occlusion": hides and hides.model_dump(mode="json"),
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
    for what, event in (("trigger", starts), ("cover", hides)):
        if event is not None:
            typer.echo(f"{what}, told by {event.told_by}{f' {event.action}' if event.action else ''}: {event.words}")
    for note in notes:
        typer.echo(f"note: {note}")


@model.command()
def serve(
    suite: Annotated[str, typer.Argument(help="A suite of the known world.", metavar="SUITE")],
    only: Annotated[str | None, typer.Option(metavar="PATTERN", help="Only tasks whose name matches.")] = None,
    address: Annotated[str, typer.Option(help="http://HOST:PORT or ws://HOST:PORT.")] = "http://127.0.0.1:8000",
    idle: Annotated[float, typer.Option(min=1, help="Seconds after which an unused session is closed.")] = 600.0,
    sessions: Annotated[int, typer.Option(min=1, help="Sessions that may be open at once.")] = 64,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A name that clients may call this server by, too.")
    ] = None,
    sign_in: Annotated[
        str, typer.Option(metavar="VARIABLE", help="Environment variable with the token that clients must know.")
    ] = "",
) -> None:
    """Serve the known world as an interactive model, to try things on.

    The worlds of a suite can be opened, stepped, forked and closed.
    """
    from lookaway.secrets import secret_of
    from lookaway.sessions import serving
    from lookaway.suites import find
    from lookaway.suites.known_world import SIZE, Shot, build_known_world
    from lookaway.worlds.serving import KnownWorlds

    drafts = [draft for draft in find(suite).drafts() if fnmatch.fnmatch(draft.id, only or "*")]
    if not drafts:
        raise UsageError(f"--only '{only}' matches no task of {suite}; see: lookaway suite tasks {suite}")
    if any(draft.build is not build_known_world for draft in drafts):
        raise UsageError(f"suite '{suite}' is not of the known world, so there is nothing to step through")
    worlds = KnownWorlds({draft.id: Shot.of(draft).world for draft in drafts}, SIZE)
    token = (secret_of(sign_in) or "") if sign_in else ""
    if sign_in and not token:
        raise UsageError(f"the environment variable {sign_in} is not set; put a long word into it")
    with serving(worlds, address, idle, sessions, allow_host or (), token) as found:
        typer.echo(f"serving {len(drafts)} tasks at {found}; stop with Ctrl-C")
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                time.sleep(3600)
