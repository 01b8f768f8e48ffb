"""`share send`, `share fetch`: runs and seals to and from object stores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli.common import JsonFlag, print_json
from lookaway.errors import UsageError
from lookaway.store import root_of

if TYPE_CHECKING:
    from lookaway.sharing.travel import Travelled

Address = Annotated[str, typer.Argument(help="Such as s3://bucket/runs/a; of a seal, with its name.", metavar="URL")]


def send(
    what: Annotated[
        Path, typer.Argument(help="A finished run folder, or a sealed run.", metavar="RUN", parser=root_of)
    ],
    url: Address,
    fresh: Annotated[bool, typer.Option("--fresh", help="Send files again that are there.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Send a finished run or a seal to an object store.

    Plan, logs and blobs are sent, by content: what is there is not sent twice, and a command that was broken off goes
    on. Needs the extra `remote`; you sign in by the environment, as with the store's own tools.
    """
    from lookaway.cli.progress import progress
    from lookaway.sharing import travel

    if what.is_file():
        _tell(travel.send_seal(what, url), url, as_json)
    elif travel.is_seal(url):
        raise UsageError(f"{what}: is no seal, and {url[:200]} names one; seal it first: lookaway share seal {what}")
    else:
        _tell(travel.send(what, url, progress(), fresh=fresh), url, as_json)


def fetch(
    url: Address,
    out: Annotated[Path, typer.Option(metavar="RUN", help="Where it goes; it must not exist yet.", parser=root_of)],
    name: Annotated[
        str, typer.Option(metavar="SHA256", help="What `share send` printed; anything else is refused.")
    ] = "",
    as_json: JsonFlag = False,
) -> None:
    """Fetch a run or a seal, every file checked by its hash.

    It appears when all of it is there; a command that was broken off goes on. Reports are not sent: write them with
    `lookaway report RUN`.
    """
    from lookaway.cli.progress import progress
    from lookaway.sharing import travel

    if travel.is_seal(url):
        _tell(travel.fetch_seal(url, out, expected=name), str(out), as_json)
    else:
        _tell(travel.fetch(url, out, progress(), expected=name), str(out), as_json)


def _tell(travelled: Travelled, place: str, as_json: bool) -> None:
    if as_json:
        print_json({"place": place, **travelled._asdict()})
        return
    typer.echo(f"{place}\n{travelled.files} files, {travelled.size} bytes, {travelled.moved} of them moved now")
    typer.echo(f"name {travelled.name}")
