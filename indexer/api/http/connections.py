"""Limits on clients' time and number of connections; uvicorn bounds neither headers, bodies nor readers.

Clients that take too long over a request, an answer or a WebSocket's messages are dropped. When there are too many
connections, of one client or of all, one of the network with the most makes room, the one that has kept the server
waiting longest; connections whose request is being answered stay, as long as their answers are read. When answers that
nobody reads take too many bytes, connections of the network that has most of them are dropped.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from anchor_client.service.shares import networks_of
from indexer.metrics import CONNECTIONS_DROPPED
from indexer.settings import IndexerSettings

MAX_HEAD_BYTES = 64 * 1024
MOST_UNREAD_BYTES = 64 * 1024 * 1024
"""Of answers that wait for their clients to read them, of all together."""
HEAD_END = b"\r\n\r\n"
CHUNKED_BYTES = 1_024
"""Bytes of a chunked body that are parsed at a time: they may have the beginning of the next head, and count for it."""
KNOWN_ADDRESSES = 4_096
SWEEP_TICKS = 5
"""uvicorn ticks ten times a second."""


@dataclass(slots=True)
class ConnectionLimits:
    """Seconds, and connections, of which it keeps count."""

    request: float
    response: float
    connections: int
    per_client: int
    counts: Counter[str] = field(default_factory=Counter)
    held: Counter[str] = field(default_factory=Counter)
    """Connections of each network."""

    @classmethod
    def of(cls, settings: IndexerSettings) -> ConnectionLimits:
        """Those of the settings."""
        return cls(
            settings.request_timeout,
            settings.response_timeout,
            settings.max_connections,
            settings.max_connections_per_client,
        )


class BoundedProtocol(HttpToolsProtocol):
    """A connection that knows what it waits for."""

    limits: ConnectionLimits

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.waits_since: float | None = self.loop.time()
        """Since when the client owes a request or the rest of one; None while it is owed an answer."""
        self._is_idle = False
        self._unsent_since: float | None = None
        self._head_bytes = 0
        """Bytes of a head so far, as they were sent: the parser tells nothing of spaces around values."""
        self._tail = b""
        """The last of them, which may begin the head's end."""
        self._has_begun = False
        self._is_receiving = False
        """True from the end of a request's headers to the end of its body."""
        self._body_left = 0
        """Bytes of a body of known length."""
        self._framing_bytes = 0
        """Bytes since the last chunk began that are no body: a trailer, which the parser keeps until its end."""
        self._key = client_key(self.client[0] if self.client else "")
        self.networks = networks_of(self._key)[::-1]
        """Around its address, the widest first."""
        self.limits.counts[self._key] += 1
        self.limits.held.update(self.networks)
        if self.limits.counts[self._key] > self.limits.per_client:
            self._make_room([other for other in self._others() if other._key == self._key])
        elif len(_of_http(self.connections)) > self.limits.connections:
            self._make_room(self._others())

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        self._forget()  # the feed counts its own clients
        super().handle_websocket_upgrade()

    def data_received(self, data: bytes) -> None:
        if self._is_idle:
            self._await_request()
        while data and not self.transport.is_closing() and self.transport.get_protocol() is self:
            part = data[: self._part_size(data)]
            data = data[len(part) :]
            if self._is_receiving:
                self._take_body(part)
            else:
                self._take_head(part)

    def on_message_begin(self) -> None:
        self._has_begun = True
        if self.waits_since is None:
            self._await_request()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        if self.transport.is_closing():
            return
        self.waits_since = self.loop.time()
        self._head_bytes = self._framing_bytes = 0
        self._tail = b""
        self._has_begun = False
        self._is_receiving = True
        self._body_left = next((int(value) for name, value in self.headers if name == b"content-length"), 0)
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """Part of the parser's protocol."""
        self._framing_bytes = 0

    def on_body(self, body: bytes) -> None:
        self._framing_bytes -= len(body)
        if self._is_receiving:
            self._body_left = max(self._body_left - len(body), 0)
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self._is_receiving:
            return
        self._is_receiving = False
        super().on_message_complete()
        self.waits_since = None
        if self.cycle is not None and self.cycle.response_complete:
            self._await_next()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        # The rest of a body that was too large is read and dropped: closing immediately would lose the answer.
        if not self.pipeline and not self._is_receiving:
            self._await_next()

    @property
    def unread(self) -> int:
        """Bytes of answers that the client has not read."""
        return self.transport.get_write_buffer_size()

    def pause_writing(self) -> None:
        """Writes no more until the client has read, and makes room if too much waits for clients."""
        super().pause_writing()
        make_room_for_answers(_of_http(self.connections))

    def drop_for_bytes(self) -> None:
        """Gives up its answers, to make room."""
        self._abort("bytes")

    def drop_if_late(self, now: float) -> None:
        """Drops a client that takes too long; what is closed and cannot be sent is given up as well."""
        if not self.unread:
            self._unsent_since = None
        elif self._unsent_since is None:
            self._unsent_since = now
        if self._unsent_since is not None and now - self._unsent_since > self.limits.response:
            self._abort("response")
        elif self.waits_since is not None and now - self.waits_since > self.limits.request:
            if self._is_receiving and self.cycle is not None and self.cycle.response_started:
                self._abort("body")
            else:
                self._refuse(b"408 Request Timeout", "body" if self._is_receiving else "head")

    @property
    def _owed_since(self) -> float | None:
        """Since when the client owes a request, or has not read all of an answer."""
        return self._unsent_since if self.waits_since is None else self.waits_since

    def _forget(self) -> None:
        self.limits.counts[self._key] -= 1
        self.limits.held.subtract(self.networks)
        for network in self.networks:
            if not self.limits.held[network]:
                del self.limits.held[network]
        if not self.limits.counts[self._key]:
            del self.limits.counts[self._key]

    def _part_size(self, data: bytes) -> int:
        """Number of bytes to parse together, so that a head ends with them."""
        if self._is_receiving:
            return self._body_left or CHUNKED_BYTES
        if not self._head_bytes and data[:1] in (b"\r", b"\n"):
            return len(data) - len(data.lstrip(b"\r\n"))
        end = (self._tail + data).find(HEAD_END)
        return len(data) if end < 0 else end + len(HEAD_END) - len(self._tail)

    def _take_head(self, part: bytes) -> None:
        """Parses a head, or what stands before it, and refuses one that is too large."""
        if self._head_bytes or part.strip(b"\r\n"):
            self._head_bytes += len(part)
            self._tail = (self._tail + part)[1 - len(HEAD_END) :]
        if self._head_bytes > MAX_HEAD_BYTES:
            self._refuse(b"431 Request Header Fields Too Large", "head")
            return
        super().data_received(part)

    def _take_body(self, part: bytes) -> None:
        self._framing_bytes += len(part)
        super().data_received(part)
        if self._framing_bytes > MAX_HEAD_BYTES:
            self._abort("head")
        elif self._has_begun:
            self._head_bytes = len(part)
            self._tail = part[1 - len(HEAD_END) :]

    def _await_next(self) -> None:
        self.waits_since = self.loop.time()
        self._is_idle = True

    def _await_request(self) -> None:
        self.waits_since = self.loop.time()
        self._is_idle = False

    def _others(self) -> list[BoundedProtocol]:
        return [other for other in _of_http(self.connections) if other is not self]

    def _make_room(self, others: list[BoundedProtocol]) -> None:
        waiting = [other for other in others if other._owed_since is not None and not other.transport.is_closing()]
        if not waiting:
            self._refuse(b"503 Service Unavailable", "refused")
            return
        held = self.limits.held
        # Those that have begun and not gone on first: an idle connection may still be a good client's.
        min(
            waiting,
            key=lambda other: ([-held[network] for network in other.networks], other._is_idle, other._owed_since),
        )._abort("room")

    def _refuse(self, status: bytes, reason: str) -> None:
        if self.transport.is_closing():
            return
        CONNECTIONS_DROPPED.labels(reason).inc()
        self.waits_since = None
        # Past uvicorn, which may have no request yet to answer.
        self.transport.write(b"HTTP/1.1 " + status + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()

    def _abort(self, reason: str) -> None:
        CONNECTIONS_DROPPED.labels(reason).inc()
        self.waits_since = None
        self.transport.abort()


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """A WebSocket whose client must go on reading: uvicorn waits without end for one that does not."""

    limits: ConnectionLimits

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._unread_since: float | None = None

    def drop_if_late(self, now: float) -> None:
        """Drops a client that has read too little for too long, or takes not even the end of what is closed."""
        is_unread = not self.writable.is_set() or (
            self.transport.is_closing() and self.transport.get_write_buffer_size() > 0
        )
        if not is_unread:
            self._unread_since = None
        elif self._unread_since is None:
            self._unread_since = now
        if self._unread_since is not None and now - self._unread_since > self.limits.response:
            CONNECTIONS_DROPPED.labels("response").inc()
            self.transport.abort()


class BoundedServer(uvicorn.Server):
    """A server of bounded connections."""

    async def on_tick(self, counter: int) -> bool:
        """Drops late clients twice a second."""
        if counter % SWEEP_TICKS == 0:
            now = asyncio.get_running_loop().time()
            for connection in list(self.server_state.connections):
                if isinstance(connection, BoundedProtocol | BoundedWebSocket):
                    connection.drop_if_late(now)
        return await super().on_tick(counter)


def make_room_for_answers(connections: Iterable[BoundedProtocol]) -> None:
    """Drops connections until their answers have no more than MOST_UNREAD_BYTES: of the network with most of them,
    those with most first.
    """
    unread = {each: each.unread for each in connections}
    left = sum(unread.values())
    if left <= MOST_UNREAD_BYTES:
        return
    held = Counter[str]()
    for each, size in unread.items():
        held.update(dict.fromkeys(each.networks, size))
    for each in sorted(unread, key=lambda each: ([held[name] for name in each.networks], unread[each]), reverse=True):
        if left <= MOST_UNREAD_BYTES:
            return
        left -= unread[each]
        each.drop_for_bytes()


def _of_http(connections: Iterable[object]) -> list[BoundedProtocol]:
    """Connections other than WebSockets."""
    return [connection for connection in connections if isinstance(connection, BoundedProtocol)]


def bounded(limits: ConnectionLimits) -> type[asyncio.Protocol]:
    """The protocol with these limits."""
    return type("LimitedProtocol", (BoundedProtocol,), {"limits": limits})


def bounded_websocket(limits: ConnectionLimits) -> type[asyncio.Protocol]:
    """The protocol of WebSockets with these limits."""
    return type("LimitedWebSocket", (BoundedWebSocket,), {"limits": limits})


@lru_cache(KNOWN_ADDRESSES)
def client_key(address: str) -> str:
    """Rate-limit key of an address: the /64 for IPv6, since each client has many addresses."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    # A socket for both versions reports IPv4 addresses in IPv6's form.
    return str(parsed.ipv4_mapped or ip_network((parsed, 64), strict=False))
