"""A study over real HTTP: who gets in, what they may do, and that what was acknowledged stays."""

from __future__ import annotations

import json
import re
import sqlite3
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lookaway.limits import ANSWER_BODY_BYTES
from lookaway.people.book import BOOK_FILE
from lookaway.people.desk import StudyDesk
from lookaway.people.entry import Gatekeeper, secret_of
from lookaway.people.folder import StudyFolder
from lookaway.people.server import WAYS
from tests.people.studies import Served, Visitor, pair_study, served

NAMES = re.compile(rb"alpha|beta|task\d|scene\d|\.mp4|[0-9a-f]{64}")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> StudyFolder:
    return pair_study(tmp_path_factory.mktemp("study") / "small", head="raters = 1000\nrepeats = 1\n")


@pytest.fixture(scope="module")
def server(study: StudyFolder) -> Iterator[Served]:
    with served(study.root, invites=1) as found:
        yield found


@pytest.fixture
def keeper(study: StudyFolder) -> Gatekeeper:
    return Gatekeeper(StudyDesk(study).book, secret_of(study.root))


@pytest.fixture
def link(server: Served, keeper: Gatekeeper) -> str:
    return f"{server.home}/i/{keeper.invite('rater', 1, 'test')}/"


@pytest.fixture
def rater(server: Served, link: str) -> Visitor:
    made = Visitor(server.home)
    assert made.join(link).code == 200
    return made


@pytest.fixture
def admin(server: Served, keeper: Gatekeeper) -> Visitor:
    made = Visitor(server.home)
    assert made.join(f"{server.home}/i/{keeper.invite('admin', 1, 'test')}/").code == 200
    return made


def address(path: str) -> str:
    return path.replace("{token}", "x" * 30).replace("{number}", "0").replace("{place}", "0")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.method} {way.path}")
def test_every_way_is_closed_without_a_token(way: Any, server: Served) -> None:
    said = {} if way.method == "POST" else None
    for cookie in ("", "lookaway_seat=guess", "lookaway_seat=" + "x" * 4000):
        stranger = Visitor(server.home)
        stranger.cookie = cookie
        assert stranger.ask(address(way.path), said).code in (401, 403)


@pytest.mark.parametrize(
    "path", ["/docs", "/openapi.json", "/redoc", "/book.sqlite", "/static/page.js", "/i/", "/admin"]
)
def test_nothing_else_is_there(path: str, rater: Visitor) -> None:
    assert rater.ask(path).code == 404


@pytest.mark.parametrize("way", [way for way in WAYS if way.who == "admin"], ids=lambda way: way.path)
def test_a_rater_is_no_admin(way: Any, rater: Visitor) -> None:
    assert rater.ask(way.path, {} if way.method == "POST" else None).code == 403


def test_an_invite_lets_one_browser_in_once(server: Served, link: str) -> None:
    first, second = Visitor(server.home), Visitor(server.home)
    path = link.removeprefix(server.home)
    assert first.ask(path).code == 200, "looking at it does not use it up"
    assert first.join(link).code == 200
    assert second.join(link).code == 403
    assert second.ask(path).code == 403


def test_who_hears_no_answer_joins_again_with_the_same_key(server: Served, keeper: Gatekeeper, link: str) -> None:
    key, path = uuid.uuid4().hex, link.removeprefix(server.home) + "join"
    lost, again = (Visitor(server.home).ask(path, {"consent": True, "key": key}) for _ in range(2))
    assert (lost.code, again.code) == (200, 200)
    assert lost.headers["set-cookie"] == again.headers["set-cookie"], "one seat, of one rater"
    for other in ({"key": uuid.uuid4().hex}, {}):
        assert Visitor(server.home).ask(path, {"consent": True} | other).code == 403
    (row,) = keeper.book.rows(
        "SELECT id FROM invites WHERE id = ? AND used_at IS NOT NULL", keeper.invite_of(path[3:-5])
    )
    keeper.withdraw(row["id"], "test")
    assert Visitor(server.home).ask(path, {"consent": True, "key": key}).code == 403, "a key opens nothing by itself"


