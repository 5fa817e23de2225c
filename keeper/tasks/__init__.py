"""What a keeper ends. A task is permissionless on chain and harmless to repeat.

One module a task: when a rental may be ended that way, how its escrow is divided then, and the generated builder.
"""

from __future__ import annotations

from typing import Final

from keeper.tasks.cancel_unstarted import CANCEL_UNSTARTED
from keeper.tasks.due import Due, Task, find_all_due, next_due_at
from keeper.tasks.finalize_rental import FINALIZE_RENTAL
from keeper.tasks.preempt_rental import PREEMPT_RENTAL
from keeper.tasks.report_offline import REPORT_OFFLINE
from keeper.tasks.take_over_listing import TAKE_OVER_LISTING
from keeper.tasks.withdraw_challenger import WITHDRAW_CHALLENGER

TASKS: Final[tuple[Task, ...]] = (
    FINALIZE_RENTAL,
    REPORT_OFFLINE,
    PREEMPT_RENTAL,
    CANCEL_UNSTARTED,
    TAKE_OVER_LISTING,
    WITHDRAW_CHALLENGER,
)

__all__ = ["TASKS", "Due", "Task", "find_all_due", "next_due_at"]
