"""`gpu-market host handover`."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from host_agent.gateway.documents import Standing
from market_cli.main import main
from tests.host_agent.gateway.tenants import LISTING, Tenant, tenant_in

NOBODY = 65_534


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Directories of the test's own."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))


async def served(tenant: Tenant) -> Standing | None:
    """The tenancy's gateway, begun if there is none."""
    await tenant.handle.serve(tenant.opening)
    return await tenant.handle.standing()


def test_handover__one_tenancy_is_served__has_a_new_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with asyncio.Runner() as runner:
        tenancy = tenant_in(tmp_path, monkeypatch)
        tenant = runner.run(tenancy.__aenter__())
        earlier = runner.run(served(tenant))
        capsys.readouterr()
        assert main(["host", "handover", "--state-dir", str(tmp_path), "--json"]) == 0
        [told] = json.loads(capsys.readouterr().out)
        now = runner.run(tenant.handle.standing())
        runner.run(tenancy.__aexit__(None, None, None))
    assert earlier is not None and now is not None and now.pid != earlier.pid
    assert told == {
        "listing": LISTING,
        "rental": "Rental",
        "pid": now.pid,
        "earlier_pid": earlier.pid,
        "connections_left": 0,
    }


def test_handover__no_tenancy__says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["host", "handover", "--state-dir", str(tmp_path)]) == 0
    assert "No tenancy is served here." in capsys.readouterr().out


def test_handover__gateways_of_another_user__are_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if os.geteuid() != 0:
        pytest.skip("files of another user need root")
    (tmp_path / "gateways").mkdir()
    os.chown(tmp_path / "gateways", NOBODY, NOBODY)
    assert main(["host", "handover", "--state-dir", str(tmp_path)]) != 0
    assert "run as another user" in capsys.readouterr().err
