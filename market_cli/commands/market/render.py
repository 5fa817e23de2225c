"""Listings as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.table import Table
from solders.pubkey import Pubkey

from anchor_client.amounts import Denomination, duration, usd
from anchor_client.generated.constants import SECONDS_PER_HOUR
from anchor_client.kinds import SilenceState, kind_name
from anchor_client.resources.charges import say_charges
from anchor_client.resources.listing import Listing, Measured
from anchor_client.resources.rate import OrderRate
from anchor_client.service.optional import optional
from market_cli.output import details
from market_cli.plain_text import theirs
from market_cli.units import day, moment

NOT_TOLD = "not known without the market's API"
PER_THOUSAND = 1_000
"""Smaller units in a larger one: GFLOPS in a TFLOPS, MB in a GB."""


def status(listing: Listing) -> str:
    """A listing's status, and its host's silence if there is one."""
    if listing.available:
        return f"[green]{listing.status.value}[/]"
    heard = listing.silence is SilenceState.HEARD
    if heard:
        return listing.status.value
    return f"{listing.status.value}, {listing.silence.value}"


def whole_percent(bps: int) -> str:
    """A share, rounded down to whole percents."""
    return f"{bps // 100} %"


def said_price(rate: OrderRate | None) -> str:
    """The dollars that an order pays an hour, and its shortest time where that is above an hour; a dash where there is
    no such order."""
    if rate is None:
        return "—"
    least = "" if rate.duration <= SECONDS_PER_HOUR else f" from {duration(rate.duration)}"
    return usd(rate.micro_usd_per_hour) + least


def listing_table(listing: Listing, owed_in: Denomination | None, paid_in: Mapping[Pubkey, Denomination]) -> Table:
    """Everything about one listing; `owed_in` is the token of its debt to its host, `paid_in` those of its prices."""
    spot = "not offered"
    if listing.spot_min_usd:
        spot = f"from {usd(listing.spot_min_usd)}/h"
    score = optional(whole_percent, listing.host_score_bps)
    kept = "not kept"
    if listing.keep_days:
        kept = f"kept for {listing.keep_days} days, on request"
    lines = [
        ("listing", str(listing.id)),
        ("status", status(listing)),
        ("host", f"{listing.host_authority}, score {score or 'not yet'}{_since(listing)}"),
        *([] if listing.operator == listing.host_authority else [("operator", str(listing.operator))]),
        ("machine", f"{listing.gpu_count} x {listing.gpu} in {listing.region}, version {listing.spec_version}"),
        (
            "",
            f"{listing.cpu_cores} cores, {listing.ram_gb} GB RAM, {listing.disk_gb} GB {listing.disk_kind}, "
            f"{listing.net_up_mbps}/{listing.net_down_mbps} Mbit/s up/down, CUDA {listing.cuda}",
        ),
        ("verified", _verified(listing)),
        ("measured", _measured(listing)),
        (
            "price",
            f"{usd(listing.market_rate.micro_usd_per_hour)}/h before fees, up to {duration(listing.max_duration)}",
        ),
        *(("", _paid(rate, paid_in[rate.mint])) for rate in listing.rates),
        ("spot", spot),
        ("workspaces", kept),
        ("charges", optional(say_charges, listing.charges) or "none"),
        ("last heartbeat", heard(listing)),
        (
            "orders",
            f"{listing.rentals_completed} completed, {listing.rentals_failed} failed, {listing.orders_refused} refused",
        ),
    ]
    if listing.current_job is not None:
        lines.append(("job", str(listing.current_job)))
    if owed_in is not None:
        claim = f"it takes no orders until `gpu-market host claim {listing.id}`"
        lines.append(("owed", f"{owed_in.say(listing.owed)} to its host; {claim}"))
    return details(*lines)


def _paid(rate: OrderRate, token: Denomination) -> str:
    """Price of an order of a kind placed now, in a token."""
    units = "" if rate.base_units_per_hour is None else f"{token.say(rate.base_units_per_hour)}/h, "
    said = f"{kind_name(rate.kind)} in {token.symbol}: {units}{usd(rate.micro_usd_per_hour)}/h"
    return said if rate.duration == SECONDS_PER_HOUR else f"{said}, from {duration(rate.duration)}"


def heard(listing: Listing) -> str:
    """The time of the last heartbeat, and a mark or silence."""
    if not listing.last_heartbeat_at:
        return "never"
    last = moment(listing.last_heartbeat_at)
    if listing.answer_by is not None:
        return f"{last}; marked, the host may answer until {moment(listing.answer_by)}"
    if listing.silence is SilenceState.HEARD:
        return last
    return f"{last}; silent since then"


def _since(listing: Listing) -> str:
    if listing.host_since is None:
        return ""
    return f", a host since {day(listing.host_since)}"


def _verified(listing: Listing) -> str:
    if listing.verified is None:
        return NOT_TOLD
    if listing.verified:
        return "[green]yes[/], by paid rentals"
    is_tested = listing.measured is not None and listing.measured.tested
    return "not yet by paid rentals; it passed its host's own test" if is_tested else "not yet"


def _measured(listing: Listing) -> str:
    """Its host's figures on one line."""
    if listing.measured is None:
        return NOT_TOLD if listing.verified is None else "nothing measured by its host"
    return f"{', '.join(_figures(listing.measured))}, by its host on {moment(listing.measured.measured_at)}"


def _figures(told: Measured) -> Iterator[str]:
    """The known figures, in words."""
    if told.driver is not None:
        yield f"driver {theirs(told.driver)}"
    if told.pcie_generation is not None and told.pcie_width is not None:
        yield f"PCIe {told.pcie_generation}.0 x{told.pcie_width}"
    for figure, unit, what in (
        (told.fp32_gflops, "TFLOPS", "FP32"),
        (told.gemm_gflops, "TFLOPS", "GEMM"),
        (told.vram_mb_per_second, "GB/s", "VRAM"),
        (told.pcie_mb_per_second, "GB/s", "PCIe"),
    ):
        if figure is not None:
            yield f"{figure / PER_THOUSAND:.1f} {unit} {what}"
    if told.disk_mbps is not None:
        yield f"disk {told.disk_mbps} MB/s"
    if told.network_mbps is not None:
        yield f"download {told.network_mbps} Mbit/s"
