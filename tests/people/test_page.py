"""The page in a real browser: a whole study by keyboard, every frame as claimed, nothing hostile runs, any screen."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from lookaway.people.desk import StudyDesk
from lookaway.people.folder import StudyFolder, write_study
from lookaway.people.importing import bring
from lookaway.people.one_file import study_file
from lookaway.records import Question
from tests.browser import SLOWEST_S, Tab, tab
from tests.people.studies import BITS, NASTY, item, numbered_clip, pair_study, served, single_study

pytestmark = pytest.mark.browser

# Which frame the pixels on the screen say that they are.
PIXELS = f"""(() => {{
  const video = players[0].video, canvas = document.createElement("canvas");
  canvas.width = video.videoWidth; canvas.height = video.videoHeight;
  const paper = canvas.getContext("2d");
  paper.drawImage(video, 0, 0);
  let number = 0;
  for (let bit = 0; bit < {BITS}; bit++) {{
    const x = Math.floor((bit + 0.5) * canvas.width / {BITS});
    if (paper.getImageData(x, canvas.height / 2, 1, 1).data[0] > 128) number |= 1 << bit;
  }}
  return number;
}})()"""
READY = "players.length && players.every(player => player.shown >= 0 && player.wanted === null)"
WATCHED = "players.length && players.every(player => player.watched) && !busy"
WATCHED += " && !document.querySelector('#choices button').disabled"
BUTTONS = "[...document.querySelectorAll('#work nav button:not([hidden]), #choices button')]"


def join(page: Tab, link: str, width: int = 1280, height: int = 800) -> None:
    page.open(link, width, height)
    page.wait("!document.querySelector('#agree').disabled")
    assert page.value("document.activeElement.id") == "agree"
    page.press("Enter")
    page.wait("location.pathname === '/' && document.readyState === 'complete' && typeof players !== 'undefined'")


def answer(page: Tab, key: str) -> None:
    """Press a key once the question may be answered, and wait until the answer is kept."""
    page.wait(WATCHED)
    before = page.value("answers.size")
    page.press(key)
    page.wait(f"answers.size === {before + 1} && !busy")


def test_a_whole_study_of_pairs_is_done_by_keyboard(chromium: str, tmp_path: Path) -> None:
    study = pair_study(tmp_path / "study", items=3, head="repeats = 1\nphases = 'shown'\n")
    with served(study.root) as server, tab(chromium, tmp_path / "profile") as page:
        join(page, server.raters[0])
        for number in range(4):
            answer(page, "abta"[number])
            page.wait(WATCHED)
            assert page.value("document.querySelector('#question').textContent") == "Does it come back in both?"
            if number == 2:
                answer(page, "n")
                continue
            page.press("y")
            page.wait("document.querySelector('#question').textContent === 'Which one has the right state?'")
            answer(page, "b")
        page.wait("!document.querySelector('#done').hidden")
        page.press("u")
        page.wait("!document.querySelector('#work').hidden && answers.size === 7")
        page.wait(WATCHED)
        page.press("y")
        answer(page, "a")
        page.wait("!document.querySelector('#done').hidden")
    desk = StudyDesk(study)
    (rater,) = desk.raters()
    labels, showings = desk.labels_of(rater), desk.showings(rater)
    assert len(labels) == 8
    sides = {(showing.item, showing.round): -1 if showing.flipped else 1 for showing in showings}
    names = {case.cases: key for key, case in study.items.items()}
    told = {"place": [], "state": []}
    for label in labels:
        side = sides[names[label.items], label.round]
        told[label.axis].append(None if label.value is None else label.value * side)
    assert told == {"place": [1, -1, 0, 1], "state": [-1, -1, None, 1]}
    assert [label.round for label in labels if label.axis == "place"] == [0, 0, 0, 1]
    assert len({label.instrument.key for label in labels}) == 1


def test_the_frame_that_is_claimed_is_the_frame_on_the_screen(chromium: str, tmp_path: Path) -> None:
    study = single_study(tmp_path / "study", "keyframes", items=2, frames=81)
    with served(study.root) as server, tab(chromium, tmp_path / "profile") as page:
        join(page, server.raters[0])
        page.wait(READY)
        claimed, shown = [], []
        for number in range(81):
            page.wait(f"players[0].shown === {number} && players[0].wanted === null")
            claimed.append(page.value("players[0].shown"))
            shown.append(page.value(PIXELS))
            page.press("ArrowRight")
        assert claimed == shown == list(range(81))
        for number in (40, 39, 29, 0, 80):
            keys = {40: None, 39: ("ArrowLeft", False), 29: ("ArrowLeft", True), 0: ("Home", False), 80: ("End", False)}
            page.press(*keys[number]) if keys[number] else page.value("players[0].seek(40)")
            page.wait(f"players[0].shown === {number} && players[0].wanted === null")
            assert page.value(PIXELS) == number
        page.press("Home")
        page.wait("players[0].shown === 0 && players[0].wanted === null")
        page.press("ArrowRight", shift=True)
        page.wait("players[0].shown === 10 && players[0].wanted === null")
        page.press("Enter")
        page.wait("answers.size === 1 && !busy")
        page.wait(READY)
        page.press("x")
        page.wait("!document.querySelector('#done').hidden")
    desk = StudyDesk(study)
    labels = desk.labels_of(desk.raters()[0])
    assert [(label.value, label.judgeable) for label in labels] == [(10.0, True), (None, False)]


def test_a_question_is_edited_and_rejected_with_a_reason_by_keyboard(chromium: str, tmp_path: Path) -> None:
    study = single_study(tmp_path / "study", "bank_review", items=2)
    with served(study.root) as server, tab(chromium, tmp_path / "profile") as page:
        join(page, server.raters[0])
        page.wait(WATCHED)
        page.press("e")
        page.wait("document.activeElement.id === 'text'")
        page.value("document.activeElement.select()")
        page.type("Is it blue?")
        page.press("Enter")
        page.wait("document.activeElement.id === 'reason'")
        page.type("it is " + NASTY)
        page.click("#send")
        page.wait("answers.size === 1 && !busy")
        page.wait(WATCHED)
        page.press("r")
        page.type("nobody can tell")
        page.click("#send")
        page.wait("!document.querySelector('#done').hidden")
    desk = StudyDesk(study)
    labels = desk.labels_of(desk.raters()[0])
    assert [(label.value, label.text, label.reason) for label in labels] == [
        (0.0, "Is it blue?", "it is " + NASTY),
        (-1.0, "", "nobody can tell"),
    ]


def hostile_study(root: Path) -> StudyFolder:
    root.mkdir()
    clip = numbered_clip(root, 4)
    text = json.dumps(NASTY)
    design = f'kind = "binary"\ntitle = {text}\ninstructions = {text}\nconsent = {text}\n'
    design += f"[[criteria]]\nname = {text}\ntext = {text}\njudgeable = {text}\n"
    asked = Question(id=NASTY[:70], text=NASTY, dimension="things", polarity="positive", expected="yes")
    plain = item([clip], 0, prompt=NASTY, subject=NASTY)
    return write_study(root, design, [plain, item([clip], 1, prompt=NASTY, question=asked)])


def inert(page: Tab) -> bool:
    return bool(page.value("document.title !== 'owned' && !document.querySelector('img, main b:not(figcaption b)')"))


def test_hostile_words_are_only_words(chromium: str, tmp_path: Path) -> None:
    study = hostile_study(tmp_path / "study")
    file = tmp_path / "study.html"
    desk = StudyDesk(study)
    file.write_text(study_file(desk, desk.file_rater()))
    with served(study.root) as server, tab(chromium, tmp_path / "profile") as page:
        page.open(server.raters[0], 1280, 800)
        page.wait("document.querySelector('#consent').textContent.length > 9")
        assert inert(page)
        join(page, server.raters[0])
        page.wait(WATCHED)
        assert page.value("document.querySelector('#prompt').textContent") == NASTY
        assert page.value("document.querySelector('#question').textContent") == NASTY
        assert inert(page)
        page.open(server.admin, 1280, 800)
        page.wait("!document.querySelector('#agree').disabled")
        page.value("document.querySelector('#agree').click()")
        page.wait("location.pathname === '/admin/' && document.querySelectorAll('#raters tr').length > 1")
        assert page.value("document.querySelector('#title').textContent") == NASTY
        assert inert(page)
        page.open(file.as_uri(), 1280, 800)
        page.click("#agree")
        page.wait(WATCHED)
        assert inert(page)


def waited_for(path: Path) -> str:
    """The text of a file that the browser saves, once it is whole."""
    ends = time.monotonic() + SLOWEST_S
    while not (path.exists() and path.read_text().endswith("}")):
        assert time.monotonic() < ends, f"{path.name} was never saved"
        time.sleep(0.05)
    return path.read_text()


def test_a_study_in_a_file_asks_nobody_keeps_what_was_said_and_saves_it(chromium: str, tmp_path: Path) -> None:
    study = pair_study(tmp_path / "study", items=2)
    desk = StudyDesk(study)
    rater = desk.file_rater()
    file = tmp_path / "study.html"
    file.write_text(study_file(desk, rater))
    assert not [name for name in ("alpha", "beta", "task0", "scene0") if name in file.read_text()]
    with tab(chromium, tmp_path / "profile") as page:
        page.open(file.as_uri(), 1280, 800)
        page.wait("!document.querySelector('#consent').hidden")
        page.click("#agree")
        answer(page, "a")
        page.open(f"{file.as_uri()}?again", 1280, 800)
        page.wait("typeof answers !== 'undefined' && answers.size === 1")
        for keys in ("n", "b", "yt", "u"):
            for key in keys[:-1]:
                page.wait(WATCHED)
                page.press(key)
            if keys == "u":
                page.wait("!document.querySelector('#done').hidden")
                page.press("u")
                page.wait("answers.size === 3 && !document.querySelector('#work').hidden")
            else:
                answer(page, keys[-1])
        page.wait(WATCHED)
        page.press("y")
        answer(page, "a")
        page.wait("!document.querySelector('#done').hidden && !document.querySelector('#export').hidden")
        page.do("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        page.click("#export")
        saved = waited_for(tmp_path / f"answers-{rater}.json")
        asked = page.value("performance.getEntriesByType('resource').filter(e => /^https?:/.test(e.name)).length")
        assert asked == 0
    assert json.loads(saved)["consented"] is True
    answers = tmp_path / f"answers-{rater}.json"
    assert bring(desk, answers) == (4, 0)
    assert bring(desk, answers) == (0, 4), "the same file again adds nothing"
    labels = [label for label in desk.labels() if label.rater == rater]
    assert sorted(label.judgeable for label in labels) == [False, True, True, True]
    (row,) = [row for row in desk.progress() if row.rater == rater]
    assert (row.answered, row.asked) == (4, 4)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_telephone_and_a_desk_by_day_and_by_night(chromium: str, scheme: str, tmp_path: Path) -> None:
    study = pair_study(tmp_path / "study", items=1, head="phases = 'shown'\n")
    with served(study.root) as server, tab(chromium, tmp_path / "profile") as page:
        page.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        join(page, server.raters[0], 390, 780)
        page.wait(WATCHED)
        assert page.value("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out"
        assert page.value(f"Math.min(...{BUTTONS}.map(b => b.offsetHeight))") >= 44
        paper = page.value("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, paper[4:-1].split(","))) < 200) == (scheme == "dark")


def test_an_answer_that_meets_a_dead_server_is_kept_when_it_is_back(chromium: str, tmp_path: Path) -> None:
    study = single_study(tmp_path / "study", "binary", items=2)
    with tab(chromium, tmp_path / "profile") as page:
        with served(study.root) as server:
            port = int(server.home.rpartition(":")[2])
            join(page, server.raters[0])
            page.wait(WATCHED)
        page.press("y")
        page.wait("document.querySelector('#trouble').textContent.startsWith('no connection')")
        assert page.value("answers.size") == 0, "what is not acknowledged does not look as if it were"
        with served(study.root, 0, port):
            page.wait("answers.size === 1 && !busy")
            answer(page, "n")
            page.wait("!document.querySelector('#done').hidden")
    desk = StudyDesk(study)
    assert sorted(label.value for label in desk.labels() if label.value is not None) == [0.0, 1.0]
