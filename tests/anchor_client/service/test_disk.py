"""Room on the disk of a service."""

from __future__ import annotations

import shutil
from pathlib import Path

from anchor_client.service.disk import DiskMetrics


def test_disk__folder_that_is_there__is_told_with_its_room(tmp_path: Path) -> None:
    size, free = (family.samples[0].value for family in DiskMetrics(tmp_path).collect())
    assert size == shutil.disk_usage(tmp_path).total >= free > 0


def test_disk__folder_that_is_gone__is_not_told(tmp_path: Path) -> None:
    assert list(DiskMetrics(tmp_path / "gone").collect()) == []
