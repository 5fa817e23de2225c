"""A market's services on a Debian machine, by the units and commands of deploy/README.md."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.pages import ROOT, commands_under
from tests.e2e.pages.debian_machine import DebianMachine

README = (ROOT / "deploy/README.md").read_text()
CHECKOUT = "/usr/local/src/gpu-market"
SETTINGS, FINDINGS = Path("/etc/gpu-market"), "/var/lib/gpu-market/doctor/gpu-market.prom"
USER = "gpu-market"
SERVICES = {
    "gpu-market-indexer": "http://127.0.0.1:8010/health",
    "gpu-market-api": "http://127.0.0.1:8001/health",
    "gpu-market-keeper": "http://127.0.0.1:9104/metrics",
    "gpu-market-oracle": "http://127.0.0.1:9102/metrics",
}
"""Units, and where each answers; the API of `gpu-market up` has the indexer's usual port."""


def market_serves(machine: DebianMachine, environment: str, keys: str) -> None:
    """Types the page with the keys and the market of `gpu-market up`, and looks at what systemd has started."""
    machine.says("cp", "-r", keys, f"{CHECKOUT}/keys")
    commands = [" ".join(words) for words in commands_under(README, "systemd")]
    *before, start = commands
    assert start.startswith("systemctl enable --now")
    for command in before:
        machine.says("sh", "-c", f"cd {CHECKOUT} && {command}")
    filled_in = f"{environment}GPU_MARKET_ORACLE_SOURCES=fixed:0.05\nGPU_MARKET_SIGN_IN_DOMAIN=localhost\n"
    machine.is_given(filled_in.encode(), "tee", str(SETTINGS / "market.env"))
    machine.says("sh", "-c", f"echo GPU_MARKET_PORT=8010 >> {SETTINGS / 'indexer.env'}")
    machine.says("sh", "-c", f"{start} || {{ journalctl --no-pager --lines 40 -u '{USER}-*'; exit 1; }}")
    for name, address in SERVICES.items():
        machine.says("systemctl", "start", name)
        state = machine.says("systemctl", "show", name, "--property", "ActiveState,MainPID,NRestarts")
        known = dict(re.findall(r"^(\w+)=(.*)$", state, re.MULTILINE))
        assert (known["ActiveState"], known["NRestarts"]) == ("active", "0"), name
        assert machine.says("stat", "-c", "%U", f"/proc/{known['MainPID']}").strip() == USER
        read = f"import urllib.request as r; r.urlopen('{address}', timeout=30).read()"
        machine.says("/opt/gpu-market/bin/python", "-c", read)
    # It fails where it finds something: nothing here has a certificate.
    told = machine.says("sh", "-c", "systemctl start gpu-market-doctor || journalctl --no-pager -u gpu-market-doctor")
    assert machine.says("sh", "-c", f"stat -c %U {FINDINGS} || true").strip() == USER, told
    assert "certificate" in machine.says("cat", FINDINGS)
    for name in ("keeper.json", "oracle.json", "indexer.env", "market.env"):
        tried = f"setpriv --reuid {USER} --regid {USER} --clear-groups cat {SETTINGS / name}"
        machine.says("sh", "-c", f"! {tried} 2> /dev/null")
