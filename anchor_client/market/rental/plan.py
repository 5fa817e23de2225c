"""Instructions of a renter's actions, without a key: sign locally, or hand to a wallet."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.amounts import Denomination, duration, usd
from anchor_client.errors import NothingAvailable, refusal
from anchor_client.generated import errors as refusals
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Listing, Rental, Vault
from anchor_client.generated.constants import BPS
from anchor_client.generated.pdas import find_payment_mint, find_rental
from anchor_client.generated.types import Order, RentalIssue, RentalKind
from anchor_client.kinds import parse_issue
from anchor_client.market.host.nearest import nearest, require_agreement
from anchor_client.market.host.needs import MachineNeeds
from anchor_client.market.host.offers import Offer, choose, choose_vault, match
from anchor_client.market.purse import paying_purse
from anchor_client.market.reads import MarketReader
from anchor_client.market.rental.ending import RentalEnding
from anchor_client.market.rental.prices import OrderPrices
from anchor_client.market.rental.standing import read_renter_standing, read_standing
from anchor_client.market.rental.terms import OrderTerms, next_nonce
from anchor_client.market.rental.wanted import RentalWanted
from anchor_client.market.spot.book import Placement, SpotBook, SpotEntry
from anchor_client.rules.listing import charges_of, has_charges
from anchor_client.rules.math import accrued_ceil, mul_div_ceil
from anchor_client.rules.order import Quote, quote_ceil
from anchor_client.rules.rental import require_repriced_within
from anchor_client.rules.stake_account import require_discounted_for
from anchor_client.rules.subsidy import (
    Cover,
    most_pool_left,
    pool_after,
    require_budget,
    require_share,
    require_subsidised_for,
)

SLIPPAGE_BPS = 100
"""Share above the quote that an order may cost unless the caller sets a maximum."""

_BID_REMEDY = (
    "Bid more, or bid against the holder of one machine: `gpu-market spot LISTING` shows the lowest winning bid."
)


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
    entry: SpotEntry = SpotEntry.OPEN


@dataclass(frozen=True, slots=True)
class ExtendPlan:
    """An extension that is ready to be signed: what it adds to the deposit, base units."""

    instructions: tuple[Instruction, ...]
    deposit: int


@dataclass(frozen=True, slots=True)
class StopPlan:
    """A stop that is ready to be signed."""

    instructions: tuple[Instruction, ...]
    ending: RentalEnding


class RentalPlanner:
    """Plans a renter's actions from what the chain says now."""

    def __init__(self, reads: MarketReader) -> None:
        self.reads = reads

    async def open(self, renter: Pubkey, wanted: RentalWanted, excluded: Collection[Pubkey] = ()) -> RentPlan:
        """Opens a rental. `excluded` are listings not to be tried.

        Raises UnknownGpu, UnknownRegion, UnknownKind, UnknownPaymentToken, UnknownListing, NothingAvailable,
        InsufficientBalance, and the refusals of the program that can be foreseen.
        """
        reads = self.reads
        wanted = await self._least(wanted)
        terms = await OrderTerms.read(reads, wanted.kind, wanted.pay, wanted.duration)
        if wanted.until_exit and terms.kind is RentalKind.RESERVED:
            raise refusal(refusals.ReservedFinish.code)
        vaults = await reads.vaults(terms.mint)
        offer = await self._offer(renter, wanted, terms, vaults, excluded)
        book = await reads.spot_book_of(offer.address, offer.listing, terms.market, terms.now)
        bid_usd = spot_bid(book, terms.kind, wanted.bid_usd)
        standing = await read_standing(reads, renter, offer.listing, terms.market, terms.payment_mint)
        price_usd = bid_usd or offer.listing.on_demand_usd

        def quoted(seconds: int, cover: Cover) -> Quote:
            return quote_ceil(price_usd, terms.kind, seconds, terms.market, terms.priced_mint, standing, cover=cover)

        now, beaten = terms.now, book.beaten
        cover = offer.cover if beaten is None else offer.cover.after(beaten, now)
        quote = quoted(wanted.duration, cover)
        if wanted.or_least and not terms.is_worth(quote):
            wanted = replace(wanted, duration=terms.enough(quote.usd_per_hour))
            quote = quoted(wanted.duration, cover)
        if beaten is not None:
            vaults = {address: pool_after(vault, beaten, now) for address, vault in vaults.items()}
        vault_address, vault = choose_vault(vaults, terms.market, quote.subsidy, now)
        quote = quoted(wanted.duration, cover.within(vault, terms.market, now))
        entry = book.entry(renter, terms.kind, quote.usd_per_hour)
        if entry is not SpotEntry.OPEN:
            quote = quote.waiting(terms.market.min_charge_seconds)
        terms.require_worth(quote)
        terms.require_price(quote, wanted.max_usd)
        max_deposit = within(quote, wanted.max_cost, terms.token)
        cap = wanted.max_charges if has_charges(offer.listing) else 0
        nonce, registration = await next_nonce(reads, renter)
        purse = await paying_purse(
            reads,
            renter,
            terms.mint,
            quote.deposit + cap,
            wraps=terms.wraps,
            most=min(max_deposit, with_slippage_ceil(quote.deposit)) + cap,
        )
        placement = Placement(
            nonce=nonce,
            order=Order(
                kind=terms.kind,
                duration=wanted.duration,
                max_deposit=max_deposit,
                order_hash=wanted.order_hash,
                bid_usd=bid_usd,
                spec_version=wanted.spec_version or offer.listing.spec_version,
                may_finish=wanted.until_exit,
            ),
            renter=renter,
            renter_token=purse.address,
            vault=vault_address,
            vault_data=vault,
            listing=offer.address,
            listing_data=offer.listing,
            payment_mint_data=terms.payment_mint,
            price_feed=terms.price.feed,
            program_id=reads.program_id,
        )
        opening = book.place(entry, placement)
        if cap > 0:
            opening.append(open_meter(placement, cap, wanted.storage_gb))
        return RentPlan(
            instructions=(*registration, *purse.around(*opening)),
            rental=find_rental(renter, nonce, reads.program_id)[0],
            nonce=nonce,
            offer=offer,
            mint=terms.mint,
            vault=vault_address,
            quote=quote,
            max_deposit=max_deposit,
            entry=entry,
        )

    async def chosen(self, renter: Pubkey, wanted: RentalWanted) -> Offer:
        """The machine that `open` takes now. Raises as `open` does, but for what the renter's purse lacks."""
        wanted = await self._least(wanted)
        terms = await OrderTerms.read(self.reads, wanted.kind, wanted.pay, wanted.duration)
        return await self._offer(renter, wanted, terms, await self.reads.vaults(terms.mint), ())

    async def _least(self, wanted: RentalWanted) -> RentalWanted:
        if not wanted.or_least:
            return wanted
        return replace(wanted, duration=max(wanted.duration, (await self.reads.market()).min_duration))

    async def extend(
        self,
        renter: Pubkey,
        address: Pubkey,
        seconds: int,
        *,
        max_cost: int | None = None,
        old_duration: int | None = None,
    ) -> ExtendPlan:
        """Buys `seconds` more than `old_duration`, by default the paid time that it has now, at the rental's own rates.
        Paid in SOL if the rental is, else from the token account.

        RentalRepriced once the token's price or terms have moved too far; SubsidyHoursSpent, SubsidyBudgetSpent and
        SubsidyShareSpent once the subsidy ends; DiscountSpent once a stake's discount does; and what a mint is refused
        for.
        """
        reads = self.reads
        rental = await reads.rental(address)
        if old_duration not in (None, rental.duration):
            raise refusal(refusals.AlreadyExtended.code)
        listing = await reads.listing(rental.listing)
        mint = await reads.payment_mint(rental.mint)
        now = await reads.now()
        market = await reads.market()
        require_subsidised_for(rental, market, rental.duration + seconds)
        require_discounted_for(rental, market, rental.duration + seconds)
        price = await reads.fresh_price(mint, now)
        require_repriced_within(rental, replace(mint, price=price.pico_usd), listing, market.extend_tolerance_bps)
        cover = Cover.of(listing, await reads.host(listing.authority), now)
        require_budget(rental, listing, cover, rental.duration + seconds, now)
        if rental.subsidy_rate > 0:
            _, vault = await reads.vault(rental.mint, rental.shard)
            require_share(rental, vault, market, rental.duration + seconds, now)
        # The program takes the difference of two totals, each rounded: the addition alone may round otherwise.
        old, new = (accrued_ceil(rental.rate, paid) for paid in (rental.duration, rental.duration + seconds))
        deposit = new - old
        if max_cost is not None and deposit > max_cost:
            raise _too_dear(await reads.denomination(rental.mint), deposit, max_cost)
        tokens = await reads.tokens()
        purse = await paying_purse(reads, renter, rental.mint, deposit, wraps=tokens.wraps(tokens.symbol(rental.mint)))
        extension = reads.instruction(
            build.extend_rental,
            old_duration=rental.duration,
            seconds=seconds,
            max_deposit=deposit,
            rental=address,
            renter_token=purse.address,
            price_feed=price.feed,
            rental_data=rental,
            payment_mint_data=mint,
            listing_data=listing,
        )
        return ExtendPlan(purse.around(extension), deposit)

    async def stop(self, renter: Pubkey, address: Pubkey, *, issue: str | RentalIssue | None = None) -> StopPlan:
        """Ends a rental: what is not used is back in the same transaction, as SOL if it was paid in SOL.

        An order that still waits for its machine is withdrawn. With `issue` it also reports what is wrong with the
        machine. UnknownJob, UnknownIssue.
        """
        ending = await RentalEnding.read(self.reads, renter, address)
        if issue is None:
            instructions = []
        else:
            instructions = [self._report(renter, address, issue, ending.rental, ending.listing)]
        waits = ending.listing.challenger == address
        instructions += await ending.withdrawn() if waits else ending.into(build.stop_rental)
        return StopPlan(tuple(instructions), ending)

    async def report_issue(self, renter: Pubkey, address: Pubkey, issue: str | RentalIssue) -> Instruction:
        """Reports what is wrong with a rented machine. UnknownJob, UnknownIssue."""
        rental = await self.reads.rental(address)
        return self._report(renter, address, issue, rental, await self.reads.listing(rental.listing))

    def _report(
        self, renter: Pubkey, address: Pubkey, issue: str | RentalIssue, rental: Rental, listing: Listing
    ) -> Instruction:
        return self.reads.instruction(
            build.report_issue,
            issue=parse_issue(issue),
            renter=renter,
            rental=address,
            rental_data=rental,
            listing_data=listing,
        )

    async def _offer(
        self,
        renter: Pubkey,
        wanted: RentalWanted,
        terms: OrderTerms,
        vaults: Mapping[Pubkey, Vault],
        excluded: Collection[Pubkey],
    ) -> Offer:
        needs = wanted.needs
        if wanted.listing is not None:
            offer = await self.reads.offer(wanted.listing)
            require_agreement(offer, needs)
            return offer
        offers = await self.reads.offers(needs.gpu)
        fitting = match(
            offers,
            duration=wanted.duration,
            needs=needs,
            renter=renter,
            bid_usd=wanted.bid_usd if terms.kind is RentalKind.SPOT else None,
            excluded=(*excluded, *wanted.avoided),
        )
        standing = await read_renter_standing(self.reads, renter, terms.market)
        left = most_pool_left(vaults.values(), terms.market, terms.now)
        prices = OrderPrices(terms, wanted, left, standing)
        if affordable := prices.cheapest(fitting):
            return choose(affordable, wanted.cuda)
        near = nearest(offers, prices.paid_usd, needs, renter=renter)
        if terms.kind is RentalKind.SPOT:
            offered = f"for {usd(wanted.bid_usd)} an hour" if wanted.bid_usd else "on spot"
            remedy = f"{near}{_left_out(needs)}{_BID_REMEDY}"
            raise NothingAvailable(f"No idle {needs} is available {offered}", remedy)
        most = ""
        if wanted.max_usd is not None:
            most = f" at {usd(wanted.max_usd)} an hour or less"
        remedy = f"{near}{_left_out(needs)}{NothingAvailable.default_remedy}"
        raise NothingAvailable(f"No idle {needs} can be rented for {duration(wanted.duration)}{most}", remedy)


