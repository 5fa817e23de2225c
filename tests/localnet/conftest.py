"""A running cluster for the tests: the embedded one, and Agave's own validator for the same tests."""

from collections.abc import AsyncIterator, Iterator

import pytest
from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Confirmed
from solana.rpc.websocket_api import SolanaWsClient
from xprocess import XProcess

from tests.localnet.endpoint import Endpoint
from tests.localnet.wallet import Wallet
from tests.processes import embedded
from tests.processes.validator import running


@pytest.fixture(scope="session")
def localnet(xprocess: XProcess) -> Iterator[Endpoint]:
    """The embedded cluster as a process of its own."""
    with embedded.running(xprocess) as urls:
        yield Endpoint("localnet", *urls)


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
