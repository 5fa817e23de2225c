"""What a renter's actions consist of, without a key: instructions, addresses and prices.

Who has the key signs and sends them; who has none hands them to a wallet.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.amounts import Denomination, usd
from anchor_client.errors import InsufficientBalance, NothingAvailable, refusal
from anchor_client.generated import errors as refusals
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Market as MarketAccount
from anchor_client.generated.accounts import Meter, RenterProfile
from anchor_client.generated.constants import BPS
from anchor_client.generated.pdas import find_meter, find_payment_mint, find_rental, find_renter_profile
from anchor_client.generated.types import Order, RentalIssue, RentalKind
from anchor_client.kinds import parse_issue, parse_kind
from anchor_client.market.endings import Ending
from anchor_client.market.matching import Offer, choose_vault, find_gpu, find_region, match
from anchor_client.market.metering import charges_of, has_charges
from anchor_client.market.reads import MarketReader
from anchor_client.market.spot import Entry, SpotBook
from anchor_client.market.standing import read_sides
from anchor_client.rules.math import accrued_ceil, mul_div_ceil
from anchor_client.rules.order import Quote, quote_ceil
from anchor_client.rules.rental import RESERVED_TERMS
from anchor_client.tokens import NATIVE_MINT, TOKEN_ACCOUNT_BYTES, SolPurse, associated_token, balance_in

SLIPPAGE_BPS = 100
"""How much more than quoted an order may cost unless the caller says what it may cost."""


_BID_REMEDY = "Bid more, or bid against the holder of one machine: `gpu-market spot LISTING` says what gets in."


@dataclass(frozen=True, slots=True)
class OrderRequest:
    """What a renter wants. `listing` pins a machine; else the best idle one that fits is taken.

    `pay` is a symbol or a mint's address, `max_cost` base units of it, `order_hash` the order document's SHA-256,
    `bid_usd` what a spot order offers in micro-USD per hour (zero: the least that gets in), `max_charges` base units
    that traffic and storage of `storage_gb` may cost besides, on a listing that charges for them.
    """

    duration: int
    pay: str | Pubkey
    order_hash: bytes
    kind: str | RentalKind = RentalKind.ON_DEMAND
    gpu: str | None = None
    region: str | None = None
    count: int | None = None
    listing: Pubkey | None = None
    max_cost: int | None = None
    bid_usd: int = 0
    max_charges: int = 0
    storage_gb: int = 0


@dataclass(frozen=True, slots=True)
class RentPlan:
    """An order that is ready to be signed: the rental it opens, where, and what it costs at most (base units)."""

    instructions: tuple[Instruction, ...]
    rental: Pubkey
    nonce: int
    offer: Offer
    mint: Pubkey
    vault: Pubkey
    quote: Quote
    max_deposit: int
    entry: Entry = Entry.OPEN


@dataclass(frozen=True, slots=True)
class ExtendPlan:
    """An extension that is ready to be signed: what it adds to the deposit, base units."""

    instructions: tuple[Instruction, ...]
    deposit: int


@dataclass(frozen=True, slots=True)
class StopPlan:
    """A stop that is ready to be signed."""

    instructions: tuple[Instruction, ...]
    ending: Ending


class Planner:
    """Plans a renter's actions from what the chain says now."""

    def __init__(self, reads: MarketReader) -> None:
        self.reads = reads

    async def rent(self, renter: Pubkey, request: OrderRequest, excluded: Collection[Pubkey] = ()) -> RentPlan:
        """Opens a rental. `excluded` are listings not to be tried.

        Raises UnknownGpu, UnknownRegion, UnknownKind, UnknownPaymentToken, UnknownListing, NothingAvailable,
        InsufficientBalance, SubsidyShort, and the refusals of the program that can be foreseen.
        """
        reads, tokens = self.reads, await self.reads.tokens()
        kind, mint = parse_kind(request.kind), tokens.mint(request.pay)
        market, payment_mint = await reads.market(), await reads.payment_mint(mint)
        require_order(market, kind, request.duration)
        now = await reads.now()
        price = await reads.fresh_price(payment_mint, now)
        offer = await self._offer(renter, request, kind, excluded)
        book = await reads.spot_book_of(offer.address, offer.listing, market, now)
        bid_usd = spot_bid(book, kind, request.bid_usd)
        entry = book.entry(renter, kind, bid_usd)
        price_usd = bid_usd or offer.listing.on_demand_usd
        sides = await read_sides(reads, renter, offer.listing, market, payment_mint)
        priced = replace(payment_mint, price=price.pico_usd)
        quote = quote_ceil(price_usd, kind, request.duration, market, priced, sides.standing)
        token = Denomination(tokens.symbol(mint), payment_mint.decimals)
        max_deposit = require_price(market, quote, request.max_cost, token)
        cap = request.max_charges if has_charges(offer.listing) else 0
        vault_address, vault = choose_vault(await reads.vaults(mint), quote.subsidy, token)
        profile = await reads.program.read(RenterProfile, find_renter_profile(renter, reads.program_id)[0])
        nonce = profile.next_nonce if profile is not None else 0
        before: list[Instruction] = []
        after: tuple[Instruction, ...] = ()
        if profile is None:
            before.append(build.register_renter(caller=renter, wallet=renter, program_id=reads.program_id))
        renter_token = associated_token(renter, mint)
        if tokens.wraps(request.pay):
            lamports = min(max_deposit, with_slippage_ceil(quote.deposit)) + cap
            purse = await self._purse(renter, lamports, quote.deposit + cap)
            before, after, renter_token = [*before, *purse.before], purse.after, purse.address
        else:
            await self._require_tokens(renter_token, mint, quote.deposit + cap)
        arguments = {
            "nonce": nonce,
            "order": Order(kind, request.duration, max_deposit, request.order_hash, bid_usd),
            "renter": renter,
            "renter_token": renter_token,
            "vault": vault_address,
            "vault_data": vault,
            "listing": offer.address,
            "listing_data": offer.listing,
            "payment_mint_data": payment_mint,
            "renter_stake": sides.renter_stake,
            "host_stake": sides.host_stake,
            "price_feed": price.feed,
            "program_id": reads.program_id,
        }
        opening = book.instructions(entry, renter, vault_address, arguments, reads.program_id)
        rental = find_rental(renter, nonce, reads.program_id)[0]
        metering: tuple[Instruction, ...] = ()
        if cap > 0:
            metering = (
                build.open_meter(
                    cap=cap,
                    storage_gb=request.storage_gb,
                    agreed=charges_of(offer.listing),
                    renter=renter,
                    rental=rental,
                    listing=offer.address,
                    payment_mint=find_payment_mint(mint, reads.program_id)[0],
                    vault=vault_address,
                    vault_data=vault,
                    renter_token=renter_token,
                    price_feed=price.feed,
                    program_id=reads.program_id,
                ),
            )
        return RentPlan(
            instructions=(*before, *opening, *metering, *after),
            rental=rental,
            nonce=nonce,
            offer=offer,
            mint=mint,
            vault=vault_address,
            quote=quote,
            max_deposit=max_deposit,
            entry=entry,
        )

    async def extend(self, renter: Pubkey, address: Pubkey, seconds: int, *, max_cost: int | None = None) -> ExtendPlan:
        """Buys `seconds` more at the rental's own rates. Paid in SOL if the rental is, else from the token account."""
        reads = self.reads
        tokens, rental = await reads.tokens(), await reads.rental(address)
        listing = await reads.listing(rental.listing)
        deposit = accrued_ceil(rental.rate, rental.duration + seconds) - rental.deposit
        if max_cost is not None and deposit > max_cost:
            token = await reads.denomination(rental.mint)
            raise refusal(refusals.CostAboveMaximum.code, _above(token, deposit, max_cost))
        before: tuple[Instruction, ...] = ()
        after: tuple[Instruction, ...] = ()
        symbol = tokens.symbol(rental.mint)
        renter_token = associated_token(renter, rental.mint)
        if tokens.wraps(symbol):
            purse = await self._purse(renter, deposit, deposit)
            before, after, renter_token = purse.before, purse.after, purse.address
        else:
            await self._require_tokens(renter_token, rental.mint, deposit)
        extension = build.extend_rental(
            seconds=seconds,
            max_deposit=deposit,
            rental=address,
            renter_token=renter_token,
            rental_data=rental,
            listing_data=listing,
            program_id=reads.program_id,
        )
        return ExtendPlan((*before, extension, *after), deposit)

    async def stop(self, renter: Pubkey, address: Pubkey, *, issue: str | RentalIssue | None = None) -> StopPlan:
        """Ends a rental: what is not used is back in the same transaction, as SOL if it was paid in SOL.

        An order that still waits for its machine is withdrawn. With `issue` it also reports what is wrong with the
        machine; a meter notes the end. UnknownJob, UnknownIssue.
        """
        report = () if issue is None else (self.report_issue(renter, address, issue),)
        rental = await self.reads.rental(address)
        listing = await self.reads.listing(rental.listing)
        rent = await self.reads.program.rent_exempt_minimum(TOKEN_ACCOUNT_BYTES)
        ending = Ending(renter, address, rental, listing, self.reads.program_id)
        waits = listing.challenger == address
        end = ending.refunded(build.withdraw_challenger, rent) if waits else ending.by_renter(build.stop_rental, rent)
        instructions = [*report, *end]
        meter = find_meter(address, self.reads.program_id)[0]
        if await self.reads.program.read(Meter, meter) is not None:
            instructions.append(build.end_meter(meter=meter, rental=address, program_id=self.reads.program_id))
        return StopPlan(tuple(instructions), ending)

    def report_issue(self, renter: Pubkey, address: Pubkey, issue: str | RentalIssue) -> Instruction:
        """Says what is wrong with a rented machine. UnknownIssue."""
        return build.report_issue(
            issue=parse_issue(issue), renter=renter, rental=address, program_id=self.reads.program_id
        )

    async def _offer(
        self, renter: Pubkey, request: OrderRequest, kind: RentalKind, excluded: Collection[Pubkey]
    ) -> Offer:
        if request.listing is not None:
            return await self.reads.offer(request.listing)
        gpu = find_gpu(request.gpu) if request.gpu is not None else None
        region = find_region(request.region) if request.region is not None else None
        fitting = match(
            await self.reads.offers(gpu),
            duration=request.duration,
            gpu=gpu,
            region=region,
            count=request.count,
            renter=renter,
            bid_usd=request.bid_usd if kind is RentalKind.SPOT else None,
            excluded=excluded,
        )
        if not fitting:
            what = gpu.name if gpu is not None else "machine"
            where = f" in {region.name}" if region is not None else ""
            if kind is RentalKind.SPOT:
                offered = f"for {usd(request.bid_usd)} an hour" if request.bid_usd else "on spot"
                raise NothingAvailable(f"No idle {what}{where} can be had {offered}", _BID_REMEDY)
            raise NothingAvailable(f"No idle {what}{where} can be rented for {request.duration} s")
        return fitting[0]

    async def _purse(self, renter: Pubkey, lamports: int, needed: int) -> SolPurse:
        held = await self.reads.program.balance(renter)
        if held < needed:
            raise InsufficientBalance(await self.reads.denomination(NATIVE_MINT), needed, held)
        return SolPurse.of(renter, lamports, await self.reads.program.rent_exempt_minimum(TOKEN_ACCOUNT_BYTES))

    async def _require_tokens(self, token_account: Pubkey, mint: Pubkey, needed: int) -> None:
        held = balance_in(await self.reads.program.account(token_account))
        if held < needed:
            raise InsufficientBalance(await self.reads.denomination(mint), needed, held)


