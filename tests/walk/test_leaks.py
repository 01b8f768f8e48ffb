"""What run folders, exports and the screen never tell: keys that signed somebody in, and whose machine it is."""

from __future__ import annotations

import base64
import json
import os
import platform
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from lookaway.cli.common import parse_settings
from lookaway.errors import StoreError, UsageError
from lookaway.images import read_image
from lookaway.models import ingested, load
from lookaway.pipeline import plans
from lookaway.pipeline.controls import generated_systems
from lookaway.records import ModelCard, Setting, System
from lookaway.store import Run
from lookaway.video import encode
from tests.test_suites import row, suite_folder
from tests.walk import toy

LONG, SHORT = 'hun/ter+2"pass word', "xyzzy"
USER = "ann.onymous7"
QUESTION = {"id": "q", "text": "Is it on?", "dimension": "state", "polarity": "positive", "expected": "yes"}


def spelled(key: str) -> list[str]:
    """The key as services repeat it."""
    basic = base64.b64encode(f"me:{key}".encode()).decode()
    return [key, json.dumps(key)[1:-1], quote(key, safe=""), basic]


class Echo(ThreadingHTTPServer):
    """Refuses everybody, and says with which key, in another way each time."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Refusal)
        self.times = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Refusal(BaseHTTPRequestHandler):
    server: Echo

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        key = self.headers["Authorization"].removeprefix("Bearer ")
        plain, escaped, in_url, basic = spelled(key)
        ways = [
            (401, f"no such key: {plain}"),
            (401, f"{'.' * 290} {plain}"),  # a quotation of 300 characters ends within it
            (403, f'{{"you sent": "Authorization: Bearer {escaped}", "url": "http://me:{in_url}@host/?key={in_url}"}}'),
            (403, f"Basic {basic} at http://host/?next={in_url}"),
            (200, json.dumps({"id": plain, "status": "failed", "error": f"key {plain}", "headers": [basic, in_url]})),
            (200, json.dumps({"request": plain, "as": basic})),
            (200, f"{plain} is no JSON"),
        ]
        code, said = ways[self.server.times % len(ways)]
        self.server.times += 1
        body = said.encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: pytest's output is enough."""


@pytest.fixture
def echo() -> Iterator[Echo]:
    with Echo() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


LOOKAWAY = (str(Path(sys.executable).parent / "lookaway"),)
WITH_TOY = (sys.executable, str(Path(toy.__file__)))


def invoke(
    *arguments: str,
    cwd: Path | None = None,
    code: int | None = None,
    program: tuple[str, ...] = LOOKAWAY,
    **variables: str,
) -> str:
    """All that the real command line says."""
    command = [*program, *arguments]
    known = os.environ | variables
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=known, cwd=cwd)
    assert done.returncode in ((0, 1) if code is None else (code,)), done.stderr
    return done.stdout + done.stderr


def light(folder: Path, count: int, **more: object) -> Path:
    folder.mkdir(parents=True)
    return suite_folder(folder, *(row(id=f"lamp{i}", scene=f"room{i}", **more) for i in range(count)))


def holding(folder: Path, texts: list[str]) -> list[str]:
    """Which files hold which of the texts, by name or by content."""
    found = []
    for path in (p for p in folder.rglob("*") if p.is_file()):
        content = path.read_bytes() + str(path.relative_to(folder)).encode()
        found += [f"{text!r} in {path.relative_to(folder)}" for text in texts if text.encode() in content]
    return found


