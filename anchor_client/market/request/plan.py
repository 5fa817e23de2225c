"""Instructions that open and end a request, without a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.amounts import Denomination
from anchor_client.errors import refusal
from anchor_client.generated import errors as refusals
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Request
from anchor_client.generated.constants import ANY_REGION, BPS
from anchor_client.generated.pdas import find_request
from anchor_client.generated.types import RentalKind, RequestOrder
from anchor_client.kinds import parse_kind
from anchor_client.market.host.offers import choose_vault
from anchor_client.market.purse import Purse, paying_purse
from anchor_client.market.reads import MarketReader
from anchor_client.market.rental.terms import OrderTerms, next_nonce
from anchor_client.market.request.lookup import region_mask
from anchor_client.rules.catalog import find_region
from anchor_client.rules.gpu_name import match_gpu
from anchor_client.rules.math import mul_div_ceil
from anchor_client.rules.order import Quote, quote_at_ceil

HEADROOM_BPS: Final = 1_000
"""Share escrowed above the cost at the highest price, for a token that falls while the request waits."""


@dataclass(frozen=True, slots=True)
class MachineWanted:
    """A renter's requirements of any machine.

    `pay` is a symbol or a mint's address, `max_usd` micro-USD per machine-hour. `regions` are those it may be in (any
    when empty); machines near `near` come first. `deposit` is base units (default: the cost at `max_usd` without a
    subsidy + 10 %), `valid_for` the seconds that the request waits. A minimum of zero requires nothing; CUDA is 100
    times major plus minor.
    """

    gpu: str
    duration: int
    pay: str | Pubkey
    max_usd: int
    order_hash: bytes
    kind: str | RentalKind = RentalKind.ON_DEMAND
    count: int = 1
    regions: Sequence[str] = ()
    near: str | None = None
    min_score_bps: int = 0
    min_vram_gb: int = 0
    min_cuda: int = 0
    min_ram_gb: int = 0
    min_disk_gb: int = 0
    min_net_up_mbps: int = 0
    min_net_down_mbps: int = 0
    deposit: int | None = None
    valid_for: int = 86_400


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """A request that is ready to be signed: what it escrows (base units), and what it costs at its highest price."""

    instructions: tuple[Instruction, ...]
    request: Pubkey
    mint: Pubkey
    deposit: int
    quote: Quote


class RequestPlanner:
    """Builds instructions from what the chain says now."""

    def __init__(self, reads: MarketReader) -> None:
        self.reads = reads

    async def open(self, renter: Pubkey, wanted: MachineWanted) -> RequestPlan:
        """Opens a request.

        Raises UnknownGpu, UnknownRegion, UnknownKind, UnknownPaymentToken, InsufficientBalance, and the refusals of
        the program that can be foreseen.
        """
        reads = self.reads
        if parse_kind(wanted.kind) is RentalKind.SPOT:
            raise refusal(refusals.SpotRequest.code)
        gpu = match_gpu(wanted.gpu)
        regions = [find_region(slug) for slug in wanted.regions]
        near = ANY_REGION if wanted.near is None else find_region(wanted.near).id
        terms = await OrderTerms.read(reads, wanted.kind, wanted.pay, wanted.duration)
        quote = quote_at_ceil(wanted.max_usd, terms.kind, wanted.duration, terms.market, terms.priced_mint)
        terms.require_worth(quote)
        # A host's budget or the pool may be spent by the time of the match: the machine then costs its whole price.
        unsubsidised = replace(terms.priced_mint, subsidy_bps=0)
        whole = quote_at_ceil(wanted.max_usd, terms.kind, wanted.duration, terms.market, unsubsidised)
        deposit = deposit_for(quote, whole, wanted.deposit, terms.token)
        vault_address, vault = choose_vault(await reads.vaults(terms.mint), terms.market, quote.subsidy, terms.now)
        nonce, registration = await next_nonce(reads, renter)
        purse = await paying_purse(reads, renter, terms.mint, deposit, wraps=terms.wraps)
        opening = reads.instruction(
            build.open_request,
            nonce=nonce,
            order=RequestOrder(
                kind=terms.kind,
                gpu_model=gpu.id,
                gpu_count=wanted.count,
                regions=region_mask(regions),
                near_region=near,
                min_score_bps=wanted.min_score_bps,
                duration=wanted.duration,
                max_usd=wanted.max_usd,
                deposit=deposit,
                expires_at=terms.now + wanted.valid_for,
                order_hash=wanted.order_hash,
                min_vram_gb=wanted.min_vram_gb,
                min_cuda=wanted.min_cuda,
                min_ram_gb=wanted.min_ram_gb,
                min_disk_gb=wanted.min_disk_gb,
                min_net_up_mbps=wanted.min_net_up_mbps,
                min_net_down_mbps=wanted.min_net_down_mbps,
            ),
            renter=renter,
            renter_token=purse.address,
            vault=vault_address,
            vault_data=vault,
            payment_mint_data=terms.payment_mint,
            price_feed=terms.price.feed,
        )
        address = find_request(renter, nonce, reads.program_id)[0]
        instructions = (*registration, *purse.around(opening))
        return RequestPlan(instructions, address, terms.mint, deposit, quote)

    def cancel(self, address: Pubkey, account: Request) -> tuple[Instruction, ...]:
        """Withdraws a request of the signer; what was paid in SOL comes back as SOL."""
        purse = Purse.receiving(account.renter, account.renter, account.mint)
        return purse.around(
            self.reads.instruction(
                build.cancel_request,
                caller=account.renter,
                request=address,
                request_data=account,
                renter_payout=purse.address,
            )
        )


def deposit_for(quote: Quote, whole: Quote, deposit: int | None, token: Denomination) -> int:
    """Deposit of a request that may cost `quote`, and `whole` without a subsidy (default: that + 10 %).
    DepositTooSmall."""
    if deposit is None:
        return mul_div_ceil(whole.deposit, BPS + HEADROOM_BPS, BPS)
    if deposit < quote.deposit:
        raise refusal(refusals.DepositTooSmall.code, f"{token.say(deposit)}; it may cost {token.say(quote.deposit)}")
    return deposit
