"""Which rows a table counts: those of a population, of a slice of it, or of twins and branches beside it."""

from __future__ import annotations

import itertools

import polars as pl

from lookaway.analyses import Findings
from lookaway.geometry.visibility import has_opportunity
from lookaway.records import Population, Slice, Task


def counted_rows(rows: pl.DataFrame, findings: Findings) -> pl.DataFrame:
    """The rows of each metric's population."""
    protocol = findings.protocol
    named = set(protocol.populations)
    whole = pl.concat_str("metric", "variant", separator=":").is_in(list(named)).not_() if named else pl.lit(True)
    parts = [rows.filter(whole & _inside(protocol.population, findings))]
    for name, population in protocol.populations.items():
        metric, _, variant = name.partition(":")
        one = (pl.col("metric") == metric) & (pl.col("variant") == variant)
        parts.append(rows.filter(one & _inside(population, findings)))
    return pl.concat(parts) if len(parts) > 1 else parts[0]


def _inside(population: Population, findings: Findings) -> pl.Expr:
    tasks = [task.id for task in findings.tasks.values() if counts_task(population, task)]
    systems = [system.label for system in findings.systems if population.counts_system(system)]
    return pl.col("task").is_in(tasks) & pl.col("system").is_in(systems) & (pl.col("branch") == "")


def counts_task(population: Population, task: Task) -> bool:
    return population.counts_task(task) and (not population.opportunity or has_opportunity(task))


def sliced_rows(rows: pl.DataFrame, part: Slice, findings: Findings) -> pl.DataFrame:
    """The rows with the label of a slice."""
    schema = dict.fromkeys(("task", "system", "label"), pl.String)
    if not part.is_about_systems:
        labels = [(task.id, "", part.label(task, None)) for task in findings.tasks.values()]
        table = pl.DataFrame(labels, schema=schema, orient="row").drop("system")
        return rows.join(table, on="task", maintain_order="left")
    pairs = itertools.product(findings.tasks.values(), findings.systems)
    labels = [(task.id, system.label, part.label(task, system)) for task, system in pairs]
    return rows.join(pl.DataFrame(labels, schema=schema, orient="row"), on=["task", "system"], maintain_order="left")


def rows_of_arms(rows: pl.DataFrame, findings: Findings) -> pl.DataFrame:
    """Rows of twins and of branches: arms of contrasts, each kind in cells of its own."""
    twins = {task.id: f"twin={task.twin}" for task in findings.tasks.values() if task.twin is not None}
    apart = rows.filter(pl.col("task").is_in(list(twins)) | (pl.col("branch") != ""))
    twin = pl.col("task").replace_strict(twins, default=None, return_dtype=pl.String)
    branch = pl.when(pl.col("branch") != "").then(pl.format("branch={}", pl.col("branch")))
    return apart.with_columns(label=pl.concat_str(twin, branch, separator=", ", ignore_nulls=True))
