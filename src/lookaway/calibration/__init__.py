"""Can we trust the eyes? Every metric against reference models whose truth and faults are known."""
