"""A web server of fixed documents, which keeps what it was asked."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias
from urllib.parse import parse_qsl

__all__ = ["Asked", "Documents", "serving"]

Document: TypeAlias = "tuple[int, object] | tuple[int, object, Mapping[str, str]]"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that came."""

    method: str
    path: str
    form: Mapping[str, str]
    headers: Mapping[str, str]


@dataclass(slots=True)
class Documents:
    """What is served, by ``METHOD /path``; anything else is not found.

    Attributes:
        origin: Where it is served.
        pages: Status, a JSON value or bytes, and perhaps headers.
        asked: The requests so far.
    """

    origin: str = ""
    pages: dict[str, Document] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        """The requests so far, in short."""
        return [f"{one.method} {one.path}" for one in self.asked]


@contextlib.contextmanager
def serving() -> Iterator[Documents]:
    """Serve documents on this machine while the block runs."""
    documents = Documents()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("content-length", 0))
            form = dict(parse_qsl(self.rfile.read(length).decode()))
            path = self.path.partition("?")[0]
            documents.asked.append(
                Asked(self.command, path, form, dict(self.headers.items()))
            )
            found = documents.pages.get(f"{self.command} {path}", (404, b""))
            self._answer(*found)

        do_POST = do_GET  # noqa: N815 - as http.server calls it

        def _answer(
            self, status: int, body: object, headers: Mapping[str, str] | None = None
        ) -> None:
            sent = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    documents.origin = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield documents
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
