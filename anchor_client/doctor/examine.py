"""All checks of a market."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from solders.pubkey import Pubkey

from anchor_client.deploy.binary import Binary
from anchor_client.doctor.certificate import check_certificate
from anchor_client.doctor.context import Context
from anchor_client.doctor.finding import Finding, failure
from anchor_client.doctor.hosts import check_hosts, check_rentals
from anchor_client.doctor.node import check_node
from anchor_client.doctor.program import check_program
from anchor_client.doctor.services import check_index, check_keeper
from anchor_client.doctor.settings import check_mints, check_parameters
from anchor_client.doctor.vaults import check_vaults
from anchor_client.errors import GpuMarketError
from anchor_client.market import Market

CHECKS: tuple[Callable[[Context], AsyncIterator[Finding]], ...] = (
    check_node,
    check_program,
    check_parameters,
    check_mints,
    check_vaults,
    check_hosts,
    check_rentals,
    check_keeper,
    check_index,
    check_certificate,
)


async def examine(
    market: Market,
    *,
    binary: Binary | None = None,
    api_url: str | None = None,
    keeper: Pubkey | None = None,
    tls_server: str | None = None,
) -> list[Finding]:
    """Every finding, in order. What cannot be looked at is a failure, never an exception."""
    try:
        clock = await market.reads.program.clock()
        account = await market.reads.market()
    except GpuMarketError as error:
        return [failure("market", error.message, error.remedy)]
    context = Context(market, account, clock.unix_timestamp, clock.slot, binary, api_url, keeper, tls_server)
    findings: list[Finding] = []
    for check in CHECKS:
        try:
            findings += [finding async for finding in check(context)]
        except GpuMarketError as error:
            name = check.__name__.removeprefix("check_")
            findings.append(failure(name, f"it could not be checked: {error.message}", error.remedy))
    return findings
