"""A server of the Gemini REST protocol over real sockets: uploads in parts, files, generateContent, and faults.

Run as a program it serves until killed, prints its port, and tells what it holds at /log.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import math
import socket
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import av
from pydantic.alias_generators import to_camel

from tests.judges.server import LINGER_NOT

API = "/v1beta"
STATUS = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
STATUS |= {500: "INTERNAL", 503: "UNAVAILABLE"}
PICTURE_TOKENS = 258


@dataclass
class GeminiManner:
    """How to answer. Fates say what becomes of the first requests of a kind; "ok" and all later ones are answered."""

    fates: dict[str, list[str]] = field(default_factory=dict)  # by kind: generate, start, part, look, delete
    says: str = "Yes"
    key: str = ""
    looks_until_ready: int = 2
    drops_pictures: bool = False
    details: bool = True  # count pictures apart from words
    error: dict[str, Any] = field(default_factory=dict)  # more fields of an error


@dataclass
class Kept:
    """An uploaded file."""

    mime: str
    size: int
    data: bytes = b""
    looks: int = 0


class GeminiServer:
    def __init__(self, manner: GeminiManner) -> None:
        self.manner = manner
        self.files: dict[str, Kept] = {}
        self.calls: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.heads: list[dict[str, str]] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> asyncio.Server:
        server = await asyncio.start_server(self._connected, "127.0.0.1", self.port, limit=1 << 24)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, or we are told to
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if path == "/log":
            return await _send(writer, 200, json.dumps({"calls": self.calls, "files": list(self.files)}))
        self.heads = [*self.heads[-20:], {"path": path, **headers}]
        kind = _kind(method, path, headers)
        self.calls[kind] += 1
        fates = self.manner.fates.get(kind, [])
        fate = fates.pop(0) if fates else "ok"
        if self.manner.key and headers.get("x-goog-api-key") != self.manner.key:
            return await _send(writer, 400, json.dumps(_invalid_key(headers.get("x-goog-api-key", ""))))
        if fate == "reset":
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
            writer.transport.abort()
            return False
        if fate.isdigit():
            return await _send(writer, int(fate), json.dumps(self._error(int(fate))))
        more, text = getattr(self, f"_{kind}")(path, headers, body, fate)
        code = 404 if text is None else 200
        text = json.dumps(self._error(404)) if text is None else text
        if fate == "cut_body":
            writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\n\r\n{text[: len(text) // 2]}".encode())
            await writer.drain()
            return False
        return await _send(writer, code, text[: len(text) // 2] if fate == "cut_json" else text, more)

    def _error(self, code: int) -> dict[str, Any]:
        return {
            "error": {"code": code, "message": "as told", "status": STATUS.get(code, "UNKNOWN"), **self.manner.error}
        }

    def _start(self, path: str, headers: dict[str, str], body: bytes, fate: str) -> tuple[str, str]:
        asked = _loaded(body)["file"]
        name = asked["name"].removeprefix("files/")
        self.files[name] = Kept(asked["mimeType"], int(headers["x-goog-upload-header-content-length"]))
        more = f"X-Goog-Upload-Status: active\r\nX-Goog-Upload-URL: {self.url}/upload{API}/files?upload_id={name}\r\n"
        return more, "{}"

    def _part(self, path: str, headers: dict[str, str], body: bytes, fate: str) -> tuple[str, str]:
        name = path.partition("upload_id=")[2]
        kept = self.files[name]
        assert int(headers["x-goog-upload-offset"]) == len(kept.data)
        kept.data += body
        if fate == "unacknowledged":
            return "", "{}"
        final = "finalize" in headers["x-goog-upload-command"]
        state = "final" if final else "active"
        return f"X-Goog-Upload-Status: {state}\r\n", json.dumps({"file": self._file(name)}) if final else ""

    def _look(self, path: str, headers: dict[str, str], body: bytes, fate: str) -> tuple[str, str | None]:
        name = path.rpartition("/")[2]
        if name not in self.files:
            return "", None
        self.files[name].looks += 1
        return "", json.dumps(self._file(name, fate))

    def _file(self, name: str, fate: str = "ok") -> dict[str, Any]:
        kept = self.files[name]
        state = (
            "FAILED" if fate == "failed" else "ACTIVE" if kept.looks >= self.manner.looks_until_ready else "PROCESSING"
        )
        uri = f"{self.url}{API}/files/{name}"
        return {"name": f"files/{name}", "uri": uri, "state": state, "mimeType": kept.mime, "sizeBytes": str(kept.size)}

    def _delete(self, path: str, headers: dict[str, str], body: bytes, fate: str) -> tuple[str, str | None]:
        return "", None if self.files.pop(path.rpartition("/")[2], None) is None else "{}"

    def _pictures(self, part: dict[str, Any]) -> int:
        """How many pictures are looked at: one, or those sampled of a video."""
        if "fileData" in part:
            data = self.files[part["fileData"]["fileUri"].rpartition("/")[2]].data
        elif "inlineData" not in part or part["inlineData"]["mimeType"] != "video/mp4":
            return "inlineData" in part
        else:
            data = base64.urlsafe_b64decode(part["inlineData"]["data"])
        with av.open(io.BytesIO(data)) as video:
            return math.ceil((video.duration or 0) / av.time_base * part["videoMetadata"]["fps"])

    def _generate(self, path: str, headers: dict[str, str], body: bytes, fate: str) -> tuple[str, str]:
        asked = _loaded(body)
        self.bodies = [*self.bodies[-20:], asked]
        parts = asked["contents"][0]["parts"]
        pictures = 0 if self.manner.drops_pictures else sum(map(self._pictures, parts))
        candidate: dict[str, Any] = {"content": {"parts": [{"text": self.manner.says}], "role": "model"}}
        candidate["finishReason"] = fate if fate.isupper() else "STOP"
        usage: dict[str, Any] = {"promptTokenCount": 40 + PICTURE_TOKENS * pictures, "candidatesTokenCount": 5}
        usage["thoughtsTokenCount"] = 100
        if self.manner.details:
            counts = {"TEXT": 40, "IMAGE": PICTURE_TOKENS * pictures}
            usage["promptTokensDetails"] = [{"modality": kind, "tokenCount": count} for kind, count in counts.items()]
        reply: dict[str, Any] = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-test-001"}
        match fate:
            case "blocked":
                reply = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage}
            case "SAFETY":
                del candidate["content"]
            case "no_end":
                del candidate["finishReason"]
            case "nobody":
                reply["candidates"] = []
            case "thoughts":
                candidate["content"]["parts"].insert(0, {"text": "No, wait.", "thought": True})
            case "echo":
                candidate["content"]["parts"][0]["text"] = f"Your key is {headers['x-goog-api-key']}"
        return "", json.dumps(reply)


def _loaded(body: bytes) -> dict[str, Any]:
    """JSON as protocol buffers read it: the SDK writes some names in snake_case, which mean the same."""
    fields: dict[str, Any] = json.loads(body, object_hook=lambda pairs: {to_camel(name): pairs[name] for name in pairs})
    return fields


def _kind(method: str, path: str, headers: dict[str, str]) -> str:
    if path.startswith(f"/upload{API}/files"):
        return "start" if headers["x-goog-upload-command"] == "start" else "part"
    if path.endswith(":generateContent"):
        return "generate"
    return {"GET": "look", "DELETE": "delete"}[method]


def _invalid_key(key: str) -> dict[str, Any]:
    reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    said = f"API key not valid. Please pass a valid API key. You sent {key}"
    return {"error": {"code": 400, "message": said, "status": "INVALID_ARGUMENT", "details": [reason]}}


async def _send(writer: asyncio.StreamWriter, code: int, text: str, more: str = "") -> bool:
    head = (
        f"HTTP/1.1 {code} Said\r\nContent-Type: application/json\r\nContent-Length: {len(text.encode())}\r\n{more}\r\n"
    )
    writer.write((head + text).encode())
    await writer.drain()
    return True


async def _serve_until_killed(manner: GeminiManner) -> None:
    async with await (served := GeminiServer(manner)).start() as server:
        sys.stdout.write(f"{served.port}\n")
        sys.stdout.flush()
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve_until_killed(GeminiManner(**json.loads(sys.argv[1]))))
