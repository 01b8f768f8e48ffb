"""One file per layout; a new file that registers a builder is all it takes."""
