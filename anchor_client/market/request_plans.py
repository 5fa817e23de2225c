"""What opening and ending a request consists of, without a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.amounts import Denomination
from anchor_client.errors import InsufficientBalance, refusal
from anchor_client.generated import errors as refusals
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Request
from anchor_client.generated.constants import ANY_REGION, BPS
from anchor_client.generated.pdas import find_request
from anchor_client.generated.types import RentalKind, RequestOrder
from anchor_client.kinds import parse_kind
from anchor_client.market.matching import choose_vault, find_gpu, find_region
from anchor_client.market.plans import require_order
from anchor_client.market.reads import MarketReader
from anchor_client.market.requests import region_mask
from anchor_client.rules.math import mul_div_ceil
from anchor_client.rules.order import Quote, quote_at_ceil
from anchor_client.tokens import (
    NATIVE_MINT,
    TOKEN_ACCOUNT_BYTES,
    SolPurse,
    associated_token,
    balance_in,
    create_associated_token,
)

HEADROOM_BPS: Final = 1_000
"""How much more than the cost at the highest price is escrowed, for a token that falls while the request waits."""


@dataclass(frozen=True, slots=True)
class MachineWanted:
    """What a renter wants of any machine. `pay` is a symbol or a mint's address, `max_usd` micro-USD per machine-hour.

    `regions` are where it may be (anywhere when empty), `near` where it should be near to; `deposit` is base units, by
    default the cost at `max_usd` and a tenth; `valid_for` the seconds it waits.
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
        """Opens a request. Whoever pays in SOL keeps a token account for the wrapped SOL that is refunded.

        Raises UnknownGpu, UnknownRegion, UnknownKind, UnknownPaymentToken, InsufficientBalance, SubsidyShort, and the
        refusals of the program that can be foreseen.
        """
        reads, tokens = self.reads, await self.reads.tokens()
        kind, mint = parse_kind(wanted.kind), tokens.mint(wanted.pay)
        if kind is RentalKind.SPOT:
            raise refusal(refusals.SpotRequest.code)
        gpu, regions = find_gpu(wanted.gpu), [find_region(slug) for slug in wanted.regions]
        near = ANY_REGION if wanted.near is None else find_region(wanted.near).id
        market, payment_mint, now = await reads.market(), await reads.payment_mint(mint), await reads.now()
        require_order(market, kind, wanted.duration)
        price = await reads.fresh_price(payment_mint, now)
        priced = replace(payment_mint, price=price.pico_usd)
        quote = quote_at_ceil(wanted.max_usd, kind, wanted.duration, market, priced)
        if quote.usd_floor < market.order_min_usd:
            raise refusal(refusals.OrderBelowMinimum.code)
        deposit = wanted.deposit
        if deposit is None:
            deposit = mul_div_ceil(quote.deposit, BPS + HEADROOM_BPS, BPS)
        token = Denomination(tokens.symbol(mint), payment_mint.decimals)
        if deposit < quote.deposit:
            raise refusal(
                refusals.DepositTooSmall.code, f"{token.say(deposit)}; it may cost {token.say(quote.deposit)}"
            )
        vault_address, vault = choose_vault(await reads.vaults(mint), quote.subsidy, token)
        profile = await reads.renter_profile(renter)
        nonce = profile.next_nonce if profile is not None else 0
        before: list[Instruction] = []
        after: tuple[Instruction, ...] = ()
        if profile is None:
            before.append(build.register_renter(caller=renter, wallet=renter, program_id=reads.program_id))
        renter_token = associated_token(renter, mint)
        if tokens.wraps(wanted.pay):
            await self._require(mint, deposit, await reads.program.balance(renter))
            rent = await reads.program.rent_exempt_minimum(TOKEN_ACCOUNT_BYTES)
            purse = SolPurse.of(renter, deposit, rent)
            before += [create_associated_token(renter, renter, mint), *purse.before]
            after, renter_token = purse.after, purse.address
        else:
            await self._require(mint, deposit, balance_in(await reads.program.account(renter_token)))
        opening = build.open_request(
            nonce=nonce,
            order=RequestOrder(
                kind=kind,
                gpu_model=gpu.id,
                gpu_count=wanted.count,
                regions=region_mask(regions),
                near_region=near,
                min_score_bps=wanted.min_score_bps,
                duration=wanted.duration,
                max_usd=wanted.max_usd,
                deposit=deposit,
                expires_at=now + wanted.valid_for,
                order_hash=wanted.order_hash,
            ),
            renter=renter,
            renter_token=renter_token,
            vault=vault_address,
            vault_data=vault,
            payment_mint_data=payment_mint,
            price_feed=price.feed,
            program_id=reads.program_id,
        )
        address = find_request(renter, nonce, reads.program_id)[0]
        return RequestPlan((*before, opening, *after), address, mint, deposit, quote)

    async def cancel(self, address: Pubkey, account: Request) -> list[Instruction]:
        """Withdraws a request of the signer; what was paid in SOL comes back as SOL."""
        if account.mint != NATIVE_MINT:
            make = create_associated_token(account.renter, account.renter, account.mint)
            return [make, self._cancel(address, account, None)]
        rent = await self.reads.program.rent_exempt_minimum(TOKEN_ACCOUNT_BYTES)
        purse = SolPurse.of(account.renter, 0, rent)
        return [*purse.before, self._cancel(address, account, purse.address), *purse.after]

    def _cancel(self, address: Pubkey, account: Request, renter_token: Pubkey | None) -> Instruction:
        return build.cancel_request(
            caller=account.renter,
            request=address,
            request_data=account,
            renter_token=renter_token,
            program_id=self.reads.program_id,
        )

    async def _require(self, mint: Pubkey, needed: int, held: int) -> None:
        if held < needed:
            raise InsufficientBalance(await self.reads.denomination(mint), needed, held)