def test_a_key_to_join_by_is_long_and_plain(server: Served, link: str) -> None:
    path = link.removeprefix(server.home) + "join"
    for key in ("", "0" * 31, "0" * 33, "é" * 32, 5, ["0" * 32], True):
        assert Visitor(server.home).ask(path, {"consent": True, "key": key}).code == 400
    assert Visitor(server.home).join(link).code == 200, "and the invite is not used up"


def test_an_expired_a_withdrawn_and_a_forged_invite_are_refused(
    server: Served, keeper: Gatekeeper, study: StudyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    expired = keeper.invite("rater", 1e-9, "test")
    withdrawn = keeper.invite("rater", 1, "test")
    keeper.withdraw(keeper.opened(withdrawn)[0], "test")
    good = keeper.invite("rater", 1, "test")
    other = Gatekeeper(keeper.book, b"another secret of another study!")
    forged = [
        good[:-2] + ("A" if good[-2] != "A" else "B") + good[-1],  # the very last holds bits that count for nothing
        other.invite("admin", 1, "test"),
        good.partition(".")[0],
        "",
    ]
    for token in (expired, withdrawn, *forged):
        visitor = Visitor(server.home)
        assert visitor.ask(f"/i/{token}/join", {"consent": True}).code in (403, 404)
        assert visitor.cookie == ""


def test_a_withdrawn_invite_takes_the_seat_with_it(rater: Visitor, keeper: Gatekeeper) -> None:
    name = rater.ask("/state").told["rater"]
    (row,) = keeper.book.rows("SELECT id FROM invites WHERE used_by = ?", name)
    keeper.withdraw(row["id"], "test")
    assert rater.ask("/state").code == 401


def test_nobody_takes_part_without_consent(server: Served, link: str) -> None:
    path = link.removeprefix(server.home) + "join"
    for said in ({}, {"consent": False}, {"consent": "yes"}, {"consent": 1}):
        assert Visitor(server.home).ask(path, said).code == 400
    assert Visitor(server.home).join(link).code == 200, "and the invite is not used up"


def test_a_page_of_another_server_can_say_nothing(rater: Visitor) -> None:
    said = {"number": 0, "axis": "place", "word": "left", "submission": uuid.uuid4().hex}
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": None},
        {"X_Lookaway_Word": None},
        {"X_Lookaway_Word": "0" * 64},
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/x-www-form-urlencoded"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Host": "evil.example"},
    ):
        assert rater.ask("/answer", said, **headers).code in (403, 415), headers
    assert rater.ask("/state", Sec_Fetch_Site="cross-site").code == 403
    assert rater.ask("/state").told["answers"] == []


def test_the_word_of_one_seat_is_not_that_of_another(rater: Visitor, server: Served, keeper: Gatekeeper) -> None:
    other = Visitor(server.home)
    other.join(f"{server.home}/i/{keeper.invite('rater', 1, 'test')}/")
    other.word = rater.word
    assert other.say(0, "place", "left").code == 403