def require_order(market: MarketAccount, kind: RentalKind, duration: int) -> None:
    """Raises what the program would refuse an order for, whatever the listing."""
    if kind is RentalKind.RESERVED and duration not in RESERVED_TERMS:
        raise refusal(refusals.InvalidReservedTerm.code)
    if duration < market.min_duration:
        raise refusal(refusals.DurationTooShort.code, f"{duration} s; the shortest is {market.min_duration} s")
    if duration > market.max_duration:
        raise refusal(refusals.DurationTooLong.code, f"{duration} s; the longest is {market.max_duration} s")


def spot_bid(book: SpotBook, kind: RentalKind, bid_usd: int) -> int:
    """What an order bids: zero unless it is spot, the least that gets in unless it says more; raises what the program
    would refuse it for."""
    if kind is not RentalKind.SPOT:
        if bid_usd:
            raise refusal(refusals.InvalidBid.code)
        return 0
    if book.listing.spot_min_usd == 0:
        raise refusal(refusals.SpotNotOffered.code)
    bid = bid_usd or book.least_bid_usd or book.listing.spot_min_usd
    if bid < book.listing.spot_min_usd:
        raise refusal(refusals.BidTooLow.code, f"the least is {book.listing.spot_min_usd} micro-USD an hour")
    return bid


def require_price(market: MarketAccount, quote: Quote, max_cost: int | None, token: Denomination) -> int:
    """The most the order may cost, base units; raises what the program would refuse its price for."""
    if quote.usd_floor < market.order_min_usd:
        raise refusal(
            refusals.OrderBelowMinimum.code, f"{usd(quote.usd_floor)}; the minimum is {usd(market.order_min_usd)}"
        )
    if max_cost is None:
        return with_slippage_ceil(quote.deposit)
    if quote.deposit > max_cost:
        raise refusal(refusals.CostAboveMaximum.code, _above(token, quote.deposit, max_cost))
    return max_cost


def _above(token: Denomination, deposit: int, most: int) -> str:
    return f"it costs {token.say(deposit)}, the most is {token.say(most)}"


def with_slippage_ceil(deposit: int) -> int:
    """The deposit and what its price may rise until the order lands, rounded up."""
    return mul_div_ceil(deposit, BPS + SLIPPAGE_BPS, BPS)
