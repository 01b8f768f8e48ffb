"""Preference pairs: two clips of one task, of which one is better on one axis, as trainers of preferences read them.

`mining.py` is pure: scores and what is known of the files come to pairs, and reasons why there are not more.
`export.py` reads a run and makes the files.
"""

from __future__ import annotations
