"""An object store on loopback, with an empty bucket named `bucket`."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest


@contextmanager
def served_bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The settings that lead to it, which are set here too; skips where there is none to be had."""
    s3fs = pytest.importorskip("s3fs", reason="s3fs reads and writes object stores")
    server = pytest.importorskip(
        "moto.moto_server.threaded_moto_server", reason="moto[server] is the object store here"
    )
    boto3 = pytest.importorskip("boto3")
    # A port that was free a moment ago may be another's: the system gives the store its own.
    store = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    store.start()
    host, port = store.get_host_and_port()
    settings = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "not-a-key", "AWS_SECRET_ACCESS_KEY": "not-a-secret",
    }  # fmt: skip
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    # A store's contents outlive it within a process.
    httpx.post(f"{settings['AWS_ENDPOINT_URL']}/moto-api/reset").raise_for_status()
    boto3.client("s3").create_bucket(Bucket="bucket")
    # What is kept of an earlier store leads to where that one was.
    s3fs.S3FileSystem.clear_instance_cache()
    try:
        yield settings
    finally:
        store.stop()
