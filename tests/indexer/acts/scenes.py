"""For every act: a market in which it can be done, by whom, and how it is refused to others and a second time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from solders.pubkey import Pubkey

from tests.markets.recorded import Market
from tests.program.harness.actors import RENTER, STRANGER, TENANT

Refusal = tuple[int, str]
NOT_YOURS: Final[Refusal] = (403, "wrong_wallet")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to the API, and the wallet that makes it."""

    path: str
    wallet: Pubkey
    body: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scene:
    """Prepares a market for an act. `again` is the refusal of the same act once more, None where it may be repeated;
    `strangers` that of another wallet, None where anyone may."""

    prepare: Callable[[Market], Asked]
    again: Refusal | None
    strangers: Refusal | None = None
    purposes: frozenset[str] = frozenset()


def moving(*purposes: str) -> frozenset[str]:
    return frozenset(purposes)


def at_the_table(market: Market) -> None:
    """Two renters and a stranger, all of whom may rent."""
    for wallet in (RENTER, TENANT, STRANGER):
        market.act(market.register_renter(wallet))
