"""Copies of folders with files that cannot be copied, or only just."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import asyncssh
import pytest

from anchor_client.connection import Connection
from host_agent.ssh import RenterCredentials, SshIdentity, TenantSshServer
from market_cli.errors import BadOption
from market_cli.machine import copying
from market_cli.machine.connection import logged_in
from market_cli.machine.copying import LeftOut, download, files_of, local_tree, name_of, remote_tree, upload
from tests.host_agent.docker.process_inside import ProcessInside
from tests.processes.ports import free_ports

DAY = 86_400
WIDE = "\u8bad" * 80
"""240 bytes: they fit, and no longer name beside them does."""
LONGEST = "n" * 255
RAW = os.fsdecode(bytes.fromhex("636166e92e62696e"))
NAMES = (WIDE, LONGEST, RAW, "new\nline", "'quoted' $(name)", "-rf", " blank ", "plain")


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[tuple[asyncssh.SFTPClient, Path]]:
    """Files of a machine whose folder is a folder of this one."""
    folder = tmp_path / "machine"
    folder.mkdir()
    port, identity = free_ports(1), SshIdentity.load_or_create(tmp_path / "host_key")
    inside = ProcessInside(folder)
    server = await TenantSshServer.listening(identity, "127.0.0.1", port, RenterCredentials("p", None), inside)
    connection = Connection(host="127.0.0.1", port=port, password="p", host_key=identity.public_key)
    async with logged_in(connection) as ssh, files_of(ssh) as sftp:
        yield sftp, folder
    await server.close()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with each of the names, of days before and after those that SFTP knows."""
    folder = tmp_path / "here"
    (folder / "below").mkdir(parents=True)
    for name in NAMES:
        (folder / name).write_text(name.encode("utf-8", "surrogateescape").hex())
    (folder / "below" / "old").write_text("of 1969")
    os.utime(folder / "below" / "old", (-DAY, -DAY))
    (folder / "below" / "late").write_text("of 2108")
    os.utime(folder / "below" / "late", (2**32 + DAY * 700, 2**32 + DAY * 700))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        os.fsdecode(os.fsencode(each.relative_to(folder))): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file()
    }


def nothing(size: int) -> None:
    """Reports to nobody."""


async def test_copy__names_and_dates_at_the_limits__both_ways_and_only_once(
    there: tuple[asyncssh.SFTPClient, Path], here: Path, tmp_path: Path
) -> None:
    sftp, machine = there
    copied = await upload(sftp, here, local_tree(here), str(machine / "copy"), nothing)
    assert (copied.files, copied.left_out) == (len(NAMES) + 2, ())
    assert contents(machine / "copy") == contents(here)
    again = await upload(sftp, here, local_tree(here), str(machine / "copy"), nothing)
    assert (again.files, again.unchanged) == (0, len(NAMES) + 2)
    back = tmp_path / "back"
    copied = await download(sftp, str(machine / "copy"), await remote_tree(sftp, str(machine / "copy")), back, nothing)
    assert (copied.files, copied.left_out) == (len(NAMES) + 2, ())
    assert contents(back) == contents(here)
    again = await download(sftp, str(machine / "copy"), await remote_tree(sftp, str(machine / "copy")), back, nothing)
    assert (again.files, again.unchanged) == (0, len(NAMES) + 2)


async def test_copy__file_changes_after_its_copy_was_interrupted__is_not_mixed_with_another(
    there: tuple[asyncssh.SFTPClient, Path], here: Path
) -> None:
    sftp, machine = there
    for name in ("x" * 200 + "1", "x" * 200 + "2"):
        (here / name).write_text(name)
        os.utime(here / name, (DAY, DAY))
    await upload(sftp, here, local_tree(here), str(machine / "copy"), nothing)
    assert contents(machine / "copy") == contents(here)
    assert not list(machine.rglob("*.part"))


async def test_upload__something_is_in_the_way_of_a_file__the_rest_is_copied(
    there: tuple[asyncssh.SFTPClient, Path], here: Path
) -> None:
    sftp, machine = there
    (machine / "copy" / "plain" / "x").mkdir(parents=True)
    (machine / "copy" / "below").write_text("a file")
    copied = await upload(sftp, here, local_tree(here), str(machine / "copy"), nothing)
    assert sorted(each.path for each in copied.left_out) == ["below", "plain"] and copied.files == len(NAMES) - 1
    assert all(each.reason for each in copied.left_out)


async def test_download__something_is_in_the_way_of_a_file__the_rest_is_copied(
    there: tuple[asyncssh.SFTPClient, Path], here: Path, tmp_path: Path
) -> None:
    sftp, machine = there
    (machine / "there").mkdir()
    for name in ("a", RAW, "z"):
        (machine / "there" / name).write_text(name.encode("utf-8", "surrogateescape").hex())
    into = tmp_path / "into"
    (into / RAW / "x").mkdir(parents=True)
    tree = await remote_tree(sftp, str(machine / "there"))
    copied = await download(sftp, str(machine / "there"), tree, into, nothing)
    assert copied.left_out == (LeftOut(r"caf\xe9.bin", "Is a directory"),) and copied.files == 2


