"""Optional dependency sets: which modules each needs, and what it enables."""

from __future__ import annotations

import importlib.util

EXTRAS = {
    "worlds": (("mujoco", "embreex"), "the known world: reference models, diorama suites, the demo"),
    "sessions": (("websockets",), "sessions over WebSocket; over HTTP they need nothing"),
    "torch": (("torch", "torchvision", "transformers"), "learned observers: visual integrity; judges in this process"),
    "onnx": (("onnxruntime",), "a descriptor of your own, for the subject's identity"),
    "sheets": (("openpyxl",), "keyframe sheets as xlsx; as csv they need nothing"),
    "yaml": (("yaml",), "task files of StEvo's release"),
    "openai": (("httpx",), "judges behind an OpenAI-compatible server"),
    "gemini": (("google.genai", "httpx"), "Gemini as a judge"),
    "hub": (("huggingface_hub",), "sending results to a hub: share upload"),
    "ray": (("ray",), "running on a cluster, or on many cores: --executor ray"),
    "remote": (("fsspec", "s3fs"), "runs and seals to and from object stores: share send, share fetch"),
    "people": (("fastapi", "uvicorn", "itsdangerous"), "the page where people label; as one file it needs nothing"),
    "dev": (("pytest", "mypy"), "running the tests and checks"),
}


def missing(extra: str) -> list[str]:
    """The modules of an extra that are not installed."""
    return [module for module in EXTRAS[extra][0] if not _installed(module)]


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
