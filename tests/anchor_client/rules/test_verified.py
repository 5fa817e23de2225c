"""Seconds that a rental proves its machine for, and how many verify it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from anchor_client.rules.verified import VERIFIED_SECONDS, is_verified, proven_seconds


@pytest.mark.parametrize(
    ("changes", "seconds"),
    [
        ({}, 900),
        ({"used": 901}, 900),
        ({"charged": 901}, 900),
        ({"used": 0}, 0),
        ({"paid_usd": 0}, 0),
        ({"doubted": True}, 0),
        ({"spec_version": 3}, 0),
    ],
)
def test_proven_seconds__rental__are_those_had_and_paid_for(changes: dict[str, Any], seconds: int) -> None:
    rental = {"spec_version": 2, "used": 900, "charged": 900, "paid_usd": 1, "doubted": False}
    assert proven_seconds(SimpleNamespace(**rental | changes), 2) == seconds


@pytest.mark.parametrize(("proven", "verified"), [(VERIFIED_SECONDS - 1, False), (VERIFIED_SECONDS, True)])
def test_is_verified__at_its_boundary(proven: int, verified: bool) -> None:
    assert is_verified(proven) is verified
