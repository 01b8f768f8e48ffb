"""Names, near misses and source hashes."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from lookaway import models, protocols, suites
from lookaway.errors import LookawayError, UnknownName, UsageError
from lookaway.gates import GATES
from lookaway.metrics import METRICS, find
from lookaway.plugins import registries
from lookaway.registry import source_sha256


def module_from(source: str, folder: Path, name: str) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("ask", "hint"),
    [
        (lambda: find("object_retrn"), "did you mean object_return"),
        (lambda: METRICS.get("object_return:sund"), "did you mean object_return:sound"),
        (lambda: suites.find("diorama-min"), "did you mean diorama-mini?"),
        (lambda: models.load("frzen"), "did you mean frozen?"),
        (lambda: protocols.load("dioramma"), "did you mean diorama?"),
        (lambda: GATES.get("turned_awy"), "did you mean turned_away?"),
    ],
)
def test_a_near_miss_is_offered(ask, hint) -> None:
    with pytest.raises(UnknownName, match=hint):
        ask()


@pytest.mark.parametrize("registry", registries(), ids=lambda r: r.kind)
def test_every_registry_offers_near_misses_and_loads_cleanly(registry) -> None:
    name = next(iter(registry.all()))
    with pytest.raises(UnknownName, match=name.replace("(", ".")):
        registry.get(name[:-1] + "~")
    assert registry.broken == {}


def test_two_plugins_of_one_name_are_refused(tmp_path: Path) -> None:
    source = (
        "from lookaway.metrics import metric\n"
        "@metric(unit='rate', better='higher', needs=['view'], version=1)\n"
        "def turned_away(case):\n    return 1.0\n"
    )
    find("turned_away")
    with pytest.raises(LookawayError, match="two metrics are named 'turned_away:sound'"):
        module_from(source, tmp_path, "impostor")


def test_the_source_hash_sees_code_and_not_comments(tmp_path: Path) -> None:
    plain = "def f(case):\n    return 1.0\n"
    commented = '"""About."""\n# why\ndef f(case):\n    """What."""\n    return   1.0\n'
    other = "def f(case):\n    return 2.0\n"
    hashes = [source_sha256(module_from(s, tmp_path, f"source_{i}").f) for i, s in enumerate((plain, commented, other))]
    assert hashes[0] == hashes[1]
    assert hashes[0] != hashes[2]


def test_a_metric_with_variants_must_be_asked_for_by_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    one = METRICS.get("object_return:sound")
    METRICS.all()
    monkeypatch.setitem(METRICS._plugins, "object_return:paper", one)
    with pytest.raises(UsageError, match="several variants"):
        find("object_return")
