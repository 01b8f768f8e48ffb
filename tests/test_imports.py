"""Data walks one way, so imports do too; and importing lookaway is cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lookaway

PACKAGE = Path(lookaway.__file__).parent

# A module may import from its own rank and from earlier ones.
ORDER = [
    {"errors", "limits", "workers"},
    {"records"},
    {"registry", "outcomes", "secrets", "places", "names", "extras", "fetching", "limited_http"},
    {"store", "tomls", "images", "arrays", "video"},
    {"cache", "weights"},
    {"sessions"},
    {"geometry", "stats"},
    {"truth", "shown", "worlds"},
    {"contact"},
    {"suites"},
    {"models"},
    {"controls"},
    {"generators"},
    {"observers"},
    {"judges"},
    {"readings"},
    {"gates", "banks"},
    {"metrics", "phrasing", "marking"},
    {"published"},
    {"analyses"},
    {"protocols"},
    {"reports"},
    {"executors"},
    {"pipeline"},
    {"looking"},
    {"calibration"},
    {"people"},
    {"export", "preferences", "sharing"},
    {"plugins"},
    {"api", "pytest_plugin"},
    {"cli"},
]
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}


def imports(source: str) -> set[str]:
    """Top-level lookaway modules that a file imports, wherever it does so: inside functions and for types too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "lookaway":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module).split(".")[1]} if str(node.module).startswith("lookaway.") else set()
            assert not node.level, "a relative import hides where it leads"
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("lookaway.")}
    return found


def outside_imports(source: str) -> set[str]:
    """Packages of others that a file imports, wherever it does so."""
    nodes = list(ast.walk(ast.parse(source)))
    named = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    named += [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in named} - {"lookaway"}


def test_imports_inside_functions_are_seen() -> None:
    source = "def f():\n    from lookaway.cli import run\n    from lookaway import judges\n    import lookaway.gates"
    assert imports(source) == {"cli", "judges", "gates"}


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_module_imports_a_later_stage(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if own == "__init__":
        return
    later = {name for name in imports(path.read_text()) if RANK[name] > RANK[own]}
    assert not later, f"{own} comes before {later}"


# What reads logs, decodes video, counts or computes; a report is handed what that came to.
NOT_FOR_REPORTS = {"analyses", "cache", "images", "pipeline", "stats", "store", "video"}
NOT_FOR_REPORTS |= {"PIL", "av", "cv2", "numpy", "os", "pathlib", "polars", "scipy", "tempfile"}


@pytest.mark.parametrize("path", sorted((PACKAGE / "reports").rglob("*.py")), ids=lambda p: p.name)
def test_reports_only_draw(path: Path) -> None:
    source = path.read_text()
    assert not NOT_FOR_REPORTS & (imports(source) | outside_imports(source))


def test_importing_lookaway_is_quick_and_loads_no_extra() -> None:
    program = (
        "import sys, time; start = time.process_time(); import lookaway; took = time.process_time() - start\n"
        "extras = {'torch', 'transformers', 'mujoco', 'embreex', 'httpx', 'google.genai', 'ray', 'fastapi'}\n"
        "extras |= {'websockets'}\n"
        "print(took, sorted(extras & set(sys.modules)))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True) for _ in range(3)
    ]
    seconds = min(float(run.stdout.split()[0]) for run in runs)
    assert seconds < 0.3
    assert runs[0].stdout.split(maxsplit=1)[1].strip() == "[]"


def test_using_everything_but_the_worlds_loads_no_extra() -> None:
    program = (
        "import sys; from lookaway.plugins import registries; [r.all() for r in registries()]\n"
        "import lookaway.cli, lookaway.api\n"
        "print(sorted({'torch', 'transformers', 'mujoco', 'embreex', 'websockets', 'httpx'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_loading_every_metric_and_analysis_leaves_scipy_stats_alone() -> None:
    """It takes half a second, a sixth of what counting a million scores takes; what needs it imports it when asked."""
    program = (
        "import sys\nfrom lookaway.analyses import ANALYSES\nfrom lookaway.metrics import METRICS\n"
        "print(len(ANALYSES.all()) > 3, len(METRICS.all()) > 3, 'scipy.stats' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "False"]
