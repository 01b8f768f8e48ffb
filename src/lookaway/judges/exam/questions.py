"""What can be asked about frames of the known world, and the right answer where nobody could argue about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lookaway.records import Choice
from lookaway.worlds.facts import Words

ENDED_S, BEGUN_S = 6.3, 0.05  # on the process's own clock: from then on it has ended, until then nothing has happened
LEAST_SHARE = 0.003  # of the picture: what is smaller cannot be compared
PLAIN_SHARE = 0.3  # of its size at the end of the true clip, and more: it is plainly there
LARGER, NOT_LARGER = 2.0, 1.3  # times as many pixels
ASIDE, NOT_ASIDE = 0.1, 0.02  # shares of the picture's width or height
DOUBLE = 1.5  # times as many pixels as the subject alone: its double is plainly there as well


@dataclass(frozen=True)
class ExamFrame:
    """One frame: how much of it the subject takes, where its middle is, and what else is known of it."""

    share: float = 0.0
    x: float = 0.0
    y: float = 0.0
    process_s: float = 0.0
    as_told: bool = False  # subject and camera are where they belong
    copies: int = 0
    recoloured: bool = False
    colour: str = ""  # where the whole frame has one: black or grey


@dataclass(frozen=True)
class ClipFacts:
    """The frames of one clip, and the last frame of the true clip beside them."""

    words: Words
    frames: Sequence[ExamFrame]
    true_last: ExamFrame

    @property
    def first(self) -> ExamFrame:
        return self.frames[0]

    @property
    def last(self) -> ExamFrame:
        return self.frames[-1]

    @property
    def both(self) -> bool:
        """The subject, once, in the first frame and in the last."""
        return min(self.first.share, self.last.share) >= LEAST_SHARE and self.first.copies == self.last.copies == 1


def answer(yes: bool, no: bool) -> Choice | None:
    """None between plainly yes and plainly no."""
    return "yes" if yes else "no" if no else None


def there(seen: ClipFacts) -> Choice | None:
    return answer(seen.last.share > PLAIN_SHARE * seen.true_last.share, seen.last.share == 0)


def in_any(seen: ClipFacts) -> Choice | None:
    shares = [frame.share for frame in seen.frames]
    return answer(max(shares) > PLAIN_SHARE * seen.true_last.share, max(shares) == 0)


def ended(seen: ClipFacts) -> Choice | None:
    last = seen.last
    if not last.as_told or last.share <= PLAIN_SHARE * seen.true_last.share:
        return None
    return answer(last.process_s >= ENDED_S, last.process_s <= BEGUN_S)


def as_before(seen: ClipFacts) -> Choice | None:
    turned: dict[Choice | None, Choice | None] = {"yes": "no", "no": "yes", None: None}
    return turned[ended(seen)]


def twice(seen: ClipFacts) -> Choice | None:
    last = seen.last
    doubled = last.copies == 2 and last.share > DOUBLE * seen.true_last.share
    return answer(doubled, last.copies == 1 and last.share > 0)


def recoloured(seen: ClipFacts) -> Choice | None:
    return answer(seen.last.recoloured, not seen.last.recoloured) if seen.both else None


def larger(seen: ClipFacts) -> Choice | None:
    if not seen.both:
        return None
    times = seen.last.share / seen.first.share
    return answer(times >= LARGER, times <= NOT_LARGER)


def _aside(seen: ClipFacts, shift: float) -> Choice | None:
    return answer(shift >= ASIDE, shift <= NOT_ASIDE) if seen.both else None


def righter(seen: ClipFacts) -> Choice | None:
    return _aside(seen, seen.last.x - seen.first.x)


def lefter(seen: ClipFacts) -> Choice | None:
    return _aside(seen, seen.first.x - seen.last.x)


def higher(seen: ClipFacts) -> Choice | None:
    return _aside(seen, seen.first.y - seen.last.y)


def black_first(seen: ClipFacts) -> Choice | None:
    return answer(seen.first.colour == "black", True)


def black_last(seen: ClipFacts) -> Choice | None:
    return answer(seen.last.colour == "black", True)


def black_any(seen: ClipFacts) -> Choice | None:
    return answer(any(frame.colour == "black" for frame in seen.frames), True)


def grey_all(seen: ClipFacts) -> Choice | None:
    return answer(all(frame.colour == "grey" for frame in seen.frames), True)


@dataclass(frozen=True)
class Family:
    """One question in words, about any clip, and how its answer is known."""

    text: Callable[[Words], str]
    answer: Callable[[ClipFacts], Choice | None]


FAMILIES: dict[str, Family] = {
    "there": Family(lambda words: f"In the last frame, can one see {words.subject}?", there),
    "in_any": Family(lambda words: f"Is there any frame that shows {words.subject}?", in_any),
    "ended": Family(lambda words: f"Look at the last frame. {words.is_ended}", ended),
    "as_before": Family(lambda words: f"Look at the last frame. {words.is_as_before}", as_before),
    "twice": Family(lambda words: f"Does the last frame show {words.subject} and a second one just like it?", twice),
    "recoloured": Family(lambda words: f"{_named(words)} Has it another colour in the last frame?", recoloured),
    "larger": Family(lambda words: f"{_named(words)} Is it much larger in the last frame?", larger),
    "righter": Family(lambda words: f"{_named(words)} Is it further to the right in the last frame?", righter),
    "lefter": Family(lambda words: f"{_named(words)} Is it further to the left in the last frame?", lefter),
    "higher": Family(lambda words: f"{_named(words)} Is it higher up in the last frame?", higher),
    "black_first": Family(lambda words: "Is the first frame nothing but black?", black_first),
    "black_last": Family(lambda words: "Is the last frame nothing but black?", black_last),
    "black_any": Family(lambda words: "Is any of the frames nothing but black?", black_any),
    "grey_all": Family(lambda words: "Is every frame plain grey, with nothing in it?", grey_all),
}
ABOUT_SUBJECT = ("there", "ended", "as_before", "twice", "recoloured", "larger", "righter", "lefter", "higher")
ABOUT_ORDER = ("ended", "as_before", "righter", "lefter")
ABOUT_BLANK = ("in_any", "grey_all")
ABOUT_BLACK = ("black_last", "black_first", "black_any")


def _named(words: Words) -> str:
    return f"The first frame shows {words.subject}."


def known(seen: ClipFacts, families: Sequence[str]) -> dict[str, Choice]:
    """Those of the families that have a right answer here."""
    answers = {name: FAMILIES[name].answer(seen) for name in families}
    return {name: choice for name, choice in answers.items() if choice is not None}
