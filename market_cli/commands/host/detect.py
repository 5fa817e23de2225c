"""`gpu-market host detect`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from anchor_client.amounts import exact_usd
from anchor_client.errors import GpuMarketError
from anchor_client.generated import accounts
from anchor_client.generated.constants import BPS
from anchor_client.generated.pdas import find_gpu_model
from anchor_client.generated.types import ListingSpec
from anchor_client.resources.listing import DISK_KINDS
from anchor_client.rules.catalog import find_region
from anchor_client.rules.gpu_model import GpuModel
from anchor_client.service.optional import optional
from host_agent.detect.benchmark import MeasuredSpeeds
from host_agent.detect.container_toolkit import toolkit_fault, toolkit_version
from host_agent.detect.gpus import DetectedGpu, Gpus
from host_agent.detect.machine import Hardware
from market_cli.acting import acting
from market_cli.commands.arguments import require_http
from market_cli.commands.host.arguments import DiskPath, EngineUrl
from market_cli.commands.host.detected import document, shown
from market_cli.commands.host.hardware import LEAST
from market_cli.commands.host.list import USUAL_KEEP_DAYS, USUAL_SPOT_BPS
from market_cli.commands.host.measuring import measured
from market_cli.completion import complete_region
from market_cli.errors import BadOption
from market_cli.session import CliSession
from market_cli.units import micro_usd, parse_cuda, parse_duration


@dataclass(frozen=True, slots=True)
class DetectedOffer:
    """GPUs of one model with their share of the machine, as a listing would show them."""

    model: GpuModel
    gpus: int
    vram_gb: int
    cpu_cores: int
    ram_gb: int
    disk: str
    disk_gb: int
    disk_mbps: int
    up_mbps: int
    down_mbps: int
    cuda: str

    def options(self) -> Sequence[str]:
        """The offer as options of `gpu-market host list`."""
        named = {
            "--gpu": self.model.slug,
            "--gpus": self.gpus,
            "--vram-gb": self.vram_gb or "GB",
            "--cpu-cores": self.cpu_cores,
            "--ram-gb": self.ram_gb,
            "--disk": self.disk,
            "--disk-gb": self.disk_gb,
            "--disk-mbps": self.disk_mbps,
            "--up-mbps": self.up_mbps,
            "--down-mbps": self.down_mbps,
            "--cuda": self.cuda,
        }
        return [str(word) for option in named.items() for word in option]


@acting
async def detect(
    session: CliSession,
    region: Annotated[
        str | None,
        typer.Option("--region", help="Region of the machine.", autocompletion=complete_region, show_default=False),
    ] = None,
    price: Annotated[str | None, typer.Option("--price", help="Dollars per machine-hour.", show_default=False)] = None,
    longest: Annotated[str, typer.Option("--longest", help="Maximum rental duration, such as 30d or 3000h.")] = "30d",
    lists: Annotated[bool, typer.Option("--list", help="List the machine; needs --region and --price.")] = False,
    hidden: Annotated[bool, typer.Option("--hidden", help="With --list: list without offering it yet.")] = False,
    disk_path: DiskPath = None,
    download: Annotated[
        str | None,
        typer.Option(
            "--download",
            metavar="URL",
            help="Measure the download speed with this URL, for at most ten seconds, and list it.",
            show_default=False,
        ),
    ] = None,
    engine: EngineUrl = None,
) -> None:
    """Detect this machine's hardware, measure it for a few seconds, and print the command that lists it, or list it."""
    require_http(download)
    if lists and (region is None or price is None):
        raise BadOption("A listing needs a region and a price", "Add --region and --price.")
    place = region and find_region(region)
    dollars = optional(micro_usd, price)
    found = await measured(session, disk_path, engine, download)
    gpus = found.gpus
    hardware = found.hardware
    figures = found.figures
    probed = found.probed
    down_mbps = found.down_mbps
    offers = _offers(gpus, hardware, figures, down_mbps)
    unsafe = toolkit_fault(await toolkit_version())
    if unsafe is not None:
        session.out.warn(unsafe)
    if lists and not offers:
        reasons = "".join(f"; {gpu}" for gpu in gpus.left_out)
        raise BadOption(
            f"No NVIDIA or AMD GPU of this machine can be offered{reasons}",
            "Check `lspci`, and that the driver is loaded.",
        )
    ending = ["--region", region or "REGION", "--price", price or "DOLLARS", "--longest", longest]
    commands = [shlex.join(["gpu-market", "host", "list", *offer.options(), *ending]) for offer in offers]
    proposals = [_proposal(model, dollars, offers) for model in await _without_terms(session, offers)]
    listings: list[str] = []
    if lists and place and dollars is not None:
        for offer in offers:
            spec = _spec(offer, place.id, dollars, parse_duration(longest), visible=not hidden)
            listings.append(str(await session.signing.host.create_listing(spec)))
    session.out.show(
        document(gpus, hardware, figures, probed)
        | {"download_mbps": down_mbps, "commands": commands, "proposals": proposals, "listings": listings},
        shown(gpus, hardware, figures, probed, down_mbps),
        *(f"Listed: {listing}; it goes online with its first heartbeat." for listing in listings),
        *(() if listings else commands),
        *(
            f"The market's catalog has no terms for this model, so orders of it are not subsidised: {each}"
            for each in proposals
        ),
    )


