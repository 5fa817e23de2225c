"""A machine is reached with what the browser opened, by the ssh that everybody has."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from subprocess import run as call

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.ordering import free_machine, newcomer, run
from tests.dashboard.visit import visiting
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(shutil.which("ssh") is None, reason="ssh is not on PATH"),
]


def test_connection__line_and_key_of_the_browser__let_a_real_client_in(
    browser: Browser, up: UpProcess, tmp_path: Path
) -> None:
    with visiting(browser, up.ready["api_url"], still=True) as visit:
        newcomer(visit, free_machine(visit))
        page = visit.page
        page.get_by_role("button", name="Make an SSH key in this browser").click()
        public = page.get_by_label("SSH public key")
        expect(public).to_have_value(re.compile(r"^ssh-ed25519 \S+ gpu-market$"))
        open_key = public.input_value()
        run(visit)
        line = page.locator("dt", has_text="Shell").locator("xpath=following-sibling::dd/code").inner_text()
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save the SSH key").click()
        key = tmp_path / "gpu-market.key"
        saved.value.save_as(key)
        with page.expect_download() as order:
            page.get_by_role("button", name="Save the order's key").click()
        order.value.save_as(tmp_path / "order.key")
        assert visit.violations() == []
    key.chmod(0o600)
    told = call(["ssh-keygen", "-y", "-f", str(key)], capture_output=True, text=True, check=True).stdout
    assert told.split()[:2] == open_key.split()[:2] and len((tmp_path / "order.key").read_text()) == 64

    words = shlex.split(line)
    trusting = ("-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={tmp_path / 'known'}", "-F", "none")
    here = ("-o", "HostName=127.0.0.1", "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-i", str(key))
    command = [*words[:1], *trusting, *here, *words[1:], "nvidia-smi", "-L"]
    done = call(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0 and done.stdout.startswith("GPU 0: "), done.stderr
