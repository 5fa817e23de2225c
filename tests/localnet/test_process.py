"""The cluster as a process: ready soon, small, quick, stopped by a signal, and safe from slow subscribers."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import websockets
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

from localnet.cluster import Cluster
from localnet.pubsub.connection import QUEUE_LIMIT, PubsubConnection
from localnet.pubsub.hub import Hub
from localnet.server import LocalCluster
from tests.processes.patience import PATIENCE

ROOT = Path(__file__).parents[2]
SOL = 10**9


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_process__signal__stops_cleanly_and_resumes(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "localnet", "--port", "0", "--json", "--data", str(tmp_path / "data")]
    genesis = []
    for _ in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
            assert process.stdout is not None and process.stderr is not None
            ready = json.loads(process.stdout.readline())
            genesis.append(ready["genesisHash"])
            process.send_signal(number)
            assert process.wait(PATIENCE) == 0
            assert process.stderr.read() == ""
    assert genesis[0] == genesis[1]


def test_process__port_taken__says_so() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "localnet", "--port", "0", "--json"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as first:
        assert first.stdout is not None
        port = json.loads(first.stdout.readline())["rpc"].rpartition(":")[2]
        command = [sys.executable, "-m", "localnet", "--port", port]
        second = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=False)
        first.terminate()
    assert second.returncode == 1
    assert "Address already in use" in second.stderr


async def test_subscriber__does_not_read__overflows_without_blocking_the_cluster() -> None:
    cluster = Cluster(slot_ms=3_600_000)  # no slot passes by itself, however slow the machine
    connection = PubsubConnection(Hub(cluster))
    connection.receive('{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}')
    for _ in range(QUEUE_LIMIT - 1):
        cluster.warp(0)
    assert not connection.overflowed.is_set()
    cluster.warp(0)
    assert connection.overflowed.is_set()
    assert connection.outgoing.qsize() == QUEUE_LIMIT
    connection.close()
    cluster.close()


async def test_subscriber__overflowed__is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("localnet.pubsub.connection.QUEUE_LIMIT", 3)
    async with LocalCluster() as local, websockets.connect(local.ws_url) as socket:
        await socket.send('{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}')
        await socket.recv()
        for _ in range(5):
            local.cluster.warp(0)
        with pytest.raises(websockets.ConnectionClosed) as closed:
            while True:
                async with asyncio.timeout(PATIENCE):
                    await socket.recv()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1013


def payment(payer: Keypair, lamports: int, blockhash: Hash, to: Pubkey | None = None) -> VersionedTransaction:
    """A transfer to a given or a new account."""
    destination = to or Keypair().pubkey()
    instruction = transfer(TransferParams(from_pubkey=payer.pubkey(), to_pubkey=destination, lamports=lamports))
    return VersionedTransaction(MessageV0.try_compile(payer.pubkey(), [instruction], [], blockhash), [payer])
