"""Servers in place of a simulated machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager

from anyio.from_thread import start_blocking_portal


@contextmanager
def listening(server: AbstractAsyncContextManager[object]) -> Iterator[None]:
    """Keeps a server open on a loop in a thread of its own: what drives a browser blocks this one."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(server):
        yield
