"""Tenants' workspaces in a host's keeping: it cannot read them, and keeps no more than it has room for."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from anchor_client.sealing import SealKey
from host_agent.disk.sealed_archive import PIECE, open_archive
from host_agent.disk.workspaces import KeptWorkspaces
from host_agent.errors import ArchiveDamaged, MachineFault, WorkspaceTooBig
from host_agent.pace import DAY

KEY = SealKey.generate()
SIZES = (0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 12_345)


async def pieces(data: bytes, size: int = 65_536) -> AsyncIterator[bytes]:
    for at in range(0, len(data), size):
        yield data[at : at + size]


async def opened(path: Path, key: SealKey = KEY) -> bytes:
    return b"".join([piece async for piece in open_archive(path, key)])


def kept(directory: Path, most_bytes: int = 2**30) -> KeptWorkspaces:
    return KeptWorkspaces(directory, most_bytes)


@pytest.mark.parametrize("size", SIZES)
async def test_put__any_size__comes_back_for_the_key_alone(tmp_path: Path, size: int) -> None:
    data, workspaces = os.urandom(size), kept(tmp_path)
    written = await workspaces.put("data", KEY.public, pieces(data), None, 7)
    path = workspaces.find("data", KEY.public)
    assert path is not None and path.stat().st_size == written > size
    assert await opened(path) == data
    assert data[:64] not in path.read_bytes() or size < 64
    assert workspaces.find("other", KEY.public) is None
    assert workspaces.find("data", SealKey.generate().public) is None
    with pytest.raises(ArchiveDamaged):
        await opened(path, SealKey.generate())


async def test_open__changed_cut_off_longer_or_in_another_order__is_damaged(tmp_path: Path) -> None:
    workspaces, data = kept(tmp_path), os.urandom(2 * PIECE + 100)
    await workspaces.put("data", KEY.public, pieces(data), None, 7)
    path = workspaces.find("data", KEY.public)
    assert path is not None
    whole = path.read_bytes()
    head = len(whole) - (2 * (PIECE + 17) + 117)
    first, second = head + PIECE + 17, head + 2 * (PIECE + 17)
    for bad in (
        *(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in (0, 30, head - 1, head, len(whole) - 1)),
        *(whole[:length] for length in (0, 10, head - 1, head, first, second, len(whole) - 1)),
        whole + b"\0",
        whole[:head] + whole[first:second] + whole[head:first] + whole[second:],
    ):
        path.write_bytes(bad)
        with pytest.raises(ArchiveDamaged):
            await opened(path)


async def test_put__fails_on_the_way__the_earlier_one_stays(tmp_path: Path) -> None:
    async def failing() -> AsyncIterator[bytes]:
        yield b"new"
        raise MachineFault("The engine is gone")

    workspaces = kept(tmp_path, most_bytes=10_000)
    await workspaces.put("data", KEY.public, pieces(b"old"), None, 7)
    with pytest.raises(MachineFault):
        await workspaces.put("data", KEY.public, failing(), None, 7)
    with pytest.raises(WorkspaceTooBig):
        await workspaces.put("data", KEY.public, pieces(bytes(101)), 100, 7)
    with pytest.raises(WorkspaceTooBig):
        await workspaces.put("data", KEY.public, pieces(bytes(10_001)), None, 7)
    path = workspaces.find("data", KEY.public)
    assert path is not None and await opened(path) == b"old"
    assert list(workspaces.directory.iterdir()) == [path]


async def test_put__others_have_the_room__is_too_big_and_its_own_earlier_one_does_not_count(tmp_path: Path) -> None:
    workspaces, other = kept(tmp_path, most_bytes=10_000), SealKey.generate()
    await workspaces.put("data", KEY.public, pieces(bytes(6_000)), None, 7)
    with pytest.raises(WorkspaceTooBig):
        await workspaces.put("data", other.public, pieces(bytes(6_000)), None, 7)
    await workspaces.put("data", KEY.public, pieces(bytes(6_000)), None, 7)
    await workspaces.put("data", other.public, pieces(bytes(3_000)), None, 7)


async def test_drop_expired__days_are_over__is_wiped(tmp_path: Path) -> None:
    workspaces, other = kept(tmp_path), SealKey.generate()
    for key, days in ((KEY, 2), (other, 3)):
        await workspaces.put("data", key.public, pieces(b"data"), None, days)
    path = workspaces.find("data", KEY.public)
    assert path is not None and 2 * DAY - 60 < path.stat().st_mtime - time.time() <= 2 * DAY
    for file in workspaces.directory.iterdir():
        os.utime(file, (time.time(), file.stat().st_mtime - 2 * DAY - 1))
    unfinished = path.with_suffix(".1.part")
    unfinished.touch()
    assert workspaces.find("data", KEY.public) is None
    assert workspaces.find("data", other.public) is not None
    assert unfinished.exists() and not path.exists()
    os.utime(unfinished, (time.time(), time.time() - DAY - 60))
    workspaces.drop_expired()
    assert not unfinished.exists()
