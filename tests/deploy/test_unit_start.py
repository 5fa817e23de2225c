"""The host agent's unit, started as systemd would: with its directories, variables and credentials, from the files that
docs/host.md makes.

The users are swapped, since a checkout may be readable by root alone: the files that are root's on a host's machine
are another user's here, and the agent is root without any rights over others' files.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from solders.keypair import Keypair

from anchor_client.sealing import SealKey
from host_agent.docker.container import OOM_SCORE
from tests.docs.pages import ROOT
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

UNIT: Final = (ROOT / "deploy/systemd/gpu-market-host.service").read_text()
PAGE: Final = (ROOT / "docs/host.md").read_text()
SCRIPT: Final = str(Path(sys.executable).with_name("gpu-market"))
OWNER: Final = 64_321
"""Owner of what is root's on a host's machine."""
USUAL_WEIGHT: Final = 100
UNPRIVILEGED: Final = ("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner,-chown")


@dataclass(frozen=True, slots=True)
class Place:
    """Stands for the root of a host's machine."""

    root: Path

    def at(self, text: str) -> str:
        """Text with the unit's paths below the root."""
        return re.sub(r"/(?:etc|var/lib)/gpu-market", lambda found: f"{self.root}{found[0]}", text)


def lines(name: str) -> list[str]:
    """Values of a setting of the unit, in order."""
    return re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)


@pytest.fixture
def place() -> Iterator[Place]:
    if os.geteuid() != 0:
        pytest.skip("files of another user need root")
    root = Path(tempfile.mkdtemp(prefix="gpu-market-unit-"))
    yield Place(root)
    shutil.rmtree(root)


def install(place: Place) -> None:
    """The files of the page, with its modes, all of them root's."""
    folder = Path(place.at("/etc/gpu-market"))
    folder.mkdir(parents=True)
    folder.parent.chmod(0o755)
    folder.chmod(0o750)
    assert "install -d -m 0750 /etc/gpu-market" in PAGE
    node = f"http://127.0.0.1:{free_ports(1)}"
    files = {
        "market.env": f"GPU_MARKET_RPC_URL={node}\nGPU_MARKET_API_URL={node}\n",
        "host.env": "GPU_MARKET_HOST_ADDRESS=gpu1.example.com\n",
        "host.json": Keypair().to_json(),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    SealKey.generate().save(folder / "seal.key")
    for file in folder.iterdir():
        file.chmod(0o600)
        os.chown(file, OWNER, OWNER)
        assert file.name in PAGE
    os.chown(folder, OWNER, OWNER)


def environment(place: Place) -> dict[str, str]:
    """Environment from systemd, which hands over copies of credentials that only the unit's user can read."""
    credentials = place.root / "credentials"
    credentials.mkdir(mode=0o500)
    for each in lines("LoadCredential"):
        name, _, source = each.partition(":")
        copy = credentials / name
        copy.write_bytes(Path(place.at(source)).read_bytes())
        copy.chmod(0o400)
    for each in lines("StateDirectory"):
        Path(place.at(f"/var/lib/{each}")).mkdir(parents=True)
    files = [Path(place.at(each)).read_text() for each in lines("EnvironmentFile")]
    pairs = [line for text in (*files, "\n".join(lines("Environment"))) for line in text.splitlines() if line]
    told = dict(place.at(pair).replace("%d", str(credentials)).split("=", 1) for pair in pairs)
    return {"PATH": "/usr/bin:/bin", **told}


def test_host_unit__as_documented__reads_its_keys_and_asks_the_node(place: Place) -> None:
    install(place)
    [command] = [place.at(each) for each in lines("ExecStart")]
    given = [*UNPRIVILEGED, SCRIPT, *shlex.split(command)[1:]]
    done = subprocess.run(
        given,
        env=environment(place),
        cwd="/",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    unreadable = place.at("/etc/gpu-market/seal.key")
    assert subprocess.run([*UNPRIVILEGED, "cat", unreadable], capture_output=True, check=False).returncode == 1
    assert done.returncode == 1 and re.search("error: http://127.0.0.1:[0-9]+ cannot be reached", done.stderr), done


def test_host_unit__its_user__is_made_on_the_page() -> None:
    [user] = lines("User")
    assert re.search(rf"^\$ useradd .*\b{user}$", PAGE, re.MULTILINE)


def test_host_unit__on_a_machine_that_tenants_use_up__keeps_the_agent_and_what_it_sees() -> None:
    capabilities = {"CAP_NET_ADMIN", "CAP_SYSLOG", "CAP_SYS_PTRACE", "CAP_CHECKPOINT_RESTORE", "CAP_DAC_READ_SEARCH"}
    assert {each for line in lines("AmbientCapabilities") for each in line.split()} == capabilities
    [descriptors], [killed], [memory] = (lines(name) for name in ("LimitNOFILE", "OOMScoreAdjust", "MemoryMin"))
    assert int(descriptors) >= 65_536 and memory == "256M"
    assert int(killed) < 0 < OOM_SCORE, "a tenant is killed first"
    [weight] = lines("CPUWeight")
    assert int(weight) > USUAL_WEIGHT
    assert lines("KillMode") == ["process"], "gateways and watchdog outlive the agent"
