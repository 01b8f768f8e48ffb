"""A class can be found by its name: no two files of the package define one of the same name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import lookaway

PACKAGE = Path(lookaway.__file__).parent


def test_every_public_class_name_has_one_home() -> None:
    homes = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(PACKAGE)))
    assert len(homes) > 100
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}
