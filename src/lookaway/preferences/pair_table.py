"""The shape of exported pairs: `prompt`, `chosen`, `rejected` as trainers expect them, and what speaks for them."""

from __future__ import annotations

import polars as pl

from lookaway.preferences.standing import Standing

SIDE = pl.Struct(
    {"case": pl.String, "system": pl.String, "seed": pl.Int64}
    | {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    | {"posed_test": pl.Boolean, "camera_moved": pl.Boolean}
)
GUARD = pl.Struct(
    {"metric": pl.String, "instrument_key": pl.String, "ask_key": pl.String}
    | {"chosen": pl.Float64, "rejected": pl.Float64}
)
EVIDENCE = pl.Struct(
    {"metric": pl.String, "version": pl.Int64, "round": pl.Int64}
    | {"instrument": pl.String, "instrument_key": pl.String, "ask": pl.String, "ask_key": pl.String}
    | {"chosen": SIDE, "rejected": SIDE, "guards": pl.List(GUARD)}
)
PAIRS = pl.DataFrame(
    schema={
        "prompt": pl.String,  # of the task that both clips answer
        "chosen": pl.String,  # path of the better video, from the run folder
        "rejected": pl.String,  # path of the other one
        "axis": pl.String,
        "margin": pl.Float64,  # by how much the better one leads, in the metric's unit
        "judgeable": pl.Boolean,  # both posed the test
        "dynamic": pl.Boolean,  # both cameras moved
        "first_frame": pl.String,  # path of the picture that both were given
        "task": pl.String,
        "protocol": pl.String,
        "evidence": EVIDENCE,
    }
)


def as_exported(pairs: pl.DataFrame, axis: str, protocol: str, known: Standing) -> pl.DataFrame:
    """Pairs that were kept, in the shape of PAIRS."""
    guards = [_guard(name, known) for name in known.guards]
    evidence = pl.struct(
        pl.concat_str("metric", "variant", separator=":").alias("metric"),
        pl.col("version").cast(pl.Int64),
        pl.col("round").cast(pl.Int64),
        *("instrument", "instrument_key", "ask", "ask_key"),
        _side("chosen").alias("chosen"),
        _side("rejected").alias("rejected"),
        (pl.concat_list(guards) if guards else pl.lit([], pl.List(GUARD))).alias("guards"),
    )
    both = {
        name: (pl.col(f"chosen_{fact}") & pl.col(f"rejected_{fact}")).fill_null(False)
        for name, fact in (("judgeable", "posed"), ("dynamic", "moved"))
    }
    told = pairs.with_columns(
        pl.col("chosen_video").alias("chosen"),
        pl.col("rejected_video").alias("rejected"),
        pl.lit(axis).alias("axis"),
        pl.lit(protocol).alias("protocol"),
        evidence.alias("evidence"),
        **both,
    )
    return told.select(PAIRS.columns).cast(PAIRS.schema)


def _side(side: str) -> pl.Expr:
    system, seed = pl.col(f"{side}_system"), pl.col(f"{side}_seed")
    return pl.struct(
        pl.concat_str("task", system, seed.cast(pl.String), separator="/").alias("case"),
        *(system.alias("system"), seed.cast(pl.Int64).alias("seed")),
        *(pl.col(f"{side}_{name}").cast(pl.Float64).alias(name) for name in ("value", "low", "high")),
        *(pl.col(f"{side}_posed").alias("posed_test"), pl.col(f"{side}_moved").alias("camera_moved")),
    )


def _guard(name: str, known: Standing) -> pl.Expr:
    reading = known.guards[name]
    return pl.struct(
        pl.lit(str(reading.ref)).alias("metric"),
        pl.lit(reading.by.instrument_key).alias("instrument_key"),
        pl.lit(reading.by.ask_key).alias("ask_key"),
        *(pl.col(f"{side}_{name}").cast(pl.Float64).alias(side) for side in ("chosen", "rejected")),
    )
