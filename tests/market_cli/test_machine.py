"""A renter's work on a job's machine: shells, programs, files, output and ports. The container is a folder here."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncssh
import pytest
from solders.pubkey import Pubkey

from anchor_client.connection import Connection
from anchor_client.market import RentalWanted
from anchor_client.orders import InMemory, KeyDirectory, SealKey, Workload
from anchor_client.orders.ssh_key import private_file, public_line
from host_agent.ssh import RenterCredentials, SshIdentity, TenantSshServer
from market_cli.exit_codes import BROKEN_PIPE, INTERRUPTED
from market_cli.job_names import keep_name
from tests.host_agent import openssh
from tests.host_agent.docker.process_inside import ProcessInside
from tests.host_agent.docker.renter_access import ask
from tests.host_agent.editor.client import Machine
from tests.host_agent.editor.session import works
from tests.host_agent.openssh import Done
from tests.indexer.service import until
from tests.markets.marketplace import H100, Marketplace
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

SCRIPT = str(Path(sys.executable).with_name("gpu-market"))
SOON = 10
BIG = 9 * 2**20 + 321
PRINTS_AND_STAYS = "echo line; exec sleep 1000"


@dataclass(frozen=True, slots=True)
class Renter:
    """A renter with a running job called train, and the folder that is its container."""

    job: Pubkey
    container: ProcessInside
    home: Path
    options: tuple[str, ...]
    environment: dict[str, str]
    server: TenantSshServer
    port: int
    public_key: str

    async def __call__(self, *words: str, code: int = 0, given: bytes = b"") -> Done:
        """Runs a command, which must have this exit code."""
        done = await openssh.run(SCRIPT, *self.options, *words, given=given, environment=self.environment)
        assert done.code == code, done
        return done


@pytest.fixture
async def renter(marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Renter]:
    openssh.require("ssh")
    for name in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "a home"))
    wallet = await marketplace.renter()
    (tmp_path / "id.json").write_text(wallet.to_json())
    keys = KeyDirectory(tmp_path / "a home" / "gpu-market" / "orders")
    async with marketplace.market(wallet) as market:
        wanted = RentalWanted(gpu=H100, duration=3_600, pay="GPUM")
        job = await market.rental.open(wanted, Workload())
        made = market.session.renter_keys
        assert isinstance(made, InMemory)
        (order_hash, key), *_ = made._kept.items()
        keys.keep(order_hash, key)
        identity = SshIdentity.load_or_create(tmp_path / "host_key")
        port = free_ports(1)
        connection = Connection(host="127.0.0.1", port=port, password="p", host_key=identity.public_key)
        await marketplace.run(job.id, connection.sealed(key.public))
        keep_name("train", job.id)
        folder = tmp_path / "container"
        folder.mkdir()
        container = ProcessInside(folder)
        container.environment["JUPYTER_TOKEN"] = "a/b c"
        credentials = RenterCredentials("p", public_line(key))
        server = await TenantSshServer.listening(identity, "127.0.0.1", port, credentials, container)
        options = ("--rpc", marketplace.cluster.rpc_url, "--keypair", str(tmp_path / "id.json"))
        own = {"GPU_MARKET_WS_URL": marketplace.cluster.ws_url, "HOME": str(tmp_path)}
        yield Renter(job.id, container, tmp_path, options, {**os.environ, **own}, server, port, public_line(key))
        await server.close()
        if not (await market.jobs.get(job.id)).status.is_final:
            await market.rental.stop(job.id)


def test_ssh_key__of_an_order__is_one_that_openssh_reads() -> None:
    key = SealKey.generate()
    read = asyncssh.import_private_key(private_file(key))
    assert read.export_public_key().decode().split()[:2] == public_line(key).split()[:2]
    assert public_line(key) == public_line(SealKey.from_bytes(bytes(key.private))) != public_line(SealKey.generate())


async def test_ssh__command__exits_with_its_code(renter: Renter) -> None:
    assert (await renter("ssh", "train", "--", "cat; echo said >&2; exit 130", given=b"typed", code=130)).out == "typed"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "words", [("ssh", "train"), ("exec", "train", "true"), ("cp", "train:a", "."), ("logs", "train")]
)
async def test_command__job_that_has_ended__says_so(renter: Renter, words: tuple[str, ...]) -> None:
    await renter("stop", "train")
    refused = await renter(*words, code=2)
    assert "has ended" in refused.error and f"gpu-market job {renter.job}" in refused.error


@pytest.mark.exhaustive
async def test_exec__arguments__come_as_they_are(renter: Renter) -> None:
    await renter("ssh", "@last", "--", "true")
    done = await renter(
        "exec", str(renter.job)[:9], "--", "sh", "-c", 'echo "$1"; exit 7', "sh", "a  'b' $HOME", code=7
    )
    assert done.out == "a  'b' $HOME\n"
    key = renter.home / "a home" / "gpu-market" / "ssh" / str(renter.job) / "key"
    assert key.stat().st_mode & 0o777 == 0o600


@pytest.mark.exhaustive
async def test_ssh__another_machine_answers__is_refused(renter: Renter) -> None:
    await renter.server.close()
    other = SshIdentity.load_or_create(renter.home / "other_host_key")
    credentials = RenterCredentials("p", renter.public_key)
    impostor = await TenantSshServer.listening(other, "127.0.0.1", renter.port, credentials, renter.container)
    refused = await renter("ssh", "train", "--", "true", code=255)
    assert "Host key verification failed" in refused.error
    assert "MachineLost" in (await renter("logs", "train", "--json", code=1)).out
    await impostor.close()


@pytest.mark.exhaustive
async def test_cp__folder_both_ways__resumes_and_leaves_alone_what_is_there(renter: Renter) -> None:
    source = renter.home / "data"
    (source / "below").mkdir(parents=True)
    (source / "below" / "big").write_bytes(os.urandom(BIG))
    (source / "small file").write_text("small")
    there = renter.container.folder / "data"
    told = json.loads((await renter("cp", str(source), "train:", "--json")).out)
    assert (told["files"], told["bytes"], told["unchanged"]) == (2, BIG + 5, 0)
    assert (there / "below" / "big").read_bytes() == (source / "below" / "big").read_bytes()
    assert json.loads((await renter("cp", str(source), "train:", "--json")).out)["unchanged"] == 2
    whole, partial = there / "below" / "big", f".big.{BIG:x}-{int((source / 'below' / 'big').stat().st_mtime):x}.part"
    whole.with_name(partial).write_bytes(whole.read_bytes()[: 5 * 2**20])
    whole.unlink()
    await renter("cp", str(source), "train:")
    assert whole.read_bytes() == (source / "below" / "big").read_bytes() and not whole.with_name(partial).exists()
    await renter("cp", "train:data", str(renter.home / "back"))
    assert (renter.home / "back" / "small file").read_text() == "small"
    assert (renter.home / "back" / "below" / "big").read_bytes() == whole.read_bytes()


@pytest.mark.exhaustive
async def test_cp__interrupted__says_that_it_can_go_on(renter: Renter) -> None:
    source = renter.home / "large"
    with source.open("wb") as large:
        large.truncate(4 * 2**30)
    copying = await asyncio.create_subprocess_exec(
        *(SCRIPT, *renter.options, "cp", str(source), "train:"), env=renter.environment, stdout=PIPE, stderr=PIPE
    )

    async def begun() -> bool:
        return any(renter.container.folder.glob(".large.*.part"))

    await until(begun)
    copying.send_signal(signal.SIGINT)
    _, error = await copying.communicate()
    assert copying.returncode == INTERRUPTED and b"run the same command to resume" in error, error
    [partial] = renter.container.folder.glob(".large.*.part")
    partial.unlink()


@pytest.mark.exhaustive
async def test_cp__what_cannot_be__is_said(renter: Renter) -> None:
    for words, said in (
        (("a", "b"), "Exactly one side"),
        (("train:none", "."), "has no none"),
        (("/none", "train:x"), "/none does not exist"),
        ((str(renter.home / "id.json"), "train:/none/below"), "refuses"),
    ):
        assert said in (await renter("cp", *words, code=2)).error


@pytest.mark.exhaustive
async def test_logs__tail__is_what_the_command_printed(renter: Renter) -> None:
    renter.container.printed = [b"one\n", b"two\n"]
    assert (await renter("logs", "train")).out == "one\ntwo\n"
    assert (await renter("logs", "train", "--tail", "1")).out == "two\n"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "words",
    [
        ("logs", "train"),
        ("ssh", "train", "--", PRINTS_AND_STAYS),
        ("exec", "train", "--", "sh", "-c", PRINTS_AND_STAYS),
    ],
)
async def test_output__nobody_reads_it_any_more__command_ends_and_says_nothing(
    renter: Renter, words: tuple[str, ...]
) -> None:
    renter.container.printed = [b"line\n" * 100_000]
    read, write = os.pipe()
    running = await asyncio.create_subprocess_exec(
        SCRIPT, *renter.options, *words, env=renter.environment, stdin=DEVNULL, stdout=write, stderr=PIPE
    )
    os.close(write)
    assert await asyncio.to_thread(os.read, read, 1)
    os.close(read)
    async with asyncio.timeout(PATIENCE):
        _, error = await running.communicate()
    assert (running.returncode, error) == (BROKEN_PIPE, b"")


@asynccontextmanager
async def forwarding_to(renter: Renter) -> AsyncIterator[tuple[Process, int]]:
    """`gpu-market forward` to a program on the machine that repeats what it hears, and its port here."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"heard " + await reader.readline())
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        there = server.sockets[0].getsockname()[1]
        forwarding = await asyncio.create_subprocess_exec(
            *(SCRIPT, *renter.options, "forward", "train", f"{there}:0", "--json"),
            env=renter.environment,
            stdout=PIPE,
            stderr=PIPE,
        )
        assert forwarding.stdout is not None
        yield forwarding, json.loads(await forwarding.stdout.readline())["local"]


