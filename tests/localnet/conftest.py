"""A running cluster for the tests: the embedded one, and Agave's own validator for the same tests."""

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Confirmed
from solana.rpc.websocket_api import SolanaWsClient
from xprocess import ProcessStarter, XProcess

from tests.localnet.endpoint import Endpoint
from tests.localnet.wallet import Wallet
from tests.ports import free_ports
from tests.validator import running


@pytest.fixture(scope="session")
def localnet(xprocess: XProcess) -> Iterator[Endpoint]:
    """The embedded cluster as a process of its own."""
    port = free_ports(2)

    class Starter(ProcessStarter):  # type: ignore[misc]
        pattern = '"ready": true'
        timeout = 60
        terminate_on_interrupt = True
        args = [sys.executable, "-m", "localnet", "--port", str(port), "--json"]
        popen_kwargs = {"cwd": str(Path(__file__).parents[2])}

    name = f"localnet-{port}"
    xprocess.ensure(name, Starter)
    yield Endpoint("localnet", f"http://127.0.0.1:{port}", f"ws://127.0.0.1:{port + 1}")
    xprocess.getinfo(name).terminate()


@pytest.fixture(scope="session")
def validator(xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """Agave's test validator."""
    with running(xprocess, tmp_path_factory.mktemp("ledger")) as node:
        yield Endpoint("validator", node.http_url, node.ws_url)


LOCALNET = pytest.param("localnet", marks=pytest.mark.xdist_group("localnet"))
ON_VALIDATOR = pytest.param("validator", marks=[pytest.mark.validator, pytest.mark.xdist_group("validator")])


@pytest.fixture(params=[LOCALNET, ON_VALIDATOR])
def endpoint(request: pytest.FixtureRequest) -> Endpoint:
    """Each cluster in turn: what a test says holds of both."""
    chosen: Endpoint = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture
async def client(endpoint: Endpoint) -> AsyncIterator[AsyncClient]:
    """An unmodified solana-py client."""
    async with AsyncClient(endpoint.http, commitment=Confirmed) as connected:
        yield connected


@pytest.fixture
async def subscriber(endpoint: Endpoint) -> AsyncIterator[SolanaWsClient]:
    """An unmodified solana-py subscriber."""
    async with SolanaWsClient(endpoint.ws) as connected:
        yield connected


@pytest.fixture
async def wallet(client: AsyncClient) -> Wallet:
    """A new key with ten SOL."""
    return await Wallet.funded(client)
