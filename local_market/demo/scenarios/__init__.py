"""The demo's scenarios, one per file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from local_market.demo.scenarios.charges import charges
from local_market.demo.scenarios.offline import offline
from local_market.demo.scenarios.rental import rental
from local_market.demo.scenarios.request import request
from local_market.demo.scenarios.spot import spot
from local_market.demo.scenarios.staking import staking
from local_market.demo.stage import Part, Stage

Scenario = Callable[[Stage], Awaitable[Sequence[Part]]]

SCENARIOS: Final[Mapping[str, Scenario]] = MappingProxyType(
    {"rental": rental, "request": request, "spot": spot, "staking": staking, "charges": charges, "offline": offline}
)
"""Scenarios by name; each returns its parts, which are then checked to the base unit."""