@pytest.mark.exhaustive
async def test_forward__program_on_the_machine__is_reached_here(renter: Renter) -> None:
    async with forwarding_to(renter) as (forwarding, local):
        assert await ask(local, b"x\n") == b"heard x\n"
        forwarding.send_signal(signal.SIGINT)
        await forwarding.communicate()
        assert forwarding.returncode == 130


async def served_again(renter: Renter) -> TenantSshServer:
    """The machine's server after its agent has restarted."""
    await renter.server.close()
    identity = SshIdentity.load_or_create(renter.home / "host_key")
    credentials = RenterCredentials("p", renter.public_key)
    return await TenantSshServer.listening(identity, "127.0.0.1", renter.port, credentials, renter.container)


@pytest.mark.exhaustive
async def test_ssh__agent_starts_anew__opens_another_shell_in_the_same_terminal(renter: Renter) -> None:
    ours, theirs = pty.openpty()
    shown = bytearray()
    loop = asyncio.get_running_loop()
    shell = await asyncio.create_subprocess_exec(
        *(SCRIPT, *renter.options, "ssh", "train"),
        **{"stdin": theirs, "stdout": theirs, "stderr": theirs, "start_new_session": True},
        env=renter.environment,
    )
    os.close(theirs)

    def read() -> None:
        try:
            shown.extend(os.read(ours, 4_096))
        except OSError:  # nobody has the terminal open any more
            loop.remove_reader(ours)

    loop.add_reader(ours, read)

    async def answers(word: str) -> None:
        """Types until a shell says a word: what is typed in between reaches nobody."""

        async def is_said() -> bool:
            os.write(ours, f"echo {word[0]}''{word[1:]}\n".encode())
            return word.encode() in shown

        await until(is_said, PATIENCE)

    try:
        await answers("first")
        again = await served_again(renter)
        await answers("second")
        assert b"reconnecting while the job runs" in b" ".join(shown.split())
        os.write(ours, b"exit 3\n")
        async with asyncio.timeout(PATIENCE):
            assert await shell.wait() == 3
        await again.close()
    finally:
        loop.remove_reader(ours)
        os.close(ours)


