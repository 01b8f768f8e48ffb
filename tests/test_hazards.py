"""Nothing in the tree runs what a file says: no pickles, no evaluated text, no shells, no archives unpacked blindly."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src", "scripts", "benchmarks", "examples")
BUILTINS = {"eval", "exec", "compile", "__import__"}
CALLS = {
    *("pickle.load", "pickle.loads", "pickle.Unpickler", "marshal.load", "marshal.loads", "shelve.open", "dill.load"),
    *("joblib.load", "yaml.load", "yaml.load_all", "yaml.unsafe_load", "yaml.full_load", "os.system", "os.popen"),
    *("tempfile.mktemp", "ssl._create_unverified_context", "pandas.read_pickle", "subprocess.getoutput"),
}
METHODS = {"extractall", "extract"}  # of archives: the names in them lead where they like
MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
HARMLESS = {"UnpicklingError"}  # what torch raises where weights are not plain
# Between our own processes of one cluster, which its token guards; never from a file.
PICKLES_ITS_OWN = Path("src/lookaway/executors/ray")


def programs(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and (path.suffix == ".py" or (not path.suffix and _is_python(path))):
            yield path


def _is_python(path: Path) -> bool:
    return path.read_bytes()[:64].partition(b"\n")[0].endswith((b"python", b"python3"))


def hazards(text: str) -> list[str]:
    """Line and name of everything that may run, or leave, what it should only read."""
    return [f"{node.lineno}: {what}" for node in ast.walk(ast.parse(text)) for what in _of(node)]


def _of(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call():
            yield from _of_call(node)
        case ast.ImportFrom(module=module, names=names) if module in MODULES:
            yield from (f"from {module} import {one.name}" for one in names if one.name not in HARMLESS)
        case ast.keyword(arg="shell", value=ast.Constant(value=True)):
            yield "shell=True"
        case ast.keyword(arg="allow_pickle", value=value) if not _is(value, False):
            yield "allow_pickle"
        case ast.keyword(arg="verify", value=ast.Constant(value=False)):
            yield "verify=False"


def _of_call(call: ast.Call) -> Iterator[str]:
    name = ast.unparse(call.func)
    told = {one.arg: one.value for one in call.keywords}
    unpacks = isinstance(call.func, ast.Attribute) and call.func.attr in METHODS
    if name in BUILTINS or name in CALLS or unpacks:
        yield name
    elif name == "torch.load" and not _is(told.get("weights_only"), True):
        yield "torch.load without weights_only=True"
    elif name.rpartition(".")[2] == "Environment" and not _is(told.get("autoescape"), True):
        yield "a template whose values are not escaped"


def _is(node: ast.expr | None, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_program_runs_what_a_file_says(folder: str) -> None:
    found = {path.relative_to(ROOT): hazards(path.read_text()) for path in programs(ROOT / folder)}
    assert found
    alarming = {path: [one for one in what if not _is_own(path, one)] for path, what in found.items()}
    assert {path: what for path, what in alarming.items() if what} == {}


def _is_own(path: Path, what: str) -> bool:
    return path.is_relative_to(PICKLES_ITS_OWN) and what.endswith(": pickle.loads")


@pytest.mark.parametrize(
    "text",
    [
        "eval(x)",
        "exec(x)",
        "import pickle\npickle.loads(x)",
        "from pickle import loads",
        "yaml.load(x, Loader=yaml.SafeLoader)",
        "subprocess.run(x, shell=True)",
        "torch.load(x)",
        "torch.load(x, weights_only=False)",
        "np.load(x, allow_pickle=True)",
        "np.load(x, allow_pickle=allow)",
        "archive.extractall(folder)",
        "os.system(x)",
        "jinja2.Environment(loader=x)",
        "requests.get(x, verify=False)",
    ],
)
def test_a_hazard_is_seen(text: str) -> None:
    assert hazards(text)


@pytest.mark.parametrize(
    "text",
    [
        "torch.load(x, weights_only=True)",
        "np.load(x, allow_pickle=False)",
        "yaml.safe_load(x)",
        "re.compile(x)",
        "model.eval()",
        "from pickle import UnpicklingError",
        "Environment(autoescape=True)",
    ],
)
def test_what_is_harmless_is_left_alone(text: str) -> None:
    assert hazards(text) == []
