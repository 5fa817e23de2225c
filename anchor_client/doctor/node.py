"""The RPC node: health, time, slots, versions of transactions."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

from solders.system_program import TransferParams, transfer

from anchor_client.doctor.context import Context
from anchor_client.doctor.finding import Finding, failure, ok, warning
from anchor_client.errors import GpuMarketError
from anchor_client.generated.constants import SIGNATURE_LAMPORTS
from anchor_client.solana.pace import slot_seconds
from anchor_client.solana.transactions.message import MessageVersion, compile_message

CHECK = "node"
SLOW_SLOT_SECONDS = 1.0
CLOCK_SKEW_SECONDS = 30
ELSEWHERE = "Use another node with --rpc, or name several: they stand in for each other."


async def check_node(context: Context) -> AsyncIterator[Finding]:
    """Checks the node's health and clock, and reports the cluster's slot time, finality and message versions."""
    client = context.market.session.client
    try:
        await client.get_health()
        yield ok(CHECK, f"{client.endpoint} is healthy, version {await client.get_version()}")
    except GpuMarketError as error:
        yield failure(CHECK, f"{client.endpoint} is not healthy: {error.message}", ELSEWHERE)
    yield _clock(context)
    seconds = await slot_seconds(client)
    if seconds is not None:
        text = f"a slot takes {seconds * 1000:.0f} ms"
        if seconds > SLOW_SLOT_SECONDS:
            yield warning("slots", text, "Wait: transactions land late while the cluster is slow.")
        else:
            yield ok("slots", text)
    yield await _fee(context)
    yield await _finality(context)
    yield await _versions(context)


def _clock(context: Context) -> Finding:
    skew = context.now - time.time()
    place = "ahead of" if skew > 0 else "behind"
    text = f"the cluster's clock is {abs(skew):.0f} s {place} this machine's"
    if abs(skew) <= CLOCK_SKEW_SECONDS:
        return ok("clock", text)
    remedy = "Synchronise this machine's clock (NTP). If it is right, the node lags or the cluster has stood still."
    return warning("clock", text, remedy)


async def _fee(context: Context) -> Finding:
    client = context.market.session.client
    payer = context.account.authority
    nothing = transfer(TransferParams(from_pubkey=payer, to_pubkey=payer, lamports=0))
    newest = await client.get_latest_blockhash()
    fee = await client.get_fee_for_message(compile_message([nothing], payer, newest.blockhash))
    text = f"a signature costs {fee} lamports"
    if fee in (None, SIGNATURE_LAMPORTS):
        return ok("fees", text)
    remedy = "Set the tip so that it covers keepers' fees."
    return warning("fees", f"{text}; the program pays {SIGNATURE_LAMPORTS} for the end of a match", remedy)


async def _finality(context: Context) -> Finding:
    alpenglow = await context.market.session.client.runs_alpenglow()
    if alpenglow:
        return ok("finality", "the cluster runs Alpenglow: what is confirmed is final")
    why = "the node does not support Alpenglow"
    if alpenglow is False:
        why = "the cluster does not run Alpenglow"
    return ok("finality", f"{why}: what is confirmed may still vanish, and is final some seconds later")


async def _versions(context: Context) -> Finding:
    payer = context.account.authority
    nothing = transfer(TransferParams(from_pubkey=payer, to_pubkey=payer, lamports=0))
    sender = context.market.session.sender
    try:
        await sender.simulate([nothing], payer, version=MessageVersion.V1)
    except GpuMarketError:
        return ok(
            "transactions",
            "the cluster does not accept version-1 messages: keepers end only four rentals per transaction",
        )
    return ok("transactions", "the cluster accepts version-1 messages")