@pytest.mark.exhaustive
async def test_forward__agent_starts_anew__connects_again_until_the_job_has_ended(renter: Renter) -> None:
    async with forwarding_to(renter) as (forwarding, local):
        again = await served_again(renter)

        async def is_heard() -> bool:
            try:  # who comes as the connection is lost may wait in vain
                async with asyncio.timeout(SOON):
                    return await ask(local, b"x\n") == b"heard x\n"
            except (ConnectionError, TimeoutError):
                return False

        await until(is_heard, PATIENCE)
        await renter("stop", "train")
        await again.close()
        async with asyncio.timeout(PATIENCE):
            said, _ = await forwarding.communicate()
    assert forwarding.returncode == 1
    assert json.loads(said)["error"] == "MachineLost"


@pytest.mark.exhaustive
async def test_notebook__of_a_machine_with_its_own_certificate__opens_here_with_the_token(renter: Renter) -> None:
    opened = renter.home / "opened"
    browser = renter.home / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new; mv {opened}.new {opened}\n')
    browser.chmod(0o755)
    port = free_ports(1)
    words = ("notebook", "train", "--port", str(port), "--json")
    environment = {**renter.environment, "BROWSER": f"{browser} %s"}
    opening = await asyncio.create_subprocess_exec(
        SCRIPT, *renter.options, *words, env=environment, stdout=PIPE, stderr=PIPE
    )

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"heard " + await reader.readline())
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", port):
        assert opening.stdout is not None
        url = json.loads(await opening.stdout.readline())["url"]
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=a%2Fb%20c", url)
        assert found is not None, url
        assert await ask(int(found[1]), b"x\n") == b"heard x\n"
        opening.send_signal(signal.SIGINT)
        await opening.communicate()
    assert opening.returncode == 130
    assert opened.read_text() == f"{url}\n"


