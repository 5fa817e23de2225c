"""Demands of an order's environment on the GPU driver, in the words of NVIDIA's container toolkit."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Final

from anchor_client.rules.listing import CUDA_MAJOR
from host_agent.errors import OrderRefused

REQUIRE: Final = "NVIDIA_REQUIRE_"
DISABLED: Final = "NVIDIA_DISABLE_REQUIRE"
CAPABILITIES: Final = "NVIDIA_DRIVER_CAPABILITIES"
KNOWN_CAPABILITIES: Final = frozenset(
    ("all", "compute", "compat32", "display", "graphics", "ngx", "utility", "video", "")
)
CONDITION: Final = re.compile(r"cuda(>=|<=|!=|=|>|<)(\d+)(?:\.(\d+))?(?:\.\d+)*")
COMPARE: Final[Mapping[str, Callable[[int, int], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    "=": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}


def require_fit(env: Mapping[str, str], cuda: int) -> None:
    """Raises OrderRefused for an environment that a driver of this CUDA version, 1208 for 12.8, does not satisfy."""
    unknown = set(map(str.strip, env.get(CAPABILITIES, "").split(","))) - KNOWN_CAPABILITIES
    if unknown:
        raise OrderRefused(
            f"{CAPABILITIES} has {', '.join(sorted(unknown))}, which no driver has",
            f"Use {', '.join(sorted(KNOWN_CAPABILITIES - {''}))}.",
        )
    if env.get(DISABLED, "").lower() in ("1", "t", "true"):
        return
    for name, value in env.items():
        if name.startswith(REQUIRE) and not _may_hold(value, cuda):
            raise OrderRefused(
                f"{name} is {value[:60]!r}; the driver here supports CUDA {cuda // CUDA_MAJOR}.{cuda % CUDA_MAJOR}",
                "Use an image for an older CUDA, or a machine with a newer driver.",
            )


def _may_hold(value: str, cuda: int) -> bool:
    """Any of the alternatives between spaces, each of which is all of its conditions between commas. Only CUDA's are
    known: the container's start decides on the others, such as the driver's version and the GPU's brand.
    """
    return not value.split() or any(
        all(_holds(condition, cuda) for condition in alternative.split(",")) for alternative in value.split()
    )


def _holds(condition: str, cuda: int) -> bool:
    found = CONDITION.fullmatch(condition)
    return found is None or COMPARE[found[1]](cuda, int(found[2]) * CUDA_MAJOR + int(found[3] or 0))
