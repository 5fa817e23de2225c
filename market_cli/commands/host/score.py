"""A host's reputation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from rich.table import Table

from anchor_client.amounts import duration, usd
from anchor_client.generated.constants import (
    REPUTATION_COMPLETION_PERCENT,
    REPUTATION_RATING_PERCENT,
    REPUTATION_UPTIME_PERCENT,
)
from anchor_client.generated.pdas import find_host
from anchor_client.resources.host import Host, ScoreInputs
from anchor_client.resources.listing import Listing
from anchor_client.rules.host import WaitingCounts
from host_agent.listings.maintenance import Maintenance
from market_cli.acting import acting
from market_cli.commands.arguments import HostWallet
from market_cli.commands.host.arguments import StateDir
from market_cli.commands.host.maintenance import document, sentence
from market_cli.commands.market.render import heard, status
from market_cli.output import table
from market_cli.paths import agent_directory
from market_cli.session import CliSession


@acting
async def show(session: CliSession, authority: HostWallet = None, state_dir: StateDir = None) -> None:
    """Show a host's reputation with its components, its uncounted rentals, its machines, and its claimable payouts."""
    market = session.market
    host = await market.host.get(session.owner(authority))
    listings = [offer.listed() for offer in await market.listings(host=host.id)]
    owed = [(each, await market.reads.denomination(each.owed_mint)) for each in listings if each.owed_mint is not None]
    address = find_host(session.owner(authority), market.program_id)[0]
    waiting = WaitingCounts.of((await market.reads.listings_of(address)).values())
    account = await market.reads.host(session.owner(authority))
    terms = await market.reads.market()
    after = Host.of_account(address, waiting.added_to(account), terms.reputation_prior_usd)
    plans = [plan for plan in [Maintenance.read(agent_directory(state_dir))] if plan is not None]
    when = ""
    if host.scored_at:
        when = f", scored {datetime.fromtimestamp(host.scored_at, UTC):%Y-%m-%d %H:%M} UTC"
    session.out.show(
        host.to_json()
        | {
            "waiting": waiting._asdict(),
            "counted_after": after.counted.to_json(),
            "maintenance": [document(plan) for plan in plans],
        },
        f"{host.authority}  reputation {_score(host.score_bps)}{when}",
        f"From the current counters it would be {_percent(after.counted.score_bps)}:",
        _components(after.counted),
        _weights(after.counted),
        f"Orders refused before the start: {after.orders_refused}{_share(after.refusal_bps)}",
        *_waiting(waiting),
        _machines(listings),
        *map(sentence, plans),
        *(f"{token.say(each.owed)} owed: [bold]gpu-market host claim {each.id}[/]" for each, token in owed),
    )


@acting
async def score(session: CliSession, authority: HostWallet = None) -> None:
    """Update a host's reputation if an update is due, and show its parts and their weights. Anyone may do this."""
    wallet = session.owner(authority)
    sent = await session.signing.host.update_reputation(wallet)
    host = await session.market.host.get(wallet)
    document = host.to_json() | {"transactions": [str(one.signature) for one in sent]}
    session.out.show(
        document,
        f"{wallet}  reputation {_score(host.score_bps)}",
        _components(host.counted),
        _weights(host.counted),
    )


def _waiting(counts: WaitingCounts) -> Iterator[str]:
    if any(counts):
        yield (
            f"Of these wait to be counted, for `gpu-market host score`: {counts.completed} completed, {counts.failed} "
            f"failed and {counts.refused} refused orders, {usd(counts.paid_usd)} paid by renters."
        )


def _machines(listings: Sequence[Listing]) -> Table:
    rows = table("listing", "gpu", "region", "last heartbeat", "status")
    for each in listings:
        rows.add_row(str(each.id), f"{each.gpu_count} x {each.gpu}", each.region, heard(each), status(each))
    return rows


def _score(bps: int | None) -> str:
    return "not scored yet" if bps is None else _percent(bps)


def _percent(bps: int | None) -> str:
    if bps is None:
        return "no data (counts as 50 %)"
    return f"{bps // 100}.{bps % 100:02d} %"


def _share(bps: int | None) -> str:
    return "" if bps is None else f" ({_percent(bps)} of ended orders)"


def _components(counted: ScoreInputs) -> Table:
    rows = table("part", "of the score", "share", "counts", "of", numbers=("of the score", "counts"))
    tracked = f"{duration(counted.up_seconds)} up of {duration(counted.tracked_seconds)} tracked"
    rated = f"weighted by {usd(counted.rating_weight_usd)} paid by raters"
    completed = f"{counted.rentals_completed} completed, {counted.rentals_failed} failed"
    for name, percent, share, part, of in (
        ("uptime", REPUTATION_UPTIME_PERCENT, counted.uptime_bps, counted.uptime_part_bps, tracked),
        ("ratings", REPUTATION_RATING_PERCENT, counted.rating_bps, counted.rating_part_bps, rated),
        ("completed", REPUTATION_COMPLETION_PERCENT, counted.completion_bps, counted.completion_part_bps, completed),
    ):
        rows.add_row(name, f"{percent} %", _percent(share), _percent(part), of)
    return rows


def _weights(counted: ScoreInputs) -> str:
    return (
        f"Each part is the mean of its share, weighted by the renters' own payments ({usd(counted.paid_usd)}; "
        f"of raters {usd(counted.rating_weight_usd)}), and of 50 %, weighted by {usd(counted.prior_usd)}."
        + _against(counted)
    )


def _against(counted: ScoreInputs) -> str:
    if counted.not_as_listed_usd == 0:
        return ""
    return (
        f" The completed part also includes 0 %, weighted by {usd(counted.not_as_listed_usd)}: payments of renters "
        "who reported machines as not as listed."
    )