def _offers(gpus: Gpus, hardware: Hardware, figures: MeasuredSpeeds, down_mbps: int | None) -> Sequence[DetectedOffer]:
    """One offer for each model and size of memory, which shares the machine with the others by memory."""
    return [_offer(gpus, each, hardware, figures, down_mbps) for each in gpus.by_model().values()]


def _offer(
    gpus: Gpus, own: Sequence[DetectedGpu], hardware: Hardware, figures: MeasuredSpeeds, down_mbps: int | None
) -> DetectedOffer:
    share = gpus.share_of(own)
    return DetectedOffer(
        model=own[0].model,
        gpus=len(own),
        vram_gb=own[0].vram_gb,
        cpu_cores=max(int(hardware.cpu_cores * share), 1),
        ram_gb=max(int(hardware.ram_gib * share), 1),
        disk=hardware.disk.kind or LEAST["disk"],
        disk_gb=max(int(hardware.disk.free_gb * share), 1),
        disk_mbps=figures.disk_write or LEAST["disk_mbps"],
        up_mbps=LEAST["up_mbps"],
        down_mbps=down_mbps or LEAST["down_mbps"],
        cuda=gpus.cuda or LEAST["cuda"],
    )


async def _without_terms(session: CliSession, offers: Sequence[DetectedOffer]) -> Sequence[GpuModel]:
    """The models without terms in the market's catalog; empty if the market does not answer."""
    models = list({offer.model.id: offer.model for offer in offers}.values())
    try:
        reads = session.market.reads
        places = {find_gpu_model(model.id, reads.program_id)[0]: model for model in models}
        known = await reads.program.read_known(accounts.GpuModel, places)
    except GpuMarketError as error:
        session.out.note(f"{error.message}: it is unknown whether the market's catalog has the model.")
        return []
    return [model for place, model in places.items() if place not in known]


def _proposal(model: GpuModel, dollars: int | None, offers: Sequence[DetectedOffer]) -> str:
    """The command that proposes terms: the model's points, and the asking price of a GPU as its reference price."""
    gpus = next(offer.gpus for offer in offers if offer.model == model)
    reference = "0" if dollars is None else exact_usd(dollars // gpus)
    words = ["gpu-market", "governance", "propose", "gpu", model.slug, str(model.points), reference]
    return shlex.join([*words, "--title", f"Add {model.name}"])


def _spec(offer: DetectedOffer, region: int, dollars: int, longest: int, *, visible: bool) -> ListingSpec:
    if not offer.vram_gb:
        raise BadOption(f"The memory of a {offer.model.name} is not known", "List it with `host list --vram-gb`.")
    return ListingSpec(
        gpu_model=offer.model.id,
        gpu_count=offer.gpus,
        vram_gb=offer.vram_gb,
        region=region,
        cpu_cores=offer.cpu_cores,
        ram_gb=offer.ram_gb,
        disk_kind=DISK_KINDS.index(offer.disk),
        disk_gb=offer.disk_gb,
        disk_mbps=offer.disk_mbps,
        net_up_mbps=offer.up_mbps,
        net_down_mbps=offer.down_mbps,
        cuda=parse_cuda(offer.cuda),
        on_demand_usd=dollars,
        spot_min_usd=dollars * USUAL_SPOT_BPS // BPS,
        mrl_seconds=longest,
        visible=visible,
        keep_days=USUAL_KEEP_DAYS,
    )
