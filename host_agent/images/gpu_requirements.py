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
CONDITION: Final = re.compile(r"(cuda|driver)(>=|<=|!=|=|>|<)(\d+)(?:\.(\d+))?(?:\.\d+)*")
BRANCHES: Final[Mapping[int, int]] = {
    **{1100: 450, 1101: 455, 1102: 460, 1103: 465, 1104: 470, 1105: 495, 1106: 510, 1107: 515, 1108: 520},
    **{1200: 525, 1201: 530, 1202: 535, 1203: 545, 1204: 550, 1205: 555, 1206: 560, 1207: 565, 1208: 570},
    **{1209: 575, 1300: 580, 1301: 590},
}
"""The branch of NVIDIA's driver that brought each CUDA version, by the release notes of CUDA."""
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
    """Any of the alternatives between spaces, each of which is all of its conditions between commas. Those on CUDA and
    on the driver are known: the container's start decides on the others, such as the GPU's brand.
    """
    return not value.split() or any(
        all(_may_be(condition, cuda) for condition in alternative.split(",")) for alternative in value.split()
    )


def _may_be(condition: str, cuda: int) -> bool:
    found = CONDITION.fullmatch(condition)
    if found is None:
        return True
    sign = found[2]
    major = int(found[3])
    minor = int(found[4] or 0)
    if found[1] == "cuda":
        return COMPARE[sign](cuda, major * CUDA_MAJOR + minor)
    branch = BRANCHES.get(cuda)
    if branch is None or (branch == major and (minor or sign != "<")):
        return True  # which driver of its branch this is, the listing does not say
    return COMPARE[sign](branch, major)
