"""A seeded market on the embedded cluster."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from xprocess import ProcessStarter, XProcess

from anchor_client.generated.program import PROGRAM_ID
from tests.markets.cluster import Cluster
from tests.markets.marketplace import Marketplace
from tests.ports import free_ports

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "localnet/program/gpu_market.so"


@pytest.fixture(scope="package")
def marketplace(xprocess: XProcess) -> Iterator[Marketplace]:
    """The market that the tests of this folder share; each takes listings and wallets of its own."""
    port = free_ports(2)
    market = Marketplace(Cluster(f"http://127.0.0.1:{port}", f"ws://127.0.0.1:{port + 1}"))

    class Starter(ProcessStarter):  # type: ignore[misc]
        pattern = '"ready": true'
        timeout = 60
        terminate_on_interrupt = True
        args: ClassVar = [
            *(sys.executable, "-m", "localnet", "--port", str(port), "--json"),
            *("--program", str(PROGRAM_ID), str(PROGRAM), "--upgrade-authority", str(market.authority.pubkey())),
        ]
        popen_kwargs: ClassVar = {"cwd": str(ROOT)}

    name = f"client-localnet-{port}"
    xprocess.ensure(name, Starter)
    asyncio.run(market.seed())
    yield market
    xprocess.getinfo(name).terminate()