@pytest.mark.parametrize(("key", "workers"), [(LONG, "2"), (SHORT, "1")])
def test_a_key_that_a_service_echoes_is_nowhere_whatever_its_variable_is_called(
    key: str, workers: str, echo: Echo, tmp_path: Path
) -> None:
    suite = light(tmp_path / "suite", 7)
    card = tmp_path / "service.toml"
    card.write_text(
        'summary = "a service"\ncontrol = "text"\ngenerator = "http"\n[settings]\nsign_in = "LOOKAWAY_FOO"\n'
        f'submit = "{echo.url}/jobs"\npoll = "{echo.url}/jobs/{{id}}"\nbody = "{{}}"\nvideo = "url"\n'
    )
    args = ["run", "--suite", str(suite), "--models", str(card), "--out", str(tmp_path / "run"), "--workers", workers]
    said = invoke(*args, LOOKAWAY_FOO=key)
    said += invoke("show", str(tmp_path / "run"), "lamp0/service/0", LOOKAWAY_FOO=key)
    assert echo.times == 7
    assert "$LOOKAWAY_FOO" in said
    assert not [text for text in spelled(key) if text in said]
    assert not holding(tmp_path / "run", spelled(key))
    assert not holding(tmp_path / "run", [key[:9]] if key == LONG else [key]), "not even a part of it"


@pytest.mark.parametrize(("key", "way"), [(LONG, 2), (SHORT, 3)])
def test_a_judges_key_that_its_service_echoes_is_nowhere(key: str, way: int, echo: Echo, tmp_path: Path) -> None:
    pytest.importorskip("httpx")
    echo.times = way
    suite, videos, out = light(tmp_path / "suite", 1, questions=[QUESTION]), tmp_path / "videos", tmp_path / "run"
    videos.mkdir()
    encode([read_image(suite / "first.png")] * 16, videos / "lamp0.mp4", 16)
    invoke("ingest", str(videos), "--suite", str(suite), "--model", "m", "--out", str(out))
    judge = ["--judge", f"openai:{echo.url}/v1", "--set", "openai.model=x", "--set", "openai.attempts=1"]
    with toy.installed():  # a still picture: what has no gate is asked all the same
        plans.amend(Run(out), chosen=[str(toy.PROTOCOL)])
    said = invoke("stage", "judge", str(out), *judge, program=WITH_TOY, LOOKAWAY_JUDGE_KEY=key)
    said += invoke("run", "--out", str(out), program=WITH_TOY, LOOKAWAY_JUDGE_KEY=key)
    assert echo.times > way
    assert not [text for text in spelled(key) if text in said]
    assert not holding(out, spelled(key))


def test_a_key_in_an_address_is_refused_before_it_is_written_down(tmp_path: Path) -> None:
    for url in ("https://me:pass@host/jobs", "https://host/jobs?api_key=hidden"):
        (tmp_path / "card.toml").write_text(
            f'summary = "s"\ncontrol = "text"\ngenerator = "http"\n[settings]\nsubmit = "{url}"\n'
        )
        with pytest.raises(UsageError, match=r"settings\.submit has a key or password") as refused:
            load(str(tmp_path / "card.toml"))
        with pytest.raises(UsageError, match="has a key or password") as refused_too:
            parse_settings([f"openai.url={url}"])
        assert "hidden" not in f"{refused.value}{refused_too.value}"


def whose(folder: Path) -> list[str]:
    """What nobody else needs to know of this machine."""
    names = [name for name in (USER, platform.node()) if len(name) > 3 and name != "localhost"]
    return [str(folder), str(Path(sys.executable).parent.parent), *names]


