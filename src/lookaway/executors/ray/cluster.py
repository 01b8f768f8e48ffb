"""The cluster: one of our own on this machine, heard on loopback only, or somebody's at an address."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
from typing import Any

from lookaway import extras
from lookaway.errors import LookawayError, MissingExtra, UsageError
from lookaway.executors import Site

STORE_BYTES = 256 << 20  # of shared memory for what is passed on; all of it is small
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # we say ourselves that a worker without a GPU sees none
}
OWN = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # despite its name, on Linux too: 127.0.0.1, and no other interface
    "RAY_AUTH_MODE": "token",
}
_open: Site | None = None


def connected(site: Site) -> Any:
    """The module `ray`, connected to the cluster of a site; one connection a process, kept until it ends."""
    global _open
    if extras.missing("ray"):
        raise MissingExtra("ray", "--executor ray")
    if "://" in site.address:
        raise UsageError(f"--executor ray:{site.address}: give HOST:PORT of the cluster's head, or auto; no URL")
    os.environ.update(QUIET)
    if not site.address:
        os.environ.update(OWN)
        # Known to this process and its children only; without it Ray would keep a token in the home folder.
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        for library in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
            os.environ.setdefault(library, "1")
    import ray

    if _open == site and ray.is_initialized():
        return ray
    disconnect()
    _start(ray, site)
    _open = site
    return ray


def _start(ray: Any, site: Site) -> None:
    plain = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": False}
    try:
        if site.address:
            ray.init(address=site.address, **plain)
            return
        ray.init(
            address="local",
            num_cpus=site.workers or os.cpu_count(),
            include_dashboard=False,
            object_store_memory=STORE_BYTES,
            _node_ip_address="127.0.0.1",
            **plain,
        )
    except Exception as error:
        where = f"no Ray cluster at {site.address}" if site.address else "Ray does not start on this machine"
        what_next = "is `ray start` running there, with the same versions of Python and Ray?" if site.address else ""
        raise LookawayError(f"{where}: {_first_line(error)}; {what_next or 'see docs/cluster.md'}") from error


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def disconnect() -> None:
    """Leave the cluster; one of our own ends with that."""
    global _open
    _open = None
    import ray

    if ray.is_initialized():
        with contextlib.suppress(ray.exceptions.RayError):
            ray.shutdown()


def room(ray: Any) -> dict[str, int]:
    """CPUs and GPUs of the nodes that are alive."""
    total = ray.cluster_resources()
    return {"CPU": int(total.get("CPU", 0)), "GPU": int(total.get("GPU", 0))}
