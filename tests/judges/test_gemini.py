"""Gemini through Google's SDK and real HTTP: what is sent, what comes back, what may go wrong, what is left behind."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import signal
import subprocess
import sys
import time
import traceback
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from lookaway.errors import CallFailed, UsageError
from lookaway.judges import JUDGES, About, Backend, Probe
from lookaway.judges.calls.asking import Asker, Inquiry, Reached, Received
from lookaway.judges.calls.budget import Budget, Ceiling, Cost
from lookaway.judges.calls.pacing import Limits
from lookaway.judges.calls.pool import Pool
from lookaway.judges.calls.reply_cache import ReplyCache
from lookaway.judges.frames.native_video import native_video
from lookaway.judges.gemini import FRAMES
from lookaway.judges.gemini.failures import KEY
from lookaway.judges.gemini.uploads import Ledger
from lookaway.judges.prompting.forms import Field, Form, json_schema
from lookaway.video import decode, encode
from tests.judges.gemini_server import GeminiManner, GeminiServer
from tests.judges.made import frames
from tests.judges.server import in_thread

pytest.importorskip("google.genai", reason="google-genai comes with the dev extra")

SECRET = "planted-gemini-key-0123456789"
ABOUT = About("q", "ab" * 32)
SHOWN = Probe("Is the kettle there?", frames(3, FRAMES), ABOUT)
QUICK = Limits(concurrency=4, attempts=3, attempt_s=20, backoff_s=0.001)


@pytest.fixture(autouse=True)
def key_and_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(KEY, SECRET)
    monkeypatch.setenv("LOOKAWAY_STATE", str(tmp_path / "state"))
    monkeypatch.setattr("lookaway.judges.gemini.uploads.FIRST_LOOK_S", 0.001)
    monkeypatch.setattr("lookaway.judges.gemini.uploads.DELETE_WAIT_S", 0.001)


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """Four seconds of noise with tags that give its maker away."""
    plain, tagged = tmp_path / "plain.mp4", tmp_path / "secret-model-7.mp4"
    rng = np.random.default_rng(0)
    encode([rng.integers(0, 255, (48, 64, 3), np.uint8) for _ in range(32)], plain, fps=8)
    with av.open(str(plain)) as source, av.open(str(tagged), "w") as target:
        target.metadata.update({"title": "secret-model-7", "comment": "a cat with two tails"})
        copy = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = copy
                target.mux(packet)
    return tagged


def opened(server: GeminiServer, **settings: Any) -> Backend:
    opens = JUDGES.get("gemini").opens
    assert opens is not None
    return opens("gemini-test", {"url": server.url, **settings})


def sent(manner: GeminiManner, probe: Probe = SHOWN, **settings: Any) -> tuple[Received, GeminiServer]:
    """One attempt."""

    async def main(server: GeminiServer) -> Received:
        async with opened(server, **settings) as backend:
            return await backend.send(probe)

    with in_thread(GeminiServer(manner)) as server:
        return asyncio.run(main(server)), server


async def all_asked(backend: Backend, path: Path, probes: list[Probe], limits: Limits = QUICK) -> list[Reached]:
    """All the way: cache, budget, pool, SDK, sockets."""
    with ReplyCache(path) as cache:
        asker = Asker(Pool(limits), cache, Budget(cache.database, "run", Ceiling()))
        async with backend:

            def inquiry(probe: Probe) -> Inquiry:
                name = f"{backend.identity} {probe.prompt} {probe.sample} {probe.video}"
                return Inquiry(name, backend.estimate(probe), lambda: backend.send(probe))

            return [end async for end in asker.ask_all(map(inquiry, probes))]


# ---------------------------------------------------------------- what is sent


def test_frames_go_as_pictures_each_after_its_time() -> None:
    _, server = sent(GeminiManner())
    (body,) = server.bodies
    parts = body["contents"][0]["parts"]
    assert [part.get("text") for part in parts[::2]] == [
        "Frame at 0.00 s:", "Frame at 0.50 s:", "Frame at 1.00 s:", "Is the kettle there?",
    ]  # fmt: skip
    assert {part["inlineData"]["mimeType"] for part in parts[1::2]} == {"image/jpeg"}
    assert [base64.urlsafe_b64decode(part["inlineData"]["data"]) for part in parts[1::2]] == [
        f.data for f in SHOWN.frames
    ]
    asked = body["generationConfig"]
    assert (asked["temperature"], asked["seed"], asked["candidateCount"]) == (0, 0, 1)
    assert "responseLogprobs" not in asked
    assert server.heads[0]["path"] == "/v1beta/models/gemini-test:generateContent"


def test_settings_reach_the_service() -> None:
    settings = {"resolution": "low", "thinking": "low", "temperature": 1, "longest_reply": 99}
    _, server = sent(GeminiManner(), Probe("?", SHOWN.frames, ABOUT, sample=3), **settings)
    asked = server.bodies[0]["generationConfig"]
    assert asked["mediaResolution"] == "MEDIA_RESOLUTION_LOW"
    assert asked["thinkingConfig"] == {"thinkingLevel": "LOW"}
    assert (asked["temperature"], asked["maxOutputTokens"], asked["seed"]) == (1, 99, 3)
    _, server = sent(GeminiManner(), thinking=0)
    assert server.bodies[0]["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0}


def test_a_structured_form_goes_as_a_schema() -> None:
    form = Form(kind="structured", fields=(Field(name="there", kind="boolean", says="is it?"),), decided_by=("there",))
    _, server = sent(GeminiManner(), Probe("?", SHOWN.frames, ABOUT, form))
    asked = server.bodies[0]["generationConfig"]
    assert asked["responseMimeType"] == "application/json"
    assert asked["responseJsonSchema"] == json_schema(form)


def test_a_small_clip_goes_inside_the_question_without_its_tags(clip: Path) -> None:
    _, server = sent(GeminiManner(), Probe("?", (), ABOUT, video=clip), fps=2.5)
    part = server.bodies[0]["contents"][0]["parts"][0]
    assert part["videoMetadata"] == {"fps": 2.5}
    data = base64.urlsafe_b64decode(part["inlineData"]["data"])
    assert b"secret-model-7" in clip.read_bytes()
    assert b"secret-model-7" not in data
    assert b"two tails" not in data
    assert server.calls["start"] == 0


def test_packing_a_clip_anew_changes_no_picture(clip: Path, tmp_path: Path) -> None:
    packed = native_video(clip)
    assert packed.seconds == pytest.approx(4)
    path = tmp_path / "packed.mp4"
    path.write_bytes(packed.data)
    for before, after in zip(decode(clip), decode(path), strict=True):
        assert np.array_equal(before.rgb, after.rgb)
        assert before.seconds == after.seconds


def test_what_is_no_video_is_refused_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "x.mp4").write_bytes(b"no video")
    with pytest.raises(CallFailed, match="send frames instead"):
        native_video(tmp_path / "x.mp4")


def test_any_setting_that_changes_a_reply_changes_the_identity() -> None:
    def identity(model: str = "m", **settings: Any) -> str:
        opens = JUDGES.get("gemini").opens
        assert opens is not None
        return opens(model, settings).identity

    changes: list[dict[str, Any]] = [
        {"model": "n"}, {"fps": 2}, {"resolution": "low"}, {"temperature": 1}, {"thinking": 0}, {"thinking": "low"},
        {"longest_reply": 9}, {"url": "http://127.0.0.1:9"},
    ]  # fmt: skip
    assert len({identity(), *(identity(**change) for change in changes)}) == len(changes) + 1
    assert identity() == identity(usd_in=1, usd_out=2, concurrency=3, rpm=4, inline_mb=0)


@pytest.mark.parametrize("settings", [{"fps": 0}, {"resolution": "huge"}, {"fsp": 1}, {"temperature": "warm"}])
def test_settings_that_make_no_sense_are_named(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"settings of gemini: {next(iter(settings))}"):
        opened(GeminiServer(GeminiManner()), **settings)


# ---------------------------------------------------------------- what comes back


def test_a_reply_has_text_tokens_and_cost() -> None:
    received, server = sent(GeminiManner(fates={"generate": ["thoughts"]}), usd_in=1.0, usd_out=10.0)
    tokens_in, tokens_out = 40 + 3 * 258, 105
    usd = (tokens_in * 1.0 + tokens_out * 10.0) / 1e6
    assert received.cost == Cost(1, tokens_in + tokens_out, usd)
    backend = opened(server, usd_in=1.0, usd_out=10.0)
    said = backend.read(received.raw, SHOWN)
    assert (said.text, said.finish, said.scores) == ("Yes", "complete", None), "thoughts are no part of it"
    usage = said.usage
    assert (usage.prompt_tokens, usage.reply_tokens, usage.media_tokens) == (tokens_in, tokens_out, 774)
    assert usage.cost_usd == usd
    most = backend.estimate(SHOWN)
    assert most.tokens > received.cost.tokens
    assert most.usd is not None
    assert most.usd > usd


def test_a_kept_reply_is_read_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    received, server = sent(GeminiManner())
    monkeypatch.delenv(KEY)
    assert opened(server).read(received.raw, SHOWN).text == "Yes"


def test_a_reply_that_ran_out_of_room_is_cut_and_not_asked_again() -> None:
    received, server = sent(GeminiManner(fates={"generate": ["MAX_TOKENS"]}))
    assert opened(server).read(received.raw, SHOWN).finish == "cut"


# ---------------------------------------------------------------- what may go wrong

DAILY = {"details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]}]}
REGION = {"status": "FAILED_PRECONDITION", "message": "User location is not supported"}
WRONG: list[tuple[str, str, str, dict[str, Any]]] = [
    ("429", "rate_limited", "answered 429: RESOURCE_EXHAUSTED as told", {}),
    ("429", "barred", "go on tomorrow", DAILY),
    ("500", "server", "answered 500", {}),
    ("503", "server", "answered 503", {}),
    ("504", "timed_out", "answered 504", {}),
    ("400", "rejected", "answered 400: INVALID_ARGUMENT", {}),
    ("400", "barred", "billing and region", REGION),
    ("403", "barred", f"is {KEY} set to a valid key", {}),
    ("404", "rejected", "does a model of this name exist", {}),
    ("reset", "network", "the connection broke", {}),
    ("cut_body", "truncated", "the reply broke off", {}),
    ("cut_json", "truncated", "the reply does not read", {}),
    ("no_end", "truncated", "does not say why it ended", {}),
    ("nobody", "malformed", "0 candidates", {}),
    ("OTHER", "malformed", "ended with OTHER", {}),
    ("blocked", "refused", "the prompt was blocked: SAFETY", {}),
    ("SAFETY", "refused", "the reply was stopped: SAFETY", {}),
    ("RECITATION", "refused", "the reply was stopped: RECITATION", {}),
]


@pytest.mark.parametrize(("fate", "problem", "reason", "error"), WRONG)
def test_every_failure_says_what_is_wrong(fate: str, problem: str, reason: str, error: dict[str, Any]) -> None:
    with pytest.raises(CallFailed, match=reason) as caught:
        sent(GeminiManner(fates={"generate": [fate]}, error=error))
    assert caught.value.problem == problem


def test_the_sdk_makes_one_attempt_and_the_wait_it_is_told_is_kept() -> None:
    delay = {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}
    manner = GeminiManner(fates={"generate": ["429", "429", "429"]}, error=delay)
    with pytest.raises(CallFailed) as caught:
        sent(manner)
    assert caught.value.retry_after_s == 34.5
    assert len(manner.fates["generate"]) == 2


def test_no_server_and_no_key_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        server = GeminiServer(GeminiManner())
        server.port = 9  # nobody listens there
        async with opened(server) as backend:
            await backend.send(SHOWN)

    with pytest.raises(CallFailed, match="unreachable: no server at"):
        asyncio.run(main())
    monkeypatch.delenv(KEY)
    with pytest.raises(CallFailed, match=f"barred: no key: set {KEY}"):
        asyncio.run(main())


def test_pictures_that_cost_nothing_were_dropped(clip: Path) -> None:
    with pytest.raises(CallFailed, match="frames were dropped: 3 cannot make only 0 tokens"):
        sent(GeminiManner(drops_pictures=True))
    with pytest.raises(CallFailed, match="frames were dropped: 4 cannot make only 0 tokens"):
        sent(GeminiManner(drops_pictures=True), Probe("?", (), ABOUT, video=clip))


def test_the_key_gets_nowhere(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(CallFailed, match=r"barred: .*is GEMINI_API_KEY set to a valid key") as caught:
        sent(GeminiManner(key="another key"))
    told = "".join(traceback.format_exception(caught.value)) + caplog.text
    received, server = sent(GeminiManner(fates={"generate": ["echo"]}))
    assert server.heads[0]["x-goog-api-key"] == SECRET
    assert "Your key is $GEMINI_API_KEY" in received.raw
    assert SECRET not in told + received.raw + caplog.text + opened(server).identity
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in data for data in written)


def test_faults_are_outlasted_and_nothing_is_bought_twice(tmp_path: Path) -> None:
    manner = GeminiManner(fates={"generate": ["500", "reset", "cut_json", "429"]})
    probes = [Probe(f"{i}?", SHOWN.frames, ABOUT) for i in range(6)]
    with in_thread(GeminiServer(manner)) as server:
        first = asyncio.run(
            all_asked(opened(server), tmp_path / "c.sqlite", probes, Limits(2, attempts=6, backoff_s=0.001))
        )
        calls = server.calls["generate"]
        second = asyncio.run(all_asked(opened(server), tmp_path / "c.sqlite", probes))
        assert server.calls["generate"] == calls == 10
    assert all(end.kept is not None for end in first)
    assert all(end.cached for end in second)


# ---------------------------------------------------------------- clips that are uploaded


def asked_of(clip: Path, count: int) -> list[Probe]:
    return [Probe(f"{i}?", (), ABOUT, video=clip) for i in range(count)]


def ledgers(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "state").rglob("lookaway-*"))


def test_a_clip_is_uploaded_once_for_all_its_questions_and_deleted(clip: Path, tmp_path: Path) -> None:
    with in_thread(GeminiServer(GeminiManner())) as server:
        ends = asyncio.run(all_asked(opened(server, inline_mb=0, fps=4), tmp_path / "c", asked_of(clip, 10)))
        assert all(end.kept is not None for end in ends)
        assert (server.calls["start"], server.calls["part"], server.calls["delete"]) == (1, 1, 1)
        assert server.calls["look"] == 2, "it was being prepared meanwhile"
        assert server.files == {}
        parts = [body["contents"][0]["parts"][0] for body in server.bodies]
        assert len({part["fileData"]["fileUri"] for part in parts}) == 1
        assert {part["videoMetadata"]["fps"] for part in parts} == {4}
        assert not any("secret-model-7" in str(head) for head in server.heads)
    assert ledgers(tmp_path) == []
    assert not any((tmp_path / "state").rglob("*.lock"))


def test_a_long_upload_goes_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clip: Path) -> None:
    monkeypatch.setattr("google.genai._api_client.CHUNK_SIZE", 8192)
    data = native_video(clip).data
    _, server = sent(GeminiManner(looks_until_ready=0), asked_of(clip, 1)[0], inline_mb=0)
    assert server.calls["part"] == -(-len(data) // 8192) > 1


@pytest.mark.parametrize("kind", ["start", "part", "look", "generate"])
@pytest.mark.parametrize("fate", ["500", "reset", "cut_body"])
def test_whatever_fails_on_the_way_nothing_is_left_behind(kind: str, fate: str, clip: Path, tmp_path: Path) -> None:
    manner = GeminiManner(fates={kind: [fate, fate]})
    with in_thread(GeminiServer(manner)) as server:
        ends = asyncio.run(all_asked(opened(server, inline_mb=0), tmp_path / "c", asked_of(clip, 1)))
        assert ends[0].kept is not None, ends[0].failure
        assert server.files == {}
        uploads = {"start": 3, "part": 3, "look": 1, "generate": 1}
        assert server.calls["start"] == uploads[kind], "a clip that arrived is not sent again"
    assert ledgers(tmp_path) == []


def test_a_part_that_nobody_acknowledges_fails_at_once(clip: Path) -> None:
    start = time.monotonic()
    with pytest.raises(CallFailed, match=r"truncated: .*not acknowledged"):
        sent(GeminiManner(fates={"part": ["unacknowledged"]}), asked_of(clip, 1)[0], inline_mb=0)
    assert time.monotonic() - start < 6, "the SDK alone sleeps for seven seconds"


def test_a_clip_that_the_service_cannot_prepare_is_rejected_and_deleted(clip: Path) -> None:
    manner = GeminiManner(fates={"look": ["failed"]})
    with in_thread(GeminiServer(manner)) as server:

        async def main() -> None:
            async with opened(server, inline_mb=0) as backend:
                await backend.send(asked_of(clip, 1)[0])

        with pytest.raises(CallFailed, match="rejected: the service could not prepare the video: it is FAILED"):
            asyncio.run(main())
        assert server.files == {}


def test_a_deletion_that_fails_for_good_is_made_by_the_next_start(
    clip: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    manner = GeminiManner(fates={"delete": ["500"] * 3})
    with in_thread(GeminiServer(manner)) as server:
        asyncio.run(all_asked(opened(server, inline_mb=0), tmp_path / "c", asked_of(clip, 1)))
        assert len(server.files) == len(ledgers(tmp_path)) == 1
        assert "1 of 1 uploaded clips are not deleted yet" in caplog.text
        asyncio.run(all_asked(opened(server), tmp_path / "c", []))
        assert server.files == {}
    assert ledgers(tmp_path) == []


def test_a_caller_who_gives_up_stops_no_upload(clip: Path, tmp_path: Path) -> None:
    async def main(server: GeminiServer) -> int:
        async with opened(server, inline_mb=0) as backend:
            first = asyncio.create_task(backend.send(asked_of(clip, 1)[0]))
            while not server.calls["start"]:
                await asyncio.sleep(0.001)
            first.cancel()
            await backend.send(asked_of(clip, 1)[0])
            return server.calls["start"]

    with in_thread(GeminiServer(GeminiManner(looks_until_ready=5))) as server:
        assert asyncio.run(main(server)) == 1
        assert server.files == {}


def test_a_ledger_in_use_is_nobody_elses(tmp_path: Path) -> None:
    mine = Ledger(tmp_path)
    mine.write("lookaway-1")
    assert Ledger.left_behind(tmp_path) == []
    mine.close()
    (found,) = Ledger.left_behind(tmp_path)
    assert found.names() == ["lookaway-1"]
    found.strike("lookaway-1")
    found.close()
    assert list(tmp_path.iterdir()) == []


PROGRAM = """
import asyncio, sys
from pathlib import Path
from lookaway.judges import JUDGES, About, Probe

