"""Serves pages to this machine alone, each site under a secret link.

The server listens on the loopback address. It refuses requests that name another host, so that no web page can reach
it through a domain name that resolves to this machine. Every reply has a policy that allows only the site's scripts.
"""

from __future__ import annotations

import json
import re
import secrets
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from perturb.errors import ConfigError, LedgerError
from perturb.files.resources import canonical
from perturb.files.templating import asset, html_environment

HOST = "127.0.0.1"
MAX_BODY = 64_000
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
    " base-uri 'none'; form-action 'none'"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
}
_KINDS = {"css": "text/css", "js": "text/javascript"}


class Refused(Exception):
    """A request that is answered with an error. It has the status and a sentence for the reader."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


def nothing_here() -> Refused:
    """The error for an address that leads nowhere."""
    return Refused(HTTPStatus.NOT_FOUND, "There is nothing here.")


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a browser to a site."""

    token: str
    """The secret at the beginning of the address, `/TOKEN/path`, or at its end, `/path?token=TOKEN`."""
    path: str
    """The rest of the address, without a leading slash."""
    query: Mapping[str, str]
    read_json: Callable[[], Any] | None = None
    """Reads the posted JSON, and raises `Refused` if it is missing; None for a GET request."""

    def number(self, name: str) -> int:
        """A number of up to nine digits in the query; 0 for anything else."""
        text = self.query.get(name, "")
        return int(text) if re.fullmatch("[0-9]{1,9}", text) else 0


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a site."""

    body: str
    kind: str
    status: HTTPStatus = HTTPStatus.OK
    location: str | None = None


# A function that answers all requests under one token. It raises `Refused`, or `LedgerError` if the ledger fails.
Site = Callable[[Request], Reply]


def page_reply(template: str, status: HTTPStatus = HTTPStatus.OK, **values: Any) -> Reply:
    """A page from a template."""
    page = html_environment().get_template(template).render(**values)
    return Reply(page, "text/html; charset=utf-8", status)


def json_reply(content: Any, status: HTTPStatus = HTTPStatus.OK) -> Reply:
    """A JSON value."""
    return Reply(canonical(content), "application/json", status)


def asset_reply(path: str, names: Iterable[str]) -> Reply | None:
    """The style sheet or script at a path; None if the path is not the last part of one of the names.

    The path `base.css` stands for the name `report/base.css`.
    """
    for name in names:
        if name.endswith(f"/{path}"):
            return Reply(asset(name), f"{_KINDS[name.rpartition('.')[2]]}; charset=utf-8")
    return None


def redirect(address: str) -> Reply:
    """A redirect to another address of this server."""
    return Reply("", "text/plain", HTTPStatus.FOUND, address)


class LocalServer:
    """A context manager that serves sites within its block. Raises `ConfigError` if the port cannot be used."""

    def __init__(self, sites: Mapping[str, Site], port: int = 0) -> None:
        self.tokens = {name: secrets.token_urlsafe(18) for name in sites}
        """Name of a site → its secret."""
        self._http = _Http({token: sites[name] for name, token in self.tokens.items()}, port)
        self.address = f"http://{HOST}:{self._http.server_port}/"
        """The address that all sites share. With `?token=TOKEN` it leads to one of them."""
        self.links = {name: f"{self.address}{token}/" for name, token in self.tokens.items()}
        """Name of a site → its secret address."""
        # It looks every 0.05 s whether it is to stop; the default is 0.5 s.
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.05,), name="pages", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def wait(self) -> None:
        """Wait until the server stops or a keyboard interrupt arrives."""
        with suppress(KeyboardInterrupt):
            while self._thread.is_alive():
                # Without a time-out, the wait could not be interrupted on some systems.
                self._thread.join(timeout=1)


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, sites: Mapping[str, Site], port: int) -> None:
        self.sites = sites
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as exc:
            raise ConfigError(f"port {port} cannot be used ({exc}): choose another with --port") from None

    def handle_error(self, request: Any, client_address: Any) -> None:
        # These mean that the browser went away.
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Answers a request. A request with a wrong token gets no information about the sites."""

    server: _Http
    server_version = "perturb"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(self._read_json)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Log nothing, since the paths of requests hold the token."""

    def _answer(self, read_json: Callable[[], Any] | None) -> None:
        """Send the reply of the site, or an error. `read_json` is None for a GET request."""
        try:
            site, request = self._open(read_json)
            reply = site(request)
        except Refused as exc:
            if read_json is not None:
                reply = json_reply({"error": str(exc)}, exc.status)
            else:
                reply = page_reply(
                    "report/refused.html.j2", exc.status, title=exc.status.phrase, message=str(exc)
                )
        except LedgerError as exc:
            # While the server runs, a ledger mostly fails because the disk is full.
            reply = json_reply({"error": str(exc)}, HTTPStatus.INSUFFICIENT_STORAGE)
        self._send(reply)

    def _open(self, read_json: Callable[[], Any] | None) -> tuple[Site, Request]:
        """Check host and token. Return the site and the parsed request."""
        # Any web site may let its own name point to 127.0.0.1. Its pages would then count as pages of this server, and
        # could read them (DNS rebinding). The browser still sends that name as the host.
        host = self.headers.get("Host") or ""
        host_name, _, _ = host.partition(":")  # browsers leave the port out if it is 80
        if host_name not in (HOST, "localhost"):
            raise Refused(HTTPStatus.FORBIDDEN, "This page is served to this machine only.")
        try:
            parts = urlsplit(self.path)
        except ValueError:
            raise Refused(HTTPStatus.BAD_REQUEST, "This is not an address.") from None
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        # The token is the first part of the path. A link that people paste may have it as `?token=TOKEN` instead.
        path = parts.path.removeprefix("/")
        if "token" in query:
            path = f"{query['token']}/{path}"
        given_token, _, site_path = path.partition("/")
        for token, site in self.server.sites.items():
            # A comparison in constant time, so that the time of an answer does not reveal the token.
            if secrets.compare_digest(given_token.encode(), token.encode()):
                return site, Request(token, site_path, query, read_json)
        raise Refused(
            HTTPStatus.FORBIDDEN,
            "This link is not valid, or no longer: use the one printed when the page was started, with its token.",
        )

    def _read_json(self) -> Any:
        if self.headers.get_content_type() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send JSON")
        length = self.headers.get("Content-Length") or ""
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MAX_BODY:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"send at most {MAX_BODY} bytes")
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "send JSON that can be read") from None

    def _send(self, reply: Reply) -> None:
        # Texts of models may hold half of a surrogate pair.
        body = reply.body.encode("utf-8", "replace")
        self.send_response(reply.status)
        headers = {**_HEADERS, "Content-Type": reply.kind, "Content-Length": str(len(body))}
        if reply.location is not None:
            headers["Location"] = reply.location
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