@pytest.mark.parametrize(
    "path",
    [
        "/clip/0/..%2f..%2fsecret.key",
        "/clip/..%2f0/0",
        "/clip/0/-1",
        "/clip/0/2",
        "/clip/99/0",
        "/clip/0/0%00",
        "/clip/%D9%A3/0",
        *("/clip/0/1e0", "/..%2f..%2fetc/passwd", "/clip/../book.sqlite", "//etc/passwd", "/clip/9999999/0"),
    ],
)
def test_no_address_reaches_the_disk(path: str, rater: Visitor) -> None:
    answer = rater.ask(path)
    assert answer.code in (400, 404)
    assert b"SQLite" not in answer.body
    assert b"root:" not in answer.body


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff\xfe", b"nul", b'"x"', b"[" * 8000, b'{"number": NaN}'])
def test_what_is_no_answer_is_refused(body: bytes, rater: Visitor) -> None:
    assert rater.ask("/answer", body).code == 400


@pytest.mark.parametrize(
    "wrong",
    [
        *({"number": value} for value in (-1, 10**30, "x", 0.5, None, 99)),
        *({"axis": value} for value in ("", "other", None, 7, "x" * 1000)),
        *({"word": value} for value in ("yes", "owned", "", None, "frame")),
        *({"submission": value} for value in ("", "x" * 32, "0" * 31, None, 5)),
        *({"frame": value} for value in (0, "x")),
        {"reason": "x" * 5000},
        {"text": "new words"},
        {"seen": [1, 2, 3]},
        {"more": 1},
        {"rater": "rater-000000"},
    ],
    ids=str,
)
def test_an_answer_that_cannot_be_is_refused(wrong: dict[str, Any], rater: Visitor) -> None:
    said = {"number": 0, "axis": "place", "word": "left", "submission": uuid.uuid4().hex} | wrong
    assert rater.ask("/answer", said).code == 400
    assert rater.ask("/state").told["answers"] == []


def test_a_large_body_is_not_read_to_its_end(rater: Visitor) -> None:
    said = {
        "number": 0,
        "axis": "place",
        "word": "left",
        "submission": uuid.uuid4().hex,
        "reason": "x" * ANSWER_BODY_BYTES,
    }
    assert rater.ask("/answer", said).code == 413


def test_somebody_who_asks_too_often_waits(rater: Visitor) -> None:
    codes = {rater.ask("/page.css").code for _ in range(120)}
    assert codes == {200, 429}


def test_the_same_submission_counts_once_and_another_word_under_it_is_refused(
    rater: Visitor, study: StudyFolder
) -> None:
    submission = uuid.uuid4().hex
    first = rater.say(0, "place", "left", submission=submission)
    again = rater.say(0, "place", "left", submission=submission)
    assert (first.code, again.code, first.told) == (200, 200, again.told)
    assert rater.say(0, "place", "right", submission=submission).code == 400
    name = rater.ask("/state").told["rater"]
    assert len(StudyDesk(study).book.rows("SELECT 1 FROM answers WHERE rater = ?", name)) == 1


def test_an_answer_is_about_the_clip_that_stood_on_that_side(rater: Visitor, study: StudyFolder) -> None:
    told = rater.ask("/state").told
    for number in range(len(told["showings"])):
        assert rater.say(number, "place", "left").code == 200
    desk = StudyDesk(study)
    labels = desk.labels_of(told["rater"])
    assert {label.value for label in labels} == {1.0, -1.0}, "what is shown again has its sides swapped"
    assert all(label.value == (1.0 if label.shown_order == (0, 1) else -1.0) for label in labels)


def test_undo_reopens_the_last_answer_and_the_book_keeps_both(rater: Visitor, study: StudyFolder) -> None:
    rater.say(0, "place", "left")
    rater.say(0, "state", "not_judgeable")
    submission = uuid.uuid4().hex
    for _ in range(2):
        assert rater.ask("/undo", {"submission": submission}).told == {"undone": [0, "state"]}
    told = rater.ask("/state").told
    assert [(one["number"], one["axis"]) for one in told["answers"]] == [(0, "place")]
    rows = StudyDesk(study).book.rows("SELECT undone FROM answers WHERE rater = ? ORDER BY seq", told["rater"])
    assert [row["undone"] for row in rows] == [0, 0, 1]


def test_a_rater_goes_on_where_they_were_on_another_device(rater: Visitor, server: Served) -> None:
    rater.say(0, "place", "tie")
    link = rater.ask("/elsewhere", {}).told["link"]
    other = Visitor(server.home)
    assert other.join(link).code == 200
    assert other.ask("/state").told["answers"] == rater.ask("/state").told["answers"]
    assert other.ask("/state").told["showings"] == rater.ask("/state").told["showings"]
    assert Visitor(server.home).join(link).code == 403, "that link, too, works once"


def test_a_rater_can_delete_all_that_they_said(rater: Visitor, study: StudyFolder) -> None:
    name = rater.ask("/state").told["rater"]
    reason = "remarkable words 4711"
    rater.say(0, "place", "left", reason=reason)
    assert rater.ask("/leave", {}).told == {"erased": 1}
    assert rater.ask("/state").code == 401
    book = StudyDesk(study).book
    assert book.rows("SELECT 1 FROM answers WHERE rater = ?", name) == []
    assert [row["what"] for row in book.rows("SELECT what FROM audit WHERE about = ?", name)] == ["erased"]
    book.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    assert reason.encode() not in (study.root / BOOK_FILE).read_bytes()


def test_answers_and_the_audit_log_refuse_to_be_changed(rater: Visitor, study: StudyFolder) -> None:
    rater.say(0, "place", "left")
    book = StudyDesk(study).book
    for statement in (
        "UPDATE answers SET content = 'x'",
        "DELETE FROM answers",
        "UPDATE audit SET who = 'nobody'",
        "DELETE FROM audit",
        "UPDATE showings SET flipped = 1 - flipped",
    ):
        with pytest.raises(sqlite3.IntegrityError):
            book.run(statement)


def test_what_a_rater_is_told_names_nothing(rater: Visitor) -> None:
    for path in ("/", "/state", "/page.js", "/served.js"):
        answer = rater.ask(path)
        found = NAMES.findall(answer.body.replace(rater.ask("/state").told["word"].encode(), b""))
        assert (answer.code, found) == (200, []), path
    answer = rater.ask("/clip/0/0")
    assert "content-disposition" not in answer.headers
    assert answer.headers["content-type"] == "video/mp4"
    assert b"ftyp" in answer.body[:12]


def test_headers_allow_nothing_from_elsewhere(rater: Visitor) -> None:
    for path in ("/", "/state", "/clip/0/0", "/nothing"):
        headers = rater.ask(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers
    joined = rater.cookie
    assert joined.startswith("lookaway_seat=")


def test_a_seat_is_kept_where_no_script_reads_it(server: Served, link: str) -> None:
    cookie = Visitor(server.home).join(link).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_an_admin_sees_how_far_people_are_invites_withdraws_erases_and_takes_labels(
    admin: Visitor, rater: Visitor, server: Served
) -> None:
    name = rater.ask("/state").told["rater"]
    rater.say(0, "place", "left")
    told = admin.ask("/admin/state").told
    (row,) = [row for row in told["raters"] if row["rater"] == name]
    assert (row["answered"], row["asked"]) == (1, 10)
    labels = [json.loads(line) for line in admin.ask("/admin/labels").body.splitlines()]
    assert [label["axis"] for label in labels if label["rater"] == name] == ["place"]
    link = admin.ask("/admin/invite", {"hours": 1}).told["link"]
    assert Visitor(server.home).join(link).code == 200
    for hours in (0, -1, 10**6, "x", None, True):
        assert admin.ask("/admin/invite", {"hours": hours}).code == 400
    assert admin.ask("/admin/erase", {"rater": name}).told == {"erased": 1}
    assert admin.ask("/admin/erase", {"rater": "nobody"}).code == 400
    assert admin.ask("/state").code == 403


def test_it_listens_on_this_machine_alone(server: Served) -> None:
    assert server.home.startswith("http://127.0.0.1:")


def test_a_study_that_people_were_shown_does_not_change(rater: Visitor, study: StudyFolder, tmp_path: Path) -> None:
    import shutil

    from lookaway.errors import StoreError
    from lookaway.people import read_study

    rater.ask("/state")
    book = StudyDesk(study).book
    book.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copytree(study.root, tmp_path / "small")
    file = tmp_path / "small/study.toml"
    file.write_text(file.read_text().replace("right place", "wrong place"))
    with pytest.raises(StoreError, match="changed after people were shown it"):
        StudyDesk(read_study(tmp_path / "small"))
