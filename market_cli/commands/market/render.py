"""Listings for people."""

from __future__ import annotations

from rich.table import Table

from anchor_client.amounts import Denomination, duration, tokens, usd
from anchor_client.kinds import SilenceState
from anchor_client.resources.charges import say_charges
from anchor_client.resources.listing import Listing
from anchor_client.tokens import MARKET_TOKEN
from market_cli.output import details
from market_cli.units import moment


def status(listing: Listing) -> str:
    """Its status, and whether somebody has found its host silent."""
    if listing.available:
        return f"[green]{listing.status.value}[/]"
    heard = listing.silence is SilenceState.HEARD
    return listing.status.value if heard else f"{listing.status.value}, {listing.silence.value}"


def listing_table(listing: Listing, owed_in: Denomination | None) -> Table:
    """Everything about one listing; `owed_in` is what it owes its host in."""
    rate = listing.token_rate
    in_token = "" if rate is None else f", {tokens(rate.base_units_per_hour, rate.decimals, MARKET_TOKEN)}/h paid"
    spot = f"from {usd(listing.spot_min_usd)}/h" if listing.spot_min_usd else "not offered"
    score = listing.host_score_bps
    lines = [
        ("listing", str(listing.id)),
        ("status", status(listing)),
        ("host", f"{listing.host_authority}, score {'not yet' if score is None else f'{score // 100} %'}"),
        *([] if listing.operator == listing.host_authority else [("operator", str(listing.operator))]),
        ("machine", f"{listing.gpu_count} x {listing.gpu} in {listing.region}, version {listing.spec_version}"),
        (
            "",
            f"{listing.cpu_cores} cores, {listing.ram_gb} GB RAM, {listing.disk_gb} GB {listing.disk_kind}, "
            f"{listing.net_up_mbps}/{listing.net_down_mbps} Mbit/s up/down, CUDA {listing.cuda}",
        ),
        (
            "price",
            f"{usd(listing.market_rate.micro_usd_per_hour)}/h{in_token}, for at most {duration(listing.max_duration)}",
        ),
        ("spot", spot),
        ("charges", "none" if listing.charges is None else say_charges(listing.charges)),
        ("heard from", heard(listing)),
        (
            "orders",
            f"{listing.rentals_completed} completed, {listing.rentals_failed} failed, {listing.orders_refused} refused",
        ),
    ]
    if listing.current_job is not None:
        lines.append(("job", str(listing.current_job)))
    if owed_in is not None:
        claim = f"it takes no order before `gpu-market host claim {listing.id}`"
        lines.append(("owed", f"{owed_in.say(listing.owed)} to its host; {claim}"))
    return details(*lines)


def heard(listing: Listing) -> str:
    """When its host was last heard from, and what is doubted about it."""
    if not listing.last_heartbeat_at:
        return "never"
    last = moment(listing.last_heartbeat_at)
    if listing.answer_by is not None:
        return f"{last}; marked, the host may answer until {moment(listing.answer_by)}"
    return last if listing.silence is SilenceState.HEARD else f"{last}; silent since then"