def test_a_run_of_a_folder_suite_tells_nobody_where_it_lay_and_whose_it_was(tmp_path: Path) -> None:
    home = tmp_path / USER / "my work"
    suite, videos, out = light(home / "the suite", 2), home / "videos", home / "run"
    videos.mkdir()
    encode([read_image(suite / "first.png")] * 16, videos / "lamp0.mp4", 16)
    (videos / "lamp1.mp4").write_bytes(b"no video")
    script = home / "model.py"
    script.write_text(
        "import os, sys\nprint('at', os.getcwd(), 'as', os.environ['LOGNAME'])\nopen(sys.argv[1] + '/x')\n"
    )
    (home / "mine.toml").write_text(
        f'summary = "mine"\ncontrol = "text"\ngenerator = "command"\n[settings]\n'
        f"command = \"{sys.executable} '{script}' '{home}/nowhere' {{out}}\"\n"
    )
    (home / "answers.jsonl").write_text("")
    told = {"LOGNAME": USER, "USER": USER, "HOME": str(tmp_path / USER)}
    invoke("ingest", str(videos), "--suite", str(suite), "--model", "brought", "--out", str(out), cwd=home, **told)
    invoke("run", "--out", str(out), "--models", str(home / "mine.toml"), cwd=home, **told)
    invoke("stage", "judge", str(out), "--judge", f"scripted:{home / 'answers.jsonl'}", cwd=home, **told)
    invoke("report", str(out), cwd=home, **told)
    exported = home / "export"
    invoke("suite", "export", str(suite), "--out", str(exported), "--layout", "memobench", cwd=home, **told)
    assert json.loads((out / "board.json").read_text())["suite"] == "mine"
    assert [name for name in holding(out, whose(tmp_path)) if not name.endswith(" in local.json")] == []
    assert holding(exported, whose(tmp_path)) == []

    moved = shutil.copytree(out, tmp_path / "elsewhere" / "run")
    there = shutil.move(suite, tmp_path / "elsewhere" / "suite")
    (moved / "local.json").unlink()
    assert "report.html" in invoke("report", str(moved)), "reports need neither the suite nor where it lay"
    again = f"scripted:{shutil.copy(home / 'answers.jsonl', tmp_path / 'elsewhere')}"
    said = invoke("run", "--out", str(moved), "--suite", str(there), "--judge", again)
    assert "report.html" in said
    assert "generate: 0 to do" in said, "the model is not here, and its clips are as they were"
    assert "observe: 0 to do" in said
    assert str(there) in (moved / "local.json").read_text()


def test_a_run_never_mixes_a_suite_in_a_folder_with_a_known_one_of_the_same_name(tmp_path: Path) -> None:
    suite = light(tmp_path / "suite", 1)
    (suite / "suite.toml").write_text('name = "diorama-mini"\nversion = 1\nsummary = "not the one you know"\n')
    plans.extend(Run(tmp_path / "run"), str(suite), [ingested("m")])
    assert plans.load(Run(tmp_path / "run")).suite == "diorama-mini"
    with pytest.raises(UsageError, match="in a folder"):
        plans.extend(Run(tmp_path / "run"), "diorama-mini", [ingested("m")])


@pytest.mark.parametrize("form", [None, 1, 2, 4])
def test_a_run_folder_of_another_form_is_refused_in_one_line(form: int | None, tmp_path: Path) -> None:
    suite, run = light(tmp_path / "suite", 1), Run(tmp_path / "run")
    plans.extend(run, str(suite), [ingested("m")])
    facts = json.loads((run.root / "run.json").read_text())
    (run.root / "run.json").write_text(json.dumps(facts | {"form": form}))
    with pytest.raises(StoreError, match=r"run\.json: a run folder of another version of lookaway") as refused:
        plans.load(run)
    assert len(str(refused.value).splitlines()) == 1


def test_a_plan_reads_back_with_folders_that_run_json_does_not_name(tmp_path: Path) -> None:
    run, suite = Run(tmp_path / "run"), light(tmp_path / "suite", 1)
    settings: dict[str, Setting] = {
        "command": "/opt/env one/bin/python '/srv/my models/a.py' {out}",
        "cwd": "/srv/models",
    }
    card = ModelCard(name="m", summary="", control="text", generator="command", settings=settings)
    system = System(name="m", card=card, checkpoint="/data/weights/last.pt")
    given: dict[str, Setting] = {"patch_features.model": "/data/nets/small", "patch_features.size": 3}
    plan = plans.extend(run, str(suite), [system], settings=given)
    assert plans.load(run) == plan
    (planned,) = plan.systems
    assert (planned.key, planned.label) == (system.key, "m@last.pt")
    written = (run.root / "run.json").read_text()
    assert not [place for place in ("/opt", "/srv", "/data", str(tmp_path)) if place in written]
    assert generated_systems(plans.load(run)) == [planned]
    (run.root / "local.json").unlink()
    assert generated_systems(plans.load(run)) == []
