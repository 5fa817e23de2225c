"""Hosts with their machines, and the renter's profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anchor_client.deploy.steps import DeployStep
from anchor_client.generated.instructions import approve_host, create_listing, register_host, register_renter
from anchor_client.generated.pdas import find_host, find_listing, find_renter_profile
from anchor_client.generated.types.listing_spec import ListingSpec
from anchor_client.rules.renter_profile import first_nonce
from local_market.keys import MarketKeyring


def register_hosts(keys: MarketKeyring, subsidy_budget: int) -> Iterator[DeployStep]:
    """One approved host a region; each may draw `subsidy_budget` base units of subsidy a day."""
    for host in keys.hosts.values():
        wallet = host.wallet.pubkey()
        address = find_host(wallet)[0]
        register = register_host(seal_key=host.seal.public, authority=wallet)
        approve = approve_host(
            approved=True, subsidy_budget=subsidy_budget, authority=keys.authority.pubkey(), host=address
        )
        yield DeployStep(address, keys.authority, (register, approve), (host.wallet,))


def create_listings(keys: MarketKeyring, machines: Mapping[str, Sequence[ListingSpec]]) -> Iterator[DeployStep]:
    """The machines of each region, numbered in order."""
    for region, host in keys.hosts.items():
        wallet = host.wallet.pubkey()
        address = find_host(wallet)[0]
        for number, spec in enumerate(machines[region]):
            create = create_listing(id=number, spec=spec, authority=wallet)
            yield DeployStep(find_listing(address, number)[0], host.wallet, (create,))


def register_renters(keys: MarketKeyring, slot: int) -> Iterator[DeployStep]:
    """The demo renter's profile, made soon after `slot`."""
    wallet = keys.renter.pubkey()
    register = register_renter(caller=keys.authority.pubkey(), wallet=wallet, first_nonce=first_nonce(slot))
    yield DeployStep(find_renter_profile(wallet)[0], keys.authority, (register,), (keys.renter,))
