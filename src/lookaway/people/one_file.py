"""A study for one person as one HTML file: it opens from disk, asks nobody anything, and saves answers as a file."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from lookaway.people.desk import StudyDesk

PAGE = Path(__file__).with_name("study_page")


def study_file(desk: StudyDesk, rater: str) -> str:
    """The page with everything in it; neither names of cases nor right answers are."""
    style = (PAGE / "page.css").read_text()
    scripts = [(PAGE / name).read_text() for name in ("filed.js", "page.js")]
    page = (PAGE / "page.html").read_text()
    head = [
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, scripts)}">',
        f"<style>{style}</style>",
    ]
    data = f'<script type="application/json" id="study">{_inert(_content(desk, rater))}</script>'
    tail = [data, *(f"<script>{script}</script>" for script in scripts)]
    page = page.replace('<script src="served.js" defer></script>\n<script src="page.js" defer></script>\n', "")
    page = page.replace('<link rel="stylesheet" href="page.css">', "\n".join(head))
    return page.replace("</body>", "\n".join(tail) + "\n</body>")


def _content(desk: StudyDesk, rater: str) -> dict[str, Any]:
    content = desk.page_content(rater)
    places: dict[str, int] = {}
    for number, showing in enumerate(content["showings"]):
        for place, clip in enumerate(showing["clips"]):
            path = desk.media(rater, number, place)
            clip["media"] = places.setdefault(str(path), len(places))
    media = [base64.b64encode(Path(path).read_bytes()).decode() for path in places]
    return content | {"answers": [], "media": media, "consent": desk.study.consent}


def _inert(content: dict[str, Any]) -> str:
    """JSON that cannot end the element that it stands in."""
    text = json.dumps(content)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _policy(style: str, scripts: list[str]) -> str:
    """Nothing runs but these very scripts, and nothing is asked of anybody."""
    allowed = " ".join(_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; media-src blob:; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
