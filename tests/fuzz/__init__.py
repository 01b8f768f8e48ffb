"""Hostile input for every parser of what others write; benchmarks/fuzz.py drives the same targets a million times."""
