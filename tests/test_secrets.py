"""A secret is taken out of every text by its value, however it is spelled, and read in one place only."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

import lookaway
from lookaway import secrets
from lookaway.errors import GenerationError
from lookaway.judges.gemini.failures import failure_of
from lookaway.places import placeless
from lookaway.records import Clip
from lookaway.secrets import first_words, holds_a_secret, last_words, redacted, remember, secret_of
from lookaway.sessions.client import asked as wire_asked
from lookaway.sessions.messages import CloseMessage, Unable
from lookaway.sessions.wires import SAID
from tests.builders import task

NOT_SECRET = {"LOOKAWAY_STATE", "XDG_STATE_HOME", "LOOKAWAY_CACHE", "LOOKAWAY_WEIGHTS"}  # folders
NOT_SECRET |= {"HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "HF_HUB_OFFLINE"}
NOT_SECRET |= {"CUDA_VISIBLE_DEVICES"}


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_used", set())


@pytest.mark.parametrize("value", ["a-long-plain-value", 'with "quotes"/+& and é', "tiny", "  padded-value \n"])
def test_a_value_that_signed_in_is_hidden_in_every_spelling(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIN_NAME", value)
    read = secret_of("PLAIN_NAME")
    assert read == value.strip()
    spelled = [
        read,
        quote(read),
        quote(read, safe=""),
        quote_plus(read),
        json.dumps(read),
        json.dumps([json.dumps(read)]),
    ]
    for before in ("", "u:", "me:", "you:"):
        text = f"{before}{read}:more".encode()
        spelled += [base64.b64encode(text).decode(), base64.urlsafe_b64encode(text).decode()]
    for text in spelled:
        assert "$PLAIN_NAME" in redacted(f"<{text}>"), text
        assert read not in redacted(text)


def test_a_short_value_blots_out_no_word_that_contains_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIN_NAME", "cat")
    remember(["PLAIN_NAME"])
    assert redacted("the category of key cat, 'cat'") == "the category of key $PLAIN_NAME, '$PLAIN_NAME'"


def test_a_variable_that_never_signed_in_is_left_alone_unless_its_name_looks_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLAIN_NAME", "an ordinary value")
    monkeypatch.setenv("SOME_TOKEN", "a secret value")
    assert redacted("an ordinary value, a secret value") == "an ordinary value, $SOME_TOKEN"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("http://me:pass@host/x", "http://…@host/x"),
        ("https://host/v?a=1&api_key=abc&b=2", "https://host/v?a=1&api_key=…&b=2"),
        ("https://store/v.mp4?X-Amz-Signature=0f0f", "https://store/v.mp4?X-Amz-Signature=…"),
        ('{"Authorization": "Bearer abc"}', '{"Authorization": "Bearer …"}'),
        ("Basic bWU6YWJj", "Basic …"),
        ("a basic understanding of https://host/v?page=2", "a basic understanding of https://host/v?page=2"),
    ],
)
def test_keys_in_addresses_and_headers_are_left_out(text: str, clean: str) -> None:
    assert redacted(text) == clean


def test_a_quotation_never_ends_within_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIN_NAME", "a-long-plain-value")
    remember(["PLAIN_NAME"])
    for cut in range(5, 20):
        assert "long" not in first_words("you: a-long-plain-value", cut)
        assert "plain" not in last_words("a-long-plain-value: you", cut)
    body = b"no JSON" + b"." * (SAID - 15) + b" a-long-plain-value"
    with pytest.raises(GenerationError) as refused:
        wire_asked(Saying(body), CloseMessage(session="s"), Unable)
    assert "a-long" not in str(refused.value)
    failed = failure_of(401, {"error": {"message": "." * 295 + "a-long-plain-value"}}, {})
    assert "a-lon" not in str(failed)


class Saying:
    """A wire at whose end one thing is said."""

    address = "http://nowhere"

    def __init__(self, body: bytes) -> None:
        self.ask = lambda message: body

    def close(self) -> None: ...


def test_an_address_with_a_key_is_recognised() -> None:
    assert [holds_a_secret(url) for url in ("http://a:b@h", "http://h?token=1", "http://h/v1?page=2", "m {out}")] == [
        True,
        True,
        False,
        False,
    ]


def test_secrets_are_read_from_the_environment_in_one_place_only() -> None:
    package = Path(lookaway.__file__).parent
    for path in package.rglob("*.py"):
        if path.name != "secrets.py":
            read = re.findall(r"(?:environ\.get|environ\[|getenv)\W*(\w+)", path.read_text())
            assert set(read) <= NOT_SECRET, f"{path.name} reads {read}; read secrets with secret_of"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("cannot open '/data/models/a.py'", "cannot open '…/a.py'"),
        ('File "/opt/x/y.py", line 3', 'File "…/y.py", line 3'),
        ("scripted:/data/q/answers.jsonl", "scripted:…/answers.jsonl"),
        ("file:///srv/a/b.mp4", "file://…/b.mp4"),
        (
            "https://api.example.org/v1/videos answered 3/4 and/or",
            "https://api.example.org/v1/videos answered 3/4 and/or",
        ),
        ("runs/a/b.mp4", "runs/a/b.mp4"),
    ],
)
def test_a_text_does_not_tell_in_which_folder_a_file_lies(text: str, clean: str) -> None:
    assert placeless(text) == clean


def test_a_text_does_not_tell_whose_machine_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ann.onymous7")
    monkeypatch.setenv("HOME", "/home/ann onymous")
    monkeypatch.setattr("platform.node", lambda: "annas-laptop.lan")
    assert placeless("ann.onymous7@annas-laptop: /home/ann onymous/run x annas-laptop.lan") == "…@…: …/run x …"


def test_what_a_clip_tells_of_its_making_is_fit_to_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    from lookaway.generators.http import http  # noqa: F401
    from lookaway.pipeline.generate import GENERATORS, no_clip
    from lookaway.pipeline.stage import fit_to_keep
    from lookaway.records import CaseId

    monkeypatch.setenv("PLAIN_NAME", "a-long-plain-value")
    remember(["PLAIN_NAME"])
    case, plugin = CaseId(task="t", system="s"), GENERATORS.get("http")
    clip = no_clip(case, "", task(), "failed", "a-long-plain-value in /a/b/c.py", plugin)
    made = clip.provenance.model_copy(update={"note": "job a-long-plain-value", "prompt": "say a-long-plain-value"})
    kept: Clip = fit_to_keep(clip.model_copy(update={"provenance": made}))
    assert (kept.reason, kept.provenance.note) == ("$PLAIN_NAME in …/c.py", "job $PLAIN_NAME")
    assert kept.provenance.prompt == "say $PLAIN_NAME"
