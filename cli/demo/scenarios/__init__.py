"""The demo's scenarios by name; each module tells one story and says whether everything agreed at its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from cli.demo.scenarios import govern, rental
from cli.running import RunningMarket
from cli.session import Session


@dataclass(frozen=True, slots=True)
class Scenario:
    """A story; one that changes a market for good is told in a market of its own."""

    tell: Callable[[Session, RunningMarket], Awaitable[bool]]
    needs_own_market: bool = False


SCENARIOS: Final[Mapping[str, Scenario]] = MappingProxyType(
    {
        "rental": Scenario(rental.tell),
        "govern": Scenario(govern.tell, needs_own_market=True),
    }
)
DEFAULT: Final = "rental"
