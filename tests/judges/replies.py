"""Generated replies of judges, each made so that what it means is known beforehand."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from lookaway.judges.prompting.forms import Field, Form, Rows

FORM = Form(
    kind="structured",
    fields=(
        Field(name="seen", kind="text", says="what"),
        Field(name="progressed", kind="boolean", says="whether"),
        Field(name="how", kind="choice", says="how", options=("slow", "fast")),
    ),
    rows=Rows(
        name="answers",
        of="ids",
        ids=("1", "2", "3"),
        fields=(
            Field(name="answer", kind="choice", says="it", options=("yes", "no")),
            Field(name="count", kind="integer", says="how many"),
        ),
    ),
    decided_by=("progressed",),
)

WORDS = {"yes": ("Yes", "yes", "YES"), "no": ("No", "no", "NO")}
WRAPPED = ("{}", " {}", "{}.", "**{}**", "**{}.**", '"{}"', "`{}`", "({})", "{}!", "\n{}\n", "Answer: {}", "*{}*")
REASONS = ("the ball is there", "because the lamp is lit at 2 s", "the door stands open", "it lies on the floor")
BAD_TEMPLATES = (
    "{a} and {b}",
    "{a}/{b}",
    "{a} or {b}",
    "{a}, {b}",
    "Not {a}",
    "not {a}.",
    "I would not say {a}",
    "{a}?",
    "{a}? {b}.",
    "It is neither {a} nor {b}",
    "{a} {b}",
    "Maybe {a}",
    "{a}, but only partly",
    "{a}. Wait, actually the other one",
    "{a}... {b}",
    "{a}, I cannot tell",
    "{a} idea",
    "{a} way to know",
    "Answer: not {a}",
    "<think>{a}</think>",
    "<think>so it is {a}",
    "{a}, however it depends",
    "The first frame says {a}",
    "{a}thing",
    "un{a}",
    "{a}_{b}",
    "{a}\n{b}",
    "# {a}\n# {b}",
)
OTHER_WORDS = (
    "",
    " ",
    "\n",
    "Oui",
    "Ja",
    "Nein",
    "Sí",
    "是",
    "いいえ",
    "да",
    "はい",
    "Y",
    "N",
    "1",
    "0",
    "true",
    "none",
    "???",
)


def vote_replies(count: int, seed: int) -> Iterator[tuple[str, str | None]]:
    """Texts with the verdict they carry; None where they carry none."""
    rng = random.Random(seed)
    for _ in range(count):
        side = rng.choice(("yes", "no"))
        a, b = rng.choice(WORDS[side]), rng.choice(WORDS["no" if side == "yes" else "yes"])
        kind = rng.randrange(4)
        if kind == 0:
            said = rng.choice(WRAPPED).format(a)
            thought = rng.choice(("", "", f"<think>perhaps {b}, perhaps {a}</think>"))
            yield thought + (f"{said}, {rng.choice(REASONS)}." if rng.random() < 0.4 and said == a else said), side
        elif kind == 1:
            yield rng.choice(BAD_TEMPLATES).format(a=a, b=b), None
        elif kind == 2:
            yield rng.choice(OTHER_WORDS) + rng.choice(("", ".", " ", "…")), None
        else:
            yield (
                "".join(chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x3040, 0x30FF)))) for _ in range(9)),
                "?",
            )


def right_object(rng: random.Random) -> dict[str, Any]:
    rows = [{"id": str(i), "answer": rng.choice(("yes", "no")), "count": rng.randrange(50)} for i in (1, 2, 3)]
    seen = rng.choice(("a ball, red", "it's gone {really}", 'the "lamp" [lit]', "half, then all"))
    return {"seen": seen, "progressed": rng.random() < 0.5, "how": rng.choice(("slow", "fast")), "answers": rows}


def broken_object(rng: random.Random) -> dict[str, Any]:
    """An object that no reading can bring into its form."""
    value = right_object(rng)
    rows = value["answers"]
    match rng.randrange(12):
        case 0:
            rows.pop(rng.randrange(3))
        case 1:
            rows.append(dict(rows[0], id="4"))
        case 2:
            rows[1]["id"] = "1"
        case 3:
            rows[0]["answer"] = rng.choice(("maybe", "Yes and no", "", None, True))
        case 4:
            value["progressed"] = rng.choice(("true", "yes", 1, 0, None, [], "partly"))
        case 5:
            del value[rng.choice(("seen", "progressed", "how", "answers"))]
        case 6:
            value["verdict"] = True
        case 7:
            value["how"] = "both"
        case 8:
            rows[2]["count"] = rng.choice((1.5, "3", True, None))
        case 9:
            value["answers"] = rng.choice(({}, [], "1: yes", [1, 2, 3], None))
        case 10:
            value["seen"] = rng.choice(("", "  ", 3, None))
        case _:
            rows.reverse()
    return value


def decorated(text: str, value: dict[str, Any], rng: random.Random) -> str:
    """The same object as a careless judge writes it."""
    match rng.randrange(8):
        case 0:
            return f"```json\n{text}\n```"
        case 1:
            return f"Here is my answer:\n{text}\nI hope this helps."
        case 2:
            return text.replace("}]", "},]").replace("]}", "],}")
        case 3:
            return repr(value)
        case 4:
            return text.removesuffix("]}") if rng.random() < 0.5 else text.removesuffix("}")
        case 5:
            return f"<think>{{maybe}}</think>{text}"
        case 6:
            return f"```\n{text}```"
        case _:
            return text


def structured_replies(count: int, seed: int) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Texts with the object they carry; None where they carry none that keeps the form."""
    rng = random.Random(seed)
    for _ in range(count):
        kind = rng.randrange(4)
        value = broken_object(rng) if kind == 2 else right_object(rng)
        text = json.dumps(value)
        if kind == 0 or kind == 2:
            yield decorated(text, value, rng), value if kind == 0 else None
        elif kind == 1 and rng.random() < 0.5:
            yield text[: rng.randrange(1, len(text) - 2)], None
        elif kind == 1:
            yield text, value
        else:
            yield _ruined(text, rng), None


def _ruined(text: str, rng: random.Random) -> str:
    match rng.randrange(5):
        case 0:
            return text + text
        case 1:
            return text.replace('"progressed": ', '"progressed": true, "progressed": ', 1)
        case 2:
            return f"[{text}]"
        case 3:
            return text.replace('"how"', '"how": NaN, "x"')
        case _:
            return "".join(rng.choice("{}[]\",:'` truefalsnu10\n\\") for _ in range(rng.randrange(60)))
