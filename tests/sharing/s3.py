"""A real S3 server on loopback, in a process of its own."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

SIGN_IN = {
    "AWS_ACCESS_KEY_ID": "a-key-of-the-tests",
    "AWS_SECRET_ACCESS_KEY": "a-secret-of-the-tests",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}


@contextlib.contextmanager
def s3_server(folder: Path) -> Iterator[str]:
    """Its address, with the environment that signs in to it and a bucket named `bucket`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with (folder / "s3.txt").open("w") as said, subprocess.Popen(command, stdout=said, stderr=said) as process:
        home = f"http://127.0.0.1:{port}"
        try:
            with mock.patch.dict(os.environ, SIGN_IN | {"AWS_ENDPOINT_URL": home}):
                wait_for(home, process)
                files_of().mkdir("bucket")
                yield home
        finally:
            process.kill()


def wait_for(home: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{home}/moto-api/", timeout=5):
            return
        time.sleep(0.1)
    raise AssertionError("the S3 server did not start")


def files_of() -> object:
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    return s3fs.S3FileSystem()