@pytest.mark.exhaustive
async def test_notebook__ordered_without_a_token__is_said(renter: Renter) -> None:
    del renter.container.environment["JUPYTER_TOKEN"]
    refused = await renter("notebook", "train", "--no-open", "--json", code=2)
    assert "without a Jupyter token" in refused.out


@pytest.mark.exhaustive
async def test_ssh_config__running_job__is_reached_by_name_and_goes_when_it_ends(
    renter: Renter, marketplace: Marketplace
) -> None:
    config = renter.home / "a home" / "gpu-market" / "ssh_config"
    (renter.home / "a home" / "gpu-market" / "ssh" / "ended").mkdir(parents=True)
    told = json.loads((await renter("ssh-config", "--json")).out)
    assert told == {"file": str(config), "hosts": {str(renter.job): "gpu-train"}}
    for host in ("gpu-train", f"gpu-{renter.job}"):
        done = await openssh.run("ssh", "-F", str(config), "-o", "BatchMode=yes", host, "echo in")
        assert (done.code, done.out) == (0, "in\n"), done
    assert [each.name for each in (renter.home / "a home" / "gpu-market" / "ssh").iterdir()] == [str(renter.job)]


@pytest.mark.exhaustive
async def test_ssh_config__remote_editor__works_and_finds_its_server_again(renter: Renter) -> None:
    openssh.require("scp", "sftp", "perl", "bash")
    home = renter.container.folder
    renter.container.environment["HOME"] = str(home)
    settings = json.loads((await renter("ssh-config", "--json")).out)["file"]
    try:
        await works(Machine(Path(settings), "gpu-train"), str(home), renter.home)
    finally:
        os.kill(int((home / ".editor-server" / "pid").read_text()), signal.SIGTERM)
