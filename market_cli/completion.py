"""Shell completion for models, regions, listings, jobs and templates."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final

from market_cli.lazy import load
from market_cli.paths import template_directory

if TYPE_CHECKING:
    from market_cli.session import CliSession

SECONDS: Final = 2.0
"""Maximum wait of a shell for the market's data."""


def complete_gpu(incomplete: str) -> list[tuple[str, str]]:
    """The catalog's models, with their names."""
    models = load("anchor_client.rules.catalog:ALL_GPU_MODELS")
    return [(model.slug, model.name) for model in models if model.slug.startswith(incomplete)]


def complete_free_gpu(incomplete: str) -> list[tuple[str, str]]:
    """Models with a machine to rent, from the market's API; the catalog's if it does not answer in time."""
    try:
        url = load("market_cli.settings.cluster:resolve")(load("market_cli.options:Flags")()).api_url
        if url is None:
            return complete_gpu(incomplete)
        with load("urllib.request:urlopen")(f"{url}/api/gpus", timeout=SECONDS) as answer:
            models = load("json:load")(answer)["gpus"]
        return [(one["id"], one["name"]) for one in models if one["available"] and one["id"].startswith(incomplete)]
    except (load("anchor_client.service.errors:GpuMarketError"), OSError, ValueError, LookupError, TypeError):
        return complete_gpu(incomplete)


def complete_region(incomplete: str) -> list[str]:
    """The catalog's regions."""
    return [place.slug for place in load("anchor_client.rules.catalog:REGIONS") if place.slug.startswith(incomplete)]


def complete_template(incomplete: str) -> list[str]:
    """Saved templates."""
    names: list[str] = load("anchor_client.orders:TemplateDirectory")(template_directory()).names()
    return [name for name in names if name.startswith(incomplete)]


def complete_listing(incomplete: str) -> list[tuple[str, str]]:
    """Available machines, with model, region and price; empty if the market does not answer in time."""

    async def ask(session: CliSession) -> list[tuple[str, str]]:
        usd = load("anchor_client.amounts:usd")
        pricing = await session.market.pricing()
        listed = [offer.listed(pricing) for offer in await session.market.listings() if offer.is_available]
        rate = load("anchor_client.resources.rate:find_rate")
        priced = [(one, rate(one.rates, pricing.market_mint)) for one in listed]
        return [
            (str(one.id), f"{one.gpu} in {one.region}, {'—' if paid is None else usd(paid.micro_usd_per_hour)}/h")
            for one, paid in priced
        ]

    return [one for one in _asked(ask) if one[0].startswith(incomplete)]


def complete_bid(incomplete: str) -> list[tuple[str, str]]:
    """Machines to bid on, and jobs whose bid can be withdrawn."""
    return [*complete_listing(incomplete), *complete_job(incomplete)]


def complete_job(incomplete: str) -> list[tuple[str, str]]:
    """Names of jobs on this computer, and ids of the wallet's open jobs if the market answers in time."""

    async def ask(session: CliSession) -> list[tuple[str, str]]:
        jobs = await session.market.jobs.list(session.owner(None))
        return [(str(job.id), f"{job.gpu} in {job.region}, {job.status.value}") for job in jobs]

    named = [(name, "") for name in load("market_cli.job_names:complete_job")(incomplete)]
    return named + [one for one in _asked(ask) if one[0].startswith(incomplete)]


def _asked(ask: Callable[[CliSession], Awaitable[Sequence[tuple[str, str]]]]) -> Sequence[tuple[str, str]]:
    """Suggestions from the configured market; empty if it fails, since a shell cannot show the reason."""

    async def run() -> Sequence[tuple[str, str]]:
        async with (
            load("asyncio:timeout")(SECONDS),
            load("market_cli.session:CliSession")(load("market_cli.options:Flags")()) as it,
        ):
            return await ask(it)

    try:
        found: Sequence[tuple[str, str]] = load("asyncio:run")(run())
        return found
    except (load("anchor_client.errors:GpuMarketError"), TimeoutError):
        return ()
