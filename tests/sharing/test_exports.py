"""A run's numbers in the formats of others: what is written is what they can read, and tells nothing of the machine."""

from __future__ import annotations

import io
import json
import zipfile
from importlib import resources
from pathlib import Path

import jsonschema
import polars as pl
import pytest
from huggingface_hub import parse_eval_result_entries

import tests.sharing
from lookaway.pipeline import plans
from lookaway.records import Board, Cell, Score, Seal, Table, TableCell
from lookaway.sharing.results import FORM, Origin, every_eval_ever, result_files
from lookaway.sharing.schemas import record_schema, record_types
from lookaway.sharing.seals import sealed
from lookaway.sharing.table_files import FORMATS, table_file
from lookaway.store import Run, open_run
from tests.command import invoke
from tests.reports.drawing_examples import profile

TABLE = profile()
ORIGIN = Origin("Example Lab", "third_party", 1_700_000_000, "2023-11-14", "https://example.org/runs")


@pytest.fixture(scope="session")
def theirs() -> jsonschema.Draft7Validator:
    place = resources.files(tests.sharing) / "every_eval_ever" / "eval.schema.json"
    schema = json.loads(place.read_text())
    assert schema["version"] == FORM
    return jsonschema.Draft7Validator(schema)


def test_every_system_with_a_number_has_a_valid_every_eval_ever_file(
    demo_run: Path, demo_board: Board, theirs: jsonschema.Draft7Validator
) -> None:
    systems = plans.load(open_run(demo_run)).systems
    files = result_files(demo_board, systems, ORIGIN)
    assert len(files) == len(systems)
    for text in files.values():
        made = json.loads(text)
        theirs.validate(made)
        for result in made["evaluation_results"]:
            counts = result["score_details"]["details"]
            assert int(counts["n"]) >= int(counts["ok"]) > 0
    frozen = next(json.loads(text) for text in files.values() if '"name": "frozen"' in text)
    clock = next(r for r in frozen["evaluation_results"] if r["metric_config"]["metric_name"] == "world_clock")
    cell = demo_board.cell("frozen", "world_clock", variant=clock["metric_config"]["metric_id"].split(".")[-1])
    assert clock["score_details"]["score"] == cell.value
    assert clock["metric_config"]["additional_details"]["best"] == "exactly 1"


def test_a_judged_metric_names_its_judge(demo_board: Board, demo_run: Path, theirs: jsonschema.Draft7Validator) -> None:
    system = plans.load(open_run(demo_run)).systems[0]
    cell = next(c for c in demo_board.cells if c.system == system.label and c.slice == "all" and c.value is not None)
    judged = cell.model_copy(update={"ask": "question@1:a", "ask_key": "f" * 32, "instrument": "openai@2(m)"})
    made = every_eval_ever(demo_board, system, [judged], ORIGIN)
    theirs.validate(made)
    scoring = made["evaluation_results"][0]["metric_config"]["llm_scoring"]
    assert scoring["judges"][0]["model_info"]["name"] == "openai@2(m)"


def test_their_schema_would_refuse_a_wrong_file(
    demo_board: Board, demo_run: Path, theirs: jsonschema.Draft7Validator
) -> None:
    made = json.loads(next(iter(result_files(demo_board, plans.load(open_run(demo_run)).systems, ORIGIN).values())))
    made["evaluation_results"][0]["score_details"]["score"] = None
    assert not theirs.is_valid(made)


def test_the_hubs_own_reader_reads_our_eval_results(demo_board: Board, demo_run: Path) -> None:
    import yaml

    systems = plans.load(open_run(demo_run)).systems
    files = result_files(demo_board, systems, ORIGIN, dataset="example/lookaway")
    texts = {name: text for name, text in files.items() if name.endswith(".yaml")}
    assert sorted(name.split("/")[0] for name in texts) == sorted(s.label for s in systems)
    for name, text in texts.items():
        entries = parse_eval_result_entries(yaml.safe_load(text))
        mine = [
            c for c in demo_board.cells if c.system == name.split("/")[0] and c.slice == "all" and c.value is not None
        ]
        assert [entry.value for entry in entries] == [cell.value for cell in mine]
        assert all(entry.dataset_id == "example/lookaway" and entry.date == ORIGIN.date for entry in entries)
        assert all(f"n={cell.ok} of {cell.n}" in str(e.notes) for e, cell in zip(entries, mine, strict=True))


