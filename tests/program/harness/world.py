"""The seeded market with an instruction builder for each act; every argument has the seeded market's value."""

from __future__ import annotations

import weakref
from typing import Any

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.accounts.vault import Vault
from anchor_client.generated.pdas import (
    find_host,
    find_payment_mint,
    find_rental,
    find_renter_profile,
    find_stake,
    find_vault,
)
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.listing_spec import ListingSpec
from anchor_client.generated.types.order import Order
from anchor_client.generated.types.rental_issue import RentalIssue
from anchor_client.generated.types.rental_kind import RentalKind
from anchor_client.generated.types.request_order import RequestOrder
from anchor_client.market.rental.matcher import matcher_account
from anchor_client.payment_tokens import payout_bump
from anchor_client.rules import renter_profile as rules
from anchor_client.rules.meter import meter_to_end
from anchor_client.rules.subsidy import host_to_end
from tests.markets.spec import SPEC

from .actors import GPUM, HOST, KEEPER, LISTING, RENTER
from .audit import Audit
from .cluster import Cluster
from .outcome import Outcome
from .reads import Reads
from .terms import HOUR, REQUEST, U64_MAX
from .tokens import payout_address, token_address

ORDER_HASH = bytes(range(32))
CONNECTION = b"sealed to the renter"


