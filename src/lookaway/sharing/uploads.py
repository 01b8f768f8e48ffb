"""Send a folder to a hub of models or datasets."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from lookaway import extras
from lookaway.errors import LookawayError, MissingExtra, UsageError
from lookaway.places import telltale
from lookaway.secrets import redacted, secret_of

REPOSITORY = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}")
TEXTS = {".json", ".jsonl", ".yaml", ".yml", ".md", ".csv", ".html", ".tex", ".toml", ".txt"}


def upload(folder: Path, repository: str, *, kind: str, endpoint: str = "", pull_request: bool = True) -> str:
    """Every file of the folder in one commit, or one pull request; returns its address.

    The token is the variable HF_TOKEN's. A text that tells of this machine stops it before anything is sent.
    """
    if not REPOSITORY.fullmatch(repository):
        raise UsageError(f"'{repository}' is no repository; write OWNER/NAME")
    if not folder.is_dir() or not any(folder.iterdir()):
        raise UsageError(f"{folder}: no folder with files to send")
    if extras.missing("hub"):
        raise MissingExtra("hub", "`share upload`")
    check_folder(folder)
    from huggingface_hub import CommitOperationAdd, HfApi

    api = HfApi(endpoint=endpoint or None, token=secret_of("HF_TOKEN"), library_name="lookaway")
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    added = [CommitOperationAdd(path.relative_to(folder).as_posix(), path) for path in files]
    with _told():
        done = api.create_commit(
            repo_id=repository,
            operations=added,
            repo_type=kind,
            commit_message="Results of lookaway",
            create_pr=pull_request,
        )
    return str(done.pr_url or done.commit_url)


def check_folder(folder: Path) -> None:
    """Refuse a folder one of whose texts tells where this machine keeps things, whose it is, or a secret."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix.lower() in TEXTS and (found := telltale(path.read_text(errors="replace"))):
            raise UsageError(
                f"{path.relative_to(folder)}: tells {found}; nothing was sent. Take it out, or write it anew"
            )


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Failures of the hub as errors of ours, without the token."""
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except (HfHubHTTPError, OSError) as error:
        raise LookawayError(f"the hub did not take it: {redacted(str(error))[:500]}") from error