def test_every_record_has_a_schema_and_the_published_one_is_current() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "schema" / "records.json"
    made = record_schema()
    assert json.loads(page.read_text()) == made, "run scripts/schemas"
    assert set(record_types()) <= set(made["$defs"])
    jsonschema.Draft202012Validator.check_schema(made)


def test_real_records_are_valid_under_the_schema_and_wrong_ones_are_not(own_run: Run, demo_board: Board) -> None:
    made = record_schema()
    of = {name: jsonschema.Draft202012Validator(made | {"$ref": f"#/$defs/{name}"}) for name in record_types()}
    score = next(iter(own_run.latest("scores", Score).values()))
    seal = sealed(own_run)
    for name, record in (("Score", score), ("Board", demo_board), ("Seal", seal)):
        of[name].validate(record.model_dump(mode="json"))
    assert not of["Score"].is_valid(score.model_dump(mode="json") | {"status": "good"})
    assert not of["Seal"].is_valid(seal.model_dump(mode="json") | {"files": "none"})
    assert {Seal, Cell, TableCell} <= set(record_types().values())


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_a_table_is_written_in_every_format(format: str) -> None:
    assert table_file([TABLE], format)


def test_json_reads_back_and_parquet_holds_what_csv_does() -> None:
    assert [Table.model_validate(one) for one in json.loads(table_file([TABLE], "json"))] == [TABLE]
    lines = pl.read_parquet(io.BytesIO(table_file([TABLE, TABLE], "parquet")))
    cells = [cell for _ in range(2) for row in TABLE.rows for cell in row.cells]
    assert lines["value"].to_list() == [cell.value for cell in cells]
    assert lines["n"].to_list() == [cell.n for cell in cells]
    assert lines["reason"].to_list() == [cell.reason for cell in cells]


def test_a_papers_table_comes_out_of_one_command(demo_run: Path, tmp_path: Path) -> None:
    code, said = invoke("share", "tables", str(demo_run), "--table", "cells-diorama")
    assert code == 0
    assert said.count(r"\begin{table}") == 1
    assert r"\toprule" in said
    code, said = invoke("share", "tables", str(demo_run), "--list")
    assert "cells-diorama" in said
    code, said = invoke("share", "tables", str(demo_run), "--table", "cells-dioramo")
    assert code == 2
    assert "did you mean cells-diorama" in said
    code, said = invoke("share", "tables", str(demo_run), "--format", "parquet")
    assert code == 2
    assert invoke("share", "tables", str(demo_run), "--format", "parquet", "--out", str(tmp_path / "t.parquet"))[0] == 0


def test_costs_are_summed_and_unknown_ones_stay_unknown(own_run: Run) -> None:
    code, said = invoke("share", "costs", str(own_run.root), "--json")
    assert code == 0
    rows = {row["who"]: row for row in json.loads(said)}
    assert rows["frozen"]["count"] == 2
    assert rows["frozen"]["usd"] is None


def test_no_export_tells_of_the_machine(own_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was planted where a run keeps its secrets is in no file that is handed on."""
    home = tmp_path / "planted-home"
    monkeypatch.setattr("platform.node", lambda: "planted-host-7")
    monkeypatch.setattr("getpass.getuser", lambda: "planted-user-7")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PLANTED_API_KEY", "sk-planted-key-123456")
    (own_run.root / "local.json").write_text(json.dumps({"suite": f"{home}/suites/x", "folders": {}}))
    out = tmp_path / "out"
    out.mkdir()
    run = str(own_run.root)
    said = [
        invoke("share", "seal", run, "--out", str(out / "a.seal"), "--without-pixels"),
        invoke("share", "tables", run, "--format", "json", "--out", str(out / "t.json")),
        invoke("share", "results", run, "--out", str(out / "results"), "--organisation", "Example", "--dataset", "a/b"),
        invoke("share", "site", str(out / "a.seal"), "--out", str(out / "site")),
    ]
    assert [code for code, _ in said] == [0, 0, 0, 0], said

    with zipfile.ZipFile(out / "a.seal") as archive:
        texts = [archive.read(name) for name in archive.namelist()]
    texts += [path.read_bytes() for path in out.rglob("*") if path.is_file()]
    for planted in (b"planted-", b"sk-planted", str(tmp_path).encode(), run.encode()):
        assert not [text[:80] for text in texts if planted in text], planted
