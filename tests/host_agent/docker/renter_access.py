"""Checks of a renter's own programs on a machine, whatever runs their processes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from tests.host_agent.openssh import OpenSsh
from tests.host_agent.ssh import logged_in
from tests.processes.patience import PATIENCE

NAMES = ("plain", "with space", 'quote\'d "so"', "-dash", "new\nline", "ünïcode", "$(touch hacked)", ".hidden", "*")
ODD_BYTES = 3 * 2**20 + 12_345


async def files_go_and_come_back(ssh: OpenSsh, there: str, here: Path) -> None:
    """scp -r of every kind of name and file, both ways, in both protocols that scp speaks."""
    source = here / "source"
    (source / "below" / "empty").mkdir(parents=True)
    for place, name in enumerate(NAMES):
        (source / name).write_bytes(os.urandom(place * 7_001))
    (source / "below" / "big").write_bytes(os.urandom(ODD_BYTES))
    (source / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (source / "run.sh").chmod(0o755)
    os.utime(source / "plain", (1_000_000_000, 1_000_000_001))
    for mode in ("-s", "-O"):
        if mode == "-O":  # the older protocol has no line feeds in names
            (source / "new\nline").unlink()
        sent = await ssh.scp(mode, "-rp", str(source), f":{there}/sent{mode}")
        assert sent.code == 0, sent
        back = here / f"back{mode}"
        fetched = await ssh.scp(mode, "-rp", f":{there}/sent{mode}", str(back))
        assert fetched.code == 0, fetched
        assert sorted(_tree(back)) == sorted(_tree(source)), (mode, sorted(_tree(back)), sorted(_tree(source)))
        assert _tree(back) == _tree(source)
        assert (back / "plain").stat().st_mtime == 1_000_000_001
        assert (back / "run.sh").stat().st_mode & 0o777 == 0o755
    ran = await ssh.ssh("--", f"{there}/sent-s/run.sh")
    assert (ran.code, ran.out) == (0, "ran\n")


async def sftp_does_what_a_file_system_does(ssh: OpenSsh, there: str, here: Path) -> None:
    """Renames, links, modes, folders, resumed transfers and refusals by OpenSSH's sftp."""
    big = here / "big"
    big.write_bytes(os.urandom(ODD_BYTES))
    partial = here / "partial"
    partial.write_bytes(big.read_bytes()[:1_234_567])
    done = await ssh.sftp(
        *(f"mkdir {there}/d", f"cd {there}/d", f"put {partial} a", f"reput {big} a", "rename a b", "ln -s b s"),
        *("ln b hard", "chmod 600 b", "ls -la", "mkdir e", "rmdir e", f"get s {here}/got", "rm hard", "df", "pwd"),
    )
    assert done.code == 0, done
    assert (here / "got").read_bytes() == big.read_bytes()
    listed = {line.split()[-1] if "->" not in line else "s": line for line in done.out.splitlines()}
    assert listed["b"].startswith("-rw-------") and "2" in listed["b"].split()[1]
    assert {"b", "s", "hard", ".", ".."} <= listed.keys()
    assert f"Remote working directory: {there}/d" in done.out
    for command, said in (
        (f"get {there}/none {here}/none", "not found"),
        (f"mkdir {there}/d", "Failure"),
        (f"rm {there}/d", "Failure"),
        (f"rmdir {there}/d", "Failure"),
        (f"put {big} /proc/version", "Failure"),
        (f"put {big} {there}/none/below", "No such file"),
    ):
        refused = await ssh.sftp(command)
        assert refused.code == 1 and said in refused.error, (command, refused)
    got = here / "resumed"
    got.write_bytes(big.read_bytes()[:2_000_001])
    resumed = await ssh.sftp(f"reget {there}/d/b {got}")
    assert resumed.code == 0 and got.read_bytes() == big.read_bytes()


async def rsync_goes_both_ways(ssh: OpenSsh, there: str, here: Path) -> None:
    """rsync over ssh, with a second run that has nothing to do."""
    source = here / "tree"
    (source / "below").mkdir(parents=True)
    (source / "below" / "file").write_bytes(os.urandom(200_000))
    for expected in (True, False):
        sent = await ssh.rsync("-ai", f"{source}/", f":{there}/tree/")
        assert sent.code == 0 and ("below/file" in sent.out) is expected, sent
    fetched = await ssh.rsync("-a", f":{there}/tree/", f"{here}/fetched/")
    assert fetched.code == 0 and _tree(here / "fetched") == _tree(source)


async def session_closed_early_leaves_the_rest(ssh: OpenSsh) -> None:
    """A session that is closed while its command prints more than anybody reads; others on its connection go on."""
    async with asyncio.timeout(PATIENCE), logged_in(ssh.connection) as machine:
        other = await machine.create_process("cat", encoding=None)
        for _ in range(3):
            printing = await machine.create_process("exec cat /dev/zero", encoding=None)
            await printing.stdout.readexactly(ODD_BYTES)
            printing.close()
            await printing.wait_closed()
        other.stdin.write(b"still here")
        other.stdin.write_eof()
        assert await other.stdout.read() == b"still here"
        assert (await machine.run("echo new")).stdout == "new\n"


async def ask(port: int, said: bytes) -> bytes:
    """Sends a line to a server on this machine; returns its answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(said)
        return await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()


def _tree(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