class World(Reads):
    """A cluster, the audit that follows it if there is one, and what its actors can do.

    Methods named after an instruction give that instruction; `accounts` replace addresses by the IDL's names.
    """

    def __init__(self, cluster: Cluster, audit: Audit | None = None) -> None:
        self.cluster = cluster
        self.audit = audit or Audit(cluster.fee_payer)
        if audit is not None:
            seen = weakref.proxy(cluster)
            cluster.observers.append(lambda outcome: audit.check(outcome, seen.account))

    def act(self, *acts: Instruction) -> Outcome:
        """Sends the acts in one transaction; see Cluster.act."""
        return self.cluster.act(*acts)

    @property
    def now(self) -> int:
        return self.cluster.now

    def wait(self, seconds: int) -> None:
        """Time passes in silence: no host is heard from."""
        self.cluster.now += seconds

    def run(self, seconds: int, host: Pubkey = HOST, listing: Pubkey = LISTING) -> None:
        """Time passes and the host is heard from in time, and at the end of it."""
        allowed = self.listing(listing).offline_after or self.market().offline_after
        for passed in range(0, max(seconds, 1), allowed):
            self.wait(min(allowed, seconds - passed))
            self.act(self.heartbeat(host, listing))

    def heartbeat(self, host: Pubkey = HOST, /, *listings: Pubkey, **accounts: Any) -> Instruction:
        """Signed by the operator of the first listing, unless another is named."""
        named = listings or (LISTING,)
        metas = [AccountMeta(listing, is_signer=False, is_writable=True) for listing in named]
        operator = accounts.get("operator") or self.listing(named[0]).operator
        given = {"host": find_host(host)[0], **accounts, "operator": operator}
        return instructions.heartbeat(**given, remaining_accounts=metas)

    def set_operator(self, operator: Pubkey, listing: Pubkey = LISTING, **accounts: Any) -> Instruction:
        given = {"authority": self.listing(listing).authority, "listing": listing, **accounts}
        return instructions.set_operator(**given, operator=operator)

    def mark_silent(self, listing: Pubkey = LISTING, **accounts: Any) -> Instruction:
        return instructions.mark_silent(**{"listing": listing, **accounts})

    def fall_silent(self, listing: Pubkey = LISTING) -> None:
        """The host is not heard from, is marked and does not answer in time."""
        state, market = self.listing(listing), self.market()
        allowed = market.offline_after if state.current == Pubkey.default() else state.offline_after
        self.wait(max(state.last_heartbeat_at + allowed + 1 - self.now, 0))
        self.act(self.mark_silent(listing))
        self.wait(market.answer_window)

    def update_reputation(self, host: Pubkey = HOST, /, *listings: Pubkey, **accounts: Any) -> Instruction:
        """Brings no listing unless some are named."""
        metas = [AccountMeta(listing, is_signer=False, is_writable=True) for listing in listings]
        return instructions.update_reputation(**{"host": find_host(host)[0], **accounts}, remaining_accounts=metas)

    def register_renter(
        self, wallet: Pubkey, caller: Pubkey | None = None, /, first_nonce: int | None = None, **accounts: Any
    ) -> Instruction:
        """Paid by the wallet itself unless somebody else is named."""
        first = rules.first_nonce(self.cluster.slot) if first_nonce is None else first_nonce
        return instructions.register_renter(
            **{"caller": caller or wallet, "wallet": wallet, **accounts}, first_nonce=first
        )

    def create_listing(
        self, host: Pubkey = HOST, /, id: int | None = None, spec: ListingSpec = SPEC, **accounts: Any
    ) -> Instruction:
        number = self.host(host).next_listing if id is None else id
        return instructions.create_listing(**{"authority": host, **accounts}, id=number, spec=spec)

    def fund_subsidy(self, funder: Pubkey, amount: int, shard: int = 0, **accounts: Any) -> Instruction:
        given: dict[str, Any] = {
            "funder": funder,
            "funder_token": token_address(funder, GPUM),
            **self._vault(GPUM, shard),
            **accounts,
        }
        return instructions.fund_subsidy(**given, amount=amount)

    def sweep_fees(self, mint: Pubkey = GPUM, shard: int = 0, **accounts: Any) -> Instruction:
        treasury = token_address(self.market().treasury, mint)
        given: dict[str, Any] = {
            "caller": KEEPER,
            "mint": mint,
            "treasury_token": treasury,
            **self._vault(mint, shard),
            **accounts,
        }
        return instructions.sweep_fees(**given)

    def open_rental(
        self,
        renter: Pubkey = RENTER,
        listing: Pubkey = LISTING,
        mint: Pubkey = GPUM,
        *,
        shard: int = 0,
        kind: RentalKind = RentalKind.ON_DEMAND,
        duration: int = HOUR,
        max_deposit: int = U64_MAX,
        nonce: int | None = None,
        bid: int = 0,
        spec: int | None = None,
        may_finish: bool = False,
        **accounts: Any,
    ) -> Instruction:
        given = self._order(renter, listing, mint, shard, accounts)
        number = self.profile(renter).next_nonce if nonce is None else nonce
        order = Order(
            kind=kind,
            duration=duration,
            max_deposit=max_deposit,
            order_hash=ORDER_HASH,
            bid_usd=bid,
            spec_version=self.listing(listing).spec_version if spec is None else spec,
            may_finish=may_finish,
        )
        return instructions.open_rental(**given, nonce=number, order=order)

    def accept_rental(self, rental: Pubkey, connection: bytes = CONNECTION, **accounts: Any) -> Instruction:
        state = self.rental(rental)
        given: dict[str, Any] = {
            "operator": self.listing(state.listing).operator,
            "rental": rental,
            "listing": state.listing,
            **accounts,
        }
        return instructions.accept_rental(**given, connection=connection)

    def start_rental(self, rental: Pubkey, **accounts: Any) -> Instruction:
        state = self.rental(rental)
        listing = self.listing(state.listing)
        others = matcher_account(state, listing)
        given = {"operator": listing.operator, "rental": rental, "listing": state.listing, "remaining_accounts": others}
        return instructions.start_rental(**{**given, **accounts})

    def extend_rental(
        self,
        rental: Pubkey,
        seconds: int = HOUR,
        max_deposit: int = U64_MAX,
        old_duration: int | None = None,
        **accounts: Any,
    ) -> Instruction:
        state = self.rental(rental)
        given: dict[str, Any] = {
            "renter": state.renter,
            "rental": rental,
            "payment_mint": find_payment_mint(state.mint)[0],
            "listing": state.listing,
            "host": self.listing(state.listing).host,
            "renter_token": token_address(state.renter, state.mint),
            **self._vault(state.mint, state.shard),
            **accounts,
        }
        return instructions.extend_rental(
            **given,
            old_duration=state.duration if old_duration is None else old_duration,
            seconds=seconds,
            max_deposit=max_deposit,
        )

    def settle_rental(self, rental: Pubkey, bump: int | None = None, **accounts: Any) -> Instruction:
        state = self.rental(rental)
        host = self.listing(state.listing).authority
        given: dict[str, Any] = {
            "rental": rental,
            "caller": KEEPER,
            "listing": state.listing,
            "host_payout": payout_address(host, state.mint),
            **self._vault(state.mint, state.shard),
            **accounts,
        }
        return instructions.settle_rental(**given, payout_bump=payout_bump(host, state.mint) if bump is None else bump)

    def rate_rental(self, rental: Pubkey, rating: int = 5, **accounts: Any) -> Instruction:
        state = self.rental(rental)
        given: dict[str, Any] = {"renter": state.renter, "rental": rental, "listing": state.listing, **accounts}
        return instructions.rate_rental(**given, rating=rating)

    def report_issue(
        self, rental: Pubkey, issue: RentalIssue = RentalIssue.UNREACHABLE, **accounts: Any
    ) -> Instruction:
        state = self.rental(rental)
        given: dict[str, Any] = {"rental": rental, "rental_data": state, "listing_data": self.listing(state.listing)}
        return instructions.report_issue(**given | accounts, issue=issue)

    def stop_rental(self, rental: Pubkey, **accounts: Any) -> Instruction:
        return instructions.stop_rental(**self._end(rental, self.rental(rental).renter, accounts))

    def cancel_rental(
        self, rental: Pubkey, reason: CloseReason = CloseReason.HOST_FAULT, **accounts: Any
    ) -> Instruction:
        operator = self.listing(self.rental(rental).listing).operator
        return instructions.cancel_rental(**self._end(rental, operator, accounts), reason=reason)

    def finish_rental(self, rental: Pubkey, exit_code: int = 0, **accounts: Any) -> Instruction:
        operator = self.listing(self.rental(rental).listing).operator
        return instructions.finish_rental(**self._end(rental, operator, accounts), exit_code=exit_code)

    def contest_finish(self, rental: Pubkey, **accounts: Any) -> Instruction:
        state = self.rental(rental)
        given: dict[str, Any] = {
            "rental": rental,
            "rental_data": state,
            "listing_data": self.listing(state.listing),
            **accounts,
        }
        return instructions.contest_finish(**given)

    def release_holdback(self, rental: Pubkey, **accounts: Any) -> Instruction:
        state = self.rental(rental)
        given: dict[str, Any] = {
            "caller": KEEPER,
            "rental": rental,
            "listing": state.listing,
            "renter": state.renter,
            "host_payout": payout_address(self.listing(state.listing).authority, state.mint),
            **self._vault(state.mint, state.shard),
            **accounts,
        }
        return instructions.release_holdback(**given)

    def cancel_unstarted(self, rental: Pubkey, **accounts: Any) -> Instruction:
        return instructions.cancel_unstarted(**self._end(rental, KEEPER, accounts))

    def finalize_rental(self, rental: Pubkey, **accounts: Any) -> Instruction:
        return instructions.finalize_rental(**self._end(rental, KEEPER, accounts))

    def report_offline(self, rental: Pubkey, **accounts: Any) -> Instruction:
        return instructions.report_offline(**self._end(rental, KEEPER, accounts))

    def claim_refund(self, rental: Pubkey, **accounts: Any) -> Instruction:
        state = self.rental(rental)
        given: dict[str, Any] = {
            "caller": KEEPER,
            "rental": rental,
            "renter": state.renter,
            "renter_payout": payout_address(state.renter, state.mint),
            **self._vault(state.mint, state.shard),
            **accounts,
        }
        return instructions.claim_refund(**given)

    def claim_payout(self, listing: Pubkey = LISTING, **accounts: Any) -> Instruction:
        state = self.listing(listing)
        vault = self.read(Vault, state.owed_vault) if state.owed else self.vault()
        given: dict[str, Any] = {
            "caller": KEEPER,
            "listing": listing,
            "host_payout": payout_address(state.authority, vault.mint),
            "vault": find_vault(vault.mint, vault.shard)[0],
            "vault_token": vault.token_account,
            **accounts,
        }
        return instructions.claim_payout(**given)

    def _order(
        self, renter: Pubkey, listing: Pubkey, mint: Pubkey, shard: int, accounts: dict[str, Any]
    ) -> dict[str, Any]:
        return {
            "renter": renter,
            "listing": listing,
            "payment_mint": find_payment_mint(mint)[0],
            "renter_token": token_address(renter, mint),
            "host": self.listing(listing).host if "host" not in accounts else accounts["host"],
            "host_stake": find_stake(self.listing(listing).authority)[0],
            **self._vault(mint, shard),
            **accounts,
        }

    def open_request(
        self,
        renter: Pubkey = RENTER,
        mint: Pubkey = GPUM,
        order: RequestOrder = REQUEST,
        *,
        shard: int = 0,
        nonce: int | None = None,
        **accounts: Any,
    ) -> Instruction:
        given: dict[str, Any] = {
            "renter": renter,
            "payment_mint": find_payment_mint(mint)[0],
            "renter_token": token_address(renter, mint),
            **self._vault(mint, shard),
            **accounts,
        }
        number = self.profile(renter).next_nonce if nonce is None else nonce
        return instructions.open_request(**given, nonce=number, order=order)

    def cancel_request(self, request: Pubkey, **accounts: Any) -> Instruction:
        return instructions.cancel_request(**self._end_request(request, self.request(request).renter, accounts))

    def expire_request(self, request: Pubkey, **accounts: Any) -> Instruction:
        return instructions.expire_request(**self._end_request(request, KEEPER, accounts))

    def match_request(
        self,
        request: Pubkey,
        listing: Pubkey = LISTING,
        *,
        spec: int | None = None,
        bump: int | None = None,
        **accounts: Any,
    ) -> Instruction:
        state = self.request(request)
        version = self.listing(listing).spec_version if spec is None else spec
        given: dict[str, Any] = {
            "payment_mint": find_payment_mint(state.mint)[0],
            "renter_profile": find_renter_profile(state.renter)[0],
            "listing": listing,
            "host": self.listing(listing).host,
            "host_stake": find_stake(self.listing(listing).authority)[0],
            "rental": find_rental(state.renter, state.nonce)[0],
            **self._end_request(request, KEEPER, accounts),
        }
        return instructions.match_request(
            **given, spec_version=version, payout_bump=payout_bump(state.renter, state.mint) if bump is None else bump
        )

    def _end_request(self, request: Pubkey, caller: Pubkey, accounts: dict[str, Any]) -> dict[str, Any]:
        state = self.request(request)
        return {
            "caller": caller,
            "request": request,
            "renter": state.renter,
            "renter_payout": payout_address(state.renter, state.mint),
            **self._vault(state.mint, state.shard),
            **accounts,
        }

    def _vault(self, mint: Pubkey, shard: int) -> dict[str, Any]:
        vault = find_vault(mint, shard)[0]
        return {"vault": vault, "vault_token": token_address(vault, mint)}

    def _end(self, rental: Pubkey, caller: Pubkey, accounts: dict[str, Any]) -> dict[str, Any]:
        state = self.rental(rental)
        listing = self.listing(state.listing)
        return {
            "caller": caller,
            "rental": rental,
            "listing": state.listing,
            "renter": state.renter,
            "renter_profile": find_renter_profile(state.renter)[0],
            "renter_payout": payout_address(state.renter, state.mint),
            "host_payout": payout_address(listing.authority, state.mint),
            "mint": state.mint if state.burn_rate else None,
            "meter": meter_to_end(rental, state, PROGRAM_ID),
            "host": host_to_end(state, listing),
            **self._vault(state.mint, state.shard),
            **accounts,
        }
