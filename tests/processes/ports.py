"""Ports for the servers that tests start."""

from __future__ import annotations

import os
import re
from itertools import count as counter

from local_market.errors import PortTaken
from local_market.stack.ports import require_free

# Below the range that the kernel takes for outgoing connections, which would take a probed port before its server does.
FIRST, PORTS_A_WORKER, WORKERS = 12_000, 4_000, 5
# Runs side by side each begin with a block of their own.
_block = int(os.environ.get("TEST_PORTS_BLOCK", "0"))
_worker = (_block + int(re.sub(r"\D", "", os.environ.get("PYTEST_XDIST_WORKER", "")) or 0)) % WORKERS
_offsets = counter(os.getpid() * 61 % PORTS_A_WORKER)


def free_ports(count: int = 1) -> int:
    """The first of `count` consecutive ports that nobody listens on; each call gives others."""
    start = FIRST + _worker * PORTS_A_WORKER
    for _ in range(PORTS_A_WORKER):
        first = start + next(_offsets) % (PORTS_A_WORKER - count)
        if all(_is_free(port) for port in range(first, first + count)):
            for _ in range(count - 1):
                next(_offsets)
            return first
    raise OSError(f"no {count} consecutive free ports")


def _is_free(port: int) -> bool:
    try:
        require_free(port, "test")
    except PortTaken:
        return False
    return True
