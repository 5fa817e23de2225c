"""Clients that others' generators make from the API's description: each rents and stops."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
import time
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.transaction import VersionedTransaction

from scripts.lock import UV
from tests.clients.package import packages, run
from tests.docs.pages import ROOT
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE

pytestmark = [pytest.mark.xdist_group("typescript"), pytest.mark.exhaustive]

DESCRIPTION = ROOT / "idl/openapi.json"
GENERATOR = "openapi-python-client==0.29.1"
OPTIONAL_DEFAULTS = "--default-non-nullable=false"
"""Lets a request omit fields with a default."""
GENERATE_SECONDS = 300
GPU = "nvidia-a100-pcie-40gb"
STRICT = ("--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--types", "node")


@pytest.fixture(scope="module")
def python_client(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a package that openapi-python-client has generated without a warning."""
    made = tmp_path_factory.mktemp("openapi")
    (made / "config.yml").write_text("post_hooks: []\n")
    options = ("--path", str(DESCRIPTION), "--output-path", "client", "--config", "config.yml", "--fail-on-warning")
    done = subprocess.run(
        [UV, "tool", "run", "--quiet", "--from", GENERATOR, "openapi-python-client", "generate", *options],
        cwd=made,
        capture_output=True,
        text=True,
        timeout=GENERATE_SECONDS,
        check=False,
    )
    assert done.returncode == 0 and "Warning" not in done.stdout, f"{done.stdout}\n{done.stderr}"
    sys.path.insert(0, str(made / "client"))
    return "gpu_market_client"


@pytest.fixture
def renter(up: UpProcess, tmp_path: Path) -> tuple[Path, Keypair]:
    """A new wallet with tokens, and its file."""
    file = tmp_path / "renter.json"
    up.console.run("wallet", "new", str(file))
    for amount in (("10",), ("200", "--token", "GPUM")):
        up.console.run("wallet", "airdrop", *amount, "--keypair", str(file))
    return file, Keypair.from_bytes(bytes(json.loads(file.read_text())))


def test_python_client__each_operation__is_generated(python_client: str) -> None:
    described = json.loads(DESCRIPTION.read_text())["paths"]
    operations = {about["operationId"] for methods in described.values() for about in methods.values()}
    package = importlib.import_module(python_client)
    assert package.__file__ is not None
    made = {file.stem for file in (Path(package.__file__).parent / "api").glob("*/*.py")} - {"__init__"}
    assert made == operations


def test_python_client__market_that_runs__rents_and_stops(
    python_client: str, up: UpProcess, renter: tuple[Path, Keypair]
) -> None:
    _, wallet = renter
    with importlib.import_module(python_client).Client(base_url=up.ready["api_url"], timeout=PATIENCE) as api:
        rent_and_stop(python_client, api, wallet)


def rent_and_stop(python_client: str, api: Any, wallet: Keypair) -> None:
    """Rents and stops."""

    def ask(module: str, *path: str, **body: Any) -> Any:
        called = importlib.import_module(f"{python_client}.api.{module}")
        answer = called.sync(*path, client=api, **body)
        assert answer is not None and type(answer).__name__ != "Problem", answer
        return answer

    models = importlib.import_module(f"{python_client}.models")

    def land(act: Any) -> None:
        unsigned = VersionedTransaction.from_bytes(b64decode(act.transaction))
        signed = b64encode(bytes(VersionedTransaction(unsigned.message, [wallet]))).decode()
        body = models.Signed(transaction=signed, last_valid_block_height=act.last_valid_block_height)
        while (outcome := ask("transactions.transactions_send", body=body)).status != "landed":
            assert outcome.status == "pending", outcome

    address = str(wallet.pubkey())
    order = models.JobRequest(wallet=address, gpu=GPU, duration=7_200, order_hash="ab" * 32)
    ordered = ask("jobs.rental_open", body=order)
    land(ordered)
    job = until_job(ask, ordered.address, lambda job: True)
    land(ask("jobs.rental_stop", job.id, body=models.Stop(wallet=address)))
    assert until_job(ask, job.id, lambda job: job.ended_at is not None).order_hash == "ab" * 32


def until_job(ask: Any, address: str, wanted: Any) -> Any:
    """The job once the index has it as wanted."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            job = ask("jobs.jobs_get_job", address)
        except AssertionError:
            job = None
        if job is not None and wanted(job):
            return job
        time.sleep(0.1)
    raise AssertionError(f"{address} is not as wanted: {job}")


def test_typescript_types__market_that_runs__rent_and_stop(
    up: UpProcess, renter: tuple[Path, Keypair], tmp_path: Path
) -> None:
    file, wallet = renter
    project = tmp_path / "project"
    project.mkdir()
    (project / "package.json").write_text(json.dumps({"type": "module"}))
    (project / "node_modules").symlink_to(packages())
    shutil.copy(ROOT / "tests/clients/openapi/rent.ts", project)
    run(project, "node_modules/openapi-typescript/bin/cli.js", str(DESCRIPTION), "-o", "schema.ts", OPTIONAL_DEFAULTS)
    run(project, "node_modules/typescript/bin/tsc", *STRICT, "rent.ts", seconds=PATIENCE)
    assert run(project, "rent.js", up.ready["api_url"], str(file), str(wallet.pubkey())) == "ended\n"
