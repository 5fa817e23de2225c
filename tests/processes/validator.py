"""Agave's own validator for the tests: found, started on ports of its own, and asked until it serves."""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest
from solders.pubkey import Pubkey
from xprocess import ProcessStarter, XProcess

from anchor_client.generated.program import PROGRAM_ID
from local_market.program import PROGRAM_PATH
from tests.processes.ports import free_ports

BINARY = "solana-test-validator"
CHOSEN = os.environ.get("AGAVE_VERSION")
"""A version that `make validator` has built, in place of the one on PATH."""
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
BUILT = _CACHE / f"gpu-market/agave-{CHOSEN or '4.2.2'}/bin"
PORTS = 60
START_SECONDS = 180
ANSWER_SECONDS = 10
LOG_LINES = 60
TICKS = 16
"""Of 6.25 ms in a slot, a quarter of the default: what waits for slots and for finality waits a quarter as long."""
SHREDS = 10_000_000
"""More than any run writes: at the default of 10,000 a validator begins to forget its history after some minutes."""


@dataclass(frozen=True, slots=True)
class Validator:
    """Addresses of a validator."""

    http_url: str
    ws_url: str


class Ended(Exception):
    """The process has ended without ever serving."""


@contextmanager
def running(xprocess: XProcess, ledger: Path, *, upgrade_authority: Pubkey | None = None) -> Iterator[Validator]:
    """A validator until the block ends, with the market's program when somebody may upgrade it.

    Skips the test where there is no validator, but fails it in CI; fails with the end of the logs if it doesn't start.
    """
    binary, port = find(), free_ports(PORTS)
    validator = Validator(f"http://127.0.0.1:{port}", f"ws://127.0.0.1:{port + 1}")
    program = () if upgrade_authority is None else (PROGRAM_ID, PROGRAM_PATH, upgrade_authority)
    name = f"validator-{port}"

    class Starter(ProcessStarter):  # type: ignore[misc]
        timeout = START_SECONDS
        terminate_on_interrupt = True
        args: ClassVar = [
            *(binary, "--quiet", "--ledger", ledger, "--limit-ledger-size", SHREDS, "--ticks-per-slot", TICKS),
            *("--rpc-port", port, "--faucet-port", port + 2, "--gossip-port", port + 3),
            *("--dynamic-port-range", f"{port + 4}-{port + PORTS - 1}"),
            *(("--upgradeable-program", *program) if program else ()),
        ]

        def startup_check(self) -> bool:
            if not xprocess.getinfo(name).isrunning():
                raise Ended
            return serves(validator)

    try:
        with suppress(Ended, TimeoutError):
            xprocess.ensure(name, Starter)
        if not serves(validator):
            logs = (Path(xprocess.getinfo(name).logpath), ledger / "validator.log")
            pytest.fail("\n".join([f"{BINARY} does not serve", *map(tail, logs)]), pytrace=False)
        yield validator
    finally:
        xprocess.getinfo(name).terminate()


def find() -> str:
    """The binary on PATH, unless AGAVE_VERSION is set, or in the user's cache. Skips the test without one; fails it in
    CI.
    """
    binary = (None if CHOSEN else shutil.which(BINARY)) or shutil.which(BINARY, path=str(BUILT))
    if binary is None:
        reason = f"{BINARY} is not in {BUILT}" if CHOSEN else f"{BINARY} is neither on PATH nor in {BUILT}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return binary


def serves(validator: Validator) -> bool:
    """True where it is healthy and has confirmed a slot after genesis, which calls to programs of genesis need."""
    try:
        health = _result(validator, "getHealth")
        slot = _result(validator, "getSlot", {"commitment": "confirmed"})
    except httpx.TransportError:
        return False
    return health == "ok" and slot is not None and slot > 0


def tail(log: Path) -> str:
    """The end of a log under its name."""
    if not log.exists():
        return f"{log}: not there"
    with log.open(errors="replace") as lines:
        return f"{log}:\n{''.join(deque(lines, LOG_LINES))}"


def _result(validator: Validator, method: str, *params: object) -> Any:
    """The result of a call; None when it is refused."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
    return httpx.post(validator.http_url, json=request, timeout=ANSWER_SECONDS).json().get("result")
