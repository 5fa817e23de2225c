"""Health of a keeper."""

from __future__ import annotations

import time
from typing import Any

from keeper.leader import Role
from keeper.metrics import KeeperMetrics


def health(metrics: KeeperMetrics, stale_seconds: float) -> dict[str, Any]:
    """Answer of /health; `status` is `stale` without a successful pass in the last `stale_seconds`, else `ok`.

    `role` is null without a leader lock. A keeper that stands by makes no passes and is `ok`.
    Amounts in lamports; `oldest_overdue_seconds` is how long the oldest due rental has been due.
    """

    def value(name: str, labels: dict[str, str] | None = None) -> float | None:
        return metrics.registry.get_sample_value(f"gpu_market_keeper_{name}", labels)

    last = value("last_pass_timestamp_seconds") or None
    age = None if last is None else max(time.time() - last, 0)
    role = next((each for each in Role if value("role", {"role": each})), None)
    is_fresh = age is not None and age <= stale_seconds
    return {
        "status": "ok" if is_fresh or role is Role.STANDING_BY else "stale",
        "role": role,
        "last_pass_seconds_ago": age,
        "balance_lamports": value("balance_lamports"),
        "spent_today_lamports": value("spent_today_lamports"),
        "budget_spent": bool(value("budget_spent")),
        "oldest_overdue_seconds": value("oldest_overdue_seconds"),
    }
