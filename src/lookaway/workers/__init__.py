"""Programs that run in a model's own environment and answer JSON over a pipe; see serve.py."""