def _left_out(needs: MachineNeeds) -> str:
    """A sentence that names what an order could go without; empty if it asks for nothing but a model."""
    return f"Leave out {', or '.join(needs.asked)}. " if needs.asked else ""


def open_meter(order: Placement, cap: int, storage_gb: int) -> Instruction:
    """Escrows `cap` base units for the charges of a rental that is opened in the same transaction."""
    mint = order.vault_data.mint
    return build.open_meter(
        cap=cap,
        storage_gb=storage_gb,
        agreed=charges_of(order.listing_data),
        renter=order.renter,
        rental=find_rental(order.renter, order.nonce, order.program_id)[0],
        listing=order.listing,
        payment_mint=find_payment_mint(mint, order.program_id)[0],
        vault=order.vault,
        vault_data=order.vault_data,
        renter_token=order.renter_token,
        price_feed=order.price_feed,
        program_id=order.program_id,
    )


def spot_bid(book: SpotBook, kind: RentalKind, bid_usd: int) -> int:
    """Bid of an order: zero unless it is spot, the lowest winning bid unless it names one.

    Raises InvalidBid, SpotNotOffered, BidTooLow, BidTooHigh.
    """
    if kind is not RentalKind.SPOT:
        if bid_usd:
            raise refusal(refusals.InvalidBid.code)
        return 0
    least = book.listing.spot_min_usd
    if least == 0:
        raise refusal(refusals.SpotNotOffered.code)
    bid = bid_usd or book.least_bid_usd or least
    most = book.listing.on_demand_usd
    if bid < least:
        raise refusal(refusals.BidTooLow.code, f"the minimum is {usd(least)} an hour")
    if bid > most:
        raise refusal(refusals.BidTooHigh.code, f"on demand it costs {usd(most)} an hour")
    return bid


def within(quote: Quote, max_cost: int | None, token: Denomination) -> int:
    """The most the order may cost, base units; by default the quote and its slippage. CostAboveMaximum."""
    if max_cost is None:
        return with_slippage_ceil(quote.deposit)
    if quote.deposit > max_cost:
        raise _too_dear(token, quote.deposit, max_cost)
    return max_cost


def _too_dear(token: Denomination, deposit: int, most: int) -> Exception:
    return refusal(refusals.CostAboveMaximum.code, f"it costs {token.say(deposit)}, the maximum is {token.say(most)}")


def with_slippage_ceil(deposit: int) -> int:
    """The deposit and what its price may rise until the order lands, rounded up."""
    return mul_div_ceil(deposit, BPS + SLIPPAGE_BPS, BPS)