async def main():
    url, clip = sys.argv[1:]
    async with JUDGES.get("gemini").opens("gemini-test", {"url": url, "inline_mb": 0}) as backend:
        await backend.send(Probe("?", (), About("q", "m"), video=Path(clip)))
        print("answered", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture
def lone_server() -> Iterator[str]:
    """A server in a process of its own."""
    command = [sys.executable, "-m", "tests.judges.gemini_server", json.dumps({})]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.kill()


def test_what_a_killed_process_left_is_deleted_by_the_next_start(clip: Path, tmp_path: Path, lone_server: str) -> None:
    def held() -> list[str]:
        with urllib.request.urlopen(f"{lone_server}/log") as response:
            return list(json.load(response)["files"])

    command = [sys.executable, "-c", PROGRAM, lone_server, str(clip)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "answered"
        (name,) = held()
        process.send_signal(signal.SIGKILL)
    assert [path.name for path in ledgers(tmp_path)] == [name]

    async def start() -> None:
        opens = JUDGES.get("gemini").opens
        assert opens is not None
        async with opens("gemini-test", {"url": lone_server}):
            pass

    asyncio.run(start())
    assert held() == []
    assert ledgers(tmp_path) == []
    assert list((tmp_path / "state" / "gemini-uploads").iterdir()) == []
