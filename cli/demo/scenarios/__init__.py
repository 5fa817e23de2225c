"""What `gpu-market demo` can show: one module a scenario, which tells whether what it shows holds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from cli.demo.scenarios.allocate import allocate
from cli.demo.scenarios.rental import rental
from cli.errors import BadOption
from cli.running import RunningMarket
from cli.session import Session

Scenario = Callable[[Session, RunningMarket], Awaitable[bool]]

SCENARIOS: Final[Mapping[str, Scenario]] = {
    "rental": rental,
    "allocate": allocate,
}
DEFAULT: Final = "rental"


def find_scenario(name: str) -> Scenario:
    """The scenario of a name. BadOption."""
    found = SCENARIOS.get(name)
    if found is None:
        raise BadOption(f"{name!r} is no scenario", f"Known are: {', '.join(SCENARIOS)}.")
    return found
