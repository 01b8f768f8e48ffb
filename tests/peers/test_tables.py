"""Published results of a peer, read through our own counting."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

pytestmark = pytest.mark.peers


def test_the_published_support_counts_add_up(peer_data: Path) -> None:
    """23 models, 9,600 outputs, 2,073 re-observed rows; 8 models are too sparse to read."""
    with (peer_data / "wrbench" / "wrbench_23model_results.csv").open() as file:
        rows = list(csv.DictReader(file))
    outputs = [int(row["n_outputs"]) for row in rows]
    seen_again = [int(row["D5_n"]) for row in rows]
    sparse = [n < 10 or n / total < 0.10 for n, total in zip(seen_again, outputs, strict=True)]
    assert (len(rows), sum(outputs), sum(seen_again), sum(sparse)) == (23, 9600, 2073, 8)


def test_folder_mapping_reads_a_peers_task_names(peer_data: Path, tmp_path: Path) -> None:
    """Clips named after the peer's 400 variants are all matched by guessing alone."""
    import json

    from lookaway.pipeline.mapping import map_folder

    lines = (peer_data / "wrbench" / "variants.jsonl").read_text().splitlines()
    ids = [json.loads(line)["variant_id"] for line in lines]
    for name in ids:
        (tmp_path / f"{name}.mp4").write_bytes(b"")
    mapping = map_folder(tmp_path, ids)
    assert len(mapping.matched) == len(ids) == 400
    assert not mapping.unmatched
    assert not mapping.ambiguous
