"""Requests, and who finds them a machine."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD

from ..harness.terms import DAY, HOUR, RESERVED_TERMS, asking
from .base import UNAVAILABLE, Refusals, keepers, people, vaults, which
from .rental import RentalRules, seconds_of_use

UNMATCHED: Refusals = (errors.RequestOver, errors.CostAboveMaximum, errors.ListingUnfit)


class RequestRules(RentalRules):
    @rule(
        who=people,
        vault=vaults,
        kind=st.sampled_from([RentalKind.ON_DEMAND, RentalKind.RESERVED]),
        seconds=seconds_of_use,
        term=st.sampled_from(RESERVED_TERMS),
        usd=st.sampled_from([ON_DEMAND_USD - 1, ON_DEMAND_USD, 10 * ON_DEMAND_USD, 2**32 - 1]),
        deposit=st.sampled_from([10**9, 10**11, 10**11, 10**13]),
        wait=st.integers(HOUR, DAY),
    )
    def ask(
        self,
        who: int,
        vault: int,
        kind: RentalKind,
        seconds: int,
        term: int,
        usd: int,
        deposit: int,
        wait: int,
    ) -> None:
        mint, shard = self.vault(vault)
        order = asking(
            kind=kind,
            duration=term if kind is RentalKind.RESERVED else seconds,
            max_usd=usd,
            deposit=deposit,
            expires_at=self.now + wait,
        )
        act = self.world.open_request(self.renter(who), mint, order, shard=shard)
        self.attempt(act, errors.DepositTooSmall, *UNAVAILABLE)

    @precondition(lambda self: self.offered())
    @rule(
        index=which,
        keeper=keepers,
        seconds=st.integers(0, HOUR),
        given_up=st.sampled_from([False, False, True]),
    )
    def serve(self, index: int, keeper: Pubkey, seconds: int, given_up: bool) -> None:
        """Somebody tries a machine on every request, and to end each; or their renters give up."""
        if not self.world.audit.books.open_requests:
            self.ask(index, index, RentalKind.ON_DEMAND, 2 * HOUR, 0, 10 * ON_DEMAND_USD, 10**11, DAY)
        self.world.wait(seconds)
        self.keep_house(keeper)
        listing = self.free()[index % len(self.free())]
        for request in list(self.world.audit.books.open_requests):
            if given_up:
                self.act(self.world.cancel_request(request))
                continue
            act = self.world.match_request(request, listing, caller=keeper)
            self.attempt(act, *UNMATCHED, *UNAVAILABLE)
            if self.world.exists(request):
                self.attempt(self.world.expire_request(request, caller=keeper), errors.RequestNotExpired)

    def end_requests(self) -> None:
        """Anyone ends what nobody has matched."""
        for request in list(self.world.audit.books.open_requests):
            self.act(self.world.expire_request(request)).event(events.RequestExpired)
