"""A secret that stands in a frame where a service fails is in no log of it: each service as a process that fails.

Lines for people are the form that can show local variables; `tests/anchor_client/service/test_logs.py` has both.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from solders.keypair import Keypair

from anchor_client.sealing import SealKey
from anchor_client.service.log_format import LogFormat
from host_agent.deadlines import LOG
from host_agent.gateway.daemon import LOG_ENDING
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports
from tests.processes.sabotaged import require_untold, sabotaging, said_by

SCRIPT = str(Path(sys.executable).with_name("gpu-market"))
DEAD = "http://127.0.0.1:9"
WEBHOOKS = "indexer.accounts.webhooks:changed_since"
FOLLOWING = "indexer.index.follow:Follower._look"
ENDINGS = "keeper.keeper:Keeper.run_pass"
CRANKS = "keeper.cranks:CrankRunner._turn"
TABLE = "keeper.table.upkeep:TableUpkeep.refresh"
HOST = "host_agent.network.doors:raise_descriptor_limit"
DOCTOR = "anchor_client.doctor.examine:examine"
ORACLE = "local_market.oracle:PriceOracle.post"
DEADLINES = "host_agent.deadlines:Deadlines.all"
GATEWAY = "host_agent.gateway.start:begun"
UNTIL_READY = "local_market.stack.stack:LocalMarket.start"


def environment(home: Path, *targets: str, **settings: str) -> dict[str, str]:
    """A home of its own, a node that is down, and functions that raise."""
    own = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    seal = home / "seal.key"
    SealKey.generate().save(seal)
    market = {
        "RPC_URL": DEAD,
        "API_URL": DEAD,
        "KEYPAIR": Keypair().to_json(),
        "DATABASE_URL": f"sqlite:///{home / 'index.db'}",
        "PORT": str(free_ports()),
        "STATE_DIR": str(home / "keeper"),
        "HOST_SEAL_KEY": str(seal),
        "HOST_ADDRESS": "127.0.0.1",
        **settings,
    }
    return os.environ | own | {f"GPU_MARKET_{name}": value for name, value in market.items()} | sabotaging(*targets)


@pytest.mark.parametrize(
    ("command", "target", "settings"),
    [
        ("api", WEBHOOKS, {}),
        ("indexer", FOLLOWING, {}),
        ("keeper", ENDINGS, {}),
        ("keeper", CRANKS, {"CRANKS": "all"}),
        ("keeper", TABLE, {"LOOKUP_TABLE": "auto", "BATCH_MODE": "v0"}),
        ("host run", HOST, {}),
    ],
    ids=["api worker", "index", "keeper", "cranks", "table upkeep", "host agent"],
)
async def test_service__fails_where_a_secret_stands__tells_the_failure_alone(
    tmp_path: Path, command: str, target: str, settings: Mapping[str, str]
) -> None:
    env = environment(tmp_path, target, **settings)
    arguments = (*command.split(), "--log-format", LogFormat.CONSOLE.value)
    require_untold(await said_by(SCRIPT, *arguments, env=env, targets=(target,)), target)


@pytest.mark.parametrize(
    ("command", "target"),
    [
        ("doctor", DOCTOR),
        ("--verbose up --port 0 --rpc-port 0", UNTIL_READY),
        ("--verbose up --port 0 --rpc-port 0", ORACLE),
    ],
    ids=["doctor", "up", "oracle"],
)
async def test_command__fails_where_a_secret_stands__tells_the_failure_alone(
    tmp_path: Path, command: str, target: str
) -> None:
    env = environment(tmp_path, target)
    require_untold(await said_by(SCRIPT, *command.split(), env=env, targets=(target,)), target)


async def test_watchdog__fails_where_a_secret_stands__tells_the_failure_alone(tmp_path: Path) -> None:
    (tmp_path / "deadlines").mkdir()
    command = (sys.executable, "-m", "host_agent.watchdog", str(tmp_path))
    process = await asyncio.create_subprocess_exec(*command, env=environment(tmp_path, DEADLINES))
    async with asyncio.timeout(PATIENCE):
        assert await process.wait() == 1
    require_untold((tmp_path / LOG).read_text(), DEADLINES)


async def test_gateway__fails_where_a_secret_stands__tells_the_failure_alone(tmp_path: Path) -> None:
    command = (sys.executable, "-P", "-m", "host_agent.gateway", str(tmp_path), "Listing")
    await said_by(*command, env=environment(tmp_path, GATEWAY), targets=(GATEWAY,), given=b"{}")
    require_untold((tmp_path / f"Listing{LOG_ENDING}").read_text(), GATEWAY)
