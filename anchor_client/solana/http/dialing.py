"""TCP, TLS and the proxy that the environment names."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Sequence
from functools import cache

import certifi

from anchor_client.solana.http.address import Address
from anchor_client.solana.http.answer import HttpFailure, NoConnection, TooSlow
from anchor_client.solana.http.connection import HttpConnection


async def dial(address: Address, seconds: float, most_bytes: int | None = None) -> HttpConnection:
    """A connection made within `seconds`, for responses up to a size in bytes. NoConnection, TooSlow."""
    proxy = proxy_of(address)
    try:
        async with asyncio.timeout(seconds):
            if proxy is None:
                return await _straight(address, most_bytes=most_bytes)
            return await _through(proxy, address, seconds, most_bytes)
    except TimeoutError as error:
        raise TooSlow("it cannot be reached in time") from error
    except (OSError, UnicodeError) as error:
        raise NoConnection("it cannot be reached") from error


async def dial_at(address: Address, place: str, most_bytes: int) -> HttpConnection:
    """A connection to a server by its IP address, without a proxy, for answers up to a maximum of bytes.

    NoConnection.
    """
    try:
        return await _straight(address, place, most_bytes)
    except (OSError, UnicodeError) as error:
        raise NoConnection("it cannot be reached") from error


async def dial_one_of(address: Address, places: Sequence[str], seconds: float, most_bytes: int) -> HttpConnection:
    """A connection to the first of a server's IP addresses that takes one within `seconds`. NoConnection, TooSlow."""
    failure: HttpFailure = NoConnection("it cannot be reached")
    for place in places:
        try:
            async with asyncio.timeout(seconds):
                return await dial_at(address, place, most_bytes)
        except TimeoutError:
            failure = TooSlow("it cannot be reached in time")
        except HttpFailure as error:
            failure = error
    raise failure


def proxy_of(address: Address) -> Address | None:
    """The proxy that the environment's HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY name for an address."""
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    import urllib.request  # noqa: PLC0415 - takes long and is rarely needed

    proxies = urllib.request.getproxies_environment()
    scheme = "https" if address.is_tls else "http"
    named = proxies.get(scheme) or proxies.get("all")
    if not named or urllib.request.proxy_bypass(address.host):
        return None
    if "://" not in named:
        named = f"http://{named}"
    return Address.of(named)


async def _straight(address: Address, place: str | None = None, most_bytes: int | None = None) -> HttpConnection:
    tls = trusting() if address.is_tls else None
    _, connection = await asyncio.get_running_loop().create_connection(
        lambda: HttpConnection(most_bytes),
        place or address.host,
        address.port,
        ssl=tls,
        server_hostname=address.host if tls else None,
    )
    return connection


async def _through(proxy: Address, address: Address, seconds: float, most_bytes: int | None) -> HttpConnection:
    connection = await _straight(proxy, most_bytes=most_bytes)
    host = f"[{address.host}]" if ":" in address.host else address.host
    name = f"{host}:{address.port}"
    credentials = ""
    if proxy.authorization:
        credentials = f"Proxy-Authorization: {proxy.authorization}\r\n"
    opening = f"CONNECT {name} HTTP/1.1\r\nHost: {name}\r\n{credentials}\r\n".encode()
    try:
        answer = await connection.ask(opening, seconds, head_only=True)
        if not answer.is_success:
            raise NoConnection(f"the proxy answers with HTTP status {answer.status}")
        if address.is_tls:
            assert connection.transport is not None
            connection.transport = await asyncio.get_running_loop().start_tls(
                connection.transport, connection, trusting(), server_hostname=address.host
            )
    except (HttpFailure, OSError):
        connection.close()
        raise
    return connection


@cache
def trusting() -> ssl.SSLContext:
    """Trusts what SSL_CERT_FILE or SSL_CERT_DIR name, else Mozilla's roots. Reading them takes long."""
    if "SSL_CERT_FILE" in os.environ or "SSL_CERT_DIR" in os.environ:
        return ssl.create_default_context()
    return ssl.create_default_context(cafile=certifi.where())
