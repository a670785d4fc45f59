"""An object store on loopback, with an empty bucket named `bucket`; it may lie about sizes."""

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest


class Lies:
    """Stands before a store: tells sizes that are not so, and keeps which bytes are asked for."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        """What is told of an object, by its address (/bucket/key)."""
        self.asked: dict[str, list[int]] = defaultdict(list)
        """The last byte of every range that is asked for, by address."""

    def before(self, app: Any) -> Any:
        def answer(environ: dict[str, Any], start: Any) -> Any:
            path, wanted = environ["PATH_INFO"], environ.get("HTTP_RANGE", "")
            if last := re.fullmatch(r"bytes=\d*-(\d+)", wanted):
                self.asked[path].append(int(last[1]))

            def told(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
                if environ["REQUEST_METHOD"] == "HEAD" and path in self.sizes:
                    headers = [(k, v) for k, v in headers if k.lower() != "content-length"]
                    headers.append(("Content-Length", str(self.sizes[path])))
                return start(status, headers, *error)

            return app(environ, told)

        return answer


@contextmanager
def served_bucket(
    monkeypatch: pytest.MonkeyPatch, lies: Lies | None = None
) -> Iterator[dict[str, str]]:
    """The settings that lead to it, which are set here too; skips where there is none to be had."""
    s3fs = pytest.importorskip("s3fs", reason="s3fs reads and writes object stores")
    server = pytest.importorskip(
        "moto.moto_server.threaded_moto_server", reason="moto[server] is the object store here"
    )
    boto3 = pytest.importorskip("boto3")
    made = server.make_server
    if lies is not None:
        monkeypatch.setattr(
            server, "make_server",
            lambda host, port, app, *more, **how: made(host, port, lies.before(app), *more, **how),
        )  # fmt: skip
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
