"""`gpu-market host test`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

import typer
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Listing
from anchor_client.machine.figures import Figures, FiguresApi, SignedFigures
from anchor_client.machine.reach import Reach, ReachApi, SignedReach
from anchor_client.rules.listing import NOBODY
from host_agent.detect.gpus import DetectedGpu
from host_agent.detect.nvidia_smi import whole_number
from host_agent.listings.shortfalls import shortfalls
from host_agent.preparation import prepare
from host_agent.settings.options import HostOptions
from market_cli.acting import acting
from market_cli.commands.arguments import require_http
from market_cli.commands.host.figures import links, rates
from market_cli.commands.host.operating import agent_settings
from market_cli.errors import BadOption
from market_cli.exit_codes import FAILED
from market_cli.machine.questions import MachineAnswers
from market_cli.machine.trial import Trial, tried
from market_cli.output import table
from market_cli.plain_text import theirs
from market_cli.session import CliSession

TRIED = (
    *("address", "listing", "owner", "seal_key", "state_dir", "gpus", "device", "first_port", "ports", "bind"),
    *("tls_certificate", "tls_key", "memory_gb", "shared_memory_gb", "cpus", "disk_gb", "open_egress", "allow_egress"),
    *("engine", "wipe_command", "keep_images", "runtime"),
)
"""Settings of `host run` that make a difference here."""
IMAGE = "python:3.12-slim"
SAID = {True: "[green]passed[/]", False: "[red]failed[/]", None: "[dim]unknown[/]"}


@acting
async def test(
    session: CliSession,
    options: Annotated[HostOptions, TRIED],
    *,
    image: Annotated[
        str, typer.Option("--image", help="Image of the test's order: any with a shell and python3.")
    ] = IMAGE,  # noqa: PT028 - it is a command
    download: Annotated[
        str | None,
        typer.Option(
            "--download",
            metavar="URL",
            help="Measure the network with this download, for ten seconds.",
            show_default=False,
        ),
    ] = None,  # noqa: PT028 - it is a command
) -> None:
    """Test this machine end to end, as an order would use it: start, GPUs, disk, SSH, ports, wipe, and GPU health.

    It takes the settings of `host run`, whose agent must be stopped. A passed test is published with its figures,
    signed by the key that serves the listing. Exits with 1 if anything is less than listed or has a fault.
    """
    require_http(download)
    settings = agent_settings(session, options)
    market = session.signing
    trials: dict[Pubkey, Trial] = {}
    published: dict[Pubkey, bool] = {}
    async with prepare(settings, market) as prepared:
        for address, listing in prepared.listings.items():
            if listing.current != NOBODY:
                raise BadOption(f"{address} is rented", "Test it while it is not rented.")
        known = await prepared.known()
        less = [] if known is None else list(shortfalls(known, prepared.listings, prepared.shared))
        gpus = [] if known is None or known.gpus is None else list(known.gpus.all)
        for machine in prepared.machines:
            listing = prepared.listings[machine.listing]
            trial = await tried(
                prepared.engine,
                machine,
                prepared.identity,
                listing,
                image=image,
                download=download,
                outside=partial(_outside, session, machine.listing),
            )
            for each in less:
                trial.add("machine", "as listed", each, False)
            trials[machine.listing] = trial
            if trial.is_passed and trial.answers is not None:
                figures = _figures(listing, trial.answers, gpus)
                published[machine.listing] = await _publish(session, machine.listing, figures)
    _show(session, trials, published)
    if not all(trial.is_passed for trial in trials.values()):
        raise typer.Exit(FAILED)


def _figures(listing: Listing, answers: MachineAnswers, gpus: Sequence[DetectedGpu]) -> Figures:
    own = [gpu for gpu in gpus if gpu.model.id == listing.gpu_model]
    return Figures(
        spec_version=listing.spec_version,
        tested=True,
        disk_mbps=whole_number(answers.told.get("disk_speed", "")),
        network_mbps=answers.download_mbps or None,
        **links(own),
        **rates(answers.figures.gpus),
        driver=next((gpu.driver for gpu in own if gpu.driver is not None), None),
    )


async def _outside(session: CliSession, listing: Pubkey, reach: Reach) -> Sequence[int]:
    """The ports that the market's API reaches."""
    async with ReachApi(session.api_url) as api:
        return await api.reached(SignedReach.signed(session.wallet, listing, reach))


async def _publish(session: CliSession, listing: Pubkey, figures: Figures) -> bool:
    """Hands the figures to the market's API; a failure does not fail the test."""
    try:
        async with FiguresApi(session.api_url) as api:
            await api.publish(SignedFigures.signed(session.wallet, listing, figures))
    except GpuMarketError as error:
        session.out.warn(f"The result is not published: {error.message}. {error.remedy}")
        return False
    return True


def _show(session: CliSession, trials: Mapping[Pubkey, Trial], published: Mapping[Pubkey, bool]) -> None:
    documents: list[dict[str, Any]] = []
    shown: list[Any] = []
    for listing, trial in trials.items():
        rows = table("", "expected", "found", "")
        for each in trial.findings:
            rows.add_row(each.what, each.listed, theirs(each.found), SAID[each.agrees])
        ended = "passed" if trial.is_passed else "failed"
        told = "; published, as its host's own test" if published.get(listing) else ""
        shown += [rows, f"{listing}  {ended}{told}"]
        documents.append(
            {
                "listing": str(listing),
                "passed": trial.is_passed,
                "published": published.get(listing, False),
                "findings": [asdict(each) for each in trial.findings],
            }
        )
    session.out.show({"passed": all(each["passed"] for each in documents), "listings": documents}, *shown)
