"""What stands in the way of people who do not see, point or tell colours apart, listed by an expression of JavaScript.

After the rules that axe calls serious or critical: a language, a title, one main landmark, headings in order, a name
for whatever can be pressed, an alternative for pictures, no id twice, nothing that only a pointer reaches, and text
that stands out from what is behind it by 4.5 to 1 (3 to 1 where it is large).
"""

from __future__ import annotations

from pathlib import Path

CHECKS = Path(__file__).with_suffix(".js").read_text()
