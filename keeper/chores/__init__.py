"""A keeper's unpaid work, at its operator's expense: the chores that he has chosen.

`chore`    what a chore is: a name, and the errands that are due when it looks
`scores`, `rewards`, `votes`, `charges`, `points`   one each
`runner`   looks for what is due, sends it and counts it
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from keeper.chores.charges import Charges
from keeper.chores.chore import Chore
from keeper.chores.points import Points
from keeper.chores.rewards import Rewards
from keeper.chores.scores import Scores
from keeper.chores.votes import Votes
from keeper.settings import ChoreName

CHORES: Final[Mapping[ChoreName, Chore]] = MappingProxyType(
    {chore.name: chore for chore in (Scores(), Rewards(), Votes(), Charges(), Points())}
)

__all__ = ["CHORES"]
