"""One file per process; a new file that registers a builder is all it takes."""
