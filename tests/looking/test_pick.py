"""`lookaway look --pick`: somebody draws the subject's box on a page that only they are served."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from lookaway.errors import UsageError
from lookaway.limits import PICK_BYTES
from lookaway.looking import picking
from lookaway.looking.boxes import FILE, SubjectBox, drawn_boxes, keep_boxes, read_boxes, with_kept
from lookaway.looking.brought import BroughtVideo, Wishes, brought_videos
from lookaway.looking.picking import PickDesk, first_pictures, pick_server, picked
from lookaway.suites.folder import read_folder
from lookaway.video import encode
from tests.browser import tab
from tests.command import call

NASTY = "<img src=x onerror=alert(1)> \"&' ..%2f"
BOX = (0.25, 0.2, 0.5, 0.8)


def film(path: Path, width: int = 160, height: int = 96) -> None:
    frame = np.full((height, width, 3), 200, np.uint8)
    frame[height // 4 : height // 2, width // 4 : width // 2] = (180, 40, 30)
    encode([frame] * 12, path, 12)


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> list[BroughtVideo]:
    folder = tmp_path_factory.mktemp("videos")
    for name in ("first", NASTY.replace("/", "")):
        film(folder / f"{name}.mp4")
    (folder / "broken.mp4").write_bytes(b"no video")
    return brought_videos([folder])


@pytest.fixture
def desk(videos: list[BroughtVideo]) -> PickDesk:
    return PickDesk(list(first_pictures(videos)), "the subject")


@pytest.fixture
def address(desk: PickDesk) -> Iterator[str]:
    with pick_server(desk) as found:
        yield found


def asked(address: str, what: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes, dict[str, str]]:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port or 0, timeout=20)
    try:
        connection.putrequest("GET" if body is None else "POST", parts.path + what, skip_host=True)
        length = {} if body is None else {"Content-Length": str(len(body))}
        for name, value in {"Host": parts.netloc, **length, **headers}.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read(), dict(answer.getheaders())
    finally:
        connection.close()


def said(**changes: Any) -> bytes:
    return json.dumps({"video": 0, "box": BOX, "name": "the man"} | changes).encode()


def test_a_box_that_is_drawn_is_taken_with_its_name(address: str, desk: PickDesk) -> None:
    assert asked(address, "answer", said())[0] == 200
    assert desk.answers == {0: SubjectBox(box=BOX, name="the man")}
    assert json.loads(asked(address, "videos")[1])[0]["box"] == list(BOX), "a page that is opened again knows it"


def test_a_video_that_cannot_be_read_is_not_asked_about(desk: PickDesk) -> None:
    assert len(desk.pictures) == 2
    assert "broken" not in {picture.id for picture in desk.pictures}


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "", "10.0.0.7"])
def test_another_servers_name_is_refused(host: str, address: str, desk: PickDesk) -> None:
    assert asked(address, "videos", Host=host)[0] == 403
    assert asked(address, "answer", said(), Host=host)[0] == 403
    assert desk.answers == {}


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_a_page_of_another_server_is_refused(origin: str, address: str, desk: PickDesk) -> None:
    assert asked(address, "answer", said(), Origin=origin)[0] == 403
    assert asked(address, "finish", b"{}", Origin=origin)[0] == 403
    assert desk.answers == {}
    assert not desk.finished.is_set()


@pytest.mark.parametrize("token", ["", "guess/", "%00/", "%C3%A9/", "../", "/["])
def test_without_the_token_there_is_nothing(token: str, address: str, desk: PickDesk) -> None:
    parts = urlsplit(address)
    bare = f"{parts.scheme}://{parts.netloc}/{token}"
    for what in ("", "videos", "frame/0", "page.js"):
        assert asked(bare, what)[0] == 404
    assert asked(bare, "answer", said())[0] == 404
    assert desk.answers == {}


@pytest.mark.parametrize(
    "wrong",
    [
        *(
            {"box": box}
            for box in ([0.5, 0, 0.4, 1], [0, 0, 1.01, 1], [-0.1, 0, 1, 1], [0, 0, 0, 1], [0, 0, 1], "abcd")
        ),
        *({"video": video} for video in (2, -1, 0.5, "x", 10**30, None)),
        *({"name": name} for name in ("", "  ", "a\nb", "x" * 81, 7, None)),
        {"more": 1},
    ],
    ids=str,
)
def test_an_answer_that_is_none_is_refused(wrong: dict[str, Any], address: str, desk: PickDesk) -> None:
    assert asked(address, "answer", said(**wrong))[0] == 400
    assert desk.answers == {}


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"video": 0, "box": [NaN, 0, 1, 1], "name": "a"}', b"\xff\xfe"])
def test_what_is_no_answer_at_all_is_refused(body: bytes, address: str, desk: PickDesk) -> None:
    assert asked(address, "answer", body)[0] == 400
    assert desk.answers == {}


def test_a_large_body_is_refused_before_it_is_read(address: str) -> None:
    for length in (str(PICK_BYTES + 1), "9" * 5000, "-1", "1e3", "x"):
        assert asked(address, "answer", b"", **{"Content-Length": length})[0] == 413


@pytest.mark.parametrize(
    "what", ["frame/2", "frame/-1", "frame/x", "frame/../page.js", "page.html", "../brought.py", "x"]
)
def test_nothing_else_is_served(what: str, address: str) -> None:
    assert asked(address, what)[0] == 404


def test_a_foreign_name_reaches_the_page_as_a_plain_one_and_as_json_only(address: str, desk: PickDesk) -> None:
    code, page, headers = asked(address, "")
    assert (code, page) == (200, (picking.PAGE / "page.html").read_bytes()), "the page itself never changes"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    code, listed, headers = asked(address, "videos")
    assert headers["Content-Type"] == "application/json"
    assert not set('<>"&/') & set("".join(row["id"] for row in json.loads(listed)))


def test_pictures_are_no_larger_than_a_screen(tmp_path: Path) -> None:
    film(tmp_path / "large.mp4", 3200, 1200)
    (picture,) = first_pictures([BroughtVideo("large", tmp_path / "large.mp4")])
    assert picking.Image.open(picking.io.BytesIO(picture.jpeg)).size == (1600, 600)


def test_when_nobody_draws_the_time_ends(videos: list[BroughtVideo]) -> None:
    told: list[str] = []
    done = picked(videos, "the subject", 0.2, told.append)
    assert (done.answers, done.finished) == ({}, False)
    assert len(told) == 1
    with pytest.raises(OSError, match="refused"):
        asked(told[0], "")


def test_a_time_that_ends_is_an_error_that_keeps_what_was_drawn(
    videos: list[BroughtVideo], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn(address: str) -> None:
        asked(address, "answer", said())

    real = picked
    monkeypatch.setattr(picking, "picked", lambda v, subject, wait_s, say: real(v, subject, wait_s, drawn))
    out = tmp_path / "run"
    done = call("look", str(videos[0].path.parent), "--pick", "--pick-minutes", "0.01", "--out", str(out))
    assert done.returncode != 0
    assert "nobody finished drawing within 0.01 minutes" in done.stderr
    (kept,) = read_boxes(out).values()
    assert kept.box == BOX


def test_kept_boxes_are_of_the_file_and_not_of_its_name(tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    film(path)
    video = BroughtVideo("clip", path)
    keep_boxes(tmp_path / "run", drawn_boxes([video], {"clip": SubjectBox(box=BOX, name="the man")}))
    known = with_kept([video], Wishes(), tmp_path / "run")
    assert (known.wishes.boxes, known.wishes.subjects, known.undrawn) == ({"clip": BOX}, {"clip": "the man"}, [])
    film(path, 192)
    known = with_kept([video], Wishes(), tmp_path / "run")
    assert (known.wishes.boxes, known.undrawn) == ({}, [video])


def test_a_box_that_is_given_goes_before_one_that_was_drawn(videos: list[BroughtVideo], tmp_path: Path) -> None:
    keep_boxes(tmp_path, drawn_boxes(videos[:1], {videos[0].id: SubjectBox(box=BOX, name="the man")}))
    other = (0.0, 0.0, 0.5, 0.5)
    known = with_kept(videos[:1], Wishes(boxes={videos[0].id: other}), tmp_path)
    assert known.wishes.boxes == {videos[0].id: other}


def test_spoilt_boxes_are_an_error(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"a": {"box": [0, 0, 2, 1]}}')
    with pytest.raises(UsageError, match=r"boxes\.json: cannot be read"):
        read_boxes(tmp_path)


# ---------------------------------------------------------------- with a browser


def drawn_by_hand(chromium: str, profile: Path, address: str) -> None:
    """With a mouse on the first video, and a new name; the second one is skipped."""
    with tab(chromium, profile) as page:
        page.open(address, 1280, 800)
        page.wait("!document.querySelector('#draw').hidden && document.querySelector('#frame').naturalWidth > 0")
        page.drag(page.at("#frame", BOX[0], BOX[1]), page.at("#frame", BOX[2], BOX[3]))
        page.wait("document.querySelector('#state').textContent === '(drawn)'")
        page.value("document.querySelector('#name').select()")
        page.type("the man")
        page.click("#next")
        page.wait("document.querySelector('#count').textContent.startsWith('Picture 2')")
        page.click("#skip")
        page.click("#finish")
        page.wait("!document.querySelector('#done').hidden")


@pytest.mark.browser
def test_boxes_drawn_in_a_browser_are_looked_at_and_not_asked_for_again(
    chromium: str, videos: list[BroughtVideo], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn(address: str) -> None:
        threading.Thread(target=drawn_by_hand, args=(chromium, tmp_path / "profile", address), daemon=True).start()

    real = picked
    monkeypatch.setattr(picking, "picked", lambda v, subject, wait_s, say: real(v, subject, wait_s, drawn))
    out, places = tmp_path / "run", [str(video.path) for video in videos if video.id != "broken"]
    done = call("look", *places, "--pick", "--pick-minutes", "2", "--out", str(out))
    assert done.returncode == 0, done.stderr
    drafts = {draft.id: draft for draft in read_folder(out / "suite").drafts()}
    rows = {row["id"]: row for row in map(json.loads, (out / "suite" / "tasks.jsonl").read_text().splitlines())}
    assert set(drafts) == set(rows) == {video.id for video in videos if video.id != "broken"}
    named = {name: row["subjects"] for name, row in rows.items()}
    boxes = read_boxes(out)
    (man,) = [subject for subjects in named.values() for subject in subjects]
    assert man["name"] == "the man"
    assert man["box"] == pytest.approx(BOX, abs=0.01)
    assert sorted(box.box is None for box in boxes.values()) == [False, True]

    monkeypatch.setattr(picking, "picked", lambda *_: pytest.fail("asked again"))
    again = call("look", *places, "--pick", "--out", str(out))
    assert again.returncode == 0, again.stderr
    assert "to draw again, delete" in again.stderr
    assert "The man" in again.stdout


@pytest.mark.browser
def test_a_finger_on_a_telephone_draws_as_well_and_keys_move_the_box(
    chromium: str, desk: PickDesk, address: str, tmp_path: Path
) -> None:
    with tab(chromium, tmp_path / "profile") as page:
        page.open(address, 390, 480, touch=True)
        page.wait("!document.querySelector('#draw').hidden && document.querySelector('#frame').naturalWidth > 0")
        assert page.value("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out"
        assert page.value("Math.min(...[...document.querySelectorAll('button')].map(b => b.offsetHeight))") >= 44
        one, other = page.at("#frame", 0.6, 0.9), page.at("#frame", 0.2, 0.3)
        scrolled = page.value("scrollY")
        page.swipe(one, other)
        page.wait("document.querySelector('#state').textContent === '(drawn)'")
        page.wait("saving.then(() => true)")
        assert desk.answers[0].box == pytest.approx((0.2, 0.3, 0.6, 0.9), abs=0.01)
        assert page.value("scrollY") == scrolled, "the finger draws and does not scroll"

        page.value("document.querySelector('#stage').focus()")
        page.press("ArrowRight")
        page.press("ArrowDown", shift=True)
        page.wait("saving.then(() => true)")
        assert desk.answers[0].box == pytest.approx((0.21, 0.3, 0.61, 0.91), abs=0.011)

        page.swipe(page.at("#frame", 0.5, 0.5), page.at("#frame", 0.505, 0.5))
        assert page.value("document.querySelector('#state').textContent") == "(drawn)", "a tap is no box"
        assert desk.answers[0].box == pytest.approx((0.21, 0.3, 0.61, 0.91), abs=0.011)
