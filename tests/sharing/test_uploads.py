"""A folder goes to a hub as one pull request; here a small server on this machine stands in for the hub."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lookaway.errors import LookawayError, UsageError
from lookaway.sharing.uploads import upload


class Hub:
    """Speaks as much of the hub's interface as a commit of small files needs, and keeps what it was sent."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str, str]] = []  # method, path, token
        self.refuses = False

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        if self.refuses:
            return 403, {"error": "no right to write here"}
        if path.startswith("/api/validate-yaml"):
            return 200, {"errors": [], "warnings": []}
        if "/preupload/" in path:
            wanted = json.loads(body)["files"]
            return 200, {"files": [{"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in wanted]}
        if "/commit/" in path:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    self.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            told = {"commitUrl": "https://huggingface.co/datasets/example/results/commit/1", "commitOid": "1" * 40}
            return 200, told | (
                {"pullRequestUrl": "https://huggingface.co/datasets/example/results/discussions/1"}
                if "create_pr" in path
                else {}
            )
        if "/revision/" in path or "/tree/" in path or path.startswith("/api/"):
            return 200, {"id": "example/results", "sha": "0" * 40, "siblings": [], "private": False}
        return 404, {"error": path}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Hub, str]]:
    monkeypatch.setenv("HF_TOKEN", "hf_planted_token_12345678")
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)  # other tests keep it from the network
    kept = Hub()

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.headers.get("Transfer-Encoding") == "chunked":
                body = self._chunks()
            kept.asked.append((self.command, self.path, self.headers.get("Authorization", "")))
            code, told = kept.answer(self.command, self.path, body)
            text = json.dumps(told).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def _chunks(self) -> bytes:
            found = b""
            while size := int(self.rfile.readline(), 16):
                found += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return found

        do_GET = do_POST = do_PUT = _do

        def log_message(self, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield kept, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_folder_arrives_whole_as_a_pull_request(hub: tuple[Hub, str], tmp_path: Path) -> None:
    kept, endpoint = hub
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.json").write_text('{"value": 1}')
    (tmp_path / "README.md").write_text("results")
    address = upload(tmp_path, "example/results", kind="dataset", endpoint=endpoint)
    assert address.endswith("/discussions/1")
    assert kept.files == {"data/a.json": b'{"value": 1}', "README.md": b"results"}
    commits = [(path, token) for method, path, token in kept.asked if "/commit/" in path]
    assert commits[0][0].startswith("/api/datasets/example/results/commit/main")
    assert commits[0][1] == "Bearer hf_planted_token_12345678"


def test_a_refusal_is_told_without_the_token(hub: tuple[Hub, str], tmp_path: Path) -> None:
    kept, endpoint = hub
    kept.refuses = True
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(LookawayError, match="did not take it") as caught:
        upload(tmp_path, "example/results", kind="dataset", endpoint=endpoint)
    assert "hf_planted_token" not in str(caught.value)


@pytest.mark.parametrize("text", ["at {place}/x", "key hf_planted_token_12345678"])
def test_what_tells_of_the_machine_is_not_sent(hub: tuple[Hub, str], tmp_path: Path, text: str) -> None:
    kept, endpoint = hub
    (tmp_path / "a.json").write_text(text.format(place=Path.home() / "runs"))
    with pytest.raises(UsageError, match="nothing was sent"):
        upload(tmp_path, "example/results", kind="dataset", endpoint=endpoint)
    assert kept.asked == []


@pytest.mark.parametrize("name", ["results", "../x/y", "a/b/c", "https://hub/x"])
def test_what_is_no_repository_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(UsageError, match="OWNER/NAME"):
        upload(tmp_path, name, kind="dataset", endpoint="http://127.0.0.1:9")
