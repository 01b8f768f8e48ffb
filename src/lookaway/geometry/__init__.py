"""Pure numpy geometry: camera scripts, trajectories, visibility, phases. No files, clocks or models."""
