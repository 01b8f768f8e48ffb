"""What decodes and computes on this machine, and so can move the last digits of a score."""

from __future__ import annotations

import platform
from importlib import metadata

PACKAGES = (
    *("lookaway", "numpy", "scipy", "av", "opencv-python-headless", "polars", "Pillow"),
    *("mujoco", "embreex", "torch", "transformers", "onnxruntime"),
)


def environment() -> dict[str, str]:
    """Package to version, with Python, the decoder's libraries and the kind of machine; never its name."""
    import av

    found = {"python": platform.python_version(), "system": platform.system(), "machine": platform.machine()}
    found |= {f"av:{name}": ".".join(map(str, version)) for name, version in sorted(av.library_versions.items())}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def differences(sealed: dict[str, str], here: dict[str, str]) -> dict[str, str]:
    """What is another here than where it was sealed: `av` to `17.0.1 there, 18.0.0 here`."""
    return {
        name: f"{sealed.get(name, 'absent')} there, {here.get(name, 'absent')} here"
        for name in sorted(sealed.keys() | here.keys())
        if sealed.get(name) != here.get(name)
    }
