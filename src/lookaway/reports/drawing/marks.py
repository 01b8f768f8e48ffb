"""Best and second best, for whoever draws a table that an analysis has not marked."""

from __future__ import annotations

from lookaway.marking import Within as Within
from lookaway.marking import with_marks as with_marks