async def test_download__machine_names_a_file_outside_the_folder__the_rest_is_copied(
    there: tuple[asyncssh.SFTPClient, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sftp, machine = there
    (machine / "there").mkdir()
    (machine / "there" / "a").write_text("a")
    scandir = sftp.scandir

    async def lying(path: str) -> AsyncIterator[asyncssh.SFTPName]:
        async for each in scandir(path):
            yield each
        yield asyncssh.SFTPName("../b", attrs=asyncssh.SFTPAttrs(permissions=0o100644, size=1, mtime=int(time.time())))

    monkeypatch.setattr(sftp, "scandir", lying)
    tree = await remote_tree(sftp, str(machine / "there"))
    copied = await download(sftp, str(machine / "there"), tree, tmp_path / "into", nothing)
    assert contents(tmp_path).keys() >= {"into/a"} and not (tmp_path / "b").exists()
    [left_out] = copied.left_out
    assert "'../b'" in left_out.reason and copied.files == 1


@pytest.mark.parametrize("kind", ["files", "folders", "depth"])
async def test_download__machine_names_files_without_end__is_refused(
    there: tuple[asyncssh.SFTPClient, Path], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    sftp, machine = there
    folder, file = (asyncssh.SFTPAttrs(permissions=mode, size=1, mtime=1) for mode in (0o040755, 0o100644))

    async def endless(path: str) -> AsyncIterator[asyncssh.SFTPName]:
        for number in count():
            yield asyncssh.SFTPName(str(number), attrs=file if kind == "files" else folder)
            if kind == "depth" or (kind == "folders" and number == 3):
                return

    monkeypatch.setattr(sftp, "scandir", endless)
    monkeypatch.setattr(copying, "MOST_ENTRIES", 1_000)
    with pytest.raises(BadOption, match="more than 1,000 files"):
        await remote_tree(sftp, str(machine))


@pytest.mark.parametrize("named", ["/results/..", "/..", "a\0b"])
async def test_name_of__machine_leads_out_of_the_folder__is_refused(
    there: tuple[asyncssh.SFTPClient, Path], monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    sftp, machine = there
    assert await name_of(sftp, str(machine / "." / "x")) == "x"

    async def lying(path: str) -> str:
        return named

    monkeypatch.setattr(sftp, "realpath", lying)
    with pytest.raises(BadOption, match="not a safe place for a copy"):
        await name_of(sftp, "results")


async def test_copy__file_becomes_shorter_meanwhile__is_left_out(
    there: tuple[asyncssh.SFTPClient, Path], here: Path, tmp_path: Path
) -> None:
    sftp, machine = there
    tree = local_tree(here)
    (here / "plain").write_text("")
    copied = await upload(sftp, here, tree, str(machine / "copy"), nothing)
    assert [each.path for each in copied.left_out] == ["plain"] and copied.files == len(NAMES) + 1
    tree = await remote_tree(sftp, str(machine / "copy"))
    (machine / "copy" / "-rf").write_text("")
    copied = await download(sftp, str(machine / "copy"), tree, tmp_path / "back", nothing)
    assert [each.path for each in copied.left_out] == ["-rf"] and copied.files == len(NAMES)
    assert contents(tmp_path / "back").keys() == contents(machine / "copy").keys() - {"-rf"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_upload__file_that_may_not_be_read__the_rest_is_copied(
    there: tuple[asyncssh.SFTPClient, Path], here: Path
) -> None:
    sftp, machine = there
    (here / "plain").chmod(0)
    (here / "below").chmod(0)
    copied = await upload(sftp, here, local_tree(here), str(machine / "copy"), nothing)
    (here / "below").chmod(0o700)
    assert {each.path: each.reason for each in copied.left_out} == dict.fromkeys(
        ("below", "plain"), "Permission denied"
    )


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder whose deepest file has no path that the system takes, made from within."""
    folder = tmp_path / "deep"
    folder.mkdir()
    depth = os.open(folder, os.O_RDONLY)
    for _ in range(2_200):
        os.mkdir("d", dir_fd=depth)
        below = os.open("d", os.O_RDONLY, dir_fd=depth)
        os.close(depth)
        depth = below
    os.close(os.open("deepest", os.O_CREAT | os.O_WRONLY, dir_fd=depth))
    os.close(depth)
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)  # pytest's own way recurses


def test_local_tree__deeper_than_calls_nest_and_paths_go__has_all_that_can_be_named(deep: Path) -> None:
    (deep / "z").write_text("beside")
    (deep / "nowhere").symlink_to("missing")
    (deep / "round").symlink_to("round")
    os.mkfifo(deep / "pipe")
    tree = local_tree(deep)
    assert [str(entry.path) for entry in tree if not entry.is_folder and entry.refused is None] == ["z"]
    assert len(tree) > 1_900 and [entry.refused for entry in tree if entry.refused] == ["File name too long"]
