"""One real machine of this computer in its Docker engine, beside the simulated ones of a local market."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final, NamedTuple

from solders.pubkey import Pubkey

from anchor_client.amounts import LAMPORTS_PER_SOL
from anchor_client.errors import UnknownHost
from anchor_client.generated.pdas import find_host
from anchor_client.market import Market
from anchor_client.rules.catalog import GPU_MODELS, REGIONS
from anchor_client.rules.gpu_model import GpuModel
from anchor_client.solana.wallet import Wallet
from host_agent.deadlines import Deadlines
from host_agent.detect.gpus import find_gpus
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.errors import MachineFault
from host_agent.network.egress import Egress
from host_agent.preparation import prepare
from host_agent.service import run_service
from host_agent.settings.agent import AgentSettings
from host_agent.settings.machine import ALL_GPUS, GIBIBYTE, PORTS_PER_MACHINE, ContainerLimits, Share
from local_market.errors import PortTaken
from local_market.keys import HostKeys, key_path, load_or_create_host
from local_market.running import RunningMarket
from local_market.stack.ports import LOOPBACK, require_free
from market_cli.commands.host.hardware import complete
from market_cli.commands.host.list import PROPERTIES, spec_of
from market_cli.commands.wallet.airdrop import ask_faucet
from market_cli.session import CliSession

NAME: Final = "own-machine"
"""Name of the host's key."""
USD_PER_HOUR: Final = 1_000_000
"""Price with which the least order is an hour long."""
LONGEST_SECONDS: Final = 7 * 86_400
FIRST_PORTS: Final = range(20_000, 60_000, PORTS_PER_MACHINE)
PRETENDED: Final = GPU_MODELS[-1]
"""Model that a computer without GPUs is listed as: each listing has one."""


class OwnGpus(NamedTuple):
    """The GPUs of the machine."""

    model: GpuModel
    named: tuple[str, ...]
    """Theirs as `host run --gpus` names them; empty for none."""


class OwnMachine:
    """This computer as a machine of a running local market."""

    def __init__(self, session: CliSession, running: RunningMarket, state_dir: Path) -> None:
        self.listing: Pubkey | None = None
        """Its listing, once it is served."""
        self.note = ""
        """More about it, after its listing."""
        self._session = session
        self._running = running
        self._state_dir = state_dir
        self._keys = Path(running.data) / "keys"

    async def serve(self, ready: asyncio.Event, stop: asyncio.Event) -> None:
        """Serves it until `stop` is set, and then wipes its tenant. MachineFault, HostConfigurationError."""
        host = load_or_create_host(self._keys, NAME)
        wallet = Wallet(host.wallet)
        async with Market.connect(self._running.rpc_url, wallet, ws_url=self._running.ws_url) as market:
            gpus = await _gpus()
            if not gpus.named:
                self.note = f", without a GPU: the {PRETENDED.name} of its listing does not exist"
            await self._register(market, host)
            self.listing = await self._list(market, gpus.model)
            settings = self._settings(host, Share(self.listing, gpus.named))
            await run_service(settings, ready=ready, stop=stop)
            await _wipe(settings, market)

    async def _register(self, market: Market, host: HostKeys) -> None:
        try:
            account = await market.reads.host(market.address)
        except UnknownHost:
            await ask_faucet(market, market.address, LAMPORTS_PER_SOL)
            await market.host.register(host.seal.public)
            account = await market.reads.host(market.address)
        if not account.approved:
            authority = Wallet.from_file(key_path(self._keys, "authority"))
            await market.signing_as(authority).host.approve(market.address)

    async def _list(self, market: Market, model: GpuModel) -> Pubkey:
        """The listing of an earlier run, or a new one of the hardware that is found."""
        known = await market.reads.listings_of(find_host(market.address, market.program_id)[0])
        if known:
            return next(iter(known))
        hardware, _ = await complete(self._session, model, dict.fromkeys(PROPERTIES), None, None)
        spec = spec_of(
            model,
            REGIONS[0],
            hardware,
            on_demand_usd=USD_PER_HOUR,
            spot_min_usd=USD_PER_HOUR // 2,
            longest=LONGEST_SECONDS,
        )
        return await market.host.create_listing(spec)

    def _settings(self, host: HostKeys, share: Share) -> AgentSettings:
        return AgentSettings(
            rpc_url=self._running.rpc_url,
            ws_url=self._running.ws_url,
            api_url=self._running.api_url,
            wallet=Wallet(host.wallet),
            seal_key=host.seal,
            state_dir=self._state_dir,
            address=LOOPBACK,
            bind=LOOPBACK,
            first_port=_free_ports(),
            shares=[share],
            limits=ContainerLimits(shared_memory_bytes=GIBIBYTE),
            # Its tenants are people of this computer, whose firewall stays as it is.
            egress=Egress(is_open=True),
        )


async def require_engine() -> None:
    """Asks this computer's Docker engine for its id. MachineFault if none answers."""
    async with Engine.connect() as engine:
        await engine.id()


async def _gpus() -> OwnGpus:
    """The GPUs that containers can get, if they are of one model; of several, none."""
    async with Engine.connect() as engine:
        can_give = await engine.knows_gpus()
    try:
        models = {gpu.model for gpu in (await find_gpus()).all}
    except MachineFault:
        models = set()
    if can_give and len(models) == 1:
        return OwnGpus(models.pop(), tuple(ALL_GPUS))
    return OwnGpus(PRETENDED, ())


def _free_ports() -> int:
    """The first of as many free ports as a machine takes. PortTaken."""
    for first in FIRST_PORTS:
        try:
            for port in range(first, first + PORTS_PER_MACHINE):
                require_free(port, NAME)
        except PortTaken:
            continue
        return first
    raise PortTaken(f"No {PORTS_PER_MACHINE} consecutive ports of this computer are free")


async def _wipe(settings: AgentSettings, market: Market) -> None:
    """Wipes what the agent leaves running when it stops: no program outlives the local market."""
    async with prepare(settings, market) as prepared:
        deadlines = Deadlines(settings.state_dir)
        for each in prepared.machines:
            machine = DockerMachine(prepared.engine, each, settings.seal_key, prepared.identity, deadlines)
            await machine.recover()
            if machine.tenant is not None:
                await machine.vacate()
