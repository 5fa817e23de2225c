"""Timeout of a test for what must come."""

from __future__ import annotations

from typing import Final

PATIENCE: Final = 120.0
"""Seconds that pass only where something never comes, however busy the machine."""
